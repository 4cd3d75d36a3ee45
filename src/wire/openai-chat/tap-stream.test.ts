/** Chat streams: which events are content, which is the terminal event, what is dropped, and when a stream is complete. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { TapOptions, UsageTap } from '../dialect.ts'
import { tapStream } from './tap-stream.ts'

const options: TapOptions = {
  usageEvent: 'drop',
  choices: 1,
  eventBytesMax: 64 * 1024,
  sampleCharactersMax: 50,
}
const encoder = new TextEncoder()

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const delta = (fields: object, more: object = {}) =>
  event({ id: 'c', choices: [{ index: 0, delta: fields, finish_reason: null, ...more }], usage: null })
const word = (content: string) => delta({ content })
const finish = (reason = 'stop', index = 0) =>
  event({ choices: [{ index, delta: {}, finish_reason: reason }] })
const usage = event({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } })
const done = 'data: [DONE]\n\n'

function watch(stream: string, more: Partial<TapOptions> = {}, chunkBytes = stream.length + 1): UsageTap {
  const watched = tapStream({ ...options, ...more })
  const bytes = encoder.encode(stream)
  for (let at = 0; at < bytes.length; at += chunkBytes) watched.push(bytes.subarray(at, at + chunkBytes))
  return watched
}

/** State before the end, and after it; the texts of what is safe, held back and dropped. */
function story(stream: string, more: Partial<TapOptions> = {}) {
  const watched = watch(stream, more)
  const before = watched.state
  watched.end()
  const { state, relayableBytes, totalBytes, suppressedSpan } = watched
  return {
    states: `${before} ${state}`,
    safe: stream.slice(0, relayableBytes),
    held: stream.slice(relayableBytes, totalBytes),
    drop: suppressedSpan === null ? '' : stream.slice(suppressedSpan.start, suppressedSpan.end),
  }
}

const states: [name: string, stream: string, states: string][] = [
  ['nothing', '', 'waiting truncated'],
  ['a comment', ': hello\n\n', 'waiting truncated'],
  ['a role alone', delta({ role: 'assistant', content: '', refusal: null }), 'waiting truncated'],
  ['no choices', event({ choices: [], prompt_filter_results: [{}] }), 'waiting truncated'],
  ['content', word('a'), 'content truncated'],
  ['a refusal', delta({ refusal: 'no' }), 'content truncated'],
  [
    'a tool call without arguments',
    delta({ tool_calls: [{ index: 0, function: { name: '', arguments: '' } }] }),
    'content truncated',
  ],
  ['no tool calls', delta({ tool_calls: [] }), 'waiting truncated'],
  ['a function call', delta({ function_call: { name: 'f', arguments: '' } }), 'content truncated'],
  ['reasoning', delta({ content: null, reasoning_content: 'r' }), 'content truncated'],
  ['reasoning by another name', delta({ reasoning: 'r' }), 'content truncated'],
  [
    'content in parts',
    delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 't' }] }] }),
    'content truncated',
  ],
  ['audio', delta({ audio: { data: 'QUJD' } }), 'content truncated'],
  ['a finish', word('a') + finish(), 'finishing complete'],
  ['a finish with content', delta({ content: 'a' }, { finish_reason: 'stop' }), 'finishing complete'],
  ['an empty finish reason', delta({ content: 'a' }, { finish_reason: '' }), 'content truncated'],
  ['a finish and usage', word('a') + finish() + usage, 'finishing complete'],
  ['all of it', word('a') + finish() + usage + done, 'complete complete'],
  ['a mark without a finish', word('a') + done, 'complete complete'],
  ['a mark alone', done, 'failed failed'],
  ['a role and a mark', delta({ role: 'assistant', content: '' }) + done, 'failed failed'],
  ['a finish and a mark, with no word between', finish() + done, 'complete complete'],
  ['a mark without a space', `${word('a')}data:[DONE]\n\n`, 'complete complete'],
  ['a mark with spaces', `${word('a')}data:  [DONE] \n\n`, 'complete complete'],
  ['a mark without its blank line', `${word('a')}data: [DONE]`, 'content complete'],
  ['a mark cut short', `${word('a')}data: [DON`, 'content truncated'],
  ['an error first', event({ error: { message: 'no', type: 't', code: 'c' } }), 'failed failed'],
  ['an error later', word('a') + event({ error: { message: 'no' } }), 'failed failed'],
  [
    'an error beside choices',
    event({ error: { message: 'no' }, choices: [{ delta: {}, finish_reason: 'error' }] }),
    'failed failed',
  ],
  ['an error as a string', event({ error: 'no' }), 'failed failed'],
  ['an error by name', 'event: error\ndata: {"message":"no"}\n\n', 'failed failed'],
  ['no error', event({ error: null, choices: [{ index: 0, delta: { content: 'a' } }] }), 'content truncated'],
  ['garbage', `${word('a')}data: {"choices":\n\n`, 'failed failed'],
  ['garbage at the end', `${word('a')}data: {"choices":`, 'content truncated'],
  ['JSON that is not a chunk', 'data: 17\n\n', 'failed failed'],
  ['a page', '<html><body>\n\n', 'waiting truncated'],
  ['an event of another kind', 'event: ping\ndata: {"type":"ping"}\n\n', 'waiting truncated'],
  ['empty data', 'data:\n\n', 'waiting truncated'],
  ['an error after the end', word('a') + done + event({ error: { message: 'no' } }), 'complete complete'],
  ['an event without its end that is too large', `data: ${'x'.repeat(70_000)}`, 'failed failed'],
  ['an event that is too large', `data: ${'x'.repeat(70_000)}\n\n`, 'failed failed'],
]

