/**
 * Responses for clients of each format, whole and as a stream: both say the same, follow the rules of the format, and are shown as
 * the format's own decoder reads them; and what a client returns of them with its next request.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  began,
  brief,
  by,
  bytesOf,
  call,
  close,
  decoded,
  delta,
  encoded,
  finish,
  finished,
  frame,
  image,
  limits,
  nowhere,
  open,
  openCall,
  said,
  tapOptions,
  tapped,
  text,
  thought,
  usageOf,
  whole as wholePart,
} from '../../test/support/neutral-values.ts'
import { type Format, formatOf, formats } from '../../test/support/translation.ts'
import type { ConversationFormat } from './format-names.ts'
import { hidesThoughts } from './gemini/decode-request.ts'
import { clientStandIn } from './gemini/encrypted-reasoning.ts'
import { RawJson } from './json/text.ts'
import { oldestForm } from './openai-chat/decode-request.ts'
import type { Finish, Frame, ResponseEvent, ResponsePart } from './translation/neutral.ts'
import { readId, readTag } from './translation/reasoning-carriers.ts'

type Loose = Readonly<Record<string, unknown>>
const usage = usageOf({
  ...{ inputUncached: 10, cacheRead: 5, cacheWrite5m: 2, cacheWrite1h: 1, inputAudio: 4 },
  ...{ output: 30, outputAudio: 6, reasoning: 20, fees: { web_search: 2 } },
})
const tally = { usage, cost: '0.054399' }

function wholeOf(
  { codec, rules }: Format,
  parts: readonly ResponsePart[],
  end: Finish,
  of: Frame = frame(),
): string {
  const body = codec.encodeResponse({ parts, finish: end, usage, logprobs: null }, of, tally)
  assert.deepEqual(rules.brokenAnswerRules(JSON.parse(body)), [], body)
  return body
}

function streamOf({ codec, rules }: Format, events: readonly ResponseEvent[], of: Frame = frame()) {
  const sent = encoded(codec.encodeStream(of), events, tally)
  assert.deepEqual(rules.brokenStreamRules(sent.whole), [], sent.whole)
  return sent
}

/** The events that say the same, letter by letter. */
const eventsOf = (parts: readonly ResponsePart[], end: Finish): readonly ResponseEvent[] => [
  began,
  ...parts.flatMap((part): readonly ResponseEvent[] => {
    if (part.kind === 'media' || (part.kind === 'thinking' && part.redacted)) return [wholePart(part)]
    if (part.kind === 'call') return [openCall(part.id, part), ...[...part.input].map(delta), close()]
    const sources = part.kind === 'text' ? part.citations : []
    return [
      open(part.kind),
      ...[...part.text].map(delta),
      ...sources.map((citation) => ({ kind: 'citation' as const, citation })),
      close(part.kind === 'thinking' ? part.encrypted : null),
    ]
  }),
  finished(end),
]

/** Pieces of a stream put together, as parts in a few words. */
function joined(events: readonly ResponseEvent[]): readonly string[] {
  const parts: ResponsePart[] = []
  let end = ''
  for (const event of events) {
    const last = parts.at(-1)
    if (event.kind === 'whole') parts.push(event.part)
    if (event.kind === 'finish') end = event.finish.reason
    if (event.kind === 'open') {
      const { part } = event
      if (part.kind === 'call') parts.push(call(part.id, { ...part, input: '' }))
      else if (part.kind === 'thinking') parts.push(thought(''))
      else parts.push(part.kind === 'text' ? text('') : { kind: 'refusal', text: '' })
    }
    if (last === undefined) continue
    const at = parts.length - 1
    if (event.kind === 'delta' && last.kind === 'call')
      parts[at] = { ...last, input: last.input + event.text }
    if (event.kind === 'delta' && 'text' in last) parts[at] = { ...last, text: last.text + event.text }
    if (event.kind === 'citation' && last.kind === 'text')
      parts[at] = { ...last, citations: [...last.citations, event.citation] }
    if (event.kind === 'close' && last.kind === 'thinking' && event.encrypted !== null)
      parts[at] = { ...last, encrypted: event.encrypted }
  }
  return [...parts.map(brief), end]
}

