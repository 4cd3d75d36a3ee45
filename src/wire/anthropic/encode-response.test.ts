/** Responses from Messages and to Messages: recordings return unchanged, all others follow the format's rules. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noTokens } from '../../../contract/meters.ts'
import { fixtureCases } from '../../../test/support/fixtures.ts'
import { brokenAnswerRules } from '../../../test/support/rules/anthropic.ts'
import { WireError } from '../dialect.ts'
import type {
  Finish,
  FinishReason,
  Frame,
  NeutralResponse,
  ResponseCost,
  ResponsePart,
} from '../translation/neutral.ts'
import { readId, readTag } from '../translation/reasoning-carriers.ts'
import type { Usage } from '../usage.ts'
import { decodeResponse } from './decode-response.ts'
import { encodeResponse } from './encode-response.ts'
import { extractResponse } from './extract-response.ts'
import { toUsage } from './extract-usage.ts'

const encoder = new TextEncoder()
const used: Usage = {
  ...noTokens,
  inputUncached: 10,
  cacheRead: 20,
  cacheWrite5m: 30,
  cacheWrite1h: 40,
  output: 50,
  reasoning: 5,
  fees: { web_search: 2 },
  servedOptions: [],
  unknown: [],
}
const frame: Frame = {
  requestId: 'req_0abc',
  model: 'asked-for',
  createdSeconds: 1,
  responseOptions: { includeUsage: true, echo: [], tools: [], logprobs: false },
}
const tally: ResponseCost = { usage: used, cost: '0.054399' }

type Body = Record<string, unknown>
const parse = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString()) as Body

test('recorded answers come back as they were, but for what ran at the provider', () => {
  for (const { name, kind, status, response } of fixtureCases('anthropic')) {
    if (kind !== 'json' || status !== 200) continue
    const before = parse(response)
    if (!Array.isArray(before.content)) continue
    const usage = toUsage(extractResponse(response, 0).rawUsage)
    const answer = decodeResponse(response, usage)
    const after = JSON.parse(
      encodeResponse(answer, { ...frame, model: String(before.model) }, { usage, cost: '0' }),
    ) as Body
    assert.deepEqual(brokenAnswerRules(after), [], name)
    assert.deepEqual(plain(after), plain(before), name)
  }
})

/** Claude writes such blocks, and refuses them when they come back. */
const isBlank = (block: Body) => block.type === 'text' && String(block.text).trim() === ''

/** What two answers that say the same have alike. */
function plain({ model, role, type, stop_reason, stop_sequence, content, usage }: Body): Body {
  const blocks = (content as Body[]).flatMap(({ citations: _, caller: __, ...block }) =>
    /^server_|_tool_result$/.test(String(block.type)) || isBlank(block) ? [] : [block],
  )
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = usage as Body
  const tokens = { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens }
  return { model, role, type, stop_reason, stop_sequence, content: blocks, tokens }
}

const answer = (parts: readonly ResponsePart[], finish: Partial<Finish> = {}): NeutralResponse => ({
  parts,
  finish: { reason: 'end', stopString: null, explanation: null, ...finish },
  usage: used,
  logprobs: null,
})

function encode(parts: readonly ResponsePart[], finish: Partial<Finish> = {}): Body & { content: Body[] } {
  const body = JSON.parse(encodeResponse(answer(parts, finish), frame, tally)) as Body & { content: Body[] }
  assert.deepEqual(brokenAnswerRules(body), [], JSON.stringify(body))
  return body
}

const text = (words: string): ResponsePart => ({ kind: 'text', text: words, cache: null, citations: [] })
const call = (id: string, input: string, more: object = {}): ResponsePart => ({
  kind: 'call',
  id,
  name: 'f',
  namespace: null,
  form: 'json',
  input,
  encrypted: null,
  pointer: '',
  ...more,
})
const google = { vendor: 'google', data: 'c2ln' } as const

