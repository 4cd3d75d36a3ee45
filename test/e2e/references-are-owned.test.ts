/**
 * A request may reference what an earlier response left at its provider, if that was a response to the same account by
 * the same upstream: its cost is then reserved and, where nothing is reported, charged; else it is rejected
 * with one message, whoever owns it. The official library sends the requests; a replaying upstream replaces OpenAI.
 */
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import OpenAI, { APIError } from 'openai'
import type { Config } from '../../src/config/config.ts'
import { formatUsd } from '../../src/ledger/rules/money.ts'
import { bearer, send } from '../support/bytes-client.ts'
import { type TestAccount, testGateway } from '../support/gateway.ts'
import { eventually } from '../support/metered-gateway.ts'
import { replayUpstream } from '../support/replay-upstream.ts'

type Request = OpenAI.Responses.ResponseCreateParamsNonStreaming

const windowTokens = 50_000
/** 1,000 nano-USD per input token, 2,000 per output token. */
const model = (id: string, provider = 'openai', more: object = {}): Config['models'][number] => ({
  id,
  provider,
  context: windowTokens,
  maxOutput: 20_000,
  prices: [{ input: '1', output: '2' }],
  ...more,
})
const [first, second] = [await replayUpstream(), await replayUpstream()]
const upstream = (name: string, origin: string, provider = 'openai') => ({
  name,
  provider,
  url: origin,
  credential: `credential-of-${name}`,
  weight: 1,
})
const gate = await testGateway({
  models: [
    model('gpt-kept', 'openai', { formats: ['openai-responses'] }),
    model('gpt-other', 'openai', { formats: ['openai-responses'] }),
    model('claude-kept', 'anthropic'),
  ],
  upstreams: [
    upstream('first', first.origin),
    upstream('second', second.origin),
    upstream('third', first.origin, 'anthropic'),
  ],
  limits: { referencesMax: 4 },
})
after(async () => {
  const { drift } = await gate.gateway.services.ledger.verify()
  await gate.close()
  await Promise.all([first.close(), second.close()])
  assert.deepEqual(drift, [])
})

const usage = {
  input_tokens: 1_000,
  input_tokens_details: { cached_tokens: 600 },
  output_tokens: 50,
  output_tokens_details: { reasoning_tokens: 20 },
  total_tokens: 1_050,
}
/** The maximum that one response makes another one read, and what is charged where nothing is reported. */
const [leftTokens, paidTokens] = [1_050, 1_030]

const responseOf = (name: string, more: object = {}): object => ({
  id: `resp_${name}`,
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'gpt-kept',
  store: true,
  truncation: 'disabled',
  error: null,
  incomplete_details: null,
  output: [
    { id: `rs_${name}`, type: 'reasoning', summary: [] },
    {
      id: `msg_${name}`,
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'plum', annotations: [] }],
    },
  ],
  usage,
  ...more,
})

/** Both upstreams respond so from now on, whole or streamed as requested: each under its own name. */
function answer(name: string, more: object = {}): void {
  for (const [at, prefix] of [
    [first, 'a'],
    [second, 'b'],
  ] as const) {
    const bytes = Buffer.from(JSON.stringify(responseOf(`${prefix}_${name}`, more)))
    at.play({ status: 200, headers: { 'content-type': 'application/json' }, bytes })
  }
}

