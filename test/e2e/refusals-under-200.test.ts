/**
 * Responses with status 200 that refuse the content: another model serves where there is one, before anything of the refusal
 * was sent; the customer pays what served, and the operator what the refusal cost.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Config } from '../../src/config/config.ts'
import {
  type Behaviour,
  chunkedHead,
  type FaultUpstream,
  faultUpstream,
  httpChunk,
  wholeAnswer,
} from '../support/fault-upstream.ts'
import { type TestAccount, type TestGateway, testGateway } from '../support/gateway.ts'
import { eventually } from '../support/metered-gateway.ts'
import { type Path, Sent } from '../support/paying-client.ts'
import { rejects, standInUsage, standsIn, streams } from '../support/stand-in.ts'

/** What every refusal costs where it is delivered. */
const refusedCost = 70n * 3_000n + 30n * 15_000n
const servedCost = BigInt(standInUsage.input) * 1_000n + BigInt(standInUsage.output) * 2_000n

const chatUsage = { prompt_tokens: 70, completion_tokens: 30, total_tokens: 100 }
const messagesUsage = { input_tokens: 70, output_tokens: 30 }
const geminiUsage = { promptTokenCount: 70, candidatesTokenCount: 30, totalTokenCount: 100 }
const responsesUsage = { ...messagesUsage, total_tokens: 100 }

