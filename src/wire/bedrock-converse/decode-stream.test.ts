/** Converse's responses, whole and as frames: text, thoughts, calls and ends. What its tap reads is in ../tap-stream.test.ts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { converseEvent } from '../../../test/support/event-stream-frames.ts'
import type { ResponseEvent } from '../translation/neutral.ts'
import { decodeResponse } from './decode-response.ts'
import { decodeStream } from './decode-stream.ts'
import { extractResponse } from './extract-response.ts'
import { toUsage } from './extract-usage.ts'

const usage = {
  inputTokens: 3,
  outputTokens: 20,
  totalTokens: 10_223,
  cacheReadInputTokens: 10_000,
  cacheWriteInputTokens: 200,
}
const noUsage = toUsage({ fields: {}, servedOptions: [], unknown: [], outputShrank: false })

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
const metadata = converseEvent('metadata', { usage, metrics: { latencyMs: 5 } })

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
  metadata,
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
