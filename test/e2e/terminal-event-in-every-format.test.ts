/**
 * A complete response is a settled response in every format and between any two: no success mark before the
 * commit, the cost in what comes with it, and an error in the client's format if the commit takes too long.
 */
import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { formatUsd } from '../../contract/usd.ts'
import {
  at,
  eventsIn,
  type FormatClient,
  formatClients,
  type Json,
  wholeEventsIn,
} from '../support/format-clients.ts'
import {
  eventually,
  meteredGateway,
  requestIdIn,
  type UpstreamName,
  upstreamNames,
} from '../support/metered-gateway.ts'
import { rejectionAtEnd, rejectionIn } from '../support/paying-client.ts'
import { sampled } from '../support/sampled.ts'

const slowMs = 500
const slow = await meteredGateway({
  failpoint: `before-commit-settle:delay=${slowMs}`,
  limits: { settleWaitMs: 30_000, keepAliveMs: 40 },
})
/** The upstreams delay their responses until all requests have arrived. */
const thinkMs = 2_000
/** Each credit keeps the store busy for this long. */
const busyMs = 2 * thinkMs
const busy = await meteredGateway({
  failpoint: `before-commit-credit:delay=${busyMs}`,
  limits: { settleWaitMs: 10, keepAliveMs: 100 },
})
// Before any test: the runner ends when the tests that it knows have ended, and a credit takes `busyMs`.
const rich = await busy.account('10')
after(async () => {
  await slow.end()
  await busy.end()
})

/** The format of the model's upstream is the client's own: nothing is added to its bytes. */
const isOwn = ({ format }: FormatClient, upstream: UpstreamName): boolean =>
  ({ chat: 'openai-chat', responses: 'openai-responses', messages: 'anthropic', gemini: 'gemini' })[
    upstream
  ] === format

const keepAlive: Readonly<Record<string, RegExp>> = {
  anthropic: /^event: ping/gm,
  'openai-responses': /^event: keepalive/gm,
  // The spaces that pad an event's JSON; every event has the first one.
  gemini: /(?<=^data: +) /gm,
}
const keepAlives = ({ format }: FormatClient, text: string): number =>
  text.match(keepAlive[format] ?? /^: /gm)?.length ?? 0

/** Each client and each upstream is in the sample twice. */
const pairs = sampled(
  formatClients.flatMap((client) => upstreamNames.map((upstream) => ({ client, upstream }))),
  8,
)

suite('a slow commit', { concurrency: 16 }, () => {
  for (const { client, upstream } of pairs) {
    const name = `${client.format} → ${upstream}`
    const model = `${upstream}-stream`

    test(`${name}, streamed: the terminal event is sent after the commit, and contains the cost`, async () => {
      const account = await slow.account('1')
      const sent = slow.askAs(account, client, {
        model,
        text: 'tokens=8',
        stream: true,
        more: client.limit(50),
      })
      const words = (text: string): number =>
        wholeEventsIn(text).filter((event) => client.deltaOf(event) !== '').length
      assert.equal(await sent.until((text) => words(text) >= 7), true)
      assert.equal(await sent.until((text) => client.finishes.test(text)), true)
      const receipt = await slow.ledger.receipt(requestIdIn((await sent.head).headers))
      assert.equal(receipt?.endReason, 'complete', 'who reads the last word can read the receipt')
      const { text } = await sent.whole()
      const waiting = text.slice(0, text.search(client.finishes))
      assert.ok(keepAlives(client, waiting) >= 2, `signs of life while the commit ran: ${text}`)
      assert.ok(text.includes(client.successMark))
      if (isOwn(client, upstream)) return
      const costs = eventsIn(text).map((event) => client.costOf(event))
      assert.ok(costs.includes(Number(formatUsd(receipt.charged))), text)
    })

    test(`${name}, whole: no byte of the response is sent before the commit`, async () => {
      const account = await slow.account('1')
      const sent = slow.askAs(account, client, { model, text: 'tokens=8', more: client.limit(50) })
      const { status, headers } = await sent.head
      const receipt = await slow.ledger.receipt(requestIdIn(headers))
      assert.ok(receipt !== undefined)
      const cost = formatUsd(receipt.charged)
      assert.deepEqual([status, headers['x-tollgate-cost']], [200, cost])
      const { text } = await sent.whole()
      if (!isOwn(client, upstream)) assert.equal(client.costOf(JSON.parse(text) as Json), Number(cost))
    })
  }
})

