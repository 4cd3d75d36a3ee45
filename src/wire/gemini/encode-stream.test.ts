/** Streams: Gemini's as neutral events in any chunks, and neutral events for a Gemini client. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { noTokens } from '../../../contract/meters.ts'
import { fixtureCases } from '../../../test/support/fixtures.ts'
import { brokenStreamRules } from '../../../test/support/rules/gemini.ts'
import { parsed } from '../json/parsed.ts'
import type { Frame, ResponseEvent } from '../translation/neutral.ts'
import { readId } from '../translation/reasoning-carriers.ts'
import type { Usage } from '../usage.ts'
import { hidesThoughts } from './decode-request.ts'
import { decodeResponse } from './decode-response.ts'
import { decodeStream } from './decode-stream.ts'
import { encodeStream } from './encode-stream.ts'
import { clientStandIn } from './encrypted-reasoning.ts'
import { toUsage } from './extract-usage.ts'
import { tapStream } from './tap-stream.ts'

const encoder = new TextEncoder()
const usage: Usage = {
  ...noTokens,
  inputUncached: 3,
  output: 5,
  reasoning: 2,
  fees: {},
  servedOptions: [],
  unknown: [],
}
const frame: Frame = {
  requestId: 'req_abc',
  model: 'm',
  createdSeconds: 1,
  responseOptions: { includeUsage: true, echo: [], tools: [], logprobs: false },
}
const tally = { usage, cost: '0.01' }

const event = (parts: readonly object[], more: object = {}, rest: object = {}) =>
  `data: ${JSON.stringify({ candidates: [{ content: { role: 'model', parts }, index: 0, ...more }], responseId: 'r', modelVersion: 'v', ...rest })}\r\n\r\n`
const stop = event([{ text: '' }], { finishReason: 'STOP' })

function decode(stream: string | Uint8Array, chunkBytes?: number): readonly ResponseEvent[] {
  const bytes = typeof stream === 'string' ? encoder.encode(stream) : stream
  const decoder = decodeStream(1 << 20)
  const events: ResponseEvent[] = []
  const step = chunkBytes ?? Math.max(1, bytes.length)
  for (let at = 0; at < bytes.length; at += step) events.push(...decoder.push(bytes.subarray(at, at + step)))
  events.push(...decoder.end())
  assert.equal(decoder.waitingBytes, 0)
  return events
}

/** Events in a few letters. */
const short = (events: readonly ResponseEvent[]) =>
  events
    .map((one) => {
      switch (one.kind) {
        case 'open':
          return `+${one.part.kind}${one.part.kind === 'call' && one.part.encrypted !== null ? '*' : ''}`
        case 'delta':
          return one.text
        case 'close':
          return one.encrypted === null ? '-' : `-${one.encrypted.data}`
        case 'finish':
          return one.finish.reason
        case 'citation':
          return `@${one.citation.url}`
        default:
          return one.kind
      }
    })
    .join(' ')

const streams: [name: string, stream: string, events: string][] = [
  ['text', event([{ text: 'a' }]) + event([{ text: 'b' }]) + stop, 'start +text a b - end'],
  [
    'a thought, and a text whose signature is dropped',
    event([{ text: 't', thought: true }]) + event([{ text: 'a', thoughtSignature: 'c2ln' }]) + stop,
    'start +thinking t - +text a - end',
  ],
  [
    'a text whose signature comes when it has begun',
    event([{ text: 'a' }]) + event([{ text: 'b', thoughtSignature: 'c2ln' }]) + stop,
    'start +text a b - end',
  ],
  [
    'a signature at the end',
    event([{ text: 'a' }]) + event([{ text: '', thoughtSignature: 'c2ln' }], { finishReason: 'STOP' }),
    'start +text a - end',
  ],
  [
    'a signature at the end, on an empty thought',
    event([{ text: 'a' }]) + event([{ text: '', thought: true, thoughtSignature: 'c2ln' }]) + stop,
    'start +text a - end',
  ],
  [
    'a call',
    event([
      { functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'c2ln' },
      { functionCall: { name: 'g' } },
    ]) + stop,
    'start +call* {"a":1} - +call {} - calls',
  ],
  [
    'text, a call, text',
    event([{ text: 'a' }, { functionCall: { name: 'f' } }, { text: 'b' }]) + stop,
    'start +text a - +call {} - +text b - calls',
  ],
  [
    'media',
    event([{ text: 'a' }, { inlineData: { mimeType: 'image/png', data: 'QUJD' } }]) + stop,
    'start +text a - whole end',
  ],
  [
    'a blocked prompt',
    `data: {"promptFeedback":{"blockReason":"SAFETY"},"responseId":"r"}\n\n`,
    'start filter',
  ],
  ['a stream that was cut', event([{ text: 'a' }]), 'start +text a -'],
  [
    'the finish, told once and last',
    event([{ text: 'a' }], { finishReason: 'MAX_TOKENS' }) + event([], {}, { usageMetadata: {} }),
    'start +text a - length',
  ],
  [
    'sources, told once',
    event([{ text: 'a' }], { groundingMetadata: { groundingChunks: [{ web: { uri: 'u' } }] } }) +
      event([{ text: 'b' }], {
        finishReason: 'STOP',
        groundingMetadata: { groundingChunks: [{ web: { uri: 'u' } }, { web: { uri: 'v' } }] },
      }),
    'start +text a @u b @v - end',
  ],
  [
    'sources in a last event that says nothing, and signs',
    event([{ text: 'a' }]) +
      event([{ text: '', thoughtSignature: 'c2ln' }], {
        finishReason: 'STOP',
        groundingMetadata: { groundingChunks: [{ web: { uri: 'u' } }] },
      }),
    'start +text a @u - end',
  ],
  [
    'sources behind the end of the text',
    event([{ text: 'a' }]) +
      event([{ text: '', thoughtSignature: 'c2ln' }]) +
      event([{ text: '' }], {
        finishReason: 'STOP',
        groundingMetadata: { groundingChunks: [{ web: { uri: 'u' } }] },
      }),
    'start +text a @u - end',
  ],
  [
    'garbage and other events',
    `data: {"x":\n\n: c\n\ndata: {"other":1}\n\ndata: [1]\n\n${event([{ text: 'a' }])}${stop}`,
    'start +text a - end',
  ],
  ['nothing', '', ''],
]