/** A stream tells a source without what it says. */
const withoutQuotes = (words: string) => words.replace(/ (?:null|)\]/g, ']')

/** The response as the client gets it; a stream must say the same. */
function received(name: ConversationFormat, parts: readonly ResponsePart[], end: Finish = finish()): string {
  const format = formatOf(name)
  const answer = format.codec.decodeResponse(bytesOf(wholeOf(format, parts, end)), usage)
  const found = [...answer.parts.map(brief), answer.finish.reason]
  // A stream has sent the beginning of an input before it is known to be cut.
  if (parts.some((part) => part.kind === 'call' && part.input.startsWith('{"cut'))) return found.join(' | ')
  const { whole: sse } = streamOf(format, eventsOf(parts, end))
  for (const size of [undefined, 7]) {
    const events = decoded(format.codec.decodeStream(1 << 20), sse, size)
    const streamed = joined(events).map(withoutQuotes)
    assert.deepEqual(streamed, found.map(withoutQuotes), `${name}: ${JSON.stringify(parts)}`)
  }
  return found.join(' | ')
}

const order = ['anthropic', 'gemini', 'openai-responses', 'openai-chat'] as const
const claude = by('anthropic', 'sig')
const google = by('google', 'c2ln')
const openai = by('openai', 'rs_1.gA')
const cited = text('so.', {
  citations: [
    { url: 'https://a', title: 'A', quoted: null },
    { url: null, title: 'b', quoted: 'q' },
  ],
})
const no = { kind: 'refusal', text: 'No.' } as const

