/**
 * Streams as each format's tap reads them on their way to the client: which events are content, which is the terminal event, what
 * is dropped, what fails, when a stream is complete, and its usage.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { converseEvent, converseException, frame } from '../../test/support/event-stream-frames.ts'
import { bytesOf, tapOptions, tapped } from '../../test/support/neutral-values.ts'
import { wireFormats } from '../../test/support/wire-formats.ts'
import * as bedrock from './bedrock-converse/index.ts'
import type { StreamedFormat, TapOptions } from './format.ts'
import type { UpstreamFormatName } from './format-names.ts'

type Format = Exclude<UpstreamFormatName, 'openai-embeddings' | 'gemini-embeddings'>
type Stream = string | Uint8Array

const formats: Readonly<Record<Format, StreamedFormat>> = {
  ...wireFormats,
  'bedrock-converse': bedrock.bedrockConverse,
}

const small = { ...tapOptions, eventBytesMax: 64 * 1024 }
const watch = (format: Format, stream: Stream, more: Partial<TapOptions> = {}, size?: number) =>
  tapped(formats[format].tapStream({ ...small, ...more }), stream, size)
const usageIn = (format: Format, stream: Stream) => formats[format].toUsage(watch(format, stream).rawUsage)

const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
type Typed = { readonly type: string } & Readonly<Record<string, unknown>>
const typed = (value: Typed) => `event: ${value.type}\n${data(value)}`

const chat = {
  choice: (fields: object, more: object = {}) =>
    data({ id: 'c', choices: [{ index: 0, delta: fields, finish_reason: null, ...more }], usage: null }),
  word: (content: string) => chat.choice({ content }),
  finish: (reason = 'stop', index = 0) => data({ choices: [{ index, delta: {}, finish_reason: reason }] }),
  usage: data({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } }),
  done: 'data: [DONE]\n\n',
}
const a = chat.word('a')

const messages = {
  start: (usage: object = { input_tokens: 5, output_tokens: 1 }) =>
    typed({ type: 'message_start', message: { content: [], usage } }),
  block: (content_block: object, index = 0) => typed({ type: 'content_block_start', index, content_block }),
  delta: (type: string, fields: object) =>
    typed({ type: 'content_block_delta', index: 0, delta: { type: `${type}_delta`, ...fields } }),
  word: (text: string) => messages.delta('text', { text }),
  stop: (usage: object = { output_tokens: 7 }, reason: string | null = 'end_turn') =>
    typed({ type: 'message_delta', delta: { stop_reason: reason }, usage }),
  end: typed({ type: 'message_stop' }),
  error: (type: string, message: string) => typed({ type: 'error', error: { type, message } }),
}
const ping = 'event: ping\ndata: {"type": "ping"}\n\n'
const opening = messages.start() + ping + messages.block({ type: 'text', text: '' })
const opened = opening + messages.word('a')

const event = (type: string, members: object = {}) => typed({ type: `response.${type}`, ...members })
const responses = {
  added: (item: object, index = 0) => event('output_item.added', { output_index: index, item }),
  done: (item: object, index = 0) => event('output_item.done', { output_index: index, item }),
  word: (delta: string) => event('output_text.delta', { output_index: 0, content_index: 0, delta }),
  summary: (delta: string) => event('reasoning_summary_text.delta', { output_index: 0, delta }),
  ends: (type: string, response: object = {}) =>
    event(type, { response: { status: type, output: [], ...response } }),
}
const created = event('created', { response: { id: 'resp_1', output: [] } })

const candidate = (parts: readonly object[], more: object = {}) =>
  `data: ${JSON.stringify({ candidates: [{ content: { role: 'model', parts }, index: 0, ...more }] })}\r\n\r\n`
const gemini = {
  word: (text: string) => candidate([{ text }]),
  stop: (reason = 'STOP', parts: readonly object[] = []) => candidate(parts, { finishReason: reason }),
}
const unavailable = data({ error: { code: 503, message: 'Overloaded.', status: 'UNAVAILABLE' } })

const converse = {
  start: converseEvent('messageStart', { role: 'assistant', p: 'abc' }),
  delta: (delta: object) => converseEvent('contentBlockDelta', { contentBlockIndex: 0, delta }),
  call: converseEvent('contentBlockStart', {
    contentBlockIndex: 0,
    start: { toolUse: { toolUseId: 't', name: 'look' } },
  }),
  end: converseEvent('messageStop', { stopReason: 'end_turn' }),
  usage: (more: object = {}, beside: object = {}) =>
    converseEvent('metadata', { usage: { ...converseUsage, ...more }, metrics: { latencyMs: 5 }, ...beside }),
}
const converseUsage = {
  ...{ inputTokens: 3, outputTokens: 20, totalTokens: 10_223 },
  ...{ cacheReadInputTokens: 10_000, cacheWriteInputTokens: 200 },
}
const frames = (...all: readonly Uint8Array[]) => Buffer.concat(all)
const said = frames(converse.start, converse.delta({ text: 'a' }))

/** By the state before the end of the bytes and the state after it. */
const states: Readonly<Record<Format, Readonly<Record<string, Readonly<Record<string, Stream>>>>>> = {
  'openai-chat': {
    'waiting truncated': {
      nothing: '',
      'a comment': ': hello\n\n',
      'a role alone': chat.choice({ role: 'assistant', content: '', refusal: null }),
      'no choices': data({ choices: [], prompt_filter_results: [{}] }),
      'no tool calls': chat.choice({ tool_calls: [] }),
      'a page': '<html><body>\n\n',
      'an event of another kind': 'event: ping\ndata: {"type":"ping"}\n\n',
      'empty data': 'data:\n\n',
    },
    'content truncated': {
      content: a,
      'a refusal': chat.choice({ refusal: 'no' }),
      'a tool call': chat.choice({ tool_calls: [{ index: 0, function: { name: '', arguments: '' } }] }),
      'a function call': chat.choice({ function_call: { name: 'f', arguments: '' } }),
      reasoning: chat.choice({ content: null, reasoning_content: 'r' }),
      'reasoning by another name': chat.choice({ reasoning: 'r' }),
      'content in parts': chat.choice({ content: [{ type: 'thinking', thinking: [{ text: 't' }] }] }),
      audio: chat.choice({ audio: { data: 'QUJD' } }),
      'an empty finish reason': chat.choice({ content: 'a' }, { finish_reason: '' }),
      'a mark cut short': `${a}data: [DON`,
      'no error': data({ error: null, choices: [{ index: 0, delta: { content: 'a' } }] }),
      'garbage at the end': `${a}data: {"choices":`,
    },
    'finishing complete': {
      'a finish': a + chat.finish(),
      'a finish with content': chat.choice({ content: 'a' }, { finish_reason: 'stop' }),
      'a finish and usage': a + chat.finish() + chat.usage,
    },
    'content complete': { 'a mark without its blank line': `${a}data: [DONE]` },
    'complete complete': {
      'all of it': a + chat.finish() + chat.usage + chat.done,
      'a mark without a finish': a + chat.done,
      'no word before the finish': chat.finish() + chat.done,
      'a mark without a space': `${a}data:[DONE]\n\n`,
      'a mark with spaces': `${a}data:  [DONE] \n\n`,
      'an error after the end': a + chat.done + data({ error: { message: 'no' } }),
    },
    'failed failed': {
      'a mark alone': chat.done,
      'a role and a mark': chat.choice({ role: 'assistant', content: '' }) + chat.done,
      'an error first': data({ error: { message: 'no', type: 't', code: 'c' } }),
      'an error later': a + data({ error: { message: 'no' } }),
      'an error beside choices': data({ error: { message: 'no' }, choices: [{ finish_reason: 'error' }] }),
      'an error as a string': data({ error: 'no' }),
      'an error by name': 'event: error\ndata: {"message":"no"}\n\n',
      garbage: `${a}data: {"choices":\n\n`,
      'JSON that is not a chunk': 'data: 17\n\n',
      'an event without its end that is too large': `data: ${'x'.repeat(70_000)}`,
      'an event that is too large': `data: ${'x'.repeat(70_000)}\n\n`,
    },
  },
  anthropic: {
    'waiting truncated': {
      'a start': opening,
      'an empty delta': opening + messages.word(''),
      'thinking that begins': messages.start() + messages.block({ type: 'thinking', thinking: '' }),
      'an unknown event': opening + typed({ type: 'news_flash', delta: { text: 'x' } }),
    },
    'content truncated': {
      content: opened,
      thinking: opening + messages.delta('thinking', { thinking: 't' }),
      'a signature': opening + messages.delta('signature', { signature: 's' }),
      'a citation': opening + messages.delta('citations', { citation: { cited_text: 'c' } }),
      'tool input': opening + messages.delta('input_json', { partial_json: '{' }),
      'a tool that begins': messages.block({ type: 'tool_use', id: 't', name: 'f', input: {} }),
      'redacted thinking': messages.start() + messages.block({ type: 'redacted_thinking', data: 'x' }),
      'a delta without a stop reason': opened + messages.stop({ output_tokens: 2 }, null),
    },
    'finishing truncated': { 'a stop reason': opened + messages.stop() },
    'finishing complete': { 'no blank line': (opened + messages.stop() + messages.end).trimEnd() },
    'complete complete': {
      'a refusal without content': messages.start() + messages.stop({}, 'refusal') + messages.end,
      'all of it': opened + messages.stop() + messages.end,
      'an end without a stop reason': opened + messages.end,
    },
    'failed failed': {
      'an end alone': messages.end,
      'an opening and an end': messages.start() + messages.end,
      'an error first': messages.error('overloaded_error', 'Overloaded'),
      'an error later': opened + messages.error('api_error', 'x'),
      'an error by name alone': 'event: error\ndata: {"message":"x"}\n\n',
      garbage: `${opening}data: {"type":\n\n`,
      'a chat stream': a + chat.done,
    },
  },
  'openai-responses': {
    'waiting truncated': {
      'an opening': created + event('in_progress', { response: {} }),
      'a message that begins': created + responses.added({ type: 'message', content: [] }),
      'a thought that begins': created + responses.added({ type: 'reasoning', encrypted_content: 'x' }),
      'an empty word': created + responses.word(''),
      'a mark of another format': chat.done,
    },
    'content truncated': {
      'a thought that is encrypted': created + responses.done({ type: 'reasoning', encrypted_content: 'x' }),
      'a call that begins': responses.added({ type: 'function_call', name: 'f', arguments: '' }),
      'a search that begins': responses.added({ type: 'web_search_call', status: 'in_progress' }),
      'a word': created + responses.word('a'),
      arguments: event('function_call_arguments.delta', { output_index: 0, delta: '{' }),
      'a summary': responses.summary('a'),
      'a cut last word': responses.word('a') + responses.ends('completed').slice(0, 60),
    },
    'complete complete': {
      'all of it': created + responses.word('a') + responses.ends('completed'),
      'an incomplete answer': created + responses.word('a') + responses.ends('incomplete'),
      'the last word alone': responses.ends('completed'),
    },
    'failed failed': { 'no JSON': 'event: response.output_text.delta\ndata: {"type"\n\n' },
  },
  gemini: {
    'waiting truncated': {
      'an empty text': gemini.word(''),
      'usage alone': data({ usageMetadata: { promptTokenCount: 1 } }),
      'feedback without a block': data({ promptFeedback: {} }),
    },
    'content truncated': {
      'a text': gemini.word('a'),
      'a thought': candidate([{ text: 't', thought: true }]),
      'a signature': candidate([{ text: '', thoughtSignature: 'c2ln' }]),
      'a call': candidate([{ functionCall: { name: 'f', args: {} } }]),
      code: candidate([{ executableCode: { code: '1' } }]),
      'an image': candidate([{ inlineData: { mimeType: 'image/png', data: 'QUJD' } }]),
    },
    'content complete': { 'no blank line': gemini.word('a') + gemini.stop().trimEnd() },
    'finishing complete': {
      'a finish': gemini.word('a') + gemini.stop(),
      'all in one event': gemini.stop('STOP', [{ text: 'a' }]),
      'a finish without parts': data({ candidates: [{ content: {}, finishReason: 'MAX_TOKENS' }] }),
      'what was filtered': gemini.stop('SAFETY'),
      'a blocked prompt': data({ promptFeedback: { blockReason: 'SAFETY' } }),
      'a reason from tomorrow': gemini.word('a') + gemini.stop('TOMORROW'),
      'a comment': `: x\n\n${gemini.word('a')}${gemini.stop()}`,
    },
    'failed failed': {
      'a call that cannot be read': gemini.stop('MALFORMED_FUNCTION_CALL'),
      'a call of no tool': gemini.word('a') + gemini.stop('UNEXPECTED_TOOL_CALL'),
      'too many calls': gemini.stop('TOO_MANY_TOOL_CALLS'),
      'a signature that was left out': gemini.stop('MISSING_THOUGHT_SIGNATURE'),
      'an answer that cannot be read': gemini.stop('MALFORMED_RESPONSE'),
      'an error first': unavailable,
      'an error later': gemini.word('a') + unavailable,
      'an error in an array': data([{ error: { code: 500, message: 'x', status: 'INTERNAL' } }]),
      garbage: 'data: {"candidates":\n\n',
    },
  },
  'bedrock-converse': {
    'waiting truncated': {
      'the start': converse.start,
      'an event of tomorrow': frames(converse.start, converseEvent('later', {})),
    },
    'content truncated': {
      'a text': said,
      'a thought': frames(converse.start, converse.delta({ reasoningContent: { text: 'a' } })),
      'a call': frames(converse.start, converse.call),
    },
    'finishing truncated': { 'the end of the message': frames(said, converse.end) },
    'complete complete': { 'the usage behind it': frames(said, converse.end, converse.usage()) },
    'failed failed': {
      'an exception': frames(converse.start, converseException('throttlingException', 'Slow down.')),
      'no JSON': frame({ ':event-type': 'metadata', ':message-type': 'event' }, 'x'),
      'another encoding': a + chat.done,
      'a damaged frame': said.map((byte, at) => (at === said.length - 10 ? byte ^ 1 : byte)),
    },
  },
}

