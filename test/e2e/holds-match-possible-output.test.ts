/**
 * A hold covers exactly what the request can produce: no audio rate for text, no output beyond the model's
 * maximum, no cache write that was not requested.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { formatUsd, parseUsd } from '../../contract/usd.ts'
import type { ModelDefinition } from '../../src/catalog/definition.ts'
import type { ConversationFormat } from '../../src/wire/format-names.ts'
import { clientOf } from '../support/format-clients.ts'
import type { TestAccount } from '../support/gateway.ts'
import { meteredGateway, type UpstreamName, upstreams } from '../support/metered-gateway.ts'
import type { Whole } from '../support/paying-client.ts'

const modelOf = (id: string, upstream: UpstreamName, more: Partial<ModelDefinition>): ModelDefinition => ({
  id,
  ...upstreams[upstream],
  upstreamId: 'sandbox-echo',
  context: 1_048_576,
  maxOutput: 65_536,
  ...more,
})
const hearing = { input: '0.30', output: '2.50', cacheRead: '0.03', inputAudio: '1' }
const speaking = { input: '2.50', output: '10', inputAudio: '40', outputAudio: '80' }
const gate = await meteredGateway({
  // A busy machine needs time to start the token-counting thread.
  limits: { countMs: 60_000 },
  models: [
    modelOf('hears', 'gemini', { inputs: ['text', 'audio'], prices: [hearing] }),
    modelOf('speaks', 'chat', {
      outputs: ['text', 'audio'],
      prices: [{ ...speaking, options: { 'modality:audio': '1' } }],
    }),
    modelOf('writes-caches', 'messages', { prices: [{ input: '2', output: '10' }] }),
    modelOf('says-little', 'messages', { maxOutput: 8_192, prices: [{ input: '5', output: '25' }] }),
    modelOf('says-little-in-chat', 'chat', { maxOutput: 8_192, prices: [{ input: '5', output: '25' }] }),
  ],
})
after(() => gate.end())
const rich = await gate.account('1001')

interface Asked {
  readonly format: ConversationFormat
  readonly model: string
  readonly text?: string
  readonly more?: object
}

function ask(account: TestAccount, { format, model, text = 'hello', more = {} }: Asked): Promise<Whole> {
  const client = clientOf(format)
  return gate.askAs(account, client, { model, text, more: { ...client.limit(1_000), ...more } }).whole()
}

async function held(asked: Asked): Promise<bigint> {
  const answer = await ask(rich, asked)
  assert.equal(answer.status, 200, answer.text)
  return parseUsd(String(answer.headers['x-tollgate-hold']))!
}

test('0.06 USD pay for 400 kB of text at the text rate, where audio is three times as expensive', async () => {
  const account = await gate.account('0.06')
  const text = 'As they say, all that glitters is not gold. '.repeat(9_100)
  const answer = await ask(account, { format: 'gemini', model: 'hears', text })
  assert.equal(answer.status, 200, answer.text.slice(0, 400))
})

const sound = Buffer.alloc(48_000).toString('base64')
const audio = {
  messages: [
    { role: 'user', content: [{ type: 'input_audio', input_audio: { data: sound, format: 'wav' } }] },
  ],
}
const aloud = { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } }

test('audio is in the bound of a request that contains or requests it', async () => {
  const plain = await held({ format: 'openai-chat', model: 'speaks' })
  const hears = await held({ format: 'openai-chat', model: 'speaks', more: audio })
  const says = await held({ format: 'openai-chat', model: 'speaks', more: aloud })
  const perToken = (rate: string) => parseUsd(rate)! / 1_000_000n
  assert.ok(plain < 2_000n * perToken('10'), formatUsd(plain))
  assert.ok(hears > plain && hears < plain + 2_000n * perToken('40'), formatUsd(hears))
  assert.ok(says >= 1_000n * perToken('80') && says < plain + 1_100n * perToken('80'), formatUsd(says))
})

test('a cache write is in the bound of a request with cache markers, at the rate of its lifetime', async () => {
  const text = 'x'.repeat(100_000)
  const marked = (ttl: string) => ({
    messages: [
      { role: 'user', content: [{ type: 'text', text, cache_control: { type: 'ephemeral', ttl } }] },
    ],
  })
  const asked = { format: 'anthropic', model: 'writes-caches' } as const
  const plain = await held({ ...asked, text })
  const short = await held({ ...asked, more: marked('5m') })
  const long = await held({ ...asked, more: marked('1h') })
  const ratio = (one: bigint) => Number((one * 100n) / plain)
  assert.deepEqual([Math.round(ratio(short) / 5) * 5, Math.round(ratio(long) / 5) * 5], [125, 195])
})

for (const [format, model] of [
  ['anthropic', 'says-little'],
  ['openai-chat', 'says-little-in-chat'],
  ['gemini', 'says-little'],
] as const) {
  for (const limit of [8_192, 8_193, 1_000_000_000]) {
    test(`${format} → ${model}: an output limit of ${limit} reserves no more than the model can produce`, async () => {
      const answer = await ask(rich, { format, model, more: clientOf(format).limit(limit) })
      assert.equal(answer.status, 200, answer.text)
      assert.equal(answer.headers['x-tollgate-max-output'], undefined, 'nothing was lowered')
      const most = (8_192n * parseUsd('25')!) / 1_000_000n
      const hold = parseUsd(String(answer.headers['x-tollgate-hold']))!
      assert.ok(hold >= most && hold < most + parseUsd('0.02')!, formatUsd(hold))
      const sent = String(gate.sandbox.requestLog().at(-1)?.body)
      const isTranslated = format === 'gemini'
      assert.ok(sent.includes(`:${isTranslated ? Math.min(limit, 8_192) : limit}`), sent)
    })
  }
}

const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]
const turn = (role: string, content: string) => ({ role, content })
const once = { tools, messages: [turn('user', 'hello')] }
const again = { tools, messages: [turn('user', 'hello'), turn('assistant', 'hi'), turn('user', 'and now?')] }

for (const [text, policy, header, more, isMarked] of [
  ['one call with tools', {}, undefined, once, false],
  ['a conversation that goes on', {}, undefined, again, true],
  ['one call, of which the client knows that it comes again', {}, 'always', once, true],
  ['one call of a key that always caches', { automaticCaching: 'always' }, undefined, once, true],
  ['a conversation that the client does not want cached', {}, 'never', again, false],
  ['a conversation of a key that never caches', { automaticCaching: 'never' }, undefined, again, false],
  ['one that the client asks for all the same', { automaticCaching: 'never' }, 'conversations', again, true],
] as const) {
  test(`${text} is ${isMarked ? 'marked for the cache, and reported' : 'reserved and sent without a cache write'}`, async () => {
    const account = await gate.account('5', policy)
    const client = clientOf('openai-chat')
    const asked = { model: 'writes-caches', text: 'hello', more: { ...client.limit(100), ...more } }
    const headers = header === undefined ? {} : { 'x-tollgate-automatic-caching': header }
    const answer = await gate.askAs(account, client, { ...asked, headers }).whole()
    assert.equal(answer.status, 200, answer.text)
    const sent = String(gate.sandbox.requestLog().at(-1)?.body)
    assert.equal(sent.includes('"cache_control"'), isMarked, sent)
    assert.equal(String(answer.headers['x-tollgate-adjusted']).includes('added=cache_control'), isMarked)
    // The sandbox shares one cache among the accounts of this test.
    const { cacheWrite5m, cacheRead, inputUncached } = await gate.receiptOf(account)
    assert.equal(cacheWrite5m + cacheRead > 0, isMarked, `${inputUncached} neither written nor read`)
  })
}

test("an unknown cache mode is rejected in the caller's format", async () => {
  const client = clientOf('openai-chat')
  const headers = { 'x-tollgate-automatic-caching': 'sometimes' }
  const answer = await gate.askAs(rich, client, { model: 'writes-caches', text: 'hello', headers }).whole()
  assert.equal(answer.status, 400, answer.text)
  assert.match(answer.text, /x-tollgate-automatic-caching: must be one of conversations, always, never/)
})
