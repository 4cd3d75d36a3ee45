/** Responses: Gemini's in the neutral form, and neutral ones for a Gemini client, with the values that it must return. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noTokens } from '../../../contract/meters.ts'
import { fixtureCases } from '../../../test/support/fixtures.ts'
import { brokenAnswerRules } from '../../../test/support/rules/gemini.ts'
import { WireError } from '../dialect.ts'
import { RawJson } from '../json/text.ts'
import type {
  Finish,
  FinishReason,
  Frame,
  NeutralResponse,
  ResponsePart,
  ThinkingPart,
} from '../translation/neutral.ts'
import { readId, readTagBase64 } from '../translation/reasoning-carriers.ts'
import type { Usage } from '../usage.ts'
import { decodeRequest, hidesThoughts } from './decode-request.ts'
import { decodeResponse } from './decode-response.ts'
import { encodeResponse } from './encode-response.ts'
import { clientStandIn } from './encrypted-reasoning.ts'
import { extractResponse } from './extract-response.ts'
import { toUsage } from './extract-usage.ts'

const encoder = new TextEncoder()
const usage: Usage = {
  ...noTokens,
  inputUncached: 10,
  cacheRead: 5,
  cacheWrite5m: 2,
  cacheWrite1h: 1,
  inputAudio: 4,
  output: 30,
  outputAudio: 6,
  reasoning: 20,
  fees: {},
  servedOptions: [],
  unknown: [],
}
const frame: Frame = {
  requestId: 'req_abc123',
  model: 'claude-x',
  createdSeconds: 1,
  responseOptions: { includeUsage: true, echo: [], tools: [], logprobs: false },
}
const hiding: Frame = {
  ...frame,
  responseOptions: { ...frame.responseOptions, echo: [[hidesThoughts, true]] },
}

const decode = (body: unknown): NeutralResponse =>
  decodeResponse(encoder.encode(typeof body === 'string' ? body : JSON.stringify(body)), usage)
const answerOf = (parts: readonly object[], more: object = {}) => ({
  candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0, ...more }],
  responseId: 'r',
  modelVersion: 'v',
})
const partsOf = (...parts: readonly object[]) => decode(answerOf(parts)).parts
const text = (written: string, citations: object[] = []) => ({
  kind: 'text',
  text: written,
  cache: null,
  citations,
})
const google = { vendor: 'google', data: 'c2ln' } as const

const read: [name: string, input: object[], parts: object[]][] = [
  ['texts that follow each other are one', [{ text: 'a' }, { text: '' }, { text: 'b' }], [text('ab')]],
  [
    'a thought and an answer',
    [{ text: 't', thought: true }, { text: 'a' }],
    [{ kind: 'thinking', text: 't', redacted: false, encrypted: null }, text('a')],
  ],
  [
    'the signature of a text is dropped and is none of the thought',
    [
      { text: 't', thought: true },
      { text: 'a', thoughtSignature: 'c2ln' },
    ],
    [{ kind: 'thinking', text: 't', redacted: false, encrypted: null }, text('a')],
  ],
  ['a signature behind a text', [{ text: 'a' }, { text: '', thoughtSignature: 'c2ln' }], [text('a')]],
  [
    'code and what it printed',
    [
      { executableCode: { language: 'PYTHON', code: 'print(1)' } },
      { codeExecutionResult: { output: '1\n' } },
    ],
    [text('\n```python\nprint(1)\n```\n\n```\n1\n```\n')],
  ],
]

test('parts of an answer', () => {
  for (const [name, input, parts] of read) assert.deepEqual(partsOf(...input), parts, name)
})

test('calls keep their arguments as they are written, and no id is made up here', () => {
  const args = '{"n":9007199254740993,"__proto__":1,"e":"\\u00e9"}'
  const [first, second] = decode(
    `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"f","args":${args}},"thoughtSignature":"c2ln"},{"functionCall":{"name":"g","id":"x"}}]},"finishReason":"STOP"}],"responseId":"r","modelVersion":"v"}`,
  ).parts
  assert.partialDeepStrictEqual(first, { kind: 'call', id: '', name: 'f', input: args, encrypted: google })
  assert.partialDeepStrictEqual(second, { kind: 'call', id: 'x', name: 'g', input: '{}', encrypted: null })
})

const images = partsOf(
  { inlineData: { mimeType: 'image/png', data: 'QUJD' } },
  { inlineData: { mimeType: 'audio/wav', data: 'QUJD' } },
)

test('media that the model made', () => {
  assert.deepEqual(
    images.map((part) => part.kind === 'media' && [part.medium, part.source]),
    [
      ['image', { kind: 'base64', mediaType: 'image/png', data: 'QUJD' }],
      ['audio', { kind: 'base64', mediaType: 'audio/wav', data: 'QUJD' }],
    ],
  )
})

const called = [{ functionCall: { name: 'f' } }]
const ends: [name: string, body: unknown, reason: FinishReason, explanation: string | null][] = [
  ['STOP', answerOf([{ text: 'a' }]), 'end', null],
  ['STOP with a call', answerOf(called), 'calls', null],
  ['MAX_TOKENS with a call', answerOf(called, { finishReason: 'MAX_TOKENS' }), 'length', null],
  ['SAFETY', answerOf([], { finishReason: 'SAFETY' }), 'filter', 'SAFETY'],
  ['SPII with a message', answerOf([], { finishReason: 'SPII', finishMessage: 'm' }), 'filter', 'm'],
  ['IMAGE_RECITATION', answerOf([], { finishReason: 'IMAGE_RECITATION' }), 'filter', 'IMAGE_RECITATION'],
  ['MODEL_ARMOR', answerOf([], { finishReason: 'MODEL_ARMOR' }), 'filter', 'MODEL_ARMOR'],
  ['ESCALATION', answerOf([], { finishReason: 'ESCALATION' }), 'refusal', 'ESCALATION'],
  [
    'PUP_LIMITED_DISABLED',
    answerOf([], { finishReason: 'PUP_LIMITED_DISABLED' }),
    'refusal',
    'PUP_LIMITED_DISABLED',
  ],
  ['CONTINUATION', answerOf([{ text: 'a' }], { finishReason: 'CONTINUATION' }), 'pause', null],
  ['OTHER', answerOf([], { finishReason: 'OTHER' }), 'end', null],
  ['a reason from tomorrow', answerOf([], { finishReason: 'constructor' }), 'end', null],
  [
    'a blocked prompt',
    { promptFeedback: { blockReason: 'JAILBREAK' }, responseId: 'r' },
    'filter',
    'JAILBREAK',
  ],
  [
    'a blocked prompt with a message',
    { promptFeedback: { blockReason: 'JAILBREAK', blockReasonMessage: 'm' } },
    'filter',
    'm',
  ],
]

test('how an answer ended', () => {
  for (const [name, body, reason, explanation] of ends) {
    const answer = decode(body)
    assert.deepEqual(answer.finish, { reason, stopString: null, explanation }, name)
  }
})

test('sources and probabilities', () => {
  const groundingMetadata = { groundingChunks: [{ web: { uri: 'https://a', title: 'A' } }, { web: {} }] }
  const citationMetadata = { citations: [{ uri: 'https://b' }] }
  const logprobsResult = {
    chosenCandidates: [{ token: 'é', logProbability: -0.5 }],
    topCandidates: [
      {
        candidates: [
          { token: 'é', logProbability: -0.5 },
          { token: 'x', logProbability: -2 },
        ],
      },
    ],
  }
  const answer = decode(answerOf([{ text: 'a' }], { groundingMetadata, citationMetadata, logprobsResult }))
  assert.deepEqual(answer.parts, [
    text('a', [
      { url: 'https://a', title: 'A', quoted: null },
      { url: 'https://b', title: null, quoted: null },
    ]),
  ])
  const bytes = [195, 169]
  const content = [
    {
      token: 'é',
      logprob: -0.5,
      bytes,
      top_logprobs: [
        { token: 'é', logprob: -0.5, bytes },
        { token: 'x', logprob: -2, bytes: [120] },
      ],
    },
  ]
  assert.deepEqual(JSON.parse(answer.logprobs?.text ?? 'null'), content)
  const body = JSON.parse(encodeResponse(answer, frame, { usage, cost: '0' })) as { candidates: object[] }
  assert.partialDeepStrictEqual(body.candidates[0], {
    logprobsResult,
    groundingMetadata: {
      groundingChunks: [{ web: { uri: 'https://a', title: 'A' } }, { web: { uri: 'https://b' } }],
    },
  })
})

test('an invalid response is rejected', () => {
  for (const body of ['', 'x', '[]', '{}', '{"error":{"code":500}}', '{"candidates":[]}']) {
    assert.throws(
      () => decode(body),
      (error) => error instanceof WireError && error.code === 'invalid_value',
      body,
    )
  }
})

const finish: Finish = { reason: 'end', stopString: null, explanation: null }

function encode(parts: readonly ResponsePart[], more: Partial<NeutralResponse> = {}, to: Frame = frame) {
  const answer: NeutralResponse = { parts, finish, usage, logprobs: null, ...more }
  const body = JSON.parse(encodeResponse(answer, to, { usage, cost: '0.000123' })) as {
    candidates: {
      content: { parts?: Record<string, never>[] }
      finishReason: string
      finishMessage?: string
    }[]
    usageMetadata: object
    modelVersion: string
    responseId: string
  }
  assert.deepEqual(brokenAnswerRules(body), [])
  return body
}

const writtenParts = (parts: readonly ResponsePart[], to: Frame = frame) =>
  encode(parts, {}, to).candidates[0]?.content.parts ?? []

/** The call that a part is. */
function callIn(part: Record<string, unknown> | undefined): { readonly id: string; readonly args: unknown } {
  assert.ok(part?.functionCall !== undefined)
  return part.functionCall as { id: string; args: unknown }
}