const rows: readonly (readonly [
  parts: readonly ResponsePart[],
  end: Partial<Finish>,
  ...received: string[],
])[] = [
  [[text('a')], {}, 'a | end', 'a | end', 'a | end', 'a | end'],
  [[], {}, 'end', 'end', 'end', 'end'],
  [
    [text('\n'), text('a'), text('\n\n'), text('b'), text('')],
    {},
    'a | b | end',
    '\na\n\nb | end',
    '\n | a | \n\n | b | end',
    '\na\n\nb | end',
  ],
  [
    [text('é '), cited],
    {},
    'é  | so. [https://a A ] | end',
    'é so. [https://a A null] | end',
    'é  | so. [https://a A null] | end',
    'é so. [https://a A null] | end',
  ],
  [
    [image()],
    {},
    '[image/png not supported by this format] | end',
    'image base64 image/png QUJD | end',
    'image base64 image/png QUJD | end',
    'image base64 image/png QUJD | end',
  ],
  [
    [no],
    { reason: 'refusal' },
    'No. | refusal',
    'No. | filter',
    'refuses No. | refusal',
    'refuses No. | refusal',
  ],
  [
    [],
    { reason: 'refusal', explanation: 'Not this.' },
    'refusal',
    'filter',
    'refuses Not this. | refusal',
    'refuses Not this. | filter',
  ],
  [[text('a')], { reason: 'refusal' }, 'a | refusal', 'a | filter', 'a | filter', 'a | filter'],
  [
    [text('a')],
    { reason: 'filter', explanation: 'Blocked.' },
    'a | refusal',
    'a | filter',
    'a | filter',
    'a | filter',
  ],
  [
    [text('a')],
    { reason: 'stop_string', stopString: 'END' },
    'a | stop_string',
    'a | end',
    'a | end',
    'a | end',
  ],
  [[text('a')], { reason: 'length' }, 'a | length', 'a | length', 'a | length', 'a | length'],
  [[text('a')], { reason: 'context' }, 'a | context', 'a | length', 'a | length', 'a | length'],
  [[text('a')], { reason: 'pause' }, 'a | pause', 'a | end', 'a | end', 'a | end'],
  [
    [call('toolu_1', { input: '{"a":1}' })],
    { reason: 'calls' },
    'call toolu_1 f {"a":1} | calls',
    'call toolu_1 f {"a":1} | calls',
    'call toolu_1 f {"a":1} | calls',
    'call toolu_1 f {"a":1} | calls',
  ],
  [
    [call('toolu_1'), call(''), call('x'.repeat(60)), call('a b')],
    {},
    'call toolu_1 f {} | call call_0abc_1 f {} | call call_nnarny4d6c6x4tbcoh7pahng f {} | call call_12y6lse8kryp74tncbzkfkdu f {} | calls',
    'call toolu_1 f {} | call call_0abc_2 f {} | call call_nnarny4d6c6x4tbcoh7pahng f {} | call a b f {} | calls',
    'call toolu_1 f {} | call call_0abc_2 f {} | call call_nnarny4d6c6x4tbcoh7pahng f {} | call call_12y6lse8kryp74tncbzkfkdu f {} | calls',
    'call toolu_1 f {} | call call_0abc_1 f {} | call call_nnarny4d6c6x4tbcoh7pahng f {} | call call_12y6lse8kryp74tncbzkfkdu f {} | calls',
  ],
  [
    [call('a', { form: 'text', input: 'free "text"', namespace: 'n' })],
    {},
    'call a f {"input":"free \\"text\\""} | calls',
    'call a f {"input":"free \\"text\\""} | calls',
    'call a n/f "free "text"" | calls',
    'call a f "free "text"" | calls',
  ],
  [
    [call('a', { input: '' }), call('b', { input: '{"cut' })],
    {},
    'call a f {} | call b f {"_raw":"{\\"cut"} | calls',
    'call a f {} | call b f {"_raw":"{\\"cut"} | calls',
    'call a f {} | call b f {"cut | calls',
    'call a f {} | call b f {"cut | calls',
  ],
  [
    [call('a', { input: '{"cut' })],
    { reason: 'length' },
    'call a f {} | length',
    'call a f {"_raw":"{\\"cut"} | length',
    'call a f {"cut | length',
    'call a f {"cut | length',
  ],
  [
    [text('a'), call('a', { encrypted: google }), call('b')],
    {},
    'a | call a_tg1_W1syLCJjMmxuIl0sW11d7r97 f {} | call b f {} | calls',
    'a | call a f {} google:c2ln | call b f {} | calls',
    'a | call a_tg1_W1syLCJjMmxuIl0sW11d7r97 f {} | call b f {} | calls',
    'a | call a_tg1_W1syLCJjMmxuIl0sW11d7r97 f {} google:c2ln | call b f {} | calls',
  ],
  [
    [thought('hm', claude), thought('', claude, true), text('a')],
    {},
    'thinks hm anthropic:sig | hidden  anthropic:sig | a | end',
    'thinks hm anthropic:sig | thinks  anthropic:sig | a | end',
    'thinks hm openai:rs_0abc_1.tg1.anthropic.c2lnzuit | thinks  openai:rs_0abc_2.tg1.anthropic.cmVkYWN0ZWQ6c2lnaz24 | a | end',
    'thinks hm | a | end',
  ],
  [
    [thought('hm', openai), thought('', google), text('a')],
    {},
    'thinks hm anthropic:tg1.openai.cnNfMS5nQQnn2u | thinks  anthropic:tg1.google.YzJsbgujlb | a | end',
    'thinks hm openai:rs_1.gA | a | end',
    'thinks hm openai:rs_0abc_1.gA | thinks  openai:rs_0abc_2.tg1.google.YzJsbgujlb | a | end',
    'thinks hm | a | end',
  ],
  [
    [thought('hm'), text('a')],
    {},
    'thinks hm anthropic:tg1.openai.LQvjac | a | end',
    'thinks hm | a | end',
    'thinks hm openai:rs_0abc_1.tg1.openai.LQvjac | a | end',
    'thinks hm | a | end',
  ],
]