for (const [format, rows] of Object.entries(states) as [Format, (typeof states)[Format]][]) {
  test(`${format}: each stream ends in the state that its events say`, () => {
    for (const [expected, streams] of Object.entries(rows)) {
      for (const [name, stream] of Object.entries(streams)) {
        const tap = watch(format, stream)
        const before = tap.state
        tap.end()
        assert.equal(`${before} ${tap.state}`, expected, name)
        const bytewise = watch(format, stream, {}, 1)
        bytewise.end()
        assert.equal(bytewise.state, tap.state, `${name}, by bytes`)
      }
    }
  })
}

/** The events that wait for settlement, and those that the client does not get. */
function split(format: Format, stream: string, more: Partial<TapOptions> = {}) {
  const tap = watch(format, stream, more)
  tap.end()
  const { relayableBytes, totalBytes, suppressedSpan: drop } = tap
  return {
    held: stream.slice(relayableBytes, totalBytes),
    drop: drop === null ? '' : stream.slice(drop.start, drop.end),
  }
}

const late = gemini.stop() + data({ usageMetadata: { promptTokenCount: 3 } })
const held: readonly [format: Format, before: string, held: string, behind: string][] = [
  ['openai-chat', `: hi\n\n${a}`, chat.finish() + chat.usage + chat.done, a + chat.done],
  ['openai-chat', a, chat.finish() + chat.done, a + chat.done],
  ['anthropic', opened, messages.stop() + ping + messages.end, messages.word('behind')],
  ['openai-responses', created + responses.word('a'), responses.ends('completed'), ': trailing\n\n'],
  ['gemini', gemini.word('a') + gemini.word('b'), late, ''],
]

