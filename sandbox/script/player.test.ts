/** Pace, cancellation and backpressure, as the request log and a real client see them. The test controls time. */
import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
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

/** Reads until `count` content events have come. */
async function readContents(response: IncomingMessage, count: number): Promise<void> {
  let read = ''
  for await (const chunk of response.iterator({ destroyOnReturn: false })) {
    read += chunk
    if ((read.match(contentPattern)?.length ?? 0) >= count) return
  }
}

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

  test(`a client that leaves after ten events stops the making in ${format}`, async () => {
    const id = `cancel-${format}`
    const request = plainRequest(format, 'sandbox-stream', 'tokens=200 rate=50')
    const response = await openExchange(sandbox.origin, { ...request, headers: { 'x-request-id': id } })
    clock.advance(200)
    await readContents(response, 10)
    response.destroy()
    const leftAtMs = clock.monoMs()
    const logged = await sandbox.until(id, ({ outcome }) => outcome !== 'running')
    assert.deepEqual(
      [
        logged.outcome,
        logged.finished,
        logged.outputTokens,
        logged.closedByClientAtMs,
        logged.reportedOutputTokens,
      ],
      ['client_gone', false, 10, leftAtMs, undefined],
    )
    assert.equal(logged.inputTokens > 0, true)
    clock.advance(60_000)
    assert.equal(sandbox.logged(id)?.outputTokens, 10)
    assert.equal(clock.pending(), 0)
  })

  test(`leaving stops an answer that is not streamed in the middle of its making in ${format}`, async () => {
    const id = `cancel-whole-${format}`
    const leaving = new AbortController()
    const { path, body } = plainRequest(format, 'sandbox-stream', 'tokens=200 rate=50', { stream: false })
    const headers = { 'x-request-id': id, authorization: 'Bearer any', 'anthropic-version': '2023-06-01' }
    const answer = fetch(`${sandbox.origin}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers,
      signal: leaving.signal,
    })
    await sandbox.until(id, ({ inputTokens }) => inputTokens > 0)
    clock.advance(1_000)
    leaving.abort()
    await assert.rejects(answer)
    const logged = await sandbox.until(id, ({ outcome }) => outcome !== 'running')
    assert.deepEqual([logged.outcome, logged.outputTokens, logged.status], ['client_gone', 50, undefined])
  })
}

test('a cut comes with its last event, not with the one that would have followed', async () => {
  const headers = { 'x-request-id': 'paced-cut' }
  const body = plainBody('sandbox-cut-after', 'events=3 rate=1')
  const answer = exchange(sandbox.origin, { path: chat, body, headers })
  await sandbox.until('paced-cut', ({ status }) => status === 200)
  clock.advance(2_999)
  assert.equal(sandbox.logged('paced-cut')?.outcome, 'running')
  clock.advance(1)
  assert.equal(sandbox.logged('paced-cut')?.outcome, 'broken_off')
  assert.equal((await answer).broken, 'ECONNRESET')
})

test('hidden reasoning takes its time and is made, also when the client leaves before the first word', async () => {
  const id = 'hidden'
  const body = plainBody('sandbox-think', 'thinking=100 rate=50')
  const response = await openExchange(sandbox.origin, { path: chat, body, headers: { 'x-request-id': id } })
  clock.advance(1_000)
  response.destroy()
  const logged = await sandbox.until(id, ({ outcome }) => outcome !== 'running')
  assert.deepEqual([logged.outputTokens, logged.reasoningTokens], [50, 50])
})

test('a client that leaves while it still sends its body is seen', async () => {
  const id = 'half-sent'
  const leaving = new AbortController()
  const body = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('{"model":')) })
  const init = { method: 'POST', body, duplex: 'half' as const, signal: leaving.signal }
  const headers = { 'x-request-id': id, authorization: 'Bearer any' }
  const answer = fetch(`${sandbox.origin}${chat}`, { ...init, headers })
  await sandbox.until(id, () => true)
  leaving.abort()
  await assert.rejects(answer)
  assert.equal((await sandbox.until(id, ({ outcome }) => outcome !== 'running')).outcome, 'client_gone')
})

/** Turns of the event loop without a new token after which the making has come to rest. */
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

test('a port in use is reported', async () => {
  const port = Number(new URL(sandbox.origin).port)
  await assert.rejects(startSandbox({ clock, port }), { code: 'EADDRINUSE' })
})
