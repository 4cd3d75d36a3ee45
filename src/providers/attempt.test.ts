/** An attempt at an upstream whose response this program cannot parse ends immediately, with the error. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chunkedHead, faultUpstream, httpChunk, sends } from '../../test/support/fault-upstream.ts'
import { manualClock } from '../../test/support/manual-clock.ts'
import { type WireFormat, wireFormats } from '../../test/support/wire-formats.ts'
import { Interruptible } from '../base/interruption.ts'
import { MemoryReservation } from '../base/shared-budget.ts'
import { limitDefaults } from '../config/config.ts'
import { openSharedMemory } from '../http/shared-memory.ts'
import { attempt } from './attempt.ts'
import { openai } from './openai.ts'
import { openSender } from './send.ts'

const mistake = (): never => {
  throw new RangeError('a mistake of ours')
}
const chat = wireFormats['openai-chat']
const cases: readonly (readonly [what: string, streamed: boolean, format: WireFormat])[] = [
  ['a whole answer', false, { ...chat, extractResponse: mistake }],
  ['a stream', true, { ...chat, tapStream: (options) => ({ ...chat.tapStream(options), push: mistake }) }],
]

for (const [what, streamed, format] of cases) {
  test(`${what} that a mistake of ours cannot read ends the try, and nothing of it stays`, async (context) => {
    const event = 'data: {"choices":[]}\n\n'
    const bytes = streamed
      ? `${chunkedHead}${httpChunk(event)}`
      : `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`
    const upstream = await faultUpstream(() => sends(bytes))
    const clock = manualClock()
    // With a clock of its own: it has a timer for idle connections.
    const sender = openSender({ limits: limitDefaults, clock: manualClock() })
    context.after(async () => {
      await sender.close()
      await upstream.close()
    })
    const allowance = openSharedMemory(limitDefaults).events.allowance({ key: 1n, account: 1n, network: '' })
    const attempted = attempt(sender, clock, {
      request: { origin: upstream.origin, method: 'POST', path: '/', headers: [], body: [] },
      ...{ connector: openai, format, streamed, limits: limitDefaults, work: new Interruptible() },
      tapOptions: {
        ...{ usageEvent: 'relay', choices: 1 },
        ...{ eventBytesMax: 1_000, sampleCharactersMax: 10 },
      },
      room: new MemoryReservation(allowance, 1_000),
      ...{ contentGapMs: 1e6, leftMs: 1e6, keepAliveInMs: 1e6 },
      keepAlive: () => undefined,
      readOnMs: () => 0,
      readsRefusals: false,
      alternative: null,
      dispatched: () => undefined,
    })
    await assert.rejects(attempted, { message: 'a mistake of ours' })
    assert.equal(clock.pending(), 0)
  })
}