test('what clients of each format receive, whole and streamed', () => {
  for (const [parts, end, ...expected] of rows)
    for (const [index, format] of order.entries())
      assert.equal(
        received(format, parts, finish(end)),
        expected[index],
        `${JSON.stringify([parts, end])} in ${format}`,
      )
})

test('a stream and a whole response of the same parts say the same, whatever they are', () => {
  const letters = fc.constantFrom('a', '"', '\\', '\n', 'é', '😀', '\u0085', '{')
  const words = fc.array(letters, { maxLength: 8 }).map((all) => `a${all.join('')}z`)
  const part: fc.Arbitrary<ResponsePart> = fc.oneof(
    words.map((one) => text(one)),
    fc.tuple(words, fc.constantFrom(claude, openai)).map(([one, sealed]) => thought(one, sealed)),
    fc.tuple(fc.uuid(), fc.constantFrom('{}', '{"a":"\\u00e9"}')).map(([id, input]) => call(id, { input })),
  )
  const parts = fc.array(part, { maxLength: 6 }).map((all) =>
    // Adjacent parts of one kind are one in some formats.
    all.filter(({ kind }, index) => kind === 'call' || kind !== all[index - 1]?.kind),
  )
  fc.assert(
    fc.property(parts, (all) => {
      // The others keep no order between thoughts, texts and calls in a whole response.
      for (const name of ['anthropic', 'openai-responses'] as const) received(name, all)
    }),
    { numRuns: 60 },
  )
  assert.equal(received('openai-responses', [text('a\u2028\u2029\u0085z')]), 'a\u2028\u2029\u0085z | end')
})

test('usage as each format counts it, with the cost, and only in the terminal event of a stream', () => {
  for (const [name, expected] of [
    [
      'anthropic',
      '{"input_tokens":14,"cache_creation_input_tokens":3,"cache_read_input_tokens":5,"cache_creation":{"ephemeral_5m_input_tokens":2,"ephemeral_1h_input_tokens":1},"output_tokens":36,"output_tokens_details":{"thinking_tokens":20},"server_tool_use":{"web_search_requests":2},"cost":0.054399}',
    ],
    [
      'gemini',
      '{"promptTokenCount":22,"candidatesTokenCount":16,"totalTokenCount":58,"cachedContentTokenCount":5,"thoughtsTokenCount":20,"promptTokensDetails":[{"modality":"TEXT","tokenCount":18},{"modality":"AUDIO","tokenCount":4}],"candidatesTokensDetails":[{"modality":"TEXT","tokenCount":10},{"modality":"AUDIO","tokenCount":6}],"cost":0.054399}',
    ],
    [
      'openai-responses',
      '{"input_tokens":22,"input_tokens_details":{"cached_tokens":5,"cache_write_tokens":3},"output_tokens":36,"output_tokens_details":{"reasoning_tokens":20},"total_tokens":58,"cost":0.054399}',
    ],
    [
      'openai-chat',
      '{"prompt_tokens":22,"completion_tokens":36,"total_tokens":58,"prompt_tokens_details":{"cached_tokens":5,"cache_write_tokens":3,"audio_tokens":4},"completion_tokens_details":{"reasoning_tokens":20,"audio_tokens":6},"cost":0.054399}',
    ],
  ] as const) {
    const format = formatOf(name)
    const {
      usage: counted,
      usageMetadata,
      ...head
    } = JSON.parse(wholeOf(format, [text('a')], finish())) as Loose
    const found = JSON.stringify(counted ?? usageMetadata)
    assert.equal(found, expected)
    assert.match(JSON.stringify(head), /0abc".*"asked-for"|"asked-for".*0abc"/)
    const { before, last } = streamOf(format, eventsOf([text('a')], finish()))
    assert.ok(last.includes(found) && !before.includes('"cost"'), name)
  }
})