test('each stream ends in the state that its events say', () => {
  for (const [name, stream, expected] of states) {
    assert.equal(story(stream).states, expected, name)
    const bytewise = watch(stream, {}, 1)
    bytewise.end()
    assert.equal(bytewise.state, expected.split(' ')[1], `${name}, by bytes`)
  }
})

test('the terminal event and everything after it wait', () => {
  const result = story(`: hi\n\n${word('a')}${finish()}${usage}${done}`)
  assert.deepEqual(result, {
    states: 'complete complete',
    safe: `: hi\n\n${word('a')}`,
    held: finish() + usage + done,
    drop: usage,
  })
})

test('data behind the end is not relayed', () => {
  assert.equal(story(word('a') + finish() + done + word('b') + done).held, finish() + done)
})

test('the usage event is dropped only when only we asked for it, and nothing else ever is', () => {
  const withFinish = event({
    choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1 },
  })
  const cases: [stream: string, usageEvent: 'drop' | 'relay', drop: string][] = [
    [word('a') + finish() + usage + done, 'drop', usage],
    [word('a') + finish() + usage + done, 'relay', ''],
    [word('a') + withFinish + done, 'drop', ''],
    [word('a') + finish() + usage + usage + done, 'drop', usage + usage],
    [word('a') + usage + finish() + done, 'drop', ''],
    [word('a') + finish() + event({ choices: [], usage: null }) + done, 'drop', ''],
    [
      word('a') + finish() + event({ usage: { prompt_tokens: 1 } }) + done,
      'drop',
      event({ usage: { prompt_tokens: 1 } }),
    ],
  ]
  for (const [stream, usageEvent, drop] of cases)
    assert.equal(story(stream, { usageEvent }).drop, drop, stream)
})

test('of several choices the last to finish has the terminal event', () => {
  const two = (index: number) => event({ choices: [{ index, delta: { content: 'x' } }] })
  const stream =
    two(0) + two(1) + finish('stop', 0) + finish('stop', 0) + two(1) + finish('length', 1) + usage + done
  const result = story(stream, { choices: 2 })
  assert.equal(result.held, finish('length', 1) + usage + done)
  assert.equal(result.drop, usage)
  // An upstream that answers only once does not keep its stream open for a second finish.
  assert.equal(story(word('a') + finish() + usage + done, { choices: 2 }).held, usage + done)
})

test('a stream without an end mark is complete when its body ends behind the last finish', () => {
  const cases: [stream: string, state: string, missing?: string][] = [
    [word('a') + finish(), 'complete', done],
    [word('a') + finish() + usage, 'complete', done],
    [word('a') + finish().trimEnd(), 'complete', `\n\n${done}`],
    [word('a') + finish() + usage.trimEnd(), 'complete', `\n\n${done}`],
    [`${word('a')}${finish()}data: {"cho`, 'complete', `\n\n${done}`],
    [word('a'), 'truncated'],
    ['', 'truncated'],
  ]
  for (const [stream, state, missing = ''] of cases) {
    const ended = (isCut: boolean) => {
      const watched = watch(stream)
      assert.notEqual(watched.state, 'complete')
      watched.end(isCut)
      return [watched.state, watched.missingMark]
    }
    assert.deepEqual(ended(false), [state, missing], stream)
    assert.deepEqual(ended(true), ['truncated', ''], stream)
  }
  const of = (stream: string) => {
    const watched = watch(stream, { choices: 2 })
    watched.end()
    return watched.state
  }
  assert.deepEqual(
    [of(word('a') + finish()), of(word('a') + finish() + finish('stop', 1))],
    ['truncated', 'complete'],
  )
})

test('what was cut in the middle of an event is not sent', () => {
  const watched = watch(word('a') + word('b').slice(0, -1))
  watched.end()
  assert.equal(watched.relayableBytes, word('a').length)
})