test('usage as Google counts it, with what it cost', () => {
  const { usageMetadata, modelVersion, responseId } = encode([])
  assert.deepEqual(usageMetadata, {
    promptTokenCount: 22,
    candidatesTokenCount: 16,
    totalTokenCount: 58,
    cachedContentTokenCount: 5,
    thoughtsTokenCount: 20,
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: 18 },
      { modality: 'AUDIO', tokenCount: 4 },
    ],
    candidatesTokensDetails: [
      { modality: 'TEXT', tokenCount: 10 },
      { modality: 'AUDIO', tokenCount: 6 },
    ],
    cost: 0.000123,
  })
  assert.deepEqual([modelVersion, responseId], ['claude-x', 'abc123'])
})

const words: [reason: FinishReason, word: string][] = [
  ['end', 'STOP'],
  ['stop_string', 'STOP'],
  ['calls', 'STOP'],
  ['pause', 'STOP'],
  ['length', 'MAX_TOKENS'],
  ['context', 'MAX_TOKENS'],
  ['refusal', 'SAFETY'],
  ['filter', 'SAFETY'],
]

test('the word for each end, also of an answer that says nothing', () => {
  for (const [reason, word] of words) {
    const [candidate] = encode([], { finish: { ...finish, reason, explanation: 'why' } }).candidates
    assert.deepEqual([candidate?.finishReason, candidate?.finishMessage], [word, 'why'])
  }
})