test('the terminal event waits for the settlement, and a part that is open then is closed with it', () => {
  for (const format of formats) {
    const events = [began, ...said('text', 'a'), openCall('a'), delta('{}')]
    const { before, whole } = streamOf(format, [...events, finished()])
    const tap = tapped(format.wire.tapStream(tapOptions), before)
    assert.equal(tap.state, 'content', format.name)
    const found = joined(decoded(format.codec.decodeStream(1 << 20), whole))
    assert.deepEqual(found, ['a', 'call a f {}', 'calls'], format.name)
  }
})

test('usage in a chat stream is for who asked for it', () => {
  const chat = formatOf('openai-chat')
  const { whole } = streamOf(chat, eventsOf([text('a')], finish()), frame({ includeUsage: false }))
  assert.doesNotMatch(whole, /usage/)
  const { whole: asked } = streamOf(chat, eventsOf([text('a')], finish()))
  assert.equal(asked.match(/"usage":null/g)?.length, 3)
})

test('a Messages stream begins with the input that was reported, and leaves empty thoughts out', () => {
  const events: ResponseEvent[] = [
    { kind: 'input', usage: usageOf({ inputUncached: 77 }) },
    began,
    ...[thought('hm', claude), thought('')].map(wholePart),
    finished(),
  ]
  const { whole: sse } = streamOf(formatOf('anthropic'), events)
  assert.match(sse, /"input_tokens":77/)
  assert.match(sse, /"signature":"sig"/)
  assert.equal(sse.match(/event: content_block_start/g)?.length, 1)
})

// Reasoning that a client returns.

/** The parts in a client's next request, of which `lean` may remove some. */
function returned(
  name: ConversationFormat,
  parts: readonly ResponsePart[],
  lean = (one: Loose): Loose | null => one,
) {
  const body = JSON.parse(wholeOf(formatOf(name), parts, finish({ reason: 'calls' }))) as Loose
  const kept = (list: unknown) => (list as Loose[]).map(lean).filter((one) => one !== null)
  const said: Readonly<Record<ConversationFormat, () => Loose>> = {
    'openai-chat': () => ({ model: 'm', messages: kept([(body.choices as Loose[])[0]?.message]) }),
    'openai-responses': () => ({ model: 'm', input: kept(body.output) }),
    anthropic: () => ({
      model: 'm',
      max_tokens: 9,
      messages: [{ role: 'assistant', content: kept(body.content) }],
    }),
    gemini() {
      const { content } = (body.candidates as { content: { parts: unknown } }[])[0]!
      return { contents: [{ role: 'model', parts: kept(content.parts) }] }
    },
  }
  const address = name === 'gemini' ? { model: 'm', stream: false } : nowhere
  const { turns } = formatOf(name).codec.decodeRequest(bytesOf(said[name]()), limits, address)
  return turns.flatMap((turn) => turn.parts.map(brief)).join(' | ')
}

const everything = [
  thought('hm', claude),
  thought('', by('anthropic', 'empty')),
  thought('', by('anthropic', 'hidden'), true),
  text('so'),
  call('toolu_1'),
  thought('more', openai),
  call('toolu_2', { encrypted: google }),
]
const withoutThoughts: Readonly<Record<ConversationFormat, (one: Loose) => Loose | null>> = {
  'openai-chat': (message) =>
    Object.fromEntries(Object.entries(message).filter(([name]) => !name.startsWith('reasoning'))),
  'openai-responses': (item) => (item.type === 'reasoning' ? null : item),
  anthropic: (block) => (/thinking$/.test(String(block.type)) ? null : block),
  gemini: (part) => (part.thought === true ? null : part),
}