test('an error keeps its words', () => {
  const watched = watch(event({ error: { message: 'Too busy', type: 'server_error', code: 502 } }))
  assert.deepEqual(watched.problem, { message: 'Too busy', type: 'server_error', code: '502' })
  assert.notEqual(watch('data: {{{\n\n').problem?.message, '')
})

test('the tier of a response is reported when it is not the default', () => {
  const at = (tier: unknown) =>
    event({ choices: [{ index: 0, delta: { content: 'a' } }], service_tier: tier })
  assert.deepEqual(watch(at('default') + at(null)).rawUsage.ranAt, [])
  assert.deepEqual(watch(at('auto') + at('priority')).rawUsage.ranAt, ['service_tier:priority'])
  assert.deepEqual(watch(at('flex') + at('default')).rawUsage.ranAt, [])
})

test('the sample keeps the beginning and the size of all of it', () => {
  const { sample } = watch(word('a'.repeat(40)) + word('é😀'.repeat(20)) + word('tail'))
  assert.equal(sample.characters, 40 + 60 + 4)
  assert.equal(sample.text, 'a'.repeat(40) + 'é😀'.repeat(20).slice(0, 10))
  assert.equal(sample.events, 3)
})

/** Chunks as hosts write them: other members, other order, other spaces. */
const layouts: readonly ((content: string) => string)[] = [
  (content) => word(content),
  (content) =>
    event({ obfuscation: 'x'.repeat(content.length % 7), choices: [{ delta: { content }, index: 0 }] }),
  (content) =>
    event({
      choices: [{ delta: { content }, index: 0 }],
      id: 'x',
      obfuscation: 'y'.repeat(content.length % 5),
    }),
  (content) =>
    `data:${JSON.stringify({ choices: [{ delta: { role: 'assistant', content } }] }, null, 1).replaceAll('\n', ' ')}\n\n`,
  (content) => delta({ content: '', reasoning_content: content }),
  (content) => delta({ content: null, tool_calls: [{ index: 0, function: { arguments: content } }] }),
  (content) => `data: {"choices":[{"delta":{"content":${JSON.stringify(content)}   }}]    }\n\n`,
  (content) => event({ choices: [{ delta: { content, reasoning: content } }] }),
  (content) => `data: {"choices":[{"delta":{"c\\u006fntent":${JSON.stringify(content)}}}]}\n\n`,
]

test('recognizing an event and parsing it find the same', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom(
      '',
      ' ',
      '\n',
      '"',
      '\\',
      'finish_reason',
      '"},"finish_reason":"stop"',
      'é',
      '😀',
      '[DONE]',
    ),
  )
  const written = fc.tuple(fc.nat(layouts.length - 1), fc.array(texts, { minLength: 1, maxLength: 12 }))
  fc.assert(
    fc.property(
      fc.array(written, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 40 }),
      (runs, chunkBytes) => {
        const events = runs.flatMap(([layout, contents]) =>
          contents.map((content) => layouts[layout]!(content)),
        )
        const stream = events.join('')
        const together = watch(stream, { sampleCharactersMax: 100_000 }, chunkBytes)
        // A separate tap for each event has no earlier event to compare with.
        const alone = events.map((one) => watch(one, { sampleCharactersMax: 100_000 }))
        assert.equal(together.sample.text, alone.map(({ sample }) => sample.text).join(''))
        assert.equal(together.sample.characters, together.sample.text.length)
        assert.equal(
          together.sample.events,
          alone.reduce((sum, { sample }) => sum + sample.events, 0),
        )
        assert.equal(together.state, alone.some(({ state }) => state === 'content') ? 'content' : 'waiting')
        assert.equal(together.relayableBytes, encoder.encode(stream).length)
      },
    ),
    { numRuns: 500 },
  )
})

test('an event that looks like the ones before and is not one is parsed', () => {
  const plain = word('abc')
  const cases: [odd: string, state: string][] = [
    [plain.replace('"finish_reason":null', '"finish_reason":"xy"'), 'finishing'],
    [plain.replace('"usage":null', '"usage":{}'), 'content'],
    [plain.replace('abc', 'ab\tc'), 'failed'],
    [plain.replace('abc', 'ab\\qc'), 'failed'],
    [plain.replace('abc', 'ab\\u12'), 'failed'],
    [plain.replace('}\n\n', '}}\n\n'), 'failed'],
    [plain.replace('}\n\n', '\n\n'), 'failed'],
    [plain.replace('}\n\n', '}  \n\n'), 'content'],
    [plain.replace('data: {', 'data: [{'), 'failed'],
    [`event: error\n${plain}`, 'failed'],
    [`event: message\n${plain}`, 'content'],
  ]
  for (const [event, state] of cases) assert.equal(watch(plain + plain + plain + event).state, state, event)
})
