/**
 * Properties of all translations: a conversation that a format can carry returns from it
 * unchanged, damaged bodies and responses end in a named error or in a response and never in a crash, unknown fields are
 * named, and the work grows linearly with the bytes.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sandboxCapabilities } from '../../src/providers/sandbox.ts'
import { WireError } from '../../src/wire/format.ts'
import type { ConversationFormat } from '../../src/wire/format-names.ts'
import { RawJson } from '../../src/wire/json/text.ts'
import type {
  CallPart,
  Conversation,
  ConversationPart,
  ConversationTurn,
  TextPart,
  Tool,
  TranslationTarget,
  Vendor,
} from '../../src/wire/translation/neutral.ts'
import { isLoose, type Loose } from '../support/answer-gist.ts'
import { costRatio } from '../support/cost-ratio.ts'
import { repeated } from '../support/sampled.ts'
import {
  answerInto,
  beginningInto,
  bytesOf,
  chunked,
  cost,
  eventBytesMax,
  type Format,
  formatOf,
  formats,
  limits,
  othersThan,
  recordedAnswers,
  recordedRequests,
  recordedStreams,
  sandboxTarget,
  sent,
  streamInto,
  textOf,
  upstreamAddress,
  watched,
} from '../support/translation.ts'

const pairs = formats.flatMap((from) => othersThan(from).map((to) => [from, to] as const))

// Conversations that a format can carry.

const words = fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => `a${text}z`)
const schemas = fc.constantFrom(
  '{"type":"object","properties":{"b":{"type":"integer"},"a":{"type":"string"}},"required":["b","a"],"additionalProperties":false}',
  '{"type":"object","properties":{"10":{"type":"number"},"9":{"type":"number"}},"required":["10","9"],"additionalProperties":false}',
)
const inputs = fc.constantFrom(
  '{}',
  '{"a":1}',
  '{"big":12345678901234567890,"a":1.0}',
  '{"10":1,"9":"\\u00e9"}',
)

/** A model's reasoning in each format: encrypted by its vendor, separate or on a call. */
const vendors: Readonly<
  Record<ConversationFormat, { readonly thoughts: Vendor | null; readonly calls: Vendor | null }>
> = {
  'openai-chat': { thoughts: null, calls: null },
  'openai-responses': { thoughts: 'openai', calls: null },
  anthropic: { thoughts: 'anthropic', calls: null },
  gemini: { thoughts: null, calls: 'google' },
}

const text = (value: string): TextPart => ({ kind: 'text', text: value, cache: null, citations: [] })

interface Round {
  readonly question: string
  readonly thought: string | null
  readonly answer: string
  readonly calls: readonly { readonly input: string; readonly answer: string }[]
}

