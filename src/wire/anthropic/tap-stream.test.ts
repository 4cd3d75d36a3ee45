/** Messages streams: which events are content, which is the terminal event, and their total usage. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { TapOptions, UsageTap } from '../dialect.ts'
import { toUsage } from './extract-usage.ts'
import { tapStream } from './tap-stream.ts'

const options: TapOptions = {
  usageEvent: 'relay',
  choices: 1,
  eventBytesMax: 64 * 1024,
  sampleCharactersMax: 1_000,
}
const encoder = new TextEncoder()

type Typed = { readonly type: string } & Readonly<Record<string, unknown>>
const event = (value: Typed, padding = '') =>
  `event: ${value.type}\ndata: ${JSON.stringify(value).slice(0, -1)}${padding}}\n\n`
const start = (usage: object = { input_tokens: 5, output_tokens: 1 }) =>
  event({ type: 'message_start', message: { content: [], usage } })
const block = (content_block: object) => event({ type: 'content_block_start', index: 0, content_block })
const delta = (fields: object, padding = '') =>
  event({ type: 'content_block_delta', index: 0, delta: fields }, padding)
const word = (text: string, padding = '') => delta({ type: 'text_delta', text }, padding)
const ping = 'event: ping\ndata: {"type": "ping"}\n\n'
const stop = (usage: object = { output_tokens: 7 }, reason: string | null = 'end_turn') =>
  event({ type: 'message_delta', delta: { stop_reason: reason }, usage })
const end = event({ type: 'message_stop' })

function watch(stream: string, more: Partial<TapOptions> = {}, chunkBytes = stream.length + 1): UsageTap {
  const watched = tapStream({ ...options, ...more })
  const bytes = encoder.encode(stream)
  for (let at = 0; at < bytes.length; at += chunkBytes) watched.push(bytes.subarray(at, at + chunkBytes))
  return watched
}

const opening = start() + ping + block({ type: 'text', text: '' })
const states: [name: string, stream: string, states: string][] = [
  ['nothing', '', 'waiting truncated'],
  ['a start', opening, 'waiting truncated'],
  ['an empty delta', opening + word(''), 'waiting truncated'],
  ['content', opening + word('a'), 'content truncated'],
  ['thinking', opening + delta({ type: 'thinking_delta', thinking: 't' }), 'content truncated'],
  ['a signature', opening + delta({ type: 'signature_delta', signature: 's' }), 'content truncated'],
  [
    'a citation',
    opening + delta({ type: 'citations_delta', citation: { cited_text: 'c' } }),
    'content truncated',
  ],
  ['tool input', opening + delta({ type: 'input_json_delta', partial_json: '{' }), 'content truncated'],
  [
    'a tool that begins',
    start() + block({ type: 'tool_use', id: 't', name: 'f', input: {} }),
    'content truncated',
  ],
  ['redacted thinking', start() + block({ type: 'redacted_thinking', data: 'x' }), 'content truncated'],
  [
    'thinking that begins',
    start() + block({ type: 'thinking', thinking: '', signature: '' }),
    'waiting truncated',
  ],
  [
    'a delta without a stop reason',
    opening + word('a') + stop({ output_tokens: 2 }, null),
    'content truncated',
  ],
  ['a stop reason', opening + word('a') + stop(), 'finishing truncated'],
  ['a refusal without content', start() + stop({ output_tokens: 1 }, 'refusal') + end, 'complete complete'],
  ['all of it', opening + word('a') + stop() + end, 'complete complete'],
  ['an end without a stop reason', opening + word('a') + end, 'complete complete'],
  ['an end alone', end, 'failed failed'],
  ['an opening and an end', start() + end, 'failed failed'],
  ['an end without its blank line', (opening + word('a') + stop() + end).trimEnd(), 'finishing complete'],
  [
    'an error first',
    event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    'failed failed',
  ],
  [
    'an error later',
    opening + word('a') + event({ type: 'error', error: { type: 'api_error', message: 'x' } }),
    'failed failed',
  ],
  ['an error by name alone', 'event: error\ndata: {"message":"x"}\n\n', 'failed failed'],
  ['garbage', `${opening}data: {"type":\n\n`, 'failed failed'],
  ['an unknown event', opening + event({ type: 'news_flash', delta: { text: 'x' } }), 'waiting truncated'],
  ['a chat stream', 'data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: [DONE]\n\n', 'failed failed'],
]

test('each stream ends in the state that its events say', () => {
  for (const [name, stream, expected] of states) {
    const watched = watch(stream)
    const before = watched.state
    watched.end()
    assert.equal(`${before} ${watched.state}`, expected, name)
    const bytewise = watch(stream, {}, 1)
    bytewise.end()
    assert.equal(bytewise.state, watched.state, `${name}, by bytes`)
  }
})

test('the terminal event and everything after it wait, and nothing is dropped', () => {
  const stream = opening + word('a')
  const watched = watch(stream + stop() + ping + end + word('behind'))
  assert.equal(watched.relayableBytes, stream.length)
  assert.equal(watched.totalBytes, (stream + stop() + ping + end).length)
  assert.equal(watched.suppressedSpan, null)
})

test('an error keeps its words', () => {
  const watched = watch(event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }))
  assert.deepEqual(watched.problem, { message: 'Overloaded', type: 'overloaded_error', code: '' })
})

const usages: [name: string, stream: string, usage: object][] = [
  [
    'the last that is not null wins, field by field',
    start({ input_tokens: 5, cache_read_input_tokens: 3, output_tokens: 1 }) +
      stop({ input_tokens: null, output_tokens: 7 }),
    { inputUncached: 5, cacheRead: 3, output: 7 },
  ],
  [
    '0 is a number, and takes none back',
    start({ input_tokens: 5, output_tokens: 9 }) + stop({ input_tokens: 0, output_tokens: 0 }),
    { inputUncached: 5, output: 0 },
  ],
  ['a repeated start counts once', start() + start() + stop(), { inputUncached: 5, output: 7 }],
  [
    'writes are split by lifetime',
    start({
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
    }),
    { cacheWrite5m: 10, cacheWrite1h: 20 },
  ],
  [
    'later writes are of the only lifetime there is',
    start({
      cache_creation_input_tokens: 20,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 20 },
    }) + stop({ cache_creation_input_tokens: 50 }),
    { cacheWrite5m: 0, cacheWrite1h: 50 },
  ],
  [
    'code runs in one container, however often',
    start() +
      ['bash_code_execution', 'text_editor_code_execution', 'mine']
        .map((name, index) =>
          event({
            type: 'content_block_start',
            index,
            content_block: { type: 'server_tool_use', id: 's', name, input: {} },
          }),
        )
        .join('') +
      stop(),
    { fees: { code_execution: 1 } },
  ],
  [
    'uses of tools are fees',
    start() + stop({ output_tokens: 1, server_tool_use: { web_search_requests: 3, web_fetch_requests: 0 } }),
    { fees: { web_search: 3 } },
  ],
  [
    'a tier is told',
    start({ input_tokens: 1, service_tier: 'priority', speed: 'fast', inference_geo: 'us' }),
    { ranAt: ['service_tier:priority', 'speed:fast', 'inference_geo:us'] },
  ],
]

test('usage is gathered over the whole stream', () => {
  for (const [name, stream, usage] of usages)
    assert.partialDeepStrictEqual(toUsage(watch(stream).rawUsage), usage, name)
})

test('recognizing an event and parsing it find the same', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom('', '\n', '"', '\\', '"},"stop_reason":"x"', 'message_stop', 'é', '😀'),
  )
  const written = fc.tuple(fc.constantFrom('text', 'thinking', 'partial_json'), texts, fc.nat(20), fc.nat(1))
  fc.assert(
    fc.property(
      fc.array(written, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 60 }),
      (all, chunkBytes) => {
        const events = all.map(([name, text, padding, index]) =>
          event(
            { type: 'content_block_delta', index, delta: { type: `${name}_delta`, [name]: text } },
            ' '.repeat(padding),
          ),
        )
        const stream = events.join('')
        const together = watch(stream, {}, chunkBytes)
        const alone = events.map((one) => watch(one))
        assert.equal(together.sample.text, alone.map(({ sample }) => sample.text).join(''))
        assert.equal(
          together.sample.characters,
          alone.reduce((sum, { sample }) => sum + sample.characters, 0),
        )
        assert.equal(together.sample.events, all.filter(([, text]) => text !== '').length)
        assert.equal(together.relayableBytes, encoder.encode(stream).length)
      },
    ),
    { numRuns: 500 },
  )
})

test('an event that looks like the ones before and is not one is parsed', () => {
  const plain = word('abc', '   ')
  const cases: [odd: string, state: string][] = [
    [plain.replace('content_block_delta","', 'message_stop","'), 'complete'],
    [plain.replace('"index":0', '"index":0,"type":"message_stop"'), 'complete'],
    [plain.replace('abc', 'a\u0001c'), 'failed'],
    [plain.replace('abc', 'a\\c'), 'failed'],
    [plain.replace('   }', '   '), 'failed'],
    [plain.replace('   }', ' x }'), 'failed'],
    [plain.replace('   }', '\t}'), 'content'],
  ]
  for (const [event, state] of cases) assert.equal(watch(plain + plain + plain + event).state, state, event)
})
