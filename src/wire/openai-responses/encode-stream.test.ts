/** Streams that we write for Responses clients: the official library accumulates them, Codex finds what it acts on, IDs are stable. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import OpenAI from 'openai'
import type { ResponseStreamEvent } from 'openai/resources/responses/responses'
import { noTokens } from '../../../contract/meters.ts'
import { brokenAnswerRules, brokenStreamRules } from '../../../test/support/rules/openai-responses.ts'
import { RawJson } from '../json/text.ts'
import type {
  CallPart,
  EncryptedReasoning,
  Finish,
  Frame,
  NeutralResponse,
  ResponseCost,
  ResponseEvent,
  ResponseOptions,
  ResponsePart,
} from '../translation/neutral.ts'
import { readTag } from '../translation/reasoning-carriers.ts'
import { openaiResponsesCodec as codec } from './index.ts'

const responseOptions: ResponseOptions = { includeUsage: true, echo: [], tools: [], logprobs: false }
const frame: Frame = {
  requestId: 'req_0abc',
  model: 'claude-x',
  createdSeconds: 1_700_000_000,
  responseOptions,
}
const usage = {
  ...noTokens,
  inputUncached: 10,
  cacheRead: 4,
  cacheWrite5m: 3,
  cacheWrite1h: 2,
  output: 7,
  reasoning: 5,
  fees: {},
  servedOptions: [],
  unknown: [],
}
const tally: ResponseCost = { usage, cost: '0.0001' }

const start: ResponseEvent = { kind: 'start' }
const close: ResponseEvent = { kind: 'close', encrypted: null }
const openText: ResponseEvent = { kind: 'open', part: { kind: 'text' } }
const openThinking: ResponseEvent = { kind: 'open', part: { kind: 'thinking' } }
const delta = (text: string): ResponseEvent => ({ kind: 'delta', text })
const openCall = (more: Partial<CallPart> = {}): ResponseEvent => ({
  kind: 'open',
  part: {
    kind: 'call',
    id: 'toolu_1',
    name: 'look',
    namespace: null,
    form: 'json',
    encrypted: null,
    ...more,
  },
})
const finish = (reason: Finish['reason'], explanation: string | null = null): ResponseEvent => ({
  kind: 'finish',
  finish: { reason, stopString: null, explanation },
})
const google: EncryptedReasoning = { vendor: 'google', data: 'c2VhbA==' }

function written(events: readonly ResponseEvent[], of: Frame = frame): string {
  const encoder = codec.encodeStream(of)
  let sse = ''
  for (const event of events) sse += encoder.write(event)
  return sse + encoder.close(tally)
}

/** Text may have other line separators of Unicode, which end no line of a stream. */
const eventsIn = (sse: string) =>
  [...sse.matchAll(/^data: ([^\n]*)$/gm)].map(([, data]) => JSON.parse(data!) as Record<string, never>)
const lastOf = (sse: string) =>
  eventsIn(sse).at(-1) as unknown as { type: string; response: OpenAI.Responses.Response }

const clientOver = (sse: string) =>
  new OpenAI({
    apiKey: 'none',
    maxRetries: 0,
    fetch: async () => new Response(sse, { headers: { 'content-type': 'text/event-stream' } }),
  })

const everything: readonly ResponseEvent[] = [
  start,
  { kind: 'input', usage },
  openThinking,
  delta('I should '),
  delta('look.'),
  { kind: 'close', encrypted: { vendor: 'anthropic', data: 'sig' } },
  openText,
  delta('Let me '),
  delta('see.'),
  { kind: 'citation', citation: { url: 'https://example.com/a', title: 'A', quoted: null } },
  close,
  openText,
  delta(' Now.'),
  close,
  openCall({ encrypted: google }),
  delta('{"a":'),
  delta('1}'),
  close,
  openCall({ id: 'toolu_2' }),
  close,
  openCall({ id: '', name: 'patch', form: 'text', namespace: 'files' }),
  delta('*** Begin'),
  close,
  {
    kind: 'whole',
    part: { kind: 'thinking', text: '', redacted: true, encrypted: { vendor: 'anthropic', data: 'hidden' } },
  },
  openText,
  close,
  openText,
  delta('Done.'),
  close,
  finish('calls'),
]