const rounds = fc.array(
  fc.record<Round>({
    question: words,
    thought: fc.option(words),
    answer: words,
    calls: fc.array(fc.record({ input: inputs, answer: words }), { maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 4 },
)

function turnsOf(format: ConversationFormat, all: readonly Round[]): readonly ConversationTurn[] {
  const { thoughts, calls: encryptedValues } = vendors[format]
  let count = 0
  return all.flatMap(({ question, thought, answer, calls }): ConversationTurn[] => {
    const made = calls.map(({ input }, index): CallPart => {
      count += 1
      // Google signs only the first of parallel calls.
      const encrypted =
        encryptedValues === null || index > 0
          ? null
          : { vendor: encryptedValues, data: btoa(`encrypted ${count}`) }
      return {
        kind: 'call',
        id: `call_${count}`,
        name: 'look_up',
        namespace: null,
        form: 'json',
        input,
        encrypted,
        pointer: '',
      }
    })
    const results = made.map(
      ({ id }, index): ConversationPart => ({
        kind: 'result',
        callId: id,
        name: 'look_up',
        content: [text(calls[index]?.answer ?? '')],
        json: null,
        isError: false,
        cache: null,
        pointer: '',
      }),
    )
    // An item's ID is dropped: OpenAI would look for the item that followed it.
    const data = `${thoughts === 'openai' ? '.' : ''}${btoa(`thoughts before call ${count}`)}`
    const before: ConversationPart[] =
      thought === null || thoughts === null
        ? []
        : [{ kind: 'thinking', text: thought, redacted: false, encrypted: { vendor: thoughts, data } }]
    const user: ConversationTurn = { role: 'user', parts: [text(question)] }
    const assistant: ConversationTurn = { role: 'assistant', parts: [...before, text(answer), ...made] }
    return results.length === 0 ? [user, assistant] : [user, assistant, { role: 'user', parts: results }]
  })
}

const tool: Tool = {
  name: 'look_up',
  namespace: null,
  description: 'Looks up.',
  form: 'json',
  schema: null,
  format: null,
  strict: null,
  cache: null,
  pointer: '',
}

type Setting = 'outputLimit' | 'stops' | 'toolChoice' | 'user' | 'verbosity' | 'cacheKey'
type Sampled = keyof Conversation['sampling']

/** What each format has a field for. */
const carried: Readonly<
  Record<ConversationFormat, { readonly settings: readonly Setting[]; readonly sampling: readonly Sampled[] }>
> = {
  'openai-chat': {
    settings: ['outputLimit', 'stops', 'toolChoice', 'user', 'verbosity', 'cacheKey'],
    sampling: ['temperature', 'topP', 'presencePenalty', 'frequencyPenalty', 'seed'],
  },
  'openai-responses': {
    settings: ['outputLimit', 'toolChoice', 'user', 'verbosity', 'cacheKey'],
    sampling: ['temperature', 'topP'],
  },
  anthropic: {
    settings: ['outputLimit', 'stops', 'toolChoice', 'user'],
    sampling: ['temperature', 'topP', 'topK'],
  },
  gemini: {
    settings: ['outputLimit', 'stops', 'toolChoice'],
    sampling: ['temperature', 'topP', 'topK', 'presencePenalty', 'frequencyPenalty', 'seed'],
  },
}

const settings = fc.record({
  outputLimit: fc.integer({ min: 2_000, max: 100_000 }),
  temperature: fc.constantFrom('0', '0.25', '1.0', '0.70000000000000001'),
  topP: fc.constantFrom('0.95', '1', '9.5e-1'),
  topK: fc.constantFrom('1', '40'),
  penalty: fc.constantFrom('0.5', '-1.25'),
  seed: fc.constantFrom('0', '42'),
  stops: fc.uniqueArray(fc.constantFrom('END', '\n\n#', 'é'), { minLength: 1, maxLength: 3 }),
  choice: fc.constantFrom('auto', 'none', 'required', 'one'),
  schema: schemas,
  isStream: fc.boolean(),
  system: fc.option(words),
})

function conversationOf(
  turns: readonly ConversationTurn[],
  values: typeof settings extends fc.Arbitrary<infer Value> ? Value : never,
): Conversation {
  const { choice, penalty, schema, system } = values
  const instructions: ConversationTurn[] = system === null ? [] : [{ role: 'system', parts: [text(system)] }]
  return {
    model: 'able',
    stream: values.isStream,
    turns: [...instructions, ...turns, { role: 'user', parts: [text('And now?')] }],
    tools: [{ ...tool, schema: new RawJson(schema) }],
    providerTools: [],
    toolChoice: choice === 'one' ? { kind: 'one', name: tool.name, namespace: null } : { kind: choice },
    parallelCalls: null,
    outputLimit: values.outputLimit,
    sampling: {
      temperature: values.temperature,
      topP: values.topP,
      topK: values.topK,
      presencePenalty: penalty,
      frequencyPenalty: penalty,
      seed: values.seed,
    },
    stops: values.stops,
    // Claude does not accept a temperature with reasoning.
    reasoning: { effort: null, budget: null, summaries: false },
    format: null,
    verbosity: 'low',
    user: 'somebody',
    cacheKey: 'key-1',
    logprobs: null,
    fields: [],
    responseOptions: { includeUsage: true, echo: [], tools: [], logprobs: false },
  }
}

/** The model supports everything that the format has. */
function able(format: ConversationFormat): TranslationTarget {
  const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
  const thinking = format === 'anthropic' ? 'adaptive' : format === 'gemini' ? 'level' : 'effort'
  return { model: 'able', capabilities: { ...sandboxCapabilities, thinking, efforts, stopsMax: 4 } }
}

/** The content, in order, without its positions. */
function contentsOf(turns: readonly ConversationTurn[]): readonly unknown[] {
  return turns.flatMap(({ role, parts }) =>
    parts.map((part) => {
      switch (part.kind) {
        case 'text':
          return [role, part.text]
        case 'thinking':
          return [role, 'thinks', part.text, part.encrypted]
        case 'call':
          return [role, 'calls', part.id, part.name, part.input, part.encrypted]
        case 'result':
          return [
            role,
            'answers',
            part.callId,
            part.json ?? part.content.map((one) => (one.kind === 'text' ? one.text : one)),
          ]
        default:
          return [role, part]
      }
    }),
  )
}

for (const format of formats) {
  test(`a conversation that ${format.name} can carry returns from it unchanged`, () => {
    fc.assert(
      fc.property(rounds, settings, (all, values) => {
        const conversation = conversationOf(turnsOf(format.name, all), values)
        const target = able(format.name)
        const { text: body } = format.codec.encodeRequest(conversation, target)
        assert.deepEqual(format.rules.brokenRequestRules(JSON.parse(body), target.capabilities), [])
        const address = upstreamAddress(format, target, values.isStream)
        const back = format.codec.decodeRequest(bytesOf(body), limits, address)
        assert.deepEqual(contentsOf(back.turns), contentsOf(conversation.turns))
        assert.equal(back.model, conversation.model)
        assert.equal(back.stream, conversation.stream)
        assert.deepEqual(
          back.tools.map(({ name, description, schema }) => [name, description, schema?.text]),
          [[tool.name, tool.description, values.schema]],
        )
        const { settings: names, sampling } = carried[format.name]
        for (const name of names) assert.deepEqual(back[name], conversation[name], name)
        for (const name of sampling) assert.equal(back.sampling[name], conversation.sampling[name], name)
      }),
    )
  })
}

/** What every format can carry of a conversation: reasoning and encrypted values are specific to their vendor. */
const common = (turns: readonly ConversationTurn[]) =>
  contentsOf(
    turns.map(({ role, parts }) => ({
      role,
      parts: parts
        .filter(({ kind }) => kind !== 'thinking')
        .map((part) => (part.kind === 'call' ? { ...part, encrypted: null } : part)),
    })),
  )

for (const [from, to] of pairs) {
  test(`a conversation in ${from.name} has the same content in ${to.name}`, () => {
    fc.assert(
      fc.property(rounds, settings, (all, values) => {
        const conversation = conversationOf(turnsOf(from.name, all), values)
        const { text: body } = from.codec.encodeRequest(conversation, able(from.name))
        const { isStream: stream } = values
        const request = {
          name: 'made',
          body: bytesOf(body),
          address: upstreamAddress(from, able(from.name), stream),
        }
        const target = able(to.name)
        const outcome = sent(from, to, request, target)
        assert.ok(outcome.kind === 'sent')
        assert.deepEqual(to.rules.brokenRequestRules(JSON.parse(outcome.text), target.capabilities), [])
        const address = upstreamAddress(to, target, stream)
        const back = to.codec.decodeRequest(bytesOf(outcome.text), limits, address)
        assert.deepEqual(common(back.turns), common(conversation.turns))
        assert.deepEqual(
          back.tools.map(({ name, schema }) => [name, schema?.text]),
          [[tool.name, values.schema]],
        )
        const [here, there] = [carried[from.name], carried[to.name]]
        for (const name of here.settings) {
          if (there.settings.includes(name)) assert.deepEqual(back[name], conversation[name], name)
        }
        for (const name of here.sampling) {
          if (there.sampling.includes(name))
            assert.equal(back.sampling[name], conversation.sampling[name], name)
        }
      }),
      { numRuns: repeated(15, 25, 50) },
    )
  })
}

// Damaged bodies, responses and streams.

const anyJson = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(
    null,
    '',
    'x',
    -1,
    1e21,
    [],
    {},
    [[]],
    [null],
    { type: 'text' },
    [{ type: 'thinking' }],
    'call_1',
  ),
)

interface Damage {
  /** Which of the values is replaced, as a share of all. */
  readonly at: number
  readonly to: unknown
  readonly isRemoved: boolean
}

const damages: fc.Arbitrary<readonly Damage[]> = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    to: anyJson,
    isRemoved: fc.boolean(),
  }),
  { minLength: 1, maxLength: 3 },
)

function countOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + countOf(one), 1)
  return isLoose(value) ? Object.values(value).reduce<number>((sum, one) => sum + countOf(one), 1) : 1
}

/** The value with one of those in it replaced, or removed. */
function damaged(whole: unknown, { at, to, isRemoved }: Damage): unknown {
  let remaining = 1 + Math.floor(at * (countOf(whole) - 1))
  const gone = Symbol('gone')
  const walk = (value: unknown): unknown => {
    remaining -= 1
    if (remaining === -1) return isRemoved ? gone : to
    if (Array.isArray(value)) return value.map(walk).filter((one) => one !== gone)
    if (!isLoose(value)) return value
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, one]) => {
        const other = walk(one)
        return other === gone ? [] : [[name, other]]
      }),
    )
  }
  return walk(whole)
}

const damagedBy = (whole: unknown, all: readonly Damage[]) => all.reduce<unknown>(damaged, whole)

/** null: it is not a response, and a named error says so. */
function answerOrNull(from: Format, to: Format, body: Uint8Array): string | null {
  try {
    return answerInto(from, to, body)
  } catch (error) {
    if (error instanceof WireError) return null
    throw error
  }
}

for (const from of formats) {
  test(`no damage to a ${from.name} request leads to more than a request or a named error`, () => {
    const requests = recordedRequests(from)
    if (requests.length === 0) return
    fc.assert(
      fc.property(fc.constantFrom(...requests), damages, (request, all) => {
        const body = bytesOf(JSON.stringify(damagedBy(JSON.parse(textOf(request.body)), all)))
        for (const to of othersThan(from)) {
          const outcome = sent(from, to, { ...request, body }, sandboxTarget)
          if (outcome.kind === 'rejected') continue
          assert.doesNotThrow(() => JSON.parse(outcome.text), to.name)
        }
      }),
      { numRuns: repeated(100, 200, 400) },
    )
  })

  test(`no damage to a ${from.name} response breaks more than the response`, () => {
    const answers = recordedAnswers(from)
    if (answers.length === 0) return
    fc.assert(
      fc.property(fc.constantFrom(...answers), damages, ({ response }, all) => {
        const body = bytesOf(JSON.stringify(damagedBy(JSON.parse(response.toString()), all)))
        for (const to of othersThan(from)) {
          const text = answerOrNull(from, to, body)
          if (text !== null) assert.doesNotThrow(() => JSON.parse(text), to.name)
        }
      }),
      { numRuns: repeated(100, 200, 400) },
    )
  })

  test(`no damage to a ${from.name} stream makes its translation throw, or depend on how it is cut`, () => {
    const streams = recordedStreams(from).filter(({ response }) => response.length < 100_000)
    if (streams.length === 0) return
    fc.assert(
      fc.property(fc.constantFrom(...streams), damages, fc.nat(), (recorded, all, seed) => {
        const bytes = bytesOf(damagedStream(recorded.response.toString(), all, seed))
        for (const to of othersThan(from)) {
          const text = beginningInto(from, to, [bytes])
          assert.equal(beginningInto(from, to, chunked(bytes, 1 + (seed % 97))), text)
        }
      }),
      { numRuns: repeated(40, 80, 150) },
    )
  })
}

