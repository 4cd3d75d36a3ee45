/** Pace, cancellation and backpressure, as the request log and a real client see them. The test controls time. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ManualClock, manualClock } from '../../test/support/manual-clock.ts'
import { eventsIn, exchange, openExchange, plainBody } from '../../test/support/sandbox-client.ts'
import { plainRequest, sandboxFormats } from '../../test/support/sandbox-formats.ts'
import { type Sandbox, startSandbox } from '../sandbox.ts'

let clock: ManualClock
let sandbox: Sandbox

before(async () => {
  clock = manualClock()
  sandbox = await startSandbox({ clock })
})
after(() => sandbox.close())

const chat = '/v1/chat/completions'
const contentPattern =
  /"text_delta"|"delta":\{"content":" |"type":"response\.output_text\.delta"|\[\{"text": " /g

for (const format of sandboxFormats) {
  test(`tokens come at their rate in ${format}, and the request log knows each one`, async () => {
    const id = `rate-${format}`
    const request = plainRequest(format, 'sandbox-stream', 'tokens=100 rate=50 delay=400')
    const answer = exchange(sandbox.origin, { ...request, headers: { 'x-request-id': id } })
    await sandbox.until(id, ({ status }) => status === 200)
    const made: (number | undefined)[] = []
    for (const ms of [400, 19, 1, 980, 500, 500]) {
      clock.advance(ms)
      made.push(sandbox.logged(id)?.outputTokens)
    }
    assert.deepEqual(made, [0, 0, 1, 50, 75, 100])
    assert.equal((await answer).body.match(contentPattern)?.length, 100)
    assert.equal((await sandbox.until(id, ({ outcome }) => outcome !== 'running')).outcome, 'complete')
    assert.equal(clock.pending(), 0)
  })
}

/** Event loop turns without a new token after which production is considered stopped. */
const quietTurns = 200

async function tokensAtRest(id: string): Promise<number> {
  let last = -1
  for (let quiet = 0; quiet < quietTurns; quiet += 1) {
    await new Promise((resolve) => setImmediate(resolve))
    const made = sandbox.logged(id)?.outputTokens ?? 0
    if (made !== last) quiet = 0
    last = made
  }
  return last
}

test('a client that does not read holds the making up; one that reads on gets everything', async () => {
  const id = 'slow-reader'
  const tokens = 100_000
  const body = plainBody(`sandbox-stream:tokens=${tokens}`, 'hi', { max_tokens: tokens })
  const response = await openExchange(sandbox.origin, { path: chat, body, headers: { 'x-request-id': id } })
  await sandbox.until(id, ({ outputTokens }) => outputTokens > 0)
  const resting = await tokensAtRest(id)
  assert.ok(resting < tokens, `${resting} tokens were generated after the client left`)
  let read = ''
  for await (const chunk of response) read += chunk
  assert.equal(read.match(contentPattern)?.length, tokens)
  assert.equal(eventsIn(read).at(-1), '[DONE]')
  assert.equal((await sandbox.until(id, ({ outcome }) => outcome !== 'running')).outputTokens, tokens)
})

test('closing the sandbox cuts what runs and gives up every wait', async () => {
  const other = await startSandbox({ clock })
  const headers = { 'x-request-id': 'cut' }
  const hanging = exchange(other.origin, { path: chat, body: plainBody('sandbox-hang', 'hi'), headers })
  await other.until('cut', ({ model }) => model !== '')
  const never = assert.rejects(
    other.until('cut', ({ status }) => status === 200),
    /closed before request cut/,
  )
  await other.close()
  await never
  assert.equal((await hanging).broken, 'ECONNRESET')
  assert.deepEqual(
    [other.logged('cut')?.outcome, other.logged('cut')?.closedByClientAtMs],
    ['broken_off', undefined],
  )
  await assert.rejects(
    other.until('later', () => true),
    /closed/,
  )
})