test('streams become events', () => {
  for (const [name, stream, events] of streams) {
    assert.equal(short(decode(stream)), events, name)
    assert.equal(short(decode(stream, 1)), events, `${name}, by bytes`)
  }
})

test('recorded streams say the same in any chunks, and the same as a whole answer would', () => {
  for (const { name, kind, response } of fixtureCases('gemini')) {
    if (kind !== 'stream') continue
    const whole = decode(response)
    for (const chunkBytes of [1, 7]) assert.deepEqual(decode(response, chunkBytes), whole, name)
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 4_000 }), (chunkBytes) => {
        assert.deepEqual(decode(response, chunkBytes), whole, name)
      }),
      { numRuns: 5 },
    )
    let open = 0
    for (const { kind: what } of whole) {
      if (what === 'open') open += 1
      if (what === 'close') open -= 1
      assert.ok(open === 0 || open === 1, `${name}: parts overlap`)
    }
    assert.equal(open, 0, name)
    const texts = whole.flatMap((one) => (one.kind === 'delta' ? [one.text] : [])).join('')
    const parts = response
      .toString()
      .split(/\r?\n/)
      .filter((line) => line.startsWith('data:') && line.includes('candidates'))
      .flatMap((line) => decodeResponse(encoder.encode(line.slice(5)), usage).parts)
    const expected = parts
      .map((part) => (part.kind === 'call' ? part.input : 'text' in part ? part.text : ''))
      .join('')
    assert.equal(texts, expected, name)
  }
})

function encode(events: readonly ResponseEvent[], to: Frame = frame): string {
  const encoded = encodeStream(to)
  const stream = events.map((one) => encoded.write(one)).join('') + encoded.close(tally)
  assert.deepEqual(brokenStreamRules(stream), [])
  return stream
}

interface Written {
  readonly parts: readonly Record<string, never>[]
  readonly candidate: Record<string, unknown>
  readonly chunk: Record<string, unknown>
}

const written = (stream: string): readonly Written[] =>
  stream
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const chunk = JSON.parse(block.replace(/^data: /, '')) as Record<string, unknown>
      const [candidate = {}] = chunk.candidates as Record<string, unknown>[]
      const { parts = [] } = candidate.content as { parts?: Record<string, never>[] }
      return { parts, candidate, chunk }
    })

test('recorded streams come back as they were', () => {
  for (const { name, kind, response } of fixtureCases('gemini')) {
    if (kind !== 'stream' || name.includes('error')) continue
    const events = decode(response)
    const stream = encode(events)
    const bare = (all: readonly ResponseEvent[]) =>
      all.map((one) => {
        if (one.kind === 'start') return one.kind
        if (one.kind === 'open' && one.part.kind === 'call') return { ...one.part, id: '' }
        return one.kind === 'delta' ? (parsed(one.text) ?? one) : one
      })
    // Sources are sent with the terminal event, when no text is open.
    const left = (all: readonly ResponseEvent[]) => bare(all.filter(({ kind: what }) => what !== 'citation'))
    assert.deepEqual(left(decode(stream)), left(events), name)
    const watched = tapStream({
      usageEvent: 'relay',
      choices: 1,
      eventBytesMax: 1 << 20,
      sampleCharactersMax: 10,
    })
    watched.push(encoder.encode(stream))
    watched.end()
    assert.equal(watched.state, 'complete', name)
    assert.deepEqual(toUsage(watched.rawUsage), usage, name)
  }
})

