/**
 * Thousands of requests over three offers of three formats that fail at every moment, by a seed: each request has one
 * receipt and pays what served it, no hold is left, no prompt reaches an upstream without an offer, and whatever one of
 * the three could have served is served.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ReceiptRow } from '../../src/ledger/types.ts'
import {
  type Behaviour,
  chunkedHead,
  type FaultUpstream,
  faultUpstream,
  httpChunk,
  type SeenRequest,
  sends,
  wholeAnswer,
} from '../support/fault-upstream.ts'
import { unreachableOrigin } from '../support/free-port.ts'
import { type TestAccount, type TestGateway, testGateway } from '../support/gateway.ts'
import { eventually } from '../support/metered-gateway.ts'
import { type Path, Sent } from '../support/paying-client.ts'
import { repeated } from '../support/sampled.ts'
import { refuses, standInUsage, standsIn } from '../support/stand-in.ts'

const requestsTotal = repeated(400, 1_000, 2_000)
const concurrency = 40
const json = ['content-type: application/json']

const price = { input: '3', output: '15' }
const costOf = (input: number, output: number): bigint => BigInt(input) * 3_000n + BigInt(output) * 15_000n

const geminiUsage = { promptTokenCount: 13, candidatesTokenCount: 4, totalTokenCount: 17 }
const geminiAnswer = JSON.stringify({
  candidates: [{ index: 0, finishReason: 'STOP', content: { role: 'model', parts: [{ text: 'stood in' }] } }],
  usageMetadata: geminiUsage,
  modelVersion: 'stand-in',
})

const geminiStandsIn: Behaviour = {
  answer(reply) {
    if (!reply.request.path.includes('stream')) return wholeAnswer(200, geminiAnswer, json).answer(reply)
    reply.send(chunkedHead + httpChunk(`data: ${geminiAnswer}\n\n`) + httpChunk())
  },
}

/** The three offers, and what an answer of each costs. */
const offers = {
  chats: {
    provider: 'openai',
    model: 'vendor/chat',
    dialects: ['openai-chat'],
    serves: standsIn('stood in'),
    cost: costOf(standInUsage.input, standInUsage.output),
  },
  messengers: {
    provider: 'anthropic',
    model: 'claude-sonnet-4-5',
    dialects: ['anthropic'],
    serves: standsIn('stood in'),
    cost: costOf(standInUsage.input, standInUsage.output),
  },
  geminis: {
    provider: 'google',
    model: 'gemini-2.5-flash',
    dialects: ['gemini'],
    serves: geminiStandsIn,
    cost: costOf(13, 4),
  },
} as const
type OfferName = keyof typeof offers
const offerNames = Object.keys(offers) as readonly OfferName[]

const failures: readonly Behaviour[] = [
  refuses(429),
  refuses(500),
  refuses(529),
  wholeAnswer(200, '{"error":{"type":"api_error","code":500,"message":"It failed."}}', json),
  // A stream that ends before its first content. A connection that is cut leaves open what was done, and is not repeated.
  sends(chunkedHead + httpChunk()),
]

/** What each upstream does with each request; null: it serves. */
const seed = 20_261_123
function failureOf(request: number, offer: OfferName): Behaviour | null {
  const number = Math.imul(seed ^ (request * 3 + offerNames.indexOf(offer)), 0x9e37_79b1) >>> 8
  return number % 5 < 2 ? (failures[(number >>> 5) % failures.length] ?? null) : null
}

function numberIn({ body }: SeenRequest): number {
  const found = /request number (\d+)/.exec(body.toString('latin1'))
  assert.ok(found !== null, 'an upstream gets the prompt')
  return Number(found[1])
}

const upstreams = new Map<OfferName, FaultUpstream>()
let bystander: FaultUpstream
let gateway: TestGateway

