/** Limits that a reload can change, because they are read again later. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../base/clock.ts'
import { systemRandom } from '../base/ids.ts'
import { createLog } from '../base/log.ts'
import { type Limits, limitDefaults, readConfig } from '../config/config.ts'
import { limitsAtStart, limitsTable } from '../config/limits-table.ts'
import { startGateway } from './server.ts'

/** Read by a start for something that is over with it, or again later. */
const readAgain: readonly string[] = ['requestsPerMinute', 'tokensPerMinute', 'concurrent', 'signupNano']

test('a limit that a start reads is not among those that a reload changes', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'tollgate-reload-'))
  const read = readConfig(
    {
      ...{ TOLLGATE_DATA: dataFolder, TOLLGATE_PORT: '0', TOLLGATE_METRICS_TOKEN: 'for-tests-alone-1' },
      ...{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', SMTP_URL: 'smtp://127.0.0.1:9' },
      ...{
        MAIL_FROM: 'a@b.example',
        STRIPE_SECRET_KEY: `sk_${'test'}_a`,
        STRIPE_WEBHOOK_SECRET: `whsec_${'a'}`,
      },
    },
    dataFolder,
  )
  assert.ok(read.kind === 'config')
  const reads = watchReads(limitDefaults)
  const started = await startGateway({
    ...{ clock: systemClock, random: systemRandom, log: createLog({ level: 'silent' }) },
    config: { ...read.config, limits: reads.limits },
  })
  assert.ok(started.kind === 'started')
  const found = reads.names()
  await started.gateway.drain()
  await started.gateway.close()
  rmSync(dataFolder, { recursive: true })
  assert.deepEqual(
    found.filter((name) => name in limitsTable && !limitsAtStart.has(name) && !readAgain.includes(name)),
    [],
    'list them in limitsAtStart',
  )
  assert.ok(found.length > 50)
})

/** Limits that tell which of them were read, each by itself: a copy of all of them is no use of one. */
function watchReads(given: Limits): { readonly limits: Limits; names(): readonly string[] } {
  const placesOf = new Map<string, Set<string>>()
  const limits = Object.create(null) as Record<string, unknown>
  for (const [name, value] of Object.entries(given)) {
    Object.defineProperty(limits, name, {
      enumerable: true,
      get() {
        const place = new Error().stack?.split('\n')[2] ?? ''
        if (place.includes('/src/')) placesOf.set(place, (placesOf.get(place) ?? new Set()).add(name))
        return value
      },
    })
  }
  return {
    limits: limits as unknown as Limits,
    names: () => [...new Set([...placesOf.values()].flatMap((names) => (names.size > 20 ? [] : [...names])))],
  }
}