const event = (type: string, members: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`
const words = (response: object): string =>
  event('response.created', { response }) +
  event('response.output_text.delta', { output_index: 0, content_index: 0, item_id: 'm', delta: 'plum' })

function stream(text: string, end: 'complete' | 'silent' = 'complete'): void {
  for (const at of [first, second])
    at.play({ status: 200, headers: { 'content-type': 'text/event-stream' }, bytes: Buffer.from(text), end })
}

let account: TestAccount
let turns = 0
beforeEach(async () => {
  account = await gate.account('100')
})

const clientOf = ({ key }: TestAccount) =>
  new OpenAI({ apiKey: key, baseURL: `${gate.origin}/v1`, maxRetries: 0, logLevel: 'off' })

const outputMax = 64
const usual = { model: 'gpt-kept', input: 'say plum', max_output_tokens: outputMax } as const
/** As long as the usage that the responses report. */
const long = (text: string): string => `${text} `.repeat(120)

async function ask(request: Partial<Request>, payer = account) {
  const { data, response } = await clientOf(payer)
    .responses.create({ ...usual, ...request } as Request)
    .withResponse()
  return { data, held: response.headers.get('x-tollgate-hold') }
}

/** A first turn: the IDs that it left. */
async function begun(more: object = {}, request: Partial<Request> = {}, payer = account) {
  turns += 1
  answer(String(turns), more)
  const { data } = await ask({ input: long(`begin ${turns}`), ...request }, payer)
  const name = data.id.replace('resp_', '')
  answer(`${turns}_next`)
  return { response: data.id, message: `msg_${name}`, reasoning: `rs_${name}`, name }
}

const reference = (id: string): OpenAI.Responses.ResponseInputItem => ({ type: 'item_reference', id })
const user = { role: 'user' as const, content: 'say plum' }

const upstreamOf = (name: string) => (name.startsWith('a') ? first : second)
const otherThan = (name: string) => (name.startsWith('a') ? second : first)

/** The minimum hold: each byte of the body as a token, what the provider may add, what is referenced. */
function holdFor(name: string, referenced: number): string {
  const body = upstreamOf(name).requests.at(-1)?.body ?? Buffer.alloc(0)
  return formatUsd(BigInt(body.length + 256 + referenced) * 1_000n + BigInt(outputMax) * 2_000n)
}

async function rejected(request: Partial<Request>, payer = account): Promise<APIError> {
  const sent = [first.requests.length, second.requests.length]
  const error = await ask(request, payer).then(
    () => assert.fail('it was let through'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof APIError)
  assert.deepEqual([error.status, error.code], [400, 'reference_not_owned'])
  assert.deepEqual([first.requests.length, second.requests.length], sent)
  return error
}

test('the second turn by the ID of the first: it is forwarded unchanged, with a hold that includes what it references', async () => {
  const { response, name } = await begun()
  const { held } = await ask({ previous_response_id: response })
  assert.deepEqual(JSON.parse(String(upstreamOf(name).requests.at(-1)?.body)), {
    ...usual,
    previous_response_id: response,
  })
  assert.equal(held, holdFor(name, leftTokens))
  const [receipt] = await gate.gateway.services.ledger.receipts(account.id, 1, null)
  assert.deepEqual([receipt?.inputUncached, receipt?.cacheRead, receipt?.output], [400, 600, 50])
})

const json = { 'content-type': 'application/json' }

for (const path of ['/v1/responses', '/v1/responses/compact', '/v1/responses/input_tokens']) {
  for (const input of [undefined, null]) {
    test(`${path} with input ${String(input)}: what is referenced is enough, if it is the caller's own`, async () => {
      const { response, name } = await begun()
      if (path.endsWith('input_tokens')) {
        const counted = { object: 'response.input_tokens', input_tokens: 1_234 }
        upstreamOf(name).play({ status: 200, headers: json, bytes: Buffer.from(JSON.stringify(counted)) })
      }
      const body = { model: 'gpt-kept', input, previous_response_id: response }
      const post = async (sent: object, payer = account) => {
        const answer = await send(gate.origin, {
          path,
          headers: bearer(payer.key),
          body: JSON.stringify(sent),
        })
        return [answer.status, JSON.parse(answer.text).error?.code]
      }
      assert.deepEqual(await post(body), [200, undefined])
      assert.deepEqual(
        JSON.parse(String(upstreamOf(name).requests.at(-1)?.body)),
        JSON.parse(JSON.stringify(body)),
      )
      assert.deepEqual(await post(body, await gate.account('100')), [400, 'reference_not_owned'])
      const elsewhere = path.endsWith('compact')
        ? [501, 'format_not_supported']
        : [400, 'reference_not_owned']
      assert.deepEqual(await post({ ...body, model: 'claude-kept' }), elsewhere)
      assert.deepEqual(await post({ model: 'gpt-kept', input }), [400, 'missing_field'])
    })
  }
}