test('the terminal event and everything after it wait, and nothing behind the end is relayed', () => {
  for (const [format, before, last, behind] of held)
    assert.deepEqual(split(format, before + last + behind), { held: last, drop: '' }, format)
  const converseEnd = frames(converse.end, converse.usage())
  const tap = watch('bedrock-converse', frames(said, converseEnd))
  assert.deepEqual([tap.relayableBytes, tap.totalBytes], [said.length, said.length + converseEnd.length])
})

test('openai-chat: the usage event is dropped only when only we asked for it, and nothing else ever is', () => {
  const own = data({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: { prompt_tokens: 1 } })
  const bare = data({ usage: { prompt_tokens: 1 } })
  for (const [stream, drop, usageEvent = 'drop'] of [
    [a + chat.finish() + chat.usage + chat.done, chat.usage],
    [a + chat.finish() + chat.usage + chat.done, '', 'relay'],
    [a + own + chat.done, ''],
    [a + chat.finish() + chat.usage + chat.usage + chat.done, chat.usage + chat.usage],
    [a + chat.usage + chat.finish() + chat.done, ''],
    [a + chat.finish() + data({ choices: [], usage: null }) + chat.done, ''],
    [a + chat.finish() + bare + chat.done, bare],
  ] as const)
    assert.equal(split('openai-chat', stream, { usageEvent }).drop, drop, stream)
})

