/**
 * Requests over three offers of three formats that fail in every way, by a seed: the host rejects, or its answer stops at any
 * byte, as it falls silent, closes or resets the connection. Each request ends, has one receipt, pays what served it when it is
 * complete, and leaves no hold. Where no answer was lost and one of the offers could serve, it is served.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { formatId } from '../../src/base/ids.ts'
import {
  type Behaviour,
  chunkedHead,
  type FaultUpstream,
  faultUpstream,
  httpChunk,
  type Reply,
  wholeAnswer,
} from '../support/fault-upstream.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { eventually } from '../support/metered-gateway.ts'
import { Sent } from '../support/paying-client.ts'
import { repeated } from '../support/sampled.ts'
import { rejects, standInUsage, standsIn } from '../support/stand-in.ts'

const requestsTotal = repeated(300, 1_000, 2_000)
const concurrency = 80
/** Far below the default, so that a silent host ends an attempt soon. */
const silenceMs = 400

const costOf = (input: number, output: number): bigint => BigInt(input) * 3_000n + BigInt(output) * 15_000n

const geminiAnswer = JSON.stringify({
  candidates: [{ index: 0, finishReason: 'STOP', content: { role: 'model', parts: [{ text: 'stood in' }] } }],
  usageMetadata: { promptTokenCount: 13, candidatesTokenCount: 4, totalTokenCount: 17 },
  modelVersion: 'stand-in',
})
const geminiStandsIn: Behaviour = {
  answer(reply) {
    const whole = wholeAnswer(200, geminiAnswer, ['content-type: application/json'])
    if (!reply.request.path.includes('stream')) return whole.answer(reply)
    reply.send(chunkedHead + httpChunk(`data: ${geminiAnswer}\n\n`) + httpChunk())
  },
}

const chatCost = costOf(standInUsage.input, standInUsage.output)
const serves = standsIn('stood in')
const offers = {
  chats: { provider: 'openai', model: 'vendor/chat', format: 'openai-chat', serves, cost: chatCost },
  messengers: {
    provider: 'anthropic',
    model: 'claude-sonnet-4-5',
    format: 'anthropic',
    serves,
    cost: chatCost,
  },
  geminis: {
    provider: 'google',
    model: 'gemini-2.5-flash',
    format: 'gemini',
    serves: geminiStandsIn,
    cost: costOf(13, 4),
  },
} as const
type OfferName = keyof typeof offers
const offerNames = Object.keys(offers) as readonly OfferName[]

const endings = ['serves', 'serves', 'rejects', 'rejects', 'silent', 'fin', 'rst'] as const
const statuses = [429, 500, 529] as const
const seed = 20_261_124

const numberOf = (request: number, offer: OfferName): number =>
  Math.imul(seed ^ (request * 3 + offerNames.indexOf(offer)), 0x9e37_79b1) >>> 8

const endingOf = (request: number, offer: OfferName): (typeof endings)[number] =>
  endings[numberOf(request, offer) % endings.length]!

/** Sends the answer up to a byte that the seed chooses, and then ends as it chooses; `silent` keeps the connection open. */
function answerOf(offer: OfferName, reply: Reply): void {
  const request = Number(/request number (\d+)/.exec(reply.request.body.toString('latin1'))?.[1])
  const number = numberOf(request, offer)
  const ending = endingOf(request, offer)
  if (ending === 'serves') return offers[offer].serves.answer(reply)
  if (ending === 'rejects') return rejects(statuses[(number >>> 4) % statuses.length]!).answer(reply)
  const pieces: Buffer[] = []
  offers[offer].serves.answer({ ...reply, send: (bytes) => pieces.push(Buffer.from(bytes)) })
  const answer = Buffer.concat(pieces)
  // One in three stops before its first byte.
  const stopsAt = (number >>> 4) % 3 === 0 ? 0 : (number >>> 6) % answer.length
  if (stopsAt > 0) reply.send(answer.subarray(0, stopsAt))
  if (ending !== 'silent') reply.whenSent(reply[ending])
}

const upstreams = new Map<OfferName, FaultUpstream>()
let gateway: TestGateway