const anthropic = { vendor: 'anthropic', data: 'EqQB' } as const
const answered: readonly ResponseEvent[] = [
  { kind: 'start' },
  { kind: 'input', usage },
  { kind: 'open', part: { kind: 'thinking' } },
  { kind: 'delta', text: 'I ' },
  { kind: 'delta', text: 'think' },
  { kind: 'close', encrypted: anthropic },
  {
    kind: 'whole',
    part: { kind: 'thinking', text: '', redacted: true, encrypted: { vendor: 'anthropic', data: 'hid' } },
  },
  { kind: 'open', part: { kind: 'text' } },
  { kind: 'delta', text: '' },
  { kind: 'delta', text: 'é\n' },
  { kind: 'citation', citation: { url: 'https://a', title: 'A', quoted: null } },
  { kind: 'close', encrypted: null },
  { kind: 'open', part: { kind: 'call', id: '', name: 'f', namespace: null, form: 'json', encrypted: null } },
  { kind: 'delta', text: '{"a":\n9007199254740' },
  { kind: 'delta', text: '993}' },
  { kind: 'close', encrypted: null },
  {
    kind: 'open',
    part: { kind: 'call', id: 'toolu_2', name: 'g', namespace: null, form: 'json', encrypted: null },
  },
  { kind: 'close', encrypted: null },
  { kind: 'finish', finish: { reason: 'calls', stopString: null, explanation: null } },
]

test('events are written as they come; finish, sources and usage with the terminal event', () => {
  const encoded = encodeStream(frame)
  const before = answered.map((one) => encoded.write(one)).join('')
  assert.equal(before.includes('finishReason'), false)
  const events = written(before)
  assert.deepEqual(
    events.map(({ parts }) =>
      parts[0]?.functionCall === undefined
        ? `${parts[0]?.thought === true ? '~' : ''}${parts[0]?.text}`
        : 'call',
    ),
    ['~I ', '~think', '~', '~', 'é\n', 'call', 'call'],
  )
  const [first, second] = events.slice(5).map(({ parts }) => parts[0])
  const call = first?.functionCall as unknown as { id: string; args: unknown }
  const { id, carrier } = readId(call.id)
  assert.equal(id, 'call_abc_1')
  assert.deepEqual(
    carrier?.thoughts.map(({ text, redacted }) => [text, redacted]),
    [
      ['I think', false],
      ['', true],
    ],
  )
  assert.equal(first?.thoughtSignature, clientStandIn)
  assert.ok(before.includes('"args":{"a": 9007199254740993}'), before)
  assert.deepEqual(second?.functionCall, { id: 'toolu_2', name: 'g', args: {} })
  const [last, ...more] = written(encoded.close(tally))
  assert.deepEqual(more, [])
  assert.partialDeepStrictEqual(last?.candidate, {
    finishReason: 'STOP',
    groundingMetadata: { groundingChunks: [{ web: { uri: 'https://a', title: 'A' } }] },
  })
  assert.partialDeepStrictEqual(last?.chunk, {
    modelVersion: 'm',
    responseId: 'abc',
    usageMetadata: {
      promptTokenCount: 3,
      candidatesTokenCount: 3,
      thoughtsTokenCount: 2,
      totalTokenCount: 8,
      cost: 0.01,
    },
  })
})

test('a client that does not ask for thoughts is shown none', () => {
  const hiding: Frame = {
    ...frame,
    responseOptions: { ...frame.responseOptions, echo: [[hidesThoughts, true]] },
  }
  const stream = encode(answered, hiding)
  assert.equal(stream.includes('think'), false)
  const call = written(stream).flatMap(({ parts }) => parts)[2]?.functionCall as unknown as { id: string }
  assert.equal(readId(call.id).carrier?.thoughts[0]?.text, 'I think')
})

test('what is still open when the terminal event is due is written with it', () => {
  const open: ResponseEvent = {
    kind: 'open',
    part: { kind: 'call', id: 'a', name: 'f', namespace: null, form: 'text', encrypted: null },
  }
  const events = written(encode([open, { kind: 'delta', text: 'free' }]))
  assert.equal(events.length, 1)
  assert.deepEqual(events[0]?.parts[0]?.functionCall, { id: 'a', name: 'f', args: { input: 'free' } })
  assert.partialDeepStrictEqual(written(encode([]))[0]?.candidate, { finishReason: 'STOP' })
})

test('refusals, media and probabilities', () => {
  const stream = encode([
    { kind: 'open', part: { kind: 'refusal' } },
    { kind: 'delta', text: 'no' },
    { kind: 'close', encrypted: null },
    {
      kind: 'whole',
      part: {
        kind: 'media',
        medium: 'image',
        source: { kind: 'base64', mediaType: 'image/png', data: 'QUJD' },
        title: null,
        detail: null,
        cache: null,
        pointer: '',
      },
    },
    { kind: 'finish', finish: { reason: 'refusal', stopString: null, explanation: 'why' } },
  ])
  const events = written(stream)
  assert.deepEqual(
    events.slice(0, 2).map(({ parts }) => parts),
    [[{ text: 'no' }], [{ inlineData: { mimeType: 'image/png', data: 'QUJD' } }]],
  )
  assert.partialDeepStrictEqual(events[2]?.candidate, { finishReason: 'SAFETY', finishMessage: 'why' })
})