test('of several choices the last to finish has the terminal event', () => {
  const two = (index: number) => data({ choices: [{ index, delta: { content: 'x' } }] })
  const before = two(0) + two(1) + chat.finish() + chat.finish() + two(1)
  const last = chat.finish('length', 1) + chat.usage + chat.done
  const drop = { usageEvent: 'drop', choices: 2 } as const
  assert.deepEqual(split('openai-chat', before + last, drop), { held: last, drop: chat.usage })
  // An upstream that answers only once does not keep its stream open for a second finish.
  const once = a + chat.finish() + chat.usage + chat.done
  assert.equal(split('openai-chat', once, { choices: 2 }).held, chat.usage + chat.done)
  const finished = (index: number) => data({ candidates: [{ index, finishReason: 'STOP' }] })
  const tap = watch('gemini', gemini.word('a') + finished(0), { choices: 2 })
  assert.equal(tap.state, 'content')
  tap.push(bytesOf(finished(1)))
  assert.equal(tap.state, 'finishing')
})

test('openai-chat: a stream without an end mark is complete when its body ends behind the last finish', () => {
  const finish = chat.finish()
  for (const [stream, state, missing = ''] of [
    [a + finish, 'complete', chat.done],
    [a + finish + chat.usage, 'complete', chat.done],
    [a + finish.trimEnd(), 'complete', `\n\n${chat.done}`],
    [a + finish + chat.usage.trimEnd(), 'complete', `\n\n${chat.done}`],
    [`${a}${finish}data: {"cho`, 'complete', `\n\n${chat.done}`],
    [a, 'truncated'],
    ['', 'truncated'],
  ] as const) {
    for (const isCut of [false, true]) {
      const tap = watch('openai-chat', stream)
      assert.notEqual(tap.state, 'complete')
      tap.end(isCut)
      assert.deepEqual([tap.state, tap.missingMark], isCut ? ['truncated', ''] : [state, missing], stream)
    }
  }
  for (const [stream, state] of [
    [a + finish, 'truncated'],
    [a + finish + chat.finish('stop', 1), 'complete'],
  ] as const) {
    const tap = watch('openai-chat', stream, { choices: 2 })
    tap.end()
    assert.equal(tap.state, state)
  }
})