const chat = (message: object, finish: string) => ({
  ...{ id: 'c', object: 'chat.completion', created: 1, model: 'm', usage: chatUsage },
  choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason: finish }],
})
const chatEvents = (delta: object, finish: string) => {
  const chunk = (choices: object[], more: object = {}) =>
    data({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices, ...more })
  return [
    chunk([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]),
    chunk([{ index: 0, delta, finish_reason: null }]),
    chunk([{ index: 0, delta: {}, finish_reason: finish }]),
    chunk([], { usage: chatUsage }),
    'data: [DONE]\n\n',
  ].join('')
}
const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`
const named = (type: string, more: object): string => `event: ${type}\n${data({ type, ...more })}`
const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_sequence: null }
const gemini = (more: object) => ({ modelVersion: 'm', usageMetadata: geminiUsage, ...more })
const response = (status: string, output: object[], reason: string | null = null) => ({
  ...{ id: 'resp_1', object: 'response', created_at: 1, model: 'm', status, output, error: null },
  ...{ incomplete_details: reason === null ? null : { reason }, usage: responsesUsage },
})
const refusalItem = {
  ...{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' },
  content: [{ type: 'refusal', refusal: 'No.' }],
}

interface RefusalCase {
  readonly at: 'chats' | 'messengers' | 'geminis' | 'responders'
  readonly whole: object
  readonly streamed: string
}

const cases: Readonly<Record<string, RefusalCase>> = {
  'content_filter of Chat Completions': {
    at: 'chats',
    whole: chat({ content: '' }, 'content_filter'),
    streamed: chatEvents({}, 'content_filter'),
  },
  'refusal of Chat Completions': {
    at: 'chats',
    whole: chat({ refusal: 'No.' }, 'stop'),
    streamed: chatEvents({ refusal: 'No.' }, 'stop'),
  },
  'stop_reason of Messages': {
    at: 'messengers',
    whole: { ...message, content: [], stop_reason: 'refusal', usage: messagesUsage },
    streamed: [
      named('message_start', {
        message: {
          ...message,
          content: [],
          stop_reason: null,
          usage: { ...messagesUsage, output_tokens: 1 },
        },
      }),
      named('message_delta', {
        delta: { stop_reason: 'refusal', stop_sequence: null },
        usage: { output_tokens: 30 },
      }),
      named('message_stop', {}),
    ].join(''),
  },
  'blocked prompt of Gemini': {
    at: 'geminis',
    whole: gemini({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }),
    streamed: data(gemini({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } })),
  },
  'finish reason of Gemini': {
    at: 'geminis',
    whole: gemini({ candidates: [{ index: 0, finishReason: 'SAFETY' }] }),
    streamed: data(gemini({ candidates: [{ index: 0, finishReason: 'SAFETY' }] })),
  },
  'filtered response of Responses': {
    at: 'responders',
    whole: response('incomplete', [], 'content_filter'),
    streamed: named('response.incomplete', { response: response('incomplete', [], 'content_filter') }),
  },
  'refusal of Responses': {
    at: 'responders',
    whole: response('completed', [refusalItem]),
    streamed: [
      named('response.output_item.added', { output_index: 0, item: { ...refusalItem, content: [] } }),
      named('response.refusal.delta', { output_index: 0, content_index: 0, item_id: 'msg_1', delta: 'No.' }),
      named('response.output_item.done', { output_index: 0, item: refusalItem }),
      named('response.completed', { response: response('completed', [refusalItem]) }),
    ].join(''),
  },
}

const upstreams = new Map<string, FaultUpstream>()
let gateway: TestGateway
let says: Behaviour = standsIn('of the first')
let spareSays: Behaviour = standsIn('of the spare')

const offers = {
  chats: ['openai', 'vendor/chat', 'openai-chat'],
  messengers: ['anthropic', 'claude-sonnet-4-5', 'anthropic'],
  geminis: ['google', 'gemini-2.5-flash', 'gemini'],
  responders: ['openai', 'vendor/responder', 'openai-responses'],
  spare: ['openai', 'vendor/spare', 'openai-chat'],
} as const

before(async () => {
  for (const name of Object.keys(offers))
    upstreams.set(name, await faultUpstream(() => (name === 'spare' ? spareSays : says)))
  const model = { context: 200_000, maxOutput: 1_000, prices: [{ input: '3', output: '15' }] }
  const offered = (name: keyof typeof offers) => ({
    offers: [{ upstream: name, model: offers[name][1], formats: [offers[name][2]], priority: 1 }],
  })
  const first = (Object.keys(offers) as (keyof typeof offers)[]).filter((name) => name !== 'spare')
  gateway = await testGateway({
    offers: 'as configured',
    upstreams: Object.entries(offers).map(([name, [provider]]) => ({
      ...{ name, provider, url: upstreams.get(name)!.origin, credential: 'a-credential', weight: 1 },
      models: [],
    })),
    models: [
      ...first.flatMap((name) => [
        { id: name, ...model, ...offered(name), fallbacks: ['spare'] },
        { id: `${name}-alone`, ...model, ...offered(name) },
      ]),
      { id: 'spare', ...model, prices: [{ input: '1', output: '2' }], ...offered('spare') },
    ] as unknown as Config['models'],
    limits: {
      writeOffNanoPerDayMax: 3n * refusedCost,
      requestsPerMinute: null,
      retriesMin: 100,
      cooldownMsMax: 0,
      failuresBeforeEjection: 1_000,
    },
  })
})
after(async () => {
  await gateway.close()
  for (const upstream of upstreams.values()) await upstream.close()
})

/** Streamed in two pieces, so that nothing depends on where the network cuts. */
function refusing({ whole, streamed }: RefusalCase, stream: boolean): Behaviour {
  if (!stream) return wholeAnswer(200, JSON.stringify(whole), ['content-type: application/json'])
  return {
    answer(reply) {
      const middle = Math.floor(streamed.length / 2)
      reply.send(chunkedHead + httpChunk(streamed.slice(0, middle)))
      reply.whenSent(() => reply.send(httpChunk(streamed.slice(middle)) + httpChunk()))
    },
  }
}

function ask(account: TestAccount, model: string, stream: boolean, more: object = {}): Sent {
  const format: Path = '/v1/chat/completions'
  const body = { model, stream, max_tokens: 100, messages: [{ role: 'user', content: 'hello' }], ...more }
  return new Sent(gateway.origin, { key: account.key, format, body })
}

async function receiptOf(account: TestAccount) {
  const [receipt, ...more] = await eventually(
    'one receipt',
    () => gateway.gateway.services.ledger.receipts(account.id, 10, null),
    (found) => found.length > 0,
  )
  assert.deepEqual(more, [])
  return receipt!
}

const attemptsIn = ({ attempts }: Awaited<ReturnType<typeof receiptOf>>) =>
  attempts.map(({ upstream, failure }) => [upstream, failure])

for (const [what, refusal] of Object.entries(cases)) {
  for (const stream of [false, true]) {
    const how = stream ? 'streamed' : 'whole'
    test(`another model serves in place of the ${what}, ${how}`, async () => {
      says = refusing(refusal, stream)
      const account = await gateway.account('1')
      const { status, text } = await ask(account, refusal.at, stream).whole()
      assert.equal(status, 200, text)
      assert.match(text, /of the spare/)
      assert.doesNotMatch(text, /No\./)
      const receipt = await receiptOf(account)
      assert.deepEqual(attemptsIn(receipt), [
        [refusal.at, 'content_refused'],
        ['spare', null],
      ])
      const { model, charged, upstreamCost } = receipt
      assert.deepEqual([model, charged, upstreamCost], ['spare', servedCost, servedCost + refusedCost])
      const row = await gateway.gateway.services.ledger.account(account.id)
      assert.deepEqual([row?.posted, row?.held, row?.openHolds], [1_000_000_000n - servedCost, 0n, 0])
      assert.equal(row?.writtenOffToday, refusedCost, 'the refusal is a loss that the account caused')
    })

    test(`without another model the ${what} is the response, ${how}`, async () => {
      says = refusing(refusal, stream)
      const account = await gateway.account('1')
      const { status, text } = await ask(account, `${refusal.at}-alone`, stream).whole()
      assert.equal(status, 200, text)
      assert.match(text, /content_filter|refusal/)
      const receipt = await receiptOf(account)
      assert.deepEqual(attemptsIn(receipt), [[refusal.at, null]])
      assert.deepEqual([receipt.endReason, receipt.charged], ['complete', refusedCost])
    })
  }
}

test('a refusal that no other model can take the place of is delivered and paid', async () => {
  for (const stream of [false, true]) {
    says = refusing(cases['refusal of Chat Completions']!, stream)
    const account = await gateway.account('1', { models: ['chats'] })
    const { status, text } = await ask(account, 'chats', stream).whole()
    assert.equal(status, 200)
    assert.match(text, /No\./)
    assert.equal((await receiptOf(account)).charged, refusedCost)
  }
})

test('an account that has caused too many losses gets the refusal, and pays for it', async () => {
  says = refusing(cases['refusal of Chat Completions']!, false)
  const account = await gateway.account('1')
  const { ledger } = gateway.gateway.services
  const { writeOffNanoPerDayMax } = gateway.gateway.deps.limits
  const needed = Number(writeOffNanoPerDayMax / refusedCost) + 1
  for (let sent = 0; sent < needed; sent += 1) {
    assert.match((await ask(account, 'chats', false).whole()).text, /of the spare/)
    if ((await ledger.account(account.id))?.restrictedMs !== null) break
  }
  assert.notEqual((await ledger.account(account.id))?.restrictedMs, null)
  const before = await gateway.balance(account.id)
  assert.match((await ask(account, 'chats', false).whole()).text, /No\./)
  assert.equal(before.posted - (await gateway.balance(account.id)).posted, refusedCost)
})

test('content that came before a filter is delivered; nothing is asked twice', async () => {
  const { opening, content } = streams.chat
  const end = chatEvents({}, 'content_filter').split('\n\n').slice(2).join('\n\n')
  says = {
    answer: (reply) => reply.send(chunkedHead + httpChunk(opening + content('Half of') + end) + httpChunk()),
  }
  const account = await gateway.account('1')
  const { text } = await ask(account, 'chats', true).whole()
  assert.match(text, /Half of/)
  assert.match(text, /content_filter/)
  assert.deepEqual(attemptsIn(await receiptOf(account)), [['chats', null]])
})

test('where the other model fails, its error is the response, and neither is charged', async () => {
  says = refusing(cases['stop_reason of Messages']!, true)
  spareSays = rejects(529)
  const account = await gateway.account('1')
  const { status, text } = await ask(account, 'messengers', true).whole()
  spareSays = standsIn('of the spare')
  assert.equal(status, 503, text)
  const receipt = await receiptOf(account)
  assert.deepEqual(attemptsIn(receipt), [
    ['messengers', 'content_refused'],
    ['spare', 'upstream_overloaded'],
  ])
  assert.equal(receipt.charged, 0n)
  assert.equal((await gateway.balance(account.id)).openHolds, 0)
})

test('every charge is what verification computes', async () => {
  assert.deepEqual((await gateway.gateway.services.ledger.verify()).drift, [])
})