/** One of its events has other data; some of them are swapped or repeated. */
function damagedStream(sse: string, all: readonly Damage[], seed: number): string {
  const blocks = sse.split(/(?<=\n\n|\r\n\r\n)/)
  const chosen = seed % blocks.length
  return blocks
    .map((block, index) => {
      const data = /^data: ?(\{.*\})\r?$/m.exec(block)
      if (index !== chosen || data?.[1] === undefined) return block
      const other = block.replace(data[1], () => JSON.stringify(damagedBy(JSON.parse(data[1] ?? ''), all)))
      return seed % 3 === 0 ? other + block : other
    })
    .join('')
}

test('bytes that are not a response are a named error', () => {
  for (const { name, codec, wire } of formats) {
    const usage = wire.toUsage(wire.extractResponse(bytesOf(''), 10).rawUsage)
    for (const body of ['', '[]', 'null', '"x"', '{', '<html>', '{}', '\u0000', '{"error":{}}']) {
      try {
        codec.decodeResponse(bytesOf(body), usage)
      } catch (error) {
        assert.ok(error instanceof WireError, `${name}: ${body}: ${String(error)}`)
      }
    }
  }
})

// Unknown fields.

test('an unknown field is omitted and named, wherever the body goes', () => {
  for (const [from, to] of pairs) {
    const request = recordedRequests(from).find(
      ({ name }) => name === 'text-basic' || name === 'text-reasoning' || name.startsWith('tool-'),
    )
    if (request === undefined) return
    const whole = JSON.parse(textOf(request.body)) as Loose
    const body = bytesOf(JSON.stringify({ ...whole, x_new_field: { deep: [1] }, another: 'y' }))
    const [plain, more] = [
      sent(from, to, { ...request, body: bytesOf(JSON.stringify(whole)) }, sandboxTarget),
      sent(from, to, { ...request, body }, sandboxTarget),
    ]
    assert.ok(plain.kind === 'sent' && more.kind === 'sent', `${from.name} to ${to.name}`)
    assert.equal(more.text, plain.text)
    const named = more.adjusted.filter(({ field }) => ['x_new_field', 'another'].includes(field))
    assert.deepEqual(
      named.map(({ kind, field }) => `${kind} ${field}`),
      ['dropped x_new_field', 'dropped another'],
    )
  }
})