const failed = (error: unknown) => created + responses.ends('failed', { error })
const malformed = { finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'Malformed: print(' }
const problems: readonly [format: Format, stream: Stream, message: string, type: string, code: string][] = [
  [
    'openai-chat',
    data({ error: { message: 'Too busy', type: 'server_error', code: 502 } }),
    ...(['Too busy', 'server_error', '502'] as const),
  ],
  ['anthropic', messages.error('overloaded_error', 'Overloaded'), 'Overloaded', 'overloaded_error', ''],
  [
    'openai-responses',
    typed({ type: 'error', error: { type: 't', code: 'c', message: 'm' } }),
    'm',
    't',
    'c',
  ],
  ['openai-responses', typed({ type: 'error', code: 'c', message: 'm', param: null }), 'm', '', 'c'],
  ['openai-responses', failed({ code: 'server_error', message: 'm' }), 'm', '', 'server_error'],
  ['openai-responses', failed(null), '', '', ''],
  ['gemini', candidate([], malformed), 'Malformed: print(', 'MALFORMED_FUNCTION_CALL', ''],
]

test('an error keeps its words', () => {
  for (const [format, stream, message, type, code] of problems)
    assert.deepEqual(watch(format, stream).problem, { message, type, code })
  const wordsOf = (format: Format, stream: Stream, more: Partial<TapOptions> = {}) =>
    watch(format, stream, more).problem?.message ?? ''
  assert.notEqual(wordsOf('openai-chat', 'data: {{{\n\n'), '')
  assert.match(wordsOf('gemini', gemini.stop('MALFORMED_RESPONSE')), /MALFORMED_RESPONSE/)
  assert.equal(wordsOf('gemini', unavailable), 'Overloaded.')
  const { 'failed failed': broken } = states['bedrock-converse']
  assert.match(wordsOf('bedrock-converse', broken!['a damaged frame']!), /not in its format/)
  const large = converse.delta({ text: 'x'.repeat(2_000) })
  assert.match(wordsOf('bedrock-converse', large, { eventBytesMax: 1_000 }), /too large/)
  const statusOf = (type: string) =>
    formats['bedrock-converse'].problemStatus(
      watch('bedrock-converse', converseException(type, 'm')).problem!,
    )
  const exceptions = ['throttlingException', 'modelStreamErrorException', 'serviceUnavailableException', 'x']
  assert.deepEqual(exceptions.map(statusOf), [429, 424, 503, 502])
})

// Usage and the sample.

