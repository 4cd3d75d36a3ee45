/** Converse's responses, whole and as frames: text, thoughts, calls, ends, usage, exceptions, and frames that are cut or damaged. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { converseEvent, converseException, frame } from '../../../test/support/event-stream-frames.ts'
import type { TapOptions, UsageTap } from '../dialect.ts'
import type { ResponseEvent } from '../translation/neutral.ts'
import { decodeResponse } from './decode-response.ts'
import { decodeStream } from './decode-stream.ts'
import { extractResponse, problemStatus } from './extract-response.ts'
import { reportedTotals, toUsage } from './extract-usage.ts'
import { tapStream } from './tap-stream.ts'

const options: TapOptions = {
  usageEvent: 'relay',
  choices: 1,
  eventBytesMax: 1 << 20,
  sampleCharactersMax: 1_000,
}
const usage = {
  inputTokens: 3,
  outputTokens: 20,
  totalTokens: 10_223,
  cacheReadInputTokens: 10_000,
  cacheWriteInputTokens: 200,
}
const noUsage = toUsage({ fields: {}, ranAt: [], unknown: [], outputShrank: false })

const start = converseEvent('messageStart', { role: 'assistant', p: 'abc' })
const delta = (contentBlockIndex: number, written: object) =>
  converseEvent('contentBlockDelta', { contentBlockIndex, delta: written })
const stop = (contentBlockIndex: number) => converseEvent('contentBlockStop', { contentBlockIndex })
const call = (contentBlockIndex: number, name: string) =>
  converseEvent('contentBlockStart', {
    contentBlockIndex,
    start: { toolUse: { toolUseId: `t${contentBlockIndex}`, name } },
  })
const end = (stopReason: string) => converseEvent('messageStop', { stopReason })
const metadata = (more: object = {}) =>
  converseEvent('metadata', { usage: { ...usage, ...more }, metrics: { latencyMs: 5 } })

const whole = [
  start,
  delta(0, { reasoningContent: { text: 'Hm' } }),
  delta(0, { reasoningContent: { signature: 'c2ln' } }),
  stop(0),
  delta(1, { text: 'Hel' }),
  delta(1, { text: 'lo' }),
  stop(1),
  call(2, 'look'),
  delta(2, { toolUse: { input: '{"a"' } }),
  delta(2, { toolUse: { input: ':1}' } }),
  stop(2),
  call(3, 'now'),
  stop(3),
  end('tool_use'),
  metadata(),
]

function events(frames: readonly Uint8Array[], chunkBytes?: number): readonly ResponseEvent[] {
  const bytes = Buffer.concat(frames)
  const decoder = decodeStream(1 << 20)
  const found: ResponseEvent[] = []
  for (let at = 0; at < bytes.length; at += chunkBytes ?? bytes.length) {
    found.push(...decoder.push(bytes.subarray(at, at + (chunkBytes ?? bytes.length))))
  }
  assert.equal(decoder.waitingBytes, 0)
  return [...found, ...decoder.end()]
}

test('a stream is thoughts, text and calls in order, wherever its chunks are cut', () => {
  const part = { kind: 'call', namespace: null, form: 'json', encrypted: null }
  const closed = { kind: 'close', encrypted: null }
  const expected = [
    { kind: 'start' },
    ...[{ kind: 'open', part: { kind: 'thinking' } }, { kind: 'delta', text: 'Hm' }, closed],
    ...[
      { kind: 'open', part: { kind: 'text' } },
      { kind: 'delta', text: 'Hel' },
      { kind: 'delta', text: 'lo' },
      closed,
    ],
    { kind: 'open', part: { ...part, id: 't2', name: 'look' } },
    ...[{ kind: 'delta', text: '{"a"' }, { kind: 'delta', text: ':1}' }, closed],
    { kind: 'open', part: { ...part, id: 't3', name: 'now' } },
    ...[{ kind: 'delta', text: '{}' }, closed],
    { kind: 'finish', finish: { reason: 'calls', stopString: null, explanation: null } },
  ]
  for (const chunkBytes of [undefined, 1, 7, 100]) assert.deepEqual(events(whole, chunkBytes), expected)
})

function watch(frames: readonly Uint8Array[], more: Partial<TapOptions> = {}): UsageTap {
  const tap = tapStream({ ...options, ...more })
  for (const one of frames) tap.push(one)
  return tap
}

const states: readonly (readonly [
  what: string,
  frames: readonly Uint8Array[],
  state: string,
  after: string,
])[] = [
  ['nothing', [], 'waiting', 'truncated'],
  ['the start', [start], 'waiting', 'truncated'],
  ['a text', [start, delta(0, { text: 'a' })], 'content', 'truncated'],
  ['a thought', [start, delta(0, { reasoningContent: { text: 'a' } })], 'content', 'truncated'],
  ['a call', [start, call(0, 'look')], 'content', 'truncated'],
  ['the end of the message', [start, delta(0, { text: 'a' }), end('end_turn')], 'finishing', 'truncated'],
  ['the usage behind it', whole, 'complete', 'complete'],
  ['an exception', [start, converseException('throttlingException', 'Slow down.')], 'failed', 'failed'],
  [
    'text that is not JSON',
    [frame({ ':event-type': 'metadata', ':message-type': 'event' }, 'x')],
    'failed',
    'failed',
  ],
  ['another encoding', [Buffer.from('data: {"a":1}\n\ndata: {}\n\n')], 'failed', 'failed'],
  ['an event of tomorrow', [start, converseEvent('later', {})], 'waiting', 'truncated'],
]

for (const [what, frames, state, after] of states) {
  test(`a stream with ${what} is ${state}, and ${after} when it ends there`, () => {
    const tap = watch(frames)
    assert.equal(tap.state, state)
    tap.end()
    assert.equal(tap.state, after)
  })
}

test('a damaged frame ends the stream, and so does one that is too large', () => {
  const damaged = Buffer.from(delta(0, { text: 'hello' }))
  damaged[damaged.length - 10] = damaged[damaged.length - 10]! ^ 1
  const tap = watch([start, damaged])
  assert.equal(tap.state, 'failed')
  assert.match(tap.problem?.message ?? '', /not in its format/)
  const large = watch([start, delta(0, { text: 'x'.repeat(2_000) })], { eventBytesMax: 1_000 })
  assert.match(large.problem?.message ?? '', /too large/)
})

test('the message ends in what waits for settlement, and the usage comes with it', () => {
  const tap = watch(whole)
  const bytes = (frames: readonly Uint8Array[]) => frames.reduce((sum, { length }) => sum + length, 0)
  assert.equal(tap.relayableBytes, bytes(whole.slice(0, -2)))
  assert.equal(tap.totalBytes, bytes(whole))
  assert.equal(tap.sample.text, 'HmHellolook{"a":1}now')
  assert.deepEqual(reportedTotals(tap.rawUsage), { input: true, output: true })
})

test('cached tokens are counted outside of the input, and no class is negative', () => {
  const read = (frames: readonly Uint8Array[]) => toUsage(watch(frames).rawUsage)
  const plain = read(whole)
  assert.deepEqual(
    [
      plain.inputUncached,
      plain.cacheRead,
      plain.cacheWrite5m,
      plain.cacheWrite1h,
      plain.output,
      plain.unknown,
    ],
    [3, 10_000, 200, 0, 20, []],
  )
  const hour = read([
    metadata({
      cacheDetails: [
        { ttl: '1h', inputTokens: 150 },
        { ttl: '5m', inputTokens: 50 },
      ],
    }),
  ])
  assert.deepEqual([hour.cacheWrite5m, hour.cacheWrite1h], [50, 150])
  const odd = read([metadata({ outputTokens: -1, imageTokens: 7 })])
  assert.deepEqual([odd.output, [...odd.unknown].sort()], [0, ['imageTokens', 'outputTokens']])
  const tier = read([converseEvent('metadata', { usage, serviceTier: { type: 'priority' } })])
  assert.deepEqual(tier.ranAt, ['service_tier:priority'])
})

const message = (content: readonly object[]) => ({
  output: { message: { role: 'assistant', content } },
  usage,
})
const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))

test('a whole response has the same parts, and input as the model wrote it', () => {
  const content = [
    { reasoningContent: { reasoningText: { text: 'Hm', signature: 'c2ln' } } },
    { text: 'Hello' },
    { toolUse: { toolUseId: 't1', name: 'look', input: { a: 1.0 } } },
    { reasoningContent: { redactedContent: 'QUJD' } },
  ]
  const body = bytesOf({ ...message(content), stopReason: 'max_tokens' })
  const { parts, finish } = decodeResponse(body, noUsage)
  assert.deepEqual(
    parts.map((part) => [part.kind, 'text' in part ? part.text : 'input' in part ? part.input : '']),
    [
      ['thinking', 'Hm'],
      ['text', 'Hello'],
      ['call', '{"a":1}'],
    ],
  )
  assert.equal(finish.reason, 'length')
  const { rawUsage, problem, sample } = extractResponse(body, 1_000)
  assert.deepEqual([problem, sample.text, toUsage(rawUsage).cacheRead], [null, 'HmHellolook{"a":1}', 10_000])
})

test('every stop reason has its meaning', () => {
  const reasonOf = (stopReason: string) =>
    decodeResponse(bytesOf({ ...message([]), stopReason }), noUsage).finish.reason
  assert.deepEqual(
    [
      'end_turn',
      'tool_use',
      'stop_sequence',
      'guardrail_intervened',
      'content_filtered',
      'model_context_window_exceeded',
      'new_reason',
    ].map(reasonOf),
    ['end', 'calls', 'stop_string', 'filter', 'filter', 'context', 'end'],
  )
})

test('an invalid response is a problem and does not throw', () => {
  for (const body of ['', '[]', '{}', '{"output":{}}', '{"output":{"message":7}}']) {
    const bytes = new TextEncoder().encode(body)
    assert.notEqual(extractResponse(bytes, 100).problem, null, body)
    assert.throws(() => decodeResponse(bytes, noUsage), { code: 'invalid_value' })
  }
  assert.equal(
    extractResponse(bytesOf({ message: 'Too many tokens' }), 100).problem?.message,
    'Too many tokens',
  )
})

test('an exception in a stream has the status that the response would have had', () => {
  const statusOf = (type: string) => problemStatus(watch([converseException(type, 'm')]).problem!)
  assert.deepEqual(
    ['throttlingException', 'modelStreamErrorException', 'serviceUnavailableException', 'other'].map(
      statusOf,
    ),
    [429, 424, 503, 502],
  )
})