test('items of one response are counted once, those of two responses twice', async () => {
  const one = await begun()
  const items = [reference(one.reasoning), reference(one.message)]
  const { held } = await ask({ input: [...items, user] })
  assert.equal(held, holdFor(one.name, 50))
  const two = await begun({}, { previous_response_id: one.response })
  const both = await ask({ input: [...items, reference(two.message), user] })
  assert.equal(both.held, holdFor(one.name, 100))
  const whole = await ask({ previous_response_id: two.response, input: [reference(one.message), user] })
  assert.equal(whole.held, holdFor(one.name, leftTokens + 50))
})

test('reasoning without its content is a reference like any other', async () => {
  const { reasoning, message, name } = await begun()
  const hollow = { type: 'reasoning' as const, id: reasoning, summary: [] }
  const said = { type: 'message' as const, role: 'assistant' as const, id: message, content: 'plum' }
  const { held } = await ask({ input: [hollow, said, user] as OpenAI.Responses.ResponseInput })
  assert.equal(held, holdFor(name, 50))
  const strange = { ...hollow, id: 'rs_strange' }
  assert.equal(
    (await rejected({ input: [strange, said, user] as OpenAI.Responses.ResponseInput })).param,
    'input[0].id',
  )
})

test('a streamed response can be referenced as soon as it is complete', async () => {
  turns += 1
  const name = `s${turns}`
  stream(words({ id: `resp_${name}` }) + event('response.completed', { response: responseOf(name) }))
  const events = await clientOf(account).responses.create({ ...usual, input: long('say plum'), stream: true })
  for await (const _ of events);
  answer('next')
  const { held } = await ask({ previous_response_id: `resp_${name}` })
  const [receipt] = await gate.gateway.services.ledger.receipts(account.id, 1, null)
  assert.equal(receipt?.charged, 1_100_000n)
  assert.ok(held !== null && Number(held) > 0.001_05)
})

test('what two upstreams store cannot be combined', async () => {
  const left = new Map<string, string>()
  while (left.size < 2) {
    const { message, name } = await begun()
    left.set(name.slice(0, 1), message)
  }
  const error = await rejected({ input: [...[...left.values()].map(reference), user] })
  assert.equal(error.param, 'input[1].id')
})

test('it goes to the upstream that stores it, and to no other when that fails', async () => {
  const seen = new Set<string>()
  while (seen.size < 2) {
    const { response, name } = await begun()
    seen.add(name.slice(0, 1))
    const elsewhere = otherThan(name).requests.length
    for (const word of ['fig', 'plum', 'pear', 'quince']) {
      await ask({ previous_response_id: response, input: word })
    }
    upstreamOf(name).play({ status: 500, headers: {}, bytes: Buffer.from('{}') })
    await assert.rejects(
      ask({ previous_response_id: response }),
      (error: APIError) => (error.status ?? 0) >= 500,
    )
    assert.equal(otherThan(name).requests.length, elsewhere)
  }
})

test("another account's response is rejected like a missing one", async () => {
  const { response, message } = await begun()
  const stranger = await gate.account('100')
  const theirs = await rejected({ previous_response_id: response }, stranger)
  const nobodys = await rejected({ previous_response_id: `${response}0` }, stranger)
  const strip = ({ message, param, type }: APIError) => ({ message, param, type })
  assert.deepEqual(strip(theirs), strip(nobodys))
  assert.match(theirs.message, /Send the earlier items themselves, .* store: false/)
  assert.equal((await rejected({ input: [user, reference(message)] }, stranger)).param, 'input[1].id')
  assert.deepEqual(await gate.balance(stranger.id), { posted: 100_000_000_000n, held: 0n, openHolds: 0 })
})

const leavesNothing: [name: string, more: object][] = [
  ['one that is not stored', { store: false }],
  ['one that does not say', { store: undefined }],
  ['one that was called off', { status: 'cancelled' }],
]
for (const [name, more] of leavesNothing) {
  test(`a response that leaves nothing: ${name}`, async () => {
    turns += 1
    answer(String(turns), more)
    await ask({}).catch(() => undefined)
    for (const prefix of ['a', 'b']) await rejected({ previous_response_id: `resp_${prefix}_${turns}` })
  })
}