const search = (type: string) => ({ type: 'web_search_call', action: { type } })
const ran = (id: string) => ({ type: 'code_interpreter_call', container_id: id })
const completed = (more: object = {}) =>
  responses.ends('completed', { usage: { input_tokens: 5, output_tokens: 3, total_tokens: 8 }, ...more })
const written = { cache_creation_input_tokens: 20, cache_creation: { ephemeral_1h_input_tokens: 20 } }
const usages: readonly [name: string, format: Format, stream: Stream, usage: object][] = [
  [
    'the last that is not null wins, field by field',
    'anthropic',
    messages.start({ input_tokens: 5, cache_read_input_tokens: 3, output_tokens: 1 }) +
      messages.stop({ input_tokens: null, output_tokens: 7 }),
    { inputUncached: 5, cacheRead: 3, output: 7 },
  ],
  [
    '0 is a number, and takes none back',
    'anthropic',
    messages.start({ input_tokens: 5, output_tokens: 9 }) +
      messages.stop({ input_tokens: 0, output_tokens: 0 }),
    { inputUncached: 5, output: 0 },
  ],
  [
    'a repeated start counts once',
    'anthropic',
    messages.start() + messages.start() + messages.stop(),
    { inputUncached: 5, output: 7 },
  ],
  [
    'later writes are of the only lifetime there is',
    'anthropic',
    messages.start(written) + messages.stop({ cache_creation_input_tokens: 50 }),
    { cacheWrite5m: 0, cacheWrite1h: 50 },
  ],
  [
    'code runs in one container, however often',
    'anthropic',
    messages.start() +
      ['bash_code_execution', 'text_editor_code_execution', 'mine']
        .map((name, index) => messages.block({ type: 'server_tool_use', id: 's', name, input: {} }, index))
        .join('') +
      messages.stop(),
    { fees: { code_execution: 1 } },
  ],
  [
    'uses of tools are fees',
    'anthropic',
    messages.start() + messages.stop({ server_tool_use: { web_search_requests: 3, web_fetch_requests: 0 } }),
    { fees: { web_search: 3 } },
  ],
  [
    'where it ran',
    'anthropic',
    messages.start({ service_tier: 'priority', speed: 'fast', inference_geo: 'us' }),
    { servedOptions: ['service_tier:priority', 'speed:fast', 'inference_geo:us'] },
  ],
  ['no search', 'openai-responses', completed(), { output: 3, fees: {}, unknown: [] }],
  [
    'without names of events',
    'openai-responses',
    (created + responses.word('a') + completed()).replaceAll(/^event: .*\n/gm, ''),
    { output: 3 },
  ],
  [
    'two searches and a page',
    'openai-responses',
    [search('search'), search('open_page'), search('search')].map(responses.done).join('') + completed(),
    { fees: { web_search: 2 } },
  ],
  [
    'a search told again at the end',
    'openai-responses',
    responses.done(search('search')) + completed({ output: [search('search')] }),
    { fees: { web_search: 1 } },
  ],
  [
    'a search told at the end alone',
    'openai-responses',
    completed({ output: [search('search')] }),
    { fees: { web_search: 1 } },
  ],
  [
    'searches counted by the provider',
    'openai-responses',
    responses.done(search('search')) + completed({ tool_usage: { web_search: { num_requests: 3 } } }),
    { fees: { web_search: 3 } },
  ],
  ['a search and a cut', 'openai-responses', responses.done(search('search')), { fees: { web_search: 1 } }],
  [
    'code in two containers',
    'openai-responses',
    completed({ output: [ran('c1'), ran('c1'), ran('c2')] }),
    { fees: { code_interpreter: 2 } },
  ],
  [
    'containers without end',
    'openai-responses',
    Array.from({ length: 300 }, (_, at) => responses.done(ran(`c${at}`), at)).join('') + completed(),
    {
      fees: { code_interpreter: 256 },
      unknown: Array.from({ length: 32 }, (_, at) => `containers.c${256 + at}`),
    },
  ],
  [
    'calls to other servers',
    'openai-responses',
    completed({ output: [{ type: 'mcp_call' }, { type: 'mcp_call' }] }),
    { fees: { mcp: 2 } },
  ],
  [
    'tools and meters that nobody knows',
    'openai-responses',
    completed({ output: [{ type: 'program' }], tool_usage: { image_gen: { output_tokens: 7 } } }),
    { fees: {}, unknown: ['program', 'tool_usage.image_gen.output_tokens'] },
  ],
  ['of the last event', 'gemini', gemini.word('a') + late, { inputUncached: 3 }],
  ['a reason from tomorrow', 'gemini', gemini.stop('TOMORROW'), { unknown: ['finishReason.TOMORROW'] }],
  ['a reason that is known', 'gemini', gemini.stop('OTHER') + gemini.stop('MODEL_ARMOR'), { unknown: [] }],
  [
    'cached tokens are counted outside of the input',
    'bedrock-converse',
    converse.usage(),
    { inputUncached: 3, cacheRead: 10_000, cacheWrite5m: 200, cacheWrite1h: 0, output: 20, unknown: [] },
  ],
  [
    'writes for an hour',
    'bedrock-converse',
    converse.usage({
      cacheDetails: [
        { ttl: '1h', inputTokens: 150 },
        { ttl: '5m', inputTokens: 50 },
      ],
    }),
    { cacheWrite5m: 50, cacheWrite1h: 150 },
  ],
  [
    'odd numbers',
    'bedrock-converse',
    converse.usage({ outputTokens: -1, imageTokens: 7 }),
    { output: 0, unknown: ['imageTokens', 'outputTokens'] },
  ],
  [
    'a tier',
    'bedrock-converse',
    converse.usage({}, { serviceTier: { type: 'priority' } }),
    { servedOptions: ['service_tier:priority'] },
  ],
]