const thought = (written: string, encrypted: ThinkingPart['encrypted'], redacted = false): ThinkingPart => ({
  kind: 'thinking',
  text: written,
  redacted,
  encrypted,
})
const anthropic = { vendor: 'anthropic', data: 'EqQB' } as const
const openai = { vendor: 'openai', data: 'rs_1.gAAA' } as const
const call = (id: string, encrypted: ThinkingPart['encrypted'] = null): ResponsePart => ({
  kind: 'call',
  id,
  name: 'f',
  namespace: null,
  form: 'json',
  input: '{"a":1}',
  encrypted,
  pointer: '',
})

test('thoughts and encryptedValues come back from a client that sends the answer again', () => {
  const hi = { role: 'user', parts: [{ text: 'hi' }] }
  const parts = [
    thought('t', anthropic),
    thought('', { vendor: 'anthropic', data: 'xyz' }, true),
    text('a') as ResponsePart,
    call('toolu_1'),
    thought('u', openai),
    call('toolu_2'),
    call('toolu_3', google),
  ]
  const again = (written: unknown) =>
    decodeRequest(
      encoder.encode(JSON.stringify({ contents: [hi, { role: 'model', parts: written }] })),
      { depthMax: 64, valuesMax: 10_000, integerMax: 1_000 },
      { model: 'm', stream: false },
    ).turns[1]?.parts.map((part) => ('pointer' in part ? { ...part, pointer: '' } : part))
  const written = writtenParts(parts)
  assert.deepEqual(again(written), parts)
  // A client that leaves thoughts out still has them in the ids of its calls.
  const lean = written.filter(({ thought: isThought }) => isThought !== true)
  const [first, second, third, ...rest] = parts
  assert.deepEqual(again(lean), [third, first, second, ...rest])
  assert.equal(readTagBase64(String(written[0]?.thoughtSignature)).kind, 'encrypted')
})