test('a stream of everything keeps the rules, and the library accumulates what was meant', async () => {
  const sse = written(everything)
  assert.deepEqual(brokenStreamRules(sse), [])
  const stream = clientOver(sse).responses.stream({ model: 'claude-x', input: 'hi' })
  const seen: ResponseStreamEvent['type'][] = []
  for await (const event of stream) seen.push(event.type)
  const response = await stream.finalResponse()
  assert.equal(response.output_text, 'Let me see. Now.Done.')
  assert.deepEqual(
    response.output.map(({ type }) => type),
    ['reasoning', 'message', 'function_call', 'function_call', 'custom_tool_call', 'reasoning', 'message'],
  )
  assert.equal(seen.filter((type) => type === 'response.output_text.delta').length, 4)
  const [thought, message, call, empty, custom] = response.output as unknown as Record<string, never>[]
  assert.deepEqual(thought!.summary, [{ type: 'summary_text', text: 'I should look.' }])
  assert.deepEqual(readTag(thought!.encrypted_content!), {
    kind: 'encrypted',
    encrypted: { vendor: 'anthropic', data: 'sig' },
  })
  assert.equal((message!.content as unknown as unknown[]).length, 2)
  assert.match(call!.call_id!, /^toolu_1_tg1_W/)
  assert.equal(call!.arguments, '{"a":1}')
  assert.equal(empty!.arguments, '{}')
  assert.deepEqual([custom!.call_id, custom!.namespace, custom!.input], ['call_0abc_3', 'files', '*** Begin'])
})

test('usage is reported in this format, with the cost, only in the terminal event', () => {
  const sse = written(everything)
  assert.deepEqual(lastOf(sse).response.usage, {
    input_tokens: 19,
    input_tokens_details: { cached_tokens: 4, cache_write_tokens: 5 },
    output_tokens: 7,
    output_tokens_details: { reasoning_tokens: 5 },
    total_tokens: 26,
    cost: 0.0001,
  } as unknown as OpenAI.Responses.ResponseUsage)
  assert.equal(sse.split('"cost"').length, 2)
})

const ends: [
  name: string,
  events: readonly ResponseEvent[],
  type: string,
  reason: string | null,
  output: string,
][] = [
  ['nothing at all', [], 'response.completed', null, ''],
  [
    'a limit',
    [start, openText, delta('a'), close, finish('length')],
    'response.incomplete',
    'max_output_tokens',
    'message',
  ],
  ['a full context', [finish('context')], 'response.incomplete', 'max_output_tokens', ''],
  ['a filter', [finish('filter')], 'response.incomplete', 'content_filter', ''],
  ['a pause', [finish('pause')], 'response.completed', null, ''],
  [
    'a stop string',
    [openText, delta('a'), close, finish('stop_string')],
    'response.completed',
    null,
    'message',
  ],
  ['a refusal in words', [finish('refusal', 'I will not.')], 'response.completed', null, 'message'],
  [
    'a refusal without',
    [openText, delta('a'), close, finish('refusal')],
    'response.incomplete',
    'content_filter',
    'message',
  ],
  ['a part that is still open', [openText, delta('a')], 'response.completed', null, 'message'],
  ['a call that is still open', [openCall(), delta('{')], 'response.completed', null, 'function_call'],
]

for (const [name, events, type, reason, output] of ends) {
  test(`the end after ${name}`, () => {
    const sse = written(events)
    assert.deepEqual(brokenStreamRules(sse), [])
    const last = lastOf(sse)
    assert.equal(last.type, type)
    assert.equal(last.response.incomplete_details?.reason ?? null, reason)
    assert.equal(last.response.output.map((item) => item.type).join(' '), output)
  })
}

test('a refusal is sent as one', async () => {
  const sse = written([
    start,
    { kind: 'open', part: { kind: 'refusal' } },
    delta('No'),
    delta('.'),
    close,
    finish('refusal'),
  ])
  assert.deepEqual(brokenStreamRules(sse), [])
  const response = await clientOver(sse).responses.stream({ model: 'm', input: 'hi' }).finalResponse()
  assert.deepEqual((response.output[0] as OpenAI.Responses.ResponseOutputMessage).content, [
    { type: 'refusal', refusal: 'No.', parsed: null },
  ])
})