test('usage is gathered over the whole stream', () => {
  for (const [name, format, stream, expected] of usages) {
    const { unknown, ...usage } = usageIn(format, stream)
    assert.partialDeepStrictEqual({ ...usage, unknown: [...unknown].sort() }, expected, name)
  }
  const at = (tier: unknown) => data({ choices: [{ delta: { content: 'a' } }], service_tier: tier })
  for (const [stream, servedOptions] of [
    [at('default') + at(null), []],
    [at('auto') + at('priority'), ['service_tier:priority']],
    [at('flex') + at('default'), []],
  ] as const)
    assert.deepEqual(watch('openai-chat', stream).rawUsage.servedOptions, servedOptions)
})

test('the sample is what was produced, its beginning and its size', () => {
  const call = { type: 'function_call', name: 'look', arguments: '{"a":1}', call_id: 'c' }
  const stream =
    responses.summary('hm ') +
    responses.done({ type: 'reasoning', summary: [{ text: 'hm ' }] }) +
    responses.word('hi ') +
    responses.added({ ...call, arguments: '' }, 2) +
    responses.done(call, 2) +
    responses.done({ type: 'message', content: [{ type: 'output_text', text: ' bye' }] }, 3)
  assert.equal(watch('openai-responses', stream).sample.text, 'hm hi look{"a":1} bye')
  const parts = [
    { text: 'ab' },
    { text: 'cd', thought: true },
    { functionCall: { name: 'ef', args: { g: 1 } } },
    { executableCode: { code: 'hi' } },
    { codeExecutionResult: { output: 'not its own' } },
  ]
  const { sample } = watch('gemini', candidate(parts))
  assert.deepEqual([sample.text, sample.events], ['abcdef{"g":1}hi', 1])
  const input = converse.delta({ toolUse: { input: '{}' } })
  const thought = converse.delta({ reasoningContent: { text: 'Hm' } })
  assert.equal(watch('bedrock-converse', frames(thought, converse.call, input)).sample.text, 'Hmlook{}')
  assert.equal(watch('openai-chat', chat.word('a\n').repeat(3)).sample.text, 'a\na\na\n')
  const long = chat.word('a'.repeat(40)) + chat.word('é😀'.repeat(20)) + chat.word('tail')
  const { text, characters, events } = watch('openai-chat', long, { sampleCharactersMax: 50 }).sample
  assert.deepEqual([text, characters, events], [`${'a'.repeat(40)}${'é😀'.repeat(20).slice(0, 10)}`, 104, 3])
})

// Events are recognized by their shape, and parsed where that is new.

