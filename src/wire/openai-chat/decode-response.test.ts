/** Whole chat responses to the neutral form and back: recorded ones lose nothing significant; IDs and fields carry what must return. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noTokens } from '../../../contract/meters.ts'
import { fixtureCases } from '../../../test/support/fixtures.ts'
import { brokenAnswerRules } from '../../../test/support/rules/openai-chat.ts'
import { type ReadLimits, WireError } from '../dialect.ts'
import type {
  EncryptedReasoning,
  Finish,
  Frame,
  NeutralResponse,
  ResponsePart,
  ThinkingPart,
} from '../translation/neutral.ts'
import type { Usage } from '../usage.ts'
import { decodeRequest, oldestForm } from './decode-request.ts'
import { decodeResponse } from './decode-response.ts'
import { encodeResponse } from './encode-response.ts'

type Members = Readonly<Record<string, unknown>>

const encoder = new TextEncoder()
const usage: Usage = {
  ...noTokens,
  inputUncached: 1,
  cacheRead: 2,
  cacheWrite5m: 3,
  cacheWrite1h: 4,
  inputAudio: 5,
  output: 7,
  outputAudio: 1,
  reasoning: 6,
  fees: {},
  servedOptions: [],
  unknown: [],
}
const tally = { usage, cost: '0.054399' }
const frame: Frame = {
  requestId: 'req_01abc',
  model: 'mine',
  createdSeconds: 7,
  responseOptions: { includeUsage: true, echo: [], tools: [], logprobs: false },
}
const end: Finish = { reason: 'end', stopString: null, explanation: null }

function answerOf(parts: readonly ResponsePart[], finish: Partial<Finish> = {}): NeutralResponse {
  return { parts, finish: { ...end, ...finish }, usage, logprobs: null }
}

function written(answer: NeutralResponse, of: Partial<Frame> = {}): Members {
  const body = JSON.parse(encodeResponse(answer, { ...frame, ...of }, tally)) as Members
  if (of.responseOptions === undefined) assert.deepEqual(brokenAnswerRules(body), [], JSON.stringify(body))
  return body
}

function choiceOf(body: Members): Members & { readonly message: Members } {
  const [choice] = body.choices as readonly (Members & { readonly message: Members })[]
  assert.ok(choice !== undefined)
  return choice
}

function decoded(message: Members, more: Members = {}): NeutralResponse {
  const choice = { index: 0, message, finish_reason: 'stop', ...more }
  return decodeResponse(encoder.encode(JSON.stringify({ id: 'x', model: 'm', choices: [choice] })), usage)
}

const text = (content: string): ResponsePart => ({ kind: 'text', text: content, cache: null, citations: [] })
const thought = (content: string, encrypted: EncryptedReasoning | null, redacted = false): ThinkingPart => ({
  kind: 'thinking',
  text: content,
  redacted,
  encrypted,
})
const call = (id: string, more: Partial<Extract<ResponsePart, { kind: 'call' }>> = {}): ResponsePart => ({
  kind: 'call',
  id,
  name: 'f',
  namespace: null,
  form: 'json',
  input: '{"a":1}',
  encrypted: null,
  pointer: '',
  ...more,
})
const claude: EncryptedReasoning = { vendor: 'anthropic', data: 'sig' }
const google: EncryptedReasoning = { vendor: 'google', data: 'R09PRw==' }
const openai: EncryptedReasoning = { vendor: 'openai', data: 'rs_1.enc' }

/** What may differ: what is ours, what means nothing, and what only one host has. */
function comparable(choice: Members): Members {
  const { logprobs: _logprobs, ...rest } = choice
  const {
    annotations: _annotations,
    extra_content: _extra,
    thought_signature: _signature,
    ...message
  } = choice.message as Members
  let calls = message.tool_calls
  if (Array.isArray(calls)) {
    calls = calls.map(({ type, function: called }: Members) => ({
      type,
      function: called,
    }))
  }
  return { ...rest, message: { content: null, refusal: null, ...message, tool_calls: calls } }
}

test('recorded answers come back as they were', () => {
  for (const { name, kind, response } of fixtureCases('openai-chat')) {
    if (kind !== 'json') continue
    const choice = choiceOf(JSON.parse(response.toString()) as Members)
    const isOldest = choice.finish_reason === 'function_call'
    const echo = isOldest ? ([[oldestForm, true]] as const) : []
    const body = written(
      decodeResponse(response, usage),
      isOldest ? { responseOptions: { ...frame.responseOptions, echo } } : {},
    )
    const { reasoning_details: _details, ...message } = choiceOf(body).message
    assert.deepEqual(comparable({ ...choiceOf(body), message }), comparable(choice), name)
  }
})