before(async () => {
  for (const name of offerNames) {
    const { serves } = offers[name]
    // The body has arrived only when the behavior answers.
    const behavior: Behaviour = {
      answer: (reply) => (failureOf(numberIn(reply.request), name) ?? serves).answer(reply),
    }
    upstreams.set(name, await faultUpstream(() => behavior))
  }
  bystander = await faultUpstream(() => standsIn('not offered'))
  const configured = { credential: 'a-credential', weight: 1, models: [] }
  gateway = await testGateway({
    offers: 'as configured',
    upstreams: [
      ...offerNames.map((name) => ({
        name,
        provider: offers[name].provider,
        url: upstreams.get(name)!.origin,
        ...configured,
      })),
      // Refuses connections, and costs an attempt each time.
      { name: 'gone', provider: 'openai', url: unreachableOrigin, ...configured },
      { name: 'bystander', provider: 'openai', url: bystander.origin, ...configured, models: 'all' as const },
    ],
    models: [
      {
        id: 'stormy',
        context: 200_000,
        maxOutput: 1_000,
        prices: [price],
        offers: [
          ...offerNames.map((name) => {
            const { model, dialects } = offers[name]
            return { upstream: name, model, dialects: [...dialects], priority: name === 'geminis' ? 2 : 1 }
          }),
          { upstream: 'gone', model: 'vendor/chat', priority: 1 },
        ],
      },
    ],
    limits: {
      requestsPerMinute: null,
      tokensPerMinute: null,
      attemptsMax: 4,
      retriesMin: 10_000,
      cooldownMsMax: 1,
      failuresBeforeEjection: 1_000_000,
    },
  })
})
after(async () => {
  await gateway.close()
  await bystander.close()
  for (const upstream of upstreams.values()) await upstream.close()
})

const paths: readonly Path[] = ['/v1/chat/completions', '/v1/messages']

function send(account: TestAccount, request: number): Sent {
  const messages = [{ role: 'user', content: `request number ${request}` }]
  return new Sent(gateway.origin, {
    key: account.key,
    format: paths[request % paths.length]!,
    body: { model: 'stormy', max_tokens: 100, stream: request % 4 < 2, messages },
  })
}

test('a storm of failures costs what served, and no request that an offer could serve', async () => {
  const account = await gateway.account('1000')
  const served = new Set<number>()
  let next = 0
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (next < requestsTotal) {
        const request = next++
        const { status, text } = await send(account, request).whole()
        if (status === 200 && text.includes('stood in')) served.add(request)
      }
    }),
  )
  const all = Array.from({ length: requestsTotal }, (_, request) => request)
  const servable = all.filter((request) => offerNames.some((name) => failureOf(request, name) === null))
  assert.ok(servable.length < requestsTotal, 'some requests fail everywhere')
  assert.deepEqual(
    all.filter((request) => served.has(request)),
    servable,
  )

  const { ledger } = gateway.gateway.services
  const receipts: readonly ReceiptRow[] = await eventually(
    'a receipt for each request',
    () => ledger.receipts(account.id, requestsTotal + 1, null),
    (rows) => rows.length >= requestsTotal,
  )
  assert.equal(receipts.length, requestsTotal)
  const paid = receipts.filter(({ charged }) => charged > 0n)
  assert.equal(paid.length, servable.length)
  for (const { upstream, charged, hold, attempts } of paid) {
    assert.equal(charged, offers[upstream as OfferName].cost, upstream)
    assert.ok(charged <= hold)
    assert.equal(attempts.at(-1)!.upstream, upstream)
  }
  const usedFormats = new Set(paid.map(({ upstream }) => upstream))
  assert.deepEqual([...usedFormats].sort(), [...offerNames].sort())
  const { posted, held, openHolds } = await gateway.balance(account.id)
  const charged = paid.reduce((sum, receipt) => sum + receipt.charged, 0n)
  assert.deepEqual(
    { posted, held, openHolds },
    { posted: 1_000_000_000_000n - charged, held: 0n, openHolds: 0 },
  )
  assert.deepEqual((await ledger.verify()).drift, [])
  assert.equal(bystander.connections, 0, 'no prompt reaches an upstream without an offer')
})