test('reasoning comes back from clients that return every field, and from those that drop thoughts', () => {
  for (const [name, expected, lean] of [
    [
      'anthropic',
      'thinks hm anthropic:sig | thinks  anthropic:empty | hidden  anthropic:hidden | so | call toolu_1 f {} | thinks more openai:rs_1.gA | call toolu_2 f {} google:c2ln',
      'so | call toolu_1 f {} | call toolu_2 f {} google:c2ln',
    ],
    [
      'gemini',
      'thinks hm anthropic:sig | thinks  anthropic:empty | hidden  anthropic:hidden | so | call toolu_1 f {} | thinks more openai:rs_1.gA | call toolu_2 f {} google:c2ln',
      'so | thinks hm anthropic:sig | thinks  anthropic:empty | hidden  anthropic:hidden | call toolu_1 f {} | thinks more openai:rs_1.gA | call toolu_2 f {} google:c2ln',
    ],
    [
      'openai-responses',
      'thinks hm anthropic:sig | thinks  anthropic:empty | hidden  anthropic:hidden | so | call toolu_1 f {} | thinks more openai:rs_0abc_6.gA | call toolu_2 f {} google:c2ln',
      'so | call toolu_1 f {} | call toolu_2 f {} google:c2ln',
    ],
    [
      'openai-chat',
      'thinks hm anthropic:sig | thinks  anthropic:empty | hidden  anthropic:hidden | so | call toolu_1 f {} | thinks more openai:rs_1.gA | call toolu_2 f {} google:c2ln',
      'thinks hm anthropic:sig | thinks  anthropic:empty | hidden  anthropic:hidden | so | call toolu_1 f {} | thinks more openai:rs_1.gA | call toolu_2 f {} google:c2ln',
    ],
  ] as const) {
    assert.equal(returned(name, everything), expected, name)
    assert.equal(returned(name, everything, withoutThoughts[name]), lean, `${name} without thoughts`)
  }
})

test('a signature that does not fit into the ID is in Google’s field with a tag', () => {
  const huge = call('a', { encrypted: by('google', 'R'.repeat(60_000)) })
  assert.match(wholeOf(formatOf('openai-chat'), [huge], finish()), /"id":"a",.*"thought_signature":"dGcx/)
  assert.equal(returned('openai-chat', [huge]), brief(huge))
})

test('sources and thoughts of others are never taken for those of the vendor', () => {
  const body = JSON.parse(wholeOf(formatOf('anthropic'), [thought('hm'), cited], finish())) as {
    content: Loose[]
  }
  const [thinking, quoted] = body.content
  const [source] = (quoted?.citations ?? []) as Loose[]
  for (const sealed of [thinking?.signature, source?.encrypted_index])
    assert.equal(readTag(String(sealed)).kind, 'encrypted')
})

test('ids are short and differ, and each carries its reasoning', () => {
  for (const format of formats) {
    const same = format.name === 'anthropic' ? [call('same'), call('same')] : []
    const parts = [call('x'.repeat(33)), call('a b'), call(''), ...same]
    const ids = [...wholeOf(format, parts, finish()).matchAll(/"(?:id|call_id)":"((?:call_|same)[^"]*)"/g)]
    for (const [, id = ''] of ids) assert.ok(id.length <= 32, id)
    if (format.name === 'anthropic') assert.equal(new Set(ids.map(([, id]) => id)).size, parts.length)
  }
  const sealed = wholeOf(formatOf('anthropic'), [call('a', { encrypted: google })], finish())
  const { id, carrier } = readId(/"id":"(a_[^"]+)"/.exec(sealed)?.[1] ?? '')
  assert.deepEqual([id, carrier], ['a', { encrypted: google, thoughts: [] }])
})

// Members of one format.

const parse = (body: string) => JSON.parse(body) as Loose

test('openai-chat: callers of the oldest form get one call', () => {
  const oldest = frame({ echo: [[oldestForm, true]] })
  const { codec } = formatOf('openai-chat')
  const parts = [call('a', { input: '{"a":1}' })]
  const body = codec.encodeResponse({ parts, finish: finish(), usage, logprobs: null }, oldest, tally)
  assert.match(
    body,
    /"function_call":\{"name":"f","arguments":"\{\\"a\\":1\}"\}.*"finish_reason":"function_call"/,
  )
  const { whole } = encoded(codec.encodeStream(oldest), eventsOf(parts, finish()), tally)
  assert.match(whole, /"function_call":\{"name":"f","arguments":""\}.*"finish_reason":"function_call"/s)
})