const fills: [name: string, more: object, request: Partial<Request>][] = [
  ['by another model', {}, { model: 'gpt-other' }],
  ['of an answer to input that was cut', { truncation: 'auto' }, {}],
  ['of an answer that reported nothing', { usage: null }, {}],
  ['of a picture', { output: [{ id: 'ig_1', type: 'image_generation_call', result: 'AAAA' }] }, {}],
]
for (const [name, more, request] of fills) {
  test(`unknown input size, ${name}: the whole context window is reserved`, async () => {
    const { response } = await begun(more)
    const { held } = await ask({ previous_response_id: response, ...request })
    assert.equal(held, formatUsd(BigInt(windowTokens) * 1_000n + BigInt(outputMax) * 2_000n))
  })
}

test('when the balance is short, the body is counted and what it references stays as it is', async () => {
  // The first turn costs 1,100,000 nano-USD; the second needs at least 1,306 input tokens and 64 output tokens.
  const poor = await gate.account('0.0021')
  const one = await begun({}, {}, poor)
  await assert.rejects(ask({ previous_response_id: one.response }, poor), {
    status: 402,
    code: 'insufficient_balance',
  })
  const lessPoor = await gate.account('0.0027')
  const two = await begun({}, {}, lessPoor)
  const { held } = await ask({ previous_response_id: two.response }, lessPoor)
  assert.ok(Number(held) > 0.001_434 && Number(held) < 0.001_534, String(held))
})

test('a client that disconnects before anything is reported pays for what it referenced, and for no earlier reasoning', async () => {
  const { response } = await begun()
  stream(words({ id: 'resp_x' }), 'silent')
  const events = await clientOf(account).responses.create({
    ...usual,
    stream: true,
    previous_response_id: response,
  })
  for await (const { type } of events) if (type === 'response.output_text.delta') break
  events.controller.abort()
  const { ledger } = gate.gateway.services
  const [receipt] = await eventually(
    'the receipt of who left',
    () => ledger.receipts(account.id, 1, null),
    ([last]) => last?.endReason === 'client_abort',
  )
  assert.ok(receipt !== undefined)
  const { inputUncached, usageSource } = receipt
  assert.equal(usageSource, 'counted')
  assert.ok(inputUncached > paidTokens && inputUncached < paidTokens + 100, String(inputUncached))
  await rejected({ previous_response_id: 'resp_x' })
})

test('a model in another format cannot reference stored objects', async () => {
  const { response, message, reasoning } = await begun()
  for (const request of [{ previous_response_id: response }, { input: [user, reference(message)] }]) {
    assert.match((await rejected({ ...request, model: 'claude-kept' })).message, /store: false/)
  }
  const hollow = { type: 'reasoning' as const, id: reasoning, summary: [] }
  const reply = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-kept',
    content: [{ type: 'text', text: 'plum' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }
  const headers = { 'content-type': 'application/json' }
  first.play({ status: 200, headers, bytes: Buffer.from(JSON.stringify(reply)) })
  const { data } = await ask({
    model: 'claude-kept',
    input: [user, hollow, user] as OpenAI.Responses.ResponseInput,
  })
  assert.equal(data.output_text, 'plum')
})

test('more references than the limit are rejected', async () => {
  const { message } = await begun()
  const others = Array.from({ length: 4 }, (_, index) => reference(`msg_${index}`))
  assert.match((await rejected({ input: [reference(message), ...others] })).message, /4 stored items/)
})

test('the tokens of a stored response are counted for its owner only', async () => {
  const { response, name } = await begun()
  upstreamOf(name).play({
    status: 200,
    headers: { 'content-type': 'application/json' },
    bytes: Buffer.from(JSON.stringify({ object: 'response.input_tokens', input_tokens: 1_234 })),
  })
  const count = (payer: TestAccount) =>
    clientOf(payer).responses.inputTokens.count({
      model: 'gpt-kept',
      input: 'x',
      previous_response_id: response,
    })
  assert.equal((await count(account)).input_tokens, 1_234)
  await assert.rejects(count(await gate.account('1')), { status: 400, code: 'reference_not_owned' })
})