before(async () => {
  for (const name of offerNames)
    upstreams.set(name, await faultUpstream(() => ({ answer: (reply) => answerOf(name, reply) })))
  gateway = await testGateway({
    offers: 'as configured',
    upstreams: offerNames.map((name) => ({
      name,
      provider: offers[name].provider,
      url: upstreams.get(name)!.origin,
      credential: 'a-credential',
      weight: 1,
      models: [],
    })),
    models: [
      {
        id: 'stormy',
        context: 200_000,
        maxOutput: 1_000,
        prices: [{ input: '3', output: '15' }],
        offers: offerNames.map((name) => ({
          upstream: name,
          model: offers[name].model,
          formats: [offers[name].format],
          priority: 1,
        })),
      },
    ],
    limits: {
      requestsPerMinute: null,
      tokensPerMinute: null,
      retriesMin: 10_000,
      cooldownMsMax: 1,
      failuresBeforeEjection: 1_000_000,
      silenceMs,
      contentGapMs: silenceMs,
      contentGapReasoningMs: silenceMs,
    },
  })
})
after(async () => {
  await gateway.close()
  for (const upstream of upstreams.values()) await upstream.close()
})

interface Outcome {
  readonly id: string
  /** Whether the client has the whole answer and the mark of its end. */
  readonly isComplete: boolean
}

async function outcomeOf(key: string, request: number): Promise<Outcome> {
  const messages = [{ role: 'user', content: `request number ${request}` }]
  const format = request % 2 === 0 ? '/v1/chat/completions' : '/v1/messages'
  const stream = request % 4 < 2
  const body = { model: 'stormy', max_tokens: 100, stream, messages }
  const { status, text, headers } = await new Sent(gateway.origin, { key, format, body }).whole()
  const hasAnswer = status === 200 && text.includes('stood in')
  const isComplete = hasAnswer && (!stream || /\[DONE\]|"type":"message_stop"/.test(text))
  return { id: String(headers['x-request-id']), isComplete }
}

test('answers that stop at any byte cost what served when they are complete, and leave no hold', async () => {
  const account = await gateway.account('1000')
  let next = 0
  const outcomes = new Map<number, Outcome>()
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (next < requestsTotal) {
        const request = next++
        outcomes.set(request, await outcomeOf(account.key, request))
      }
    }),
  )
  const { ledger } = gateway.gateway.services
  const receipts = await eventually(
    'a receipt for each request',
    () => ledger.receipts(account.id, requestsTotal + 1, null),
    (rows) => rows.length >= requestsTotal,
  )
  assert.equal(receipts.length, requestsTotal)
  const failuresOf = new Map(
    receipts.map(({ id, attempts }) => [formatId('req', id), attempts.map(({ failure }) => failure)]),
  )
  // An answer that was lost may have been paid for, and is not asked for again; all else is tried until an offer serves.
  for (const [request, { id, isComplete }] of outcomes) {
    const ends = offerNames.map((offer) => endingOf(request, offer))
    const isLost = ends.some((ending) => ending !== 'serves' && ending !== 'rejects')
    // On a busy machine an offer that serves can be silent for longer than the limit of this test.
    if (isLost || failuresOf.get(id)?.includes('upstream_timeout')) continue
    assert.equal(isComplete, ends.includes('serves'), `request ${request}: ${ends.join()}`)
  }
  const complete = [...outcomes.values()].filter(({ isComplete }) => isComplete).length
  const whole = receipts.filter(({ endReason }) => endReason === 'complete')
  assert.equal(whole.length, complete)
  assert.ok(complete > 0 && complete < requestsTotal, `${complete} of ${requestsTotal} are complete`)
  for (const { upstream, charged, attempts } of whole) {
    assert.equal(charged, offers[upstream as OfferName].cost, upstream)
    assert.equal(attempts.at(-1)!.upstream, upstream)
  }
  for (const { charged, hold } of receipts) assert.ok(charged <= hold)
  const { posted, held, openHolds } = await gateway.balance(account.id)
  const charged = receipts.reduce((sum, receipt) => sum + receipt.charged, 0n)
  assert.deepEqual(
    { posted, held, openHolds },
    { posted: 1_000_000_000_000n - charged, held: 0n, openHolds: 0 },
  )
  assert.deepEqual((await ledger.verify()).drift, [])
  const attempts = receipts.flatMap((receipt) => receipt.attempts)
  const reasons = new Set(attempts.map(({ failure }) => failure))
  for (const reason of ['upstream_error', 'upstream_timeout', 'upstream_truncated'])
    assert.ok(reasons.has(reason), reason)
  const seen = [...upstreams.values()].reduce((sum, { requests }) => sum + requests.length, 0)
  assert.ok(seen <= attempts.length, 'receipts list each time that an upstream was asked')
})