// Work that grows with the bytes.

/** A stream of one delta with this many characters, between the events of a recorded stream. */
const largeEvents: Readonly<Record<ConversationFormat, (characters: number) => readonly string[]>> = {
  'openai-chat': (characters) => [
    chunk({
      choices: [
        { index: 0, delta: { role: 'assistant', content: 'é'.repeat(characters) }, finish_reason: null },
      ],
    }),
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
    'data: [DONE]\n\n',
  ],
  'openai-responses': (characters) => [
    named('response.created', { response: { id: 'resp_1', object: 'response', model: 'm', output: [] } }),
    named('response.output_item.added', {
      output_index: 0,
      item: { id: 'msg_1', type: 'message', role: 'assistant', content: [] },
    }),
    named('response.content_part.added', {
      output_index: 0,
      content_index: 0,
      item_id: 'msg_1',
      part: { type: 'output_text', text: '' },
    }),
    named('response.output_text.delta', {
      output_index: 0,
      content_index: 0,
      item_id: 'msg_1',
      delta: 'é'.repeat(characters),
    }),
    named('response.completed', {
      response: { id: 'resp_1', object: 'response', status: 'completed', model: 'm', output: [] },
    }),
  ],
  anthropic: (characters) => [
    named('message_start', {
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    }),
    named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    named('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'é'.repeat(characters) } }),
    named('content_block_stop', { index: 0 }),
    named('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } }),
    named('message_stop', {}),
  ],
  gemini: (characters) => [
    `data: ${JSON.stringify({ candidates: [{ content: { role: 'model', parts: [{ text: 'é'.repeat(characters) }] }, finishReason: 'STOP', index: 0 }] })}\r\n\r\n`,
  ],
}

function chunk(more: Loose): string {
  return `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', ...more })}\n\n`
}

function named(type: string, more: Loose): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: 0, ...more })}\n\n`
}

const usage = formatOf('openai-chat').wire.toUsage({
  fields: {},
  servedOptions: [],
  unknown: [],
  outputShrank: false,
})
const chunkBytes = 4_096

/** Twice as much may take this many times the work; quadratic work takes four times. */
const twofoldMax = 3.5

function translateAll(from: Format, to: Format, bytes: Uint8Array): void {
  const { length } = streamInto(from, to, chunked(bytes, chunkBytes), { usage, cost })
  assert.ok(length > bytes.length / 2, 'all of it was written')
}

test('an event of ten megabytes in small pieces takes twice the work of one of five', () => {
  // Each format is read once and written once.
  for (const [index, from] of formats.entries()) {
    const to = formats[(index + 1) % formats.length] ?? from
    const megabytes = (count: number) => bytesOf(largeEvents[from.name]((count << 20) / 2).join(''))
    const [small, large] = [megabytes(5), megabytes(10)]
    assert.ok(large.length < eventBytesMax)
    translateAll(from, to, small)
    const ratio = costRatio(twofoldMax, {
      small: () => translateAll(from, to, small),
      large: () => translateAll(from, to, large),
    })
    assert.ok(ratio < twofoldMax, `${from.name} to ${to.name}: ${ratio.toFixed(2)} times the work`)
  }
})

test('the work for many small events is linear in their number', () => {
  for (const [index, from] of formats.entries()) {
    const to = formats[(index + 1) % formats.length] ?? from
    const recorded = recordedStreams(from).find(({ name }) => /text|thoughts/.test(name))
    if (recorded === undefined) return
    const blocks = recorded.response.toString().split(/(?<=\n\n|\r\n\r\n)/)
    const middle = blocks.find((block) =>
      /text_delta|output_text\.delta|"delta":\{"content":"[^"]|"text": ?"[^"]/.test(block),
    )
    assert.ok(middle !== undefined, recorded.name)
    const at = blocks.indexOf(middle)
    const many = (count: number) =>
      bytesOf(
        [...blocks.slice(0, at), ...Array.from({ length: count }, () => middle), ...blocks.slice(at)].join(
          '',
        ),
      )
    const [small, large] = [many(10_000), many(20_000)]
    assert.equal(watched(from, [large]).state, 'complete')
    const translated = (bytes: Uint8Array) =>
      streamInto(from, to, chunked(bytes, chunkBytes), { usage, cost })
    translated(small)
    const ratio = costRatio(twofoldMax, { small: () => translated(small), large: () => translated(large) })
    assert.ok(ratio < twofoldMax, `${from.name} to ${to.name}: ${ratio.toFixed(2)} times the work`)
  }
})
