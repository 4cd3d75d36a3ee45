/** Gemini streams and responses: what is content, what is the terminal event, what is an error, and when it is over. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fixtureCases } from '../../../test/support/fixtures.ts'
import type { TapOptions, UsageTap } from '../dialect.ts'
import { extractResponse } from './extract-response.ts'
import { toUsage } from './extract-usage.ts'
import { tapStream } from './tap-stream.ts'

const options: TapOptions = {
  usageEvent: 'relay',
  choices: 1,
  eventBytesMax: 1 << 20,
  sampleCharactersMax: 1_000,
}
const encoder = new TextEncoder()

const event = (value: unknown) => `data: ${JSON.stringify(value)}\r\n\r\n`
const candidate = (parts: readonly object[], more: object = {}) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
})
const word = (text: string, more: object = {}) => event(candidate([{ text }], more))
const stop = (reason = 'STOP', parts: readonly object[] = [{ text: '' }]) =>
  event(candidate(parts, { finishReason: reason }))
const failure = event({ error: { code: 503, message: 'Overloaded.', status: 'UNAVAILABLE' } })

function watch(stream: string, more: Partial<TapOptions> = {}, chunkBytes = stream.length + 1): UsageTap {
  const watched = tapStream({ ...options, ...more })
  const bytes = encoder.encode(stream)
  for (let at = 0; at < bytes.length; at += chunkBytes) watched.push(bytes.subarray(at, at + chunkBytes))
  return watched
}

const states: [name: string, stream: string, states: string][] = [
  ['nothing', '', 'waiting truncated'],
  ['an empty text', word(''), 'waiting truncated'],
  ['a text', word('a'), 'content truncated'],
  ['a thought', event(candidate([{ text: 't', thought: true }])), 'content truncated'],
  ['a signature', event(candidate([{ text: '', thoughtSignature: 'c2ln' }])), 'content truncated'],
  ['a call', event(candidate([{ functionCall: { name: 'f', args: {} } }])), 'content truncated'],
  ['code', event(candidate([{ executableCode: { code: '1' } }])), 'content truncated'],
  [
    'an image',
    event(candidate([{ inlineData: { mimeType: 'image/png', data: 'QUJD' } }])),
    'content truncated',
  ],
  ['usage alone', event({ usageMetadata: { promptTokenCount: 1 } }), 'waiting truncated'],
  ['a finish', word('a') + stop(), 'finishing complete'],
  ['a finish without its blank line', word('a') + stop().trimEnd(), 'content complete'],
  ['all in one event', stop('STOP', [{ text: 'a' }]), 'finishing complete'],
  [
    'a finish without parts',
    event({ candidates: [{ content: { role: 'model' }, finishReason: 'MAX_TOKENS' }] }),
    'finishing complete',
  ],
  ['what was filtered', stop('SAFETY', []), 'finishing complete'],
  ['a blocked prompt', event({ promptFeedback: { blockReason: 'SAFETY' } }), 'finishing complete'],
  ['feedback without a block', event({ promptFeedback: {} }), 'waiting truncated'],
  ['a call that cannot be read', stop('MALFORMED_FUNCTION_CALL', []), 'failed failed'],
  ['a call of no tool', word('a') + stop('UNEXPECTED_TOOL_CALL', []), 'failed failed'],
  ['too many calls', stop('TOO_MANY_TOOL_CALLS', []), 'failed failed'],
  ['a signature that was left out', stop('MISSING_THOUGHT_SIGNATURE', []), 'failed failed'],
  ['a reason from tomorrow', word('a') + stop('TOMORROW', []), 'finishing complete'],
  ['an answer that cannot be read', stop('MALFORMED_RESPONSE', []), 'failed failed'],
  ['an error first', failure, 'failed failed'],
  ['an error later', word('a') + failure, 'failed failed'],
  [
    'an error in an array',
    event([{ error: { code: 500, message: 'x', status: 'INTERNAL' } }]),
    'failed failed',
  ],
  ['garbage', 'data: {"candidates":\n\n', 'failed failed'],
  ['a comment', `: x\n\n${word('a')}${stop()}`, 'finishing complete'],
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
  const said = word('a') + word('b')
  const rest = stop() + event({ usageMetadata: { promptTokenCount: 3, totalTokenCount: 3 } })
  const watched = watch(said + rest)
  watched.end()
  assert.equal(watched.relayableBytes, said.length)
  assert.equal(watched.totalBytes, (said + rest).length)
  assert.equal(watched.suppressedSpan, null)
  assert.equal(toUsage(watched.rawUsage).inputUncached, 3)
})

test('of several candidates the last one to finish ends the stream', () => {
  const finished = (index: number) => event({ candidates: [{ index, finishReason: 'STOP' }] })
  const watched = watch(word('a') + finished(0), { choices: 2 })
  assert.equal(watched.state, 'content')
  watched.push(encoder.encode(finished(1)))
  assert.equal(watched.state, 'finishing')
  watched.end()
  assert.equal(watched.state, 'complete')
})

test('a reason that is not known is on the receipt', () => {
  for (const [reason, unknown] of [
    ['TOMORROW', ['finishReason.TOMORROW']],
    ['OTHER', []],
    ['MODEL_ARMOR', []],
  ] as const) {
    const watched = watch(word('a') + stop(reason, []))
    assert.deepEqual(toUsage(watched.rawUsage).unknown, unknown)
  }
})

test('a failed answer says why', () => {
  const finishMessage = 'Malformed function call: print('
  const broken = candidate([], { finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage })
  const problem = { message: finishMessage, type: 'MALFORMED_FUNCTION_CALL', code: '' }
  assert.deepEqual(watch(event(broken)).problem, problem)
  assert.deepEqual(extractResponse(encoder.encode(JSON.stringify(broken)), 10).problem, problem)
  assert.match(watch(stop('MALFORMED_RESPONSE')).problem?.message ?? '', /MALFORMED_RESPONSE/)
  assert.equal(watch(failure).problem?.message, 'Overloaded.')
})

const answers: [body: unknown, problem: string | null][] = [
  [candidate([{ text: 'a' }], { finishReason: 'STOP' }), null],
  [{ promptFeedback: { blockReason: 'SAFETY' } }, null],
  [{ candidates: [{ finishReason: 'MAX_TOKENS' }] }, null],
  [{}, 'The upstream response has no candidates.'],
  [[], 'The upstream response is not a JSON object.'],
  ['x', 'The upstream response is not a JSON object.'],
  [{ error: { code: 500, message: 'x', status: 'INTERNAL' } }, 'x'],
  [[{ error: { code: 500, message: 'y', status: 'INTERNAL' } }], 'y'],
]

test('an answer is one, or says what is wrong', () => {
  for (const [body, problem] of answers) {
    const answer = extractResponse(encoder.encode(JSON.stringify(body)), 10)
    assert.equal(answer.problem?.message ?? null, problem, JSON.stringify(body))
  }
})

test('what was produced is counted: texts, thoughts, names and arguments of calls', () => {
  const parts = [
    { text: 'ab' },
    { text: 'cd', thought: true },
    { functionCall: { name: 'ef', args: { g: 1 } } },
    { executableCode: { code: 'hi' } },
    { codeExecutionResult: { output: 'not its own' } },
  ]
  const { sample } = watch(event(candidate(parts)))
  assert.equal(sample.text, 'abcdef{"g":1}hi')
  assert.equal(sample.events, 1)
})

test('recorded streams are read the same in any chunks, and are not complete when they are cut', () => {
  for (const { name, kind, response } of fixtureCases('gemini')) {
    if (kind !== 'stream') continue
    const whole = tapStream(options)
    whole.push(response)
    whole.end()
    assert.equal(whole.state, name.includes('error') ? 'failed' : 'complete', name)
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 97 }), (chunkBytes) => {
        const cut = tapStream(options)
        for (let at = 0; at < response.length; at += chunkBytes) {
          cut.push(response.subarray(at, at + chunkBytes))
          assert.ok(cut.relayableBytes <= at + chunkBytes)
        }
        cut.end()
        assert.deepEqual(
          [cut.state, cut.relayableBytes, cut.totalBytes, cut.rawUsage, cut.sample.text],
          [whole.state, whole.relayableBytes, whole.totalBytes, whole.rawUsage, whole.sample.text],
          name,
        )
      }),
      { numRuns: 10 },
    )
    const cut = tapStream(options)
    cut.push(response.subarray(0, whole.relayableBytes))
    cut.end()
    if (whole.state === 'complete') assert.equal(cut.state, 'truncated', name)
  }
})