test('openai-chat: sources are placed in the text, images next to it', () => {
  const parts = [text('é '), cited, image()]
  const annotations = [
    { type: 'url_citation', url_citation: { start_index: 2, end_index: 5, title: 'A', url: 'https://a' } },
  ]
  const images = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } }]
  const [choice] = parse(wholeOf(formatOf('openai-chat'), parts, finish())).choices as { message: Loose }[]
  assert.deepEqual([choice?.message.annotations, choice?.message.images], [annotations, images])
  const { whole } = streamOf(formatOf('openai-chat'), eventsOf(parts, finish()))
  assert.ok(whole.includes(JSON.stringify(annotations)), whole)
})

const tokens = new RawJson('[\n{"token":"x","logprob":-1,"bytes":[120],"top_logprobs":[]}]')

test('log probabilities are sent on request', () => {
  for (const [name, isAsked, expected] of [
    ['openai-chat', true, /"logprobs":\{"content":\[.\{"token":"x"/s],
    ['openai-chat', false, /"logprobs":null/],
    ['openai-responses', true, /"logprobs":\[.?\{"token":"x"/s],
    ['gemini', true, /"chosenCandidates":\[\{"token":"x","logProbability":-1\}\]/],
  ] as const) {
    const { codec } = formatOf(name)
    const answer = { parts: [text('x')], finish: finish(), usage, logprobs: tokens }
    assert.match(codec.encodeResponse(answer, frame({ logprobs: isAsked }), tally), expected, name)
  }
  for (const name of ['openai-chat', 'openai-responses'] as const) {
    const events = [began, open('text'), { kind: 'logprobs', content: tokens } as const, delta('x'), close()]
    const { whole } = streamOf(formatOf(name), events, frame({ logprobs: true }))
    assert.match(whole, /"token":"x"/)
    assert.doesNotMatch(whole, /\n\{/)
  }
})

test('openai-responses: settings of the caller are repeated, as they were written', () => {
  const echo = [
    ['instructions', 'Be brief.'],
    ['tools', new RawJson('[{"type":"function","name":"f","parameters":{"x":1e2}}]')],
  ] as const
  const { whole } = streamOf(formatOf('openai-responses'), [began], frame({ echo }))
  assert.equal(whole.match(/"instructions":"Be brief\."/g)?.length, whole.match(/"store":false/g)?.length)
  assert.match(whole, /"parameters":\{"x":1e2\}/)
})

test('anthropic: why a request was refused, and what of a response no block can hold', () => {
  const { stop_details: details } = parse(
    wholeOf(formatOf('anthropic'), [], finish({ reason: 'refusal', explanation: 'Not this.' })),
  )
  assert.deepEqual(details, { type: 'refusal', category: null, explanation: 'Not this.' })
  assert.match(
    wholeOf(formatOf('anthropic'), [image()], finish()),
    /\[image\/png not supported by this format\]/,
  )
})

test('gemini: thoughts that a client does not ask for are hidden, and still returned', () => {
  const hiding = frame({ echo: [[hidesThoughts, true]] })
  const parts = [thought('secret', claude), text('a'), call('x')]
  const body = wholeOf(formatOf('gemini'), parts, finish(), hiding)
  const { whole } = streamOf(formatOf('gemini'), eventsOf(parts, finish()), hiding)
  for (const sent of [body, whole]) {
    assert.doesNotMatch(sent, /secret/)
    const { carrier } = readId(/"id":"(x_tg1[^"]+)"/.exec(sent)?.[1] ?? '')
    assert.deepEqual(carrier?.thoughts.map(brief), [brief(thought('secret', claude))])
  }
})

test('gemini: what Google did not sign can continue with its models', () => {
  const body = wholeOf(formatOf('gemini'), [call('a'), call('b')], finish())
  assert.equal(body.split(clientStandIn).length - 1, 1)
  const signed = wholeOf(formatOf('gemini'), [call('a', { encrypted: google })], finish())
  assert.match(signed, /"thoughtSignature":"c2ln"/)
})
