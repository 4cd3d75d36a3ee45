/** The exporter with a failing collector: how often it retries, and that closing leaves nothing behind. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { faultUpstream, wholeAnswer } from '../../test/support/fault-upstream.ts'
import { type ManualClock, manualClock } from '../../test/support/manual-clock.ts'
import { eventually } from '../../test/support/metered-gateway.ts'
import { createLog } from '../base/log.ts'
import { limitDefaults } from '../config/config.ts'
import { openSender } from '../providers/send.ts'
import { OtlpExporter } from './otlp-exporter.ts'
import type { OtlpSpan } from './request-trace.ts'

const json = ['content-type: application/json']
const limits = { ...limitDefaults, spansQueuedMax: 100, spansPerExportMax: 2, spanExportMs: 1_000 }

const span: OtlpSpan = {
  ...{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), parentSpanId: '', traceState: '', name: 'chat' },
  ...{ kind: 3, startTimeUnixNano: '1', endTimeUnixNano: '2', attributes: [], status: {} },
}

async function prepare(context: TestContext) {
  let status = 503
  const collector = await faultUpstream(() => wholeAnswer(status, '{}', json))
  const clock: ManualClock = manualClock()
  // Has a separate clock, because of its timer for idle connections.
  const sender = openSender({ limits, clock: manualClock() })
  context.after(async () => {
    await sender.close()
    await collector.close()
  })
  const lines: string[] = []
  let dropped = 0
  const exporter = new OtlpExporter({
    ...{ sender, clock, limits, endpoint: new URL(collector.origin), headers: [], resource: {} },
    protocol: 'http/json',
    log: createLog({ level: 'info', destination: { write: (line) => lines.push(line) } }),
    dropped: (count) => {
      dropped += count
    },
  })
  return {
    ...{ collector, clock, exporter },
    answersWith: (next: number) => {
      status = next
    },
    dropped: () => dropped,
    exports: () => collector.requests.length,
    logged: (text: string) =>
      eventually(
        text,
        async () => lines.some((line) => line.includes(text)),
        (found) => found,
      ),
  }
}

test('a collector that fails is asked again once per interval, however many requests end', async (context) => {
  const { clock, collector, exporter, answersWith, exports, logged } = await prepare(context)
  exporter.add([span, span])
  await logged('could not be exported')
  assert.equal(exports(), 1)
  for (let round = 0; round < 5; round += 1) {
    exporter.add([span, span])
    // A later request to the collector arrives after everything the exporter sent.
    await fetch(collector.origin)
  }
  assert.equal(exports(), 6)
  answersWith(200)
  clock.advance(limits.spanExportMs)
  await logged('exported again')
  await eventually(
    'all spans',
    async () => exports(),
    (count) => count === 12,
  )
})

test('a closed exporter has no timer, and counts what comes later as dropped', async (context) => {
  const { clock, exporter, logged, dropped } = await prepare(context)
  exporter.add([span, span])
  await logged('could not be exported')
  clock.advance(limits.spanExportMs)
  await exporter.close()
  assert.equal(dropped(), 2)
  assert.equal(clock.pending(), 0)
  exporter.add([span])
  assert.equal(dropped(), 3)
  assert.equal(clock.pending(), 0)
})