const json = JSON.stringify
/** Events as hosts write them: other members, other order, other spaces. */
const layouts: Readonly<Record<'openai-chat' | 'anthropic', readonly ((words: string) => string)[]>> = {
  'openai-chat': [
    chat.word,
    (content) => data({ obfuscation: 'x'.repeat(content.length % 7), choices: [{ delta: { content } }] }),
    (content) => data({ choices: [{ delta: { content }, index: 0 }], id: 'y'.repeat(content.length % 5) }),
    (content) =>
      `data:${json({ choices: [{ delta: { role: 'a', content } }] }, null, 1).replaceAll('\n', ' ')}\n\n`,
    (content) => chat.choice({ content: '', reasoning_content: content }),
    (content) => chat.choice({ content: null, tool_calls: [{ index: 0, function: { arguments: content } }] }),
    (content) => `data: {"choices":[{"delta":{"content":${json(content)}   }}]    }\n\n`,
    (content) => data({ choices: [{ delta: { content, reasoning: content } }] }),
    (content) => `data: {"choices":[{"delta":{"c\\u006fntent":${json(content)}}}]}\n\n`,
  ],
  anthropic: [
    messages.word,
    (thinking) => messages.delta('thinking', { thinking }),
    (partial_json) => messages.delta('input_json', { partial_json }),
    (text) => messages.word(text).replace('}\n\n', `${' '.repeat(text.length)}}\n\n`),
    (text) => messages.word(text).replace('"index":0', '"index":1'),
  ],
}

for (const format of ['openai-chat', 'anthropic'] as const) {
  test(`${format}: recognizing an event and parsing it find the same`, () => {
    const odd = ['', ' ', '\n', '"', '\\', '"},"finish_reason":"stop"', 'message_stop', 'é', '😀', '[DONE]']
    const texts = fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), fc.constantFrom(...odd))
    const runs = fc.tuple(
      fc.constantFrom(...layouts[format]),
      fc.array(texts, { minLength: 1, maxLength: 12 }),
    )
    const stream = fc.array(runs, { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(stream, fc.integer({ min: 1, max: 60 }), (all, size) => {
        const events = all.flatMap(([layout, contents]) => contents.map(layout))
        const together = watch(format, events.join(''), { sampleCharactersMax: 100_000 }, size)
        // A separate tap for each event has no earlier event to compare with.
        const alone = events.map((one) => watch(format, one))
        const { text, characters, events: counted } = together.sample
        assert.equal(text, alone.map(({ sample }) => sample.text).join(''))
        assert.equal(characters, text.length)
        assert.equal(counted, alone.filter(({ sample }) => sample.events > 0).length)
        assert.equal(together.state, alone.some(({ state }) => state === 'content') ? 'content' : 'waiting')
        assert.equal(together.relayableBytes, Buffer.byteLength(events.join('')))
      }),
      { numRuns: 500 },
    )
  })
}

const padded = messages.word('abc').replace('}\n\n', '   }\n\n')
const lookalikes: readonly [format: Format, like: string, odd: readonly [string, string], state: string][] = [
  ['openai-chat', chat.word('abc'), ['"finish_reason":null', '"finish_reason":"xy"'], 'finishing'],
  ['openai-chat', chat.word('abc'), ['"usage":null', '"usage":{}'], 'content'],
  ['openai-chat', chat.word('abc'), ['abc', 'ab\tc'], 'failed'],
  ['openai-chat', chat.word('abc'), ['abc', 'ab\\qc'], 'failed'],
  ['openai-chat', chat.word('abc'), ['abc', 'ab\\u12'], 'failed'],
  ['openai-chat', chat.word('abc'), ['}\n\n', '}}\n\n'], 'failed'],
  ['openai-chat', chat.word('abc'), ['}\n\n', '\n\n'], 'failed'],
  ['openai-chat', chat.word('abc'), ['}\n\n', '}  \n\n'], 'content'],
  ['openai-chat', chat.word('abc'), ['data: {', 'data: [{'], 'failed'],
  ['openai-chat', chat.word('abc'), ['data: {', 'event: error\ndata: {'], 'failed'],
  ['openai-chat', chat.word('abc'), ['data: {', 'event: message\ndata: {'], 'content'],
  ['anthropic', padded, ['content_block_delta","', 'message_stop","'], 'complete'],
  ['anthropic', padded, ['"index":0', '"index":0,"type":"message_stop"'], 'complete'],
  ['anthropic', padded, ['abc', 'a\u0001c'], 'failed'],
  ['anthropic', padded, ['abc', 'a\\c'], 'failed'],
  ['anthropic', padded, ['   }', '   '], 'failed'],
  ['anthropic', padded, ['   }', ' x }'], 'failed'],
  ['anthropic', padded, ['   }', '\t}'], 'content'],
]

test('an event that looks like the ones before and is not one is parsed', () => {
  for (const [format, like, [from, to], state] of lookalikes)
    assert.equal(watch(format, like + like + like + like.replace(from, to)).state, state, to)
})