test('only the terminal event waits for the settlement', () => {
  const encoder = codec.encodeStream(frame)
  let sse = ''
  for (const event of everything) sse += encoder.write(event)
  assert.doesNotMatch(sse, /response\.(completed|incomplete)"/)
  assert.equal(eventsIn(sse).filter(({ type }) => type === 'response.output_item.done').length, 6)
})

test('reasoning returns unchanged, whichever vendor made it', () => {
  const encryptedValues: (EncryptedReasoning | null)[] = [
    { vendor: 'anthropic', data: 'EpwG' },
    google,
    { vendor: 'openai', data: 'rs_1.gAAAA' },
    null,
  ]
  for (const encrypted of encryptedValues) {
    const sse = written([
      openThinking,
      delta('Hm.'),
      { kind: 'close', encrypted },
      openText,
      delta('a'),
      close,
    ])
    const body = { model: 'm', input: [...lastOf(sse).response.output, { role: 'user', content: 'b' }] }
    const { turns } = codec.decodeRequest(
      Buffer.from(JSON.stringify(body)),
      { depthMax: 64, valuesMax: 1_000, integerMax: 100 },
      { model: null, stream: false },
    )
    const [thought] = turns[0]!.parts
    assert.ok(thought?.kind === 'thinking')
    assert.equal(thought.text, 'Hm.')
    // OpenAI's own is relayed unchanged; its ID is ours then, and is never sent upstream.
    assert.deepEqual(
      thought.encrypted,
      encrypted?.vendor === 'openai' ? { ...encrypted, data: 'rs_0abc_1.gAAAA' } : encrypted,
    )
  }
})

test('what the caller set is repeated', () => {
  const echo: ResponseOptions['echo'] = [
    ['instructions', 'Be brief.'],
    ['tools', new RawJson('[{"type":"function","name":"f","parameters":{"x":1e2}}]')],
  ]
  const sse = written([start], { ...frame, responseOptions: { ...responseOptions, echo } })
  for (const event of eventsIn(sse)) {
    const response = event.response as unknown as Record<string, unknown>
    assert.equal(response.instructions, 'Be brief.')
    assert.equal(response.store, false)
  }
  assert.match(sse, /"parameters":\{"x":1e2\}/)
})

test('log probabilities are sent with their text, and complete at the end', () => {
  const entry = (token: string) =>
    new RawJson(`[{"token":"${token}","logprob":-0.5,"bytes":[97],"top_logprobs":[]}]`)
  const sse = written([
    openText,
    { kind: 'logprobs', content: entry('a') },
    delta('a'),
    delta('b'),
    { kind: 'logprobs', content: entry('b') },
    close,
  ])
  assert.deepEqual(brokenStreamRules(sse), [])
  const tokens = eventsIn(sse)
    .filter(({ type }) => /output_text\.(delta|done)/.test(type!))
    .map(({ logprobs }) => (logprobs as unknown as { token: string }[]).map(({ token }) => token).join(''))
  assert.deepEqual(tokens, ['a', '', 'ab'])
})

const parts: fc.Arbitrary<ResponsePart> = fc.oneof(
  fc.record({
    kind: fc.constant('text' as const),
    text: fc.string({ unit: 'grapheme', maxLength: 8 }),
    cache: fc.constant(null),
    citations: fc.constant([]),
  }),
  fc.record({ kind: fc.constant('refusal' as const), text: fc.string({ minLength: 1, maxLength: 8 }) }),
  fc.record({
    kind: fc.constant('thinking' as const),
    text: fc.string({ maxLength: 8 }),
    redacted: fc.constant(false),
    encrypted: fc.option(
      fc.record({
        vendor: fc.constantFrom('anthropic' as const, 'google' as const),
        data: fc.base64String({ minLength: 4 }),
      }),
    ),
  }),
  fc.record({
    kind: fc.constant('call' as const),
    id: fc.uuid(),
    name: fc.stringMatching(/^[a-z]{1,9}$/),
    namespace: fc.option(fc.stringMatching(/^[a-z]{1,9}$/)),
    form: fc.constantFrom('json' as const, 'text' as const),
    input: fc.constantFrom('{}', '{"a":"\\u00e9"}', ''),
    encrypted: fc.option(fc.constant(google)),
    pointer: fc.constant(''),
  }),
)

const eventsOf = (answer: readonly ResponsePart[]): readonly ResponseEvent[] =>
  answer.flatMap((part): ResponseEvent[] => {
    if (part.kind === 'media') return [{ kind: 'whole', part }]
    const content = part.kind === 'call' ? part.input : part.text
    const opened = part.kind === 'call' ? part : { kind: part.kind }
    const encrypted = part.kind === 'thinking' ? part.encrypted : null
    return [{ kind: 'open', part: opened }, ...[...content].map(delta), { kind: 'close', encrypted }]
  })

test('a stream and a whole answer of the same parts say the same, and keep the rules', () => {
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 6 }), (all) => {
      const end: Finish = { reason: 'end', stopString: null, explanation: null }
      const answer: NeutralResponse = { parts: all, finish: end, usage, logprobs: null }
      const whole = JSON.parse(codec.encodeResponse(answer, frame, tally)) as Record<string, unknown>
      const sse = written([...eventsOf(all), { kind: 'finish', finish: end }])
      assert.deepEqual(brokenAnswerRules(whole), [])
      assert.deepEqual(brokenStreamRules(sse), [])
      const last = lastOf(sse).response as unknown as Record<string, unknown>
      // A stream leaves out a refusal of no words, and so does a whole answer a text of none.
      assert.deepEqual(last, whole)
    }),
    {
      numRuns: 300,
      examples: [[[{ kind: 'text', text: '\u2028\u2029\u0085', cache: null, citations: [] }]]],
    },
  )
})