test('usage is reported in this format’s convention, with the cost', () => {
  const body = written(answerOf([text('x')]))
  assert.deepEqual(body.usage, {
    prompt_tokens: 15,
    completion_tokens: 8,
    total_tokens: 23,
    prompt_tokens_details: { cached_tokens: 2, cache_write_tokens: 7, audio_tokens: 5 },
    completion_tokens_details: { reasoning_tokens: 6, audio_tokens: 1 },
    cost: 0.054399,
  })
  assert.deepEqual([body.id, body.model, body.created], ['chatcmpl-01abc', 'mine', 7])
})

const finishes: readonly (readonly [
  finish: Partial<Finish>,
  parts: readonly ResponsePart[],
  word: string,
  refusal: string | null,
])[] = [
  [{}, [text('x')], 'stop', null],
  [{ reason: 'stop_string', stopString: 'END' }, [text('x')], 'stop', null],
  [{ reason: 'calls' }, [call('a')], 'tool_calls', null],
  [{}, [call('a')], 'tool_calls', null],
  [{ reason: 'calls' }, [], 'stop', null],
  [{ reason: 'length' }, [call('a', { input: '{"cut' })], 'length', null],
  [{ reason: 'context' }, [], 'length', null],
  [{ reason: 'pause' }, [text('x')], 'stop', null],
  [{ reason: 'refusal' }, [{ kind: 'refusal', text: 'no' }], 'stop', 'no'],
  [{ reason: 'refusal', explanation: 'because' }, [], 'content_filter', 'because'],
  [{ reason: 'filter', explanation: 'because' }, [text('x')], 'content_filter', null],
  [{ reason: 'filter' }, [], 'content_filter', null],
]

test('each way to finish has its word, and empty answers are answers', () => {
  for (const [finish, parts, word, refusal] of finishes) {
    const choice = choiceOf(written(answerOf(parts, finish)))
    assert.deepEqual([choice.finish_reason, choice.message.refusal], [word, refusal], JSON.stringify(finish))
    assert.ok(choice.message.content !== undefined)
  }
})

test('what hosts say in their own ways is understood', () => {
  const responseWith = (message: Members, more: Members = {}) =>
    decoded(message, more).parts.map(
      (part) =>
        `${part.kind} ${'text' in part ? part.text : part.kind === 'call' ? `${part.id} ${part.input} ${part.encrypted?.data}` : ''}`,
    )
  assert.deepEqual(responseWith({ reasoning_content: 'hm', content: 'so' }), ['thinking hm', 'text so'])
  assert.deepEqual(responseWith({ reasoning: 'hm', content: '' }), ['thinking hm'])
  assert.deepEqual(
    responseWith({
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
        { type: 'text', text: 'so' },
      ],
    }),
    ['thinking hm', 'text so'],
  )
  assert.deepEqual(responseWith({ content: null }), [])
  assert.deepEqual(responseWith({ function_call: { name: 'f', arguments: '{}' } }), ['call  {} undefined'])
  assert.deepEqual(
    responseWith({ tool_calls: [{ id: 'a', type: 'custom', custom: { name: 'c', input: 'x' } }] }),
    ['call a x undefined'],
  )
  assert.deepEqual(responseWith({ content: null, audio: { transcript: 'spoken' } }), ['text spoken'])
  assert.deepEqual(responseWith({ images: [{ image_url: { url: 'data:image/png;base64,AAAA' } }] }), [
    'media ',
  ])
  const encrypted = { extra_content: { google: { thought_signature: 'R09PRw==' } } }
  assert.deepEqual(
    responseWith({
      ...encrypted,
      tool_calls: [
        { id: 'a', function: { name: 'f' } },
        { id: 'b', function: { name: 'f' } },
      ],
    }),
    ['call a  R09PRw==', 'call b  undefined'],
  )
  assert.deepEqual(responseWith({ ...encrypted, content: 'so' }), ['text so', 'thinking '])
  const annotations = [
    { type: 'url_citation', url_citation: { url: 'https://a', title: 'A', start_index: 0, end_index: 1 } },
  ]
  const [cited] = decoded({ content: 'so', annotations }).parts
  assert.deepEqual(cited?.kind === 'text' && cited.citations, [
    { url: 'https://a', title: 'A', quoted: null },
  ])
  assert.equal(decoded({ content: null, refusal: 'no' }).finish.reason, 'refusal')
  assert.equal(decoded({ content: 'x' }, { finish_reason: 'content_filter' }).finish.reason, 'filter')
  assert.equal(
    decoded({ content: 'x' }, { logprobs: { content: [{ token: 'x' }] } }).logprobs?.text,
    '[{"token":"x"}]',
  )
})

test('an invalid response is rejected', () => {
  for (const body of ['', '[]', '{}', '{"choices":[]}', '<html>']) {
    assert.throws(
      () => decodeResponse(encoder.encode(body), usage),
      (error) => error instanceof WireError && error.code === 'invalid_value',
    )
  }
})