test('the head, usage and cost are ours', () => {
  assert.deepEqual(encode([text('Hi.')]), {
    id: 'msg_0abc',
    type: 'message',
    role: 'assistant',
    model: 'asked-for',
    content: [{ type: 'text', text: 'Hi.' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    stop_details: null,
    usage: {
      input_tokens: 10,
      cache_creation_input_tokens: 70,
      cache_read_input_tokens: 20,
      cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 40 },
      output_tokens: 50,
      output_tokens_details: { thinking_tokens: 5 },
      server_tool_use: { web_search_requests: 2 },
      cost: 0.054399,
    },
  })
})

const reasons: readonly [reason: FinishReason, expected: string][] = [
  ['end', 'end_turn'],
  ['length', 'max_tokens'],
  ['context', 'model_context_window_exceeded'],
  ['refusal', 'refusal'],
  ['filter', 'refusal'],
  ['pause', 'pause_turn'],
]

test('why it ended', () => {
  for (const [reason, expected] of reasons)
    assert.equal(encode([text('x')], { reason }).stop_reason, expected)
  const stopped = encode([text('x')], { reason: 'stop_string', stopString: 'END' })
  assert.deepEqual([stopped.stop_reason, stopped.stop_sequence], ['stop_sequence', 'END'])
  const refused = encode([], { reason: 'refusal', explanation: 'Not this.' })
  assert.deepEqual(refused.stop_details, { type: 'refusal', category: null, explanation: 'Not this.' })
  assert.equal(encode([call('a', '{}')], { reason: 'calls' }).stop_reason, 'tool_use')
  assert.equal(encode([call('a', '{}')]).stop_reason, 'tool_use', 'whatever the upstream calls it')
})

test('blocks keep their order; what is blank has none', () => {
  const picture: ResponsePart = {
    kind: 'media',
    medium: 'image',
    source: { kind: 'base64', mediaType: 'image/png', data: 'aGk=' },
    title: null,
    detail: null,
    cache: null,
    pointer: '',
  }
  const parts = [text('\n'), text('a'), { kind: 'refusal', text: 'No.' } as const, picture, text('')]
  assert.deepEqual(
    encode(parts).content.map((block) => block.text),
    ['a', 'No.', '[image/png not supported by this format]'],
  )
  assert.deepEqual(encode([]).content, [])
})

test('thoughts of every vendor travel in signatures', () => {
  const thought = (
    words: string,
    vendor: 'anthropic' | 'google' | 'openai' | null,
    redacted = false,
  ): ResponsePart => ({
    kind: 'thinking',
    text: words,
    redacted,
    encrypted: vendor === null ? null : { vendor, data: 'sig' },
  })
  const parts = [
    thought('a', 'anthropic'),
    thought('', 'anthropic', true),
    thought('b', 'openai'),
    thought('', 'google'),
  ]
  const [own, redacted, other, last, ...rest] = encode([
    ...parts,
    thought('c', null),
    thought('', null),
  ]).content
  assert.deepEqual(own, { type: 'thinking', thinking: 'a', signature: 'sig' })
  assert.deepEqual(redacted, { type: 'redacted_thinking', data: 'sig' })
  assert.deepEqual(readTag(String(other?.signature)), {
    kind: 'encrypted',
    encrypted: { vendor: 'openai', data: 'sig' },
  })
  assert.deepEqual(readTag(String(last?.signature)), {
    kind: 'encrypted',
    encrypted: { vendor: 'google', data: 'sig' },
  })
  // Unencrypted reasoning is never taken for Claude's.
  assert.equal(rest.length, 1)
  assert.equal(readTag(String(rest[0]?.signature)).kind, 'encrypted')
})

test('calls get new, short IDs, which carry the encrypted reasoning', () => {
  const ids = ['toolu_1', '', '', 'x'.repeat(60), 'toolu_1'].map((id) => call(id, '{}'))
  const encodedIds = encode(ids, { reason: 'calls' }).content.map(({ id }) => String(id))
  assert.deepEqual(encodedIds.slice(0, 3), ['toolu_1', 'call_0abc_1', 'call_0abc_2'])
  assert.equal(new Set(encodedIds).size, 5)
  for (const id of encodedIds) assert.ok(id.length <= 32, id)
  const [encrypted, ...more] = encode([call('a', '{}', { encrypted: google })]).content
  assert.deepEqual(more, [])
  assert.deepEqual(readId(String(encrypted?.id)), { id: 'a', carrier: { encrypted: google, thoughts: [] } })
})

test('input is an object, as the model wrote it where it is one', () => {
  const written = '{ "n":9007199254740993, "__proto__":1}'
  assert.ok(encodeResponse(answer([call('a', written)]), frame, tally).includes(`"input":${written}`))
  const input = (json: string, finish: Partial<Finish> = {}, more: object = {}) =>
    encode([call('a', json, more)], finish).content[0]?.input
  assert.deepEqual(input(''), {})
  assert.deepEqual(input('{"a', { reason: 'length' }), {})
  assert.deepEqual(input('{"a'), { _raw: '{"a' })
  assert.deepEqual(input('free "text"', {}, { form: 'text' }), { input: 'free "text"' })
})

test('sources with an address are shown, and never taken for a provider’s', () => {
  const citations = [
    { url: 'https://a.example', title: 'A', quoted: null },
    { url: null, title: 'B', quoted: 'b' },
  ]
  const { content } = encode([{ kind: 'text', text: 'x', cache: null, citations }])
  const shown = content[0]?.citations as Body[]
  assert.equal(shown.length, 1)
  assert.equal(shown[0]?.url, 'https://a.example')
  assert.equal(readTag(String(shown[0]?.encrypted_index)).kind, 'encrypted')
})

test('an invalid response is rejected', () => {
  for (const body of ['', '<html>', '[]', '{}', '{"content":null}', '{"content":{}}', '{"content":[}']) {
    assert.throws(
      () => decodeResponse(encoder.encode(body), used),
      (error) => error instanceof WireError && error.code === 'invalid_value',
      body,
    )
  }
  const response = decodeResponse(
    encoder.encode('{"content":[1,{"type":"new"},{"type":"tool_use"}],"stop_reason":"new"}'),
    used,
  )
  assert.equal(response.finish.reason, 'end')
  assert.equal(response.parts.length, 1)
})

test('input of a recorded call is read as it was written', () => {
  const body =
    '{"content":[{"type":"tool_use","id":"a","name":"f","input": {"n": 1.0, "b":9007199254740993} }]}'
  const [part] = decodeResponse(encoder.encode(body), used).parts
  assert.ok(part?.kind === 'call')
  assert.equal(part.input, '{"n": 1.0, "b":9007199254740993}')
})