test('what Google did not sign can continue with its models', () => {
  const [first, second] = writtenParts([call('a'), call('b')])
  assert.equal(first?.thoughtSignature, clientStandIn)
  assert.equal(second?.thoughtSignature, undefined)
  const [own] = writtenParts([call('a', google)])
  assert.equal(own?.thoughtSignature, 'c2ln')
  assert.deepEqual(own?.functionCall, { id: 'a', name: 'f', args: { a: 1 } })
})

test('ids are short, and made where there is none', () => {
  const idOf = (id: string) => callIn(writtenParts([call(id)])[0]).id
  assert.equal(idOf('toolu_1'), 'toolu_1')
  assert.equal(idOf(''), 'call_abc123_1')
  assert.ok(idOf('x'.repeat(60)).length <= 32)
  const [first, second] = writtenParts([call(''), call('')])
  assert.notEqual(callIn(first).id, callIn(second).id)
})

test('a client that does not ask for thoughts is shown none, and still carries them', () => {
  const parts = writtenParts(
    [thought('t', anthropic), thought('', openai), text('a') as ResponsePart, call('x')],
    hiding,
  )
  assert.equal(JSON.stringify(parts).includes('"t"'), false)
  assert.deepEqual(
    parts.map((part) => Object.keys(part).sort()[0]),
    ['text', 'text', 'functionCall'],
  )
  const { id } = callIn(parts[2])
  assert.deepEqual(readId(id).carrier?.thoughts, [thought('t', anthropic), thought('', openai)])
  assert.deepEqual(writtenParts([thought('t', google)], hiding), [{ text: '', thoughtSignature: 'c2ln' }])
})

test('a refusal is text; media go as they are; unreadable arguments stay readable', () => {
  const cut: ResponsePart = { ...(call('x') as Extract<ResponsePart, { kind: 'call' }>), input: '{"a":"b' }
  const parts = writtenParts([{ kind: 'refusal', text: 'no' }, ...images, cut])
  assert.deepEqual(parts.slice(0, 3), [
    { text: 'no' },
    { inlineData: { mimeType: 'image/png', data: 'QUJD' } },
    { inlineData: { mimeType: 'audio/wav', data: 'QUJD' } },
  ])
  assert.deepEqual(callIn(parts[3]).args, { _raw: '{"a":"b' })
  const raw = encode([], { logprobs: new RawJson('[{"token":"a","logprob":-1,"top_logprobs":[]}]') })
  assert.partialDeepStrictEqual(raw.candidates[0], {
    logprobsResult: { chosenCandidates: [{ token: 'a', logProbability: -1 }] },
  })
})

test('recorded answers come back as they were', () => {
  for (const { name, kind, response } of fixtureCases('gemini')) {
    if (kind !== 'json') continue
    const counted = toUsage(extractResponse(response, 10).rawUsage)
    const answer = decodeResponse(response, counted)
    const written = encodeResponse(answer, frame, { usage: counted, cost: '0' })
    assert.deepEqual(brokenAnswerRules(JSON.parse(written)), [], name)
    const again = decodeResponse(encoder.encode(written), counted)
    const bare = ({ parts, finish: { reason } }: NeutralResponse) => [
      parts.map((part) =>
        part.kind === 'call' ? { ...part, id: '', input: JSON.parse(part.input) as unknown } : part,
      ),
      reason,
    ]
    assert.deepEqual(bare(again), bare(answer), name)
    assert.deepEqual(
      { ...toUsage(extractResponse(encoder.encode(written), 10).rawUsage), servedOptions: [] },
      { ...counted, servedOptions: [] },
      name,
    )
  }
})