const limits: ReadLimits = { depthMax: 64, valuesMax: 10_000, integerMax: 1_000_000_000 }

/** The parts that come back when a client echoes the answer's message, with or without the fields it may not know. */
function echoed(message: Members, isEchoed: (name: string) => boolean): readonly unknown[] {
  const known = Object.fromEntries(Object.entries(message).filter(([name]) => isEchoed(name)))
  const body = JSON.stringify({ model: 'm', messages: [known] })
  const { turns } = decodeRequest(encoder.encode(body), limits, { model: null, stream: false })
  return (turns[0]?.parts ?? []).map((part) => ('pointer' in part ? { ...part, pointer: '' } : part))
}

test('what must come back comes back, from clients that echo every field and from those that drop ours', () => {
  const encrypted = { ...claude, data: 'second' }
  const parts = [
    thought('hm', claude),
    thought('', { ...claude, data: 'empty' }),
    thought('', { ...claude, data: 'hidden' }, true),
    text('so'),
    call('toolu_1'),
    call('toolu_2'),
    thought('more', encrypted),
    call('', { encrypted: google, input: '' }),
  ]
  const { message } = choiceOf(written(answerOf(parts, { reason: 'calls' })))
  const expected = parts.map((part) =>
    part.kind === 'call' && part.id === '' ? { ...part, id: 'call_01abc_2', input: '{}' } : part,
  )
  assert.deepEqual(
    echoed(message, () => true),
    expected,
  )
  assert.deepEqual(
    echoed(message, (name) => !name.startsWith('reasoning')),
    expected,
  )
  assert.equal(message.reasoning_content, 'hm\n\nmore')
  const open = choiceOf(written(answerOf([thought('hm', null), text('so')]))).message
  assert.deepEqual(
    echoed(open, () => true),
    [thought('hm', null), text('so')],
  )
  const reasoned = choiceOf(
    written(answerOf([thought('sum', openai), thought('', openai), text('so')])),
  ).message
  assert.deepEqual(
    echoed(reasoned, () => true),
    [thought('sum', openai), text('so')],
  )
})

test('ids are short whatever the upstream made of them, and unencrypted thoughts need no mark', () => {
  const ids = (of: Frame, ...parts: ResponsePart[]) =>
    (
      JSON.parse(encodeResponse(answerOf(parts), of, tally)).choices[0].message.tool_calls as { id: string }[]
    ).map(({ id }) => id)
  assert.deepEqual(ids(frame, thought('hm', null), call('toolu_1'), call('')), ['toolu_1', 'call_01abc_1'])
  const long = ids(
    { ...frame, requestId: `req_${'0'.repeat(40)}` },
    call('x'.repeat(33)),
    call('a b'),
    call(''),
  )
  for (const id of long) assert.match(id, /^call_[a-z0-9]{24}$/)
  assert.equal(new Set(long).size, 3)
})

test('a signature that does not fit into the ID is in Google’s field with a tag', () => {
  const huge: EncryptedReasoning = { vendor: 'google', data: 'R'.repeat(60_000) }
  const { message } = choiceOf(written(answerOf([call('a', { encrypted: huge })])))
  const [toolCall] = message.tool_calls as readonly Members[]
  assert.equal(toolCall?.id, 'a')
  assert.ok(JSON.stringify(toolCall?.extra_content).includes('"dGcx'))
  const [back] = echoed(message, () => true) as readonly Members[]
  assert.deepEqual(back?.encrypted, huge)
})

test('sources, images and log probabilities are in their fields', () => {
  const cited: ResponsePart = {
    kind: 'text',
    text: 'so.',
    cache: null,
    citations: [
      { url: 'https://a', title: null, quoted: null },
      { url: null, title: 'b', quoted: null },
    ],
  }
  const image: ResponsePart = {
    kind: 'media',
    medium: 'image',
    source: { kind: 'base64', mediaType: 'image/png', data: 'AAAA' },
    title: null,
    detail: null,
    cache: null,
    pointer: '',
  }
  const { message } = choiceOf(written(answerOf([text('é '), cited, image])))
  assert.deepEqual(message.annotations, [
    { type: 'url_citation', url_citation: { start_index: 2, end_index: 5, title: '', url: 'https://a' } },
  ])
  assert.deepEqual(message.images, [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }])
  const responseOptions = { ...frame.responseOptions, logprobs: true }
  const answer = {
    ...answerOf([text('x')]),
    logprobs: decoded({ content: 'x' }, { logprobs: { content: [{ token: 'x' }] } }).logprobs,
  }
  assert.deepEqual(choiceOf(written(answer, { responseOptions })).logprobs, {
    content: [{ token: 'x' }],
    refusal: null,
  })
  assert.equal(choiceOf(written(answer)).logprobs, null)
})