/** Keeps the store busy for a while. */
async function occupy(): Promise<{ done: Promise<unknown> }> {
  // A read stores the holds, for which streams would wait.
  await busy.balance(rich.id)
  const entryId = busy.gateway.services.nextId()
  const credit = { source: 'manual', reference: `busy-${entryId}`, nowMs: 0, note: null } as const
  const done = busy.ledger.credit({ entryId, account: rich.id, amount: 1n, ...credit })
  // The batch is sent in the next turns of the loop; what comes now waits for its commit.
  for (let turns = 0; turns < 5; turns += 1) await new Promise(setImmediate)
  return { done }
}

test('too late, every response ends with an error in its client’s format, and nothing that was not delivered is charged', async () => {
  const before = await busy.balance(rich.id)
  const arrived = busy.sandbox.requests()
  const cases = pairs.flatMap((pair) => [true, false].map((stream) => ({ ...pair, stream })))
  const sent = cases.map(({ client, upstream, stream }) => {
    const more = client.limit(50)
    const asked = { model: `${upstream}-stream`, text: `tokens=8 delay=${thinkMs}`, stream, more }
    return { client, stream, one: busy.askAs(rich, client, asked) }
  })
  await eventually(
    'all have arrived',
    () => busy.sandbox.requestLog().slice(arrived),
    (meters) => meters.length === cases.length && meters.every(({ inputTokens }) => inputTokens > 0),
  )
  const { done } = await occupy()
  const ids = await Promise.all(
    sent.map(async ({ client, stream, one }) => {
      const answer = await one.whole()
      const error = stream ? rejectionAtEnd(answer.text) : rejectionIn(answer.text)
      assert.equal(error.code, 'settlement_delayed', answer.text)
      assert.doesNotMatch(answer.text, client.finishes)
      assert.equal(answer.broken, null, 'told, and then closed')
      if (!stream) assert.deepEqual([answer.status, answer.headers['x-should-retry']], [503, 'false'])
      return requestIdIn(answer.headers)
    }),
  )
  await done
  await busy.gateway.deps.background.drained()
  const receipts = await busy.ledger.receipts(rich.id, 1_000, null)
  assert.deepEqual(receipts.map(({ id }) => id).sort(), ids.sort(), 'one receipt for each')
  for (const receipt of receipts) {
    assert.deepEqual(
      [receipt.endReason, receipt.settledLate, receipt.status, receipt.errorCode],
      ['interrupted', true, 503, 'settlement_delayed'],
    )
    if (!receipt.streamed) assert.equal(receipt.charged, 0n)
    else assert.ok(receipt.output <= 8)
    assert.equal(receipt.charged + receipt.writtenOff, receipt.upstreamCost, 'the rest is written off')
  }
  const { posted, held } = await busy.balance(rich.id)
  const charged = receipts.reduce((sum, receipt) => sum + receipt.charged, 0n)
  assert.deepEqual([before.posted + 1n - posted, held], [charged, 0n])
})

test('a Gemini client that asked for an array gets the error as its last element', async () => {
  const arrived = busy.sandbox.requests()
  const responses = upstreamNames.map((upstream) =>
    fetch(`${busy.origin}/v1beta/models/${upstream}-stream:streamGenerateContent`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-goog-api-key': rich.key },
      body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: `tokens=8 delay=${thinkMs}` }] }] }),
    }),
  )
  await eventually(
    'all have arrived',
    () => busy.sandbox.requestLog().slice(arrived),
    (meters) => meters.length === upstreamNames.length && meters.every(({ inputTokens }) => inputTokens > 0),
  )
  const { done } = await occupy()
  for (const response of await Promise.all(responses)) {
    const chunks = (await response.json()) as Json[]
    assert.equal(at(chunks.at(-1), 'error', 'details', 0, 'reason'), 'SETTLEMENT_DELAYED')
    assert.ok(chunks.every((chunk) => at(chunk, 'candidates', 0, 'finishReason') === undefined))
  }
  await done
})
