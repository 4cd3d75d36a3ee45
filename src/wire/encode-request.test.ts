/**
 * Conversations as requests of each format: what comes first and in which order, what a model does not take, and what cannot be
 * carried. What is written follows the rules of the format, passes the format's own reader, and is shown as the format's own
 * decoder reads it. Recorded requests, prompts that only grow, and the policy tables are in test/conformance/translation-*.test.ts.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  able,
  adjustments,
  assistant,
  at,
  base64,
  briefTurns,
  by,
  bytesOf,
  call,
  conversation,
  hi,
  image,
  limits,
  reasoning,
  rejection,
  result,
  sampling,
  schemaFormat,
  system,
  text,
  thought,
  tool,
  user,
} from '../../test/support/neutral-values.ts'
import { formatOf, upstreamAddress } from '../../test/support/translation.ts'
import type { ConversationFormat } from './format-names.ts'
import { standIn } from './gemini/encrypted-reasoning.ts'
import { RawJson } from './json/text.ts'
import type { Capabilities } from './translation/capabilities.ts'
import type {
  Conversation,
  ConversationPart,
  ConversationTurn,
  MediaPart,
  Reasoning,
  TranslationTarget,
} from './translation/neutral.ts'
import { carrierId } from './translation/reasoning-carriers.ts'

type Body = Readonly<Record<string, unknown>>
type More = Partial<Conversation>
type Takes = Partial<Capabilities>

/** The newest models of each vendor. */
const base: Readonly<Record<ConversationFormat, Capabilities>> = {
  'openai-chat': { ...able, outputTokensMax: 200_000 },
  'openai-responses': {
    ...able,
    ...{ sampling: 'without_reasoning', topK: false, penalties: false, seed: false, stopsMax: 0 },
    ...{ efforts: ['none', 'low', 'medium', 'high', 'xhigh'], prefill: false, chatTools: 'never' },
    ...{ inputs: ['text', 'image', 'document'], outputTokensMax: 128_000 },
  },
  anthropic: {
    ...able,
    ...{ temperatureMax: 1, penalties: false, seed: false, logprobs: false, thinking: 'adaptive' },
    ...{ efforts: ['low', 'medium', 'high', 'max'], thinkingOff: 'disabled' },
    inputs: ['text', 'image', 'document'],
  },
  gemini: {
    ...able,
    ...{ stopsMax: 5, thinking: 'level', efforts: ['low', 'medium', 'high'], thinkingOff: null },
    ...{ signedCalls: true, midSystem: false, parallelSwitch: false, cacheBreakpoints: false },
    outputTokensMax: 65_536,
  },
}
const old: Takes = {
  sampling: 'all',
  thinking: 'none',
  efforts: [],
  thinkingOff: null,
  cacheBreakpoints: false,
}
const budgeted: Takes = { thinking: 'budget', budget: { min: 1_024, max: 63_999 } }
/** A Claude that cannot be made to call a tool, and checks its thoughts. */
const strict: Takes = {
  ...{ sampling: 'none', thinkingOff: null, bindsThinking: true, forcedTools: false, prefill: false },
}

function encode(
  name: ConversationFormat,
  more: More,
  of: Takes = {},
  target: Partial<TranslationTarget> = {},
) {
  const { codec, wire, rules } = formatOf(name)
  const capabilities = { ...base[name], ...of }
  const to = { model: 'm', capabilities, ...target }
  const { adjusted, ...written } = codec.encodeRequest(conversation(more), to)
  const body = JSON.parse(written.text) as Body
  assert.deepEqual(rules.brokenRequestRules(body, capabilities), [], written.text)
  const address = upstreamAddress(formatOf(name), to, false)
  const { model, canPassThrough } = wire.extractRequest(bytesOf(written.text), limits, address)
  assert.deepEqual([model, canPassThrough], ['m', true])
  const said = adjustments(adjusted).filter((one) => !one.startsWith('added'))
  return { ...written, body, said, added: adjusted.length - said.length, address }
}

/** The turns as the format's own decoder reads them, and what is reported. */
function turnsIn(name: ConversationFormat, turns: readonly ConversationTurn[], of?: Takes): string {
  const { text: body, address, said } = encode(name, { turns }, of)
  const found = briefTurns(formatOf(name).codec.decodeRequest(bytesOf(body), limits, address))
  return [...found, ...said.map((one) => `(${one})`)].join(' / ')
}

const google = by('google', 'c2ln')
const claude = by('anthropic', 'sig')
const openai = by('openai', 'rs_1.gA')
const other = (pointer: string): ConversationPart => ({ kind: 'other', type: 'web_search_call', pointer })
const billing = text('x-anthropic-billing-header: a=1')
const answered = [hi, assistant(call('a')), user(result('a'))]
const long = 'x'.repeat(80)
const marked = carrierId('c1', { encrypted: google, thoughts: [] })

type History = readonly [name: string, turns: readonly ConversationTurn[], expected: string, of?: Takes]

/** In every format. */
const histories: readonly (readonly [
  name: string,
  turns: readonly ConversationTurn[],
  ...expected: string[],
])[] = [
  [
    'results in the order of their calls, before what is said beside them',
    [
      hi,
      assistant(text('Let me see.'), call('a'), call('b')),
      user(
        text('And?'),
        result('b', { isError: true }),
        result('a', { content: [text('x'), image(), text('y')] }),
        text('More.'),
      ),
    ],
    'user | hi / assistant | Let me see. | call a f {} | call b f {} / user | result a [x, image base64 image/png QUJD, y] | result b [seen] error | And? | More.',
    'user | hi / assistant | Let me see. | call a f {} | call b f {} / user | result a [x\ny, image base64 image/png QUJD] | result b [seen] error / user | And? | More. / (adapted call a)',
    'user | hi / assistant | Let me see. | call a f {} | call b f {} / user | result b [seen] | result a [x, image base64 image/png QUJD detail=auto, y] / user | And? | More.',
    'user | hi / assistant | Let me see. | call a f {} | call b f {} / user | result b [seen] / user | result a [x\ny] / user | [image(s) returned by tool call a] | image base64 image/png QUJD / user | And? | More.',
  ],
  [
    'thoughts go back to their own vendor only, and not without what was thought about',
    [
      hi,
      assistant(thought('o', openai), thought('a', claude), thought('g', google), thought('n'), text('x')),
      hi,
      assistant(thought('o', openai), thought('a', claude), call('a', { encrypted: google })),
      user(result('a')),
      assistant(thought('o', openai), thought('a', claude)),
      hi,
    ],
    'user | hi / assistant | thinks a anthropic:sig | x / user | hi / assistant | thinks a anthropic:sig | call a f {} / user | result a [seen] | hi',
    'user | hi / assistant | thinks g google:c2ln | x / user | hi / assistant | call a f {} google:c2ln / user | result a [seen] / user | hi',
    'user | hi / assistant | thinks o openai:.gA | x / user | hi / assistant | thinks o openai:.gA | call a f {} / user | result a [seen] / user | hi',
    'user | hi / assistant | x / user | hi / assistant | call a f {} / user | result a [seen] / user | hi',
  ],
  [
    'instructions keep their place, but for a header of bills',
    [
      system(billing, text('A'), text('B')),
      system(text('C')),
      hi,
      system(text('D')),
      assistant(text('x')),
      hi,
    ],
    'system | A | B | C / user | hi / system | D / assistant | x / user | hi',
    'system | A | B | C / user | hi | <system-reminder>\nD\n</system-reminder> / assistant | x / user | hi / (dropped system[0])',
    'system | A | B / system | C / user | hi / system | D / assistant | x / user | hi / (dropped system[0])',
    'system | A | B / system | C / user | hi / system | D / assistant | x / user | hi / (dropped system)',
  ],
  [
    'free text, cut text, no text, and what is no object',
    [
      hi,
      assistant(
        call('a', { form: 'text', input: 'rm "x"\n' }),
        call('b', { input: '{"a":"cu' }),
        call('c', { input: '' }),
        call('d', { input: '[1]' }),
        call('e', { input: '{ "a" : 9007199254740993, "__proto__": 1e21, "2": "\\u00e9" }' }),
      ),
      user(...['a', 'b', 'c', 'd'].map((id) => result(id)), result('e', { content: [], json: '{"n":1.0}' })),
    ],
    'user | hi / assistant | call a f {"input":"rm \\"x\\"\\n"} | call b f {"_raw":"{\\"a\\":\\"cu"} | call c f {} | call d f {"_raw":"[1]"} | call e f { "a" : 9007199254740993, "__proto__": 1e21, "2": "\\u00e9" } / user | result a [seen] | result b [seen] | result c [seen] | result d [seen] | result e [{"n":1.0}]',
    'user | hi / assistant | call a f {"input":"rm \\"x\\"\\n"} | call b f {"_raw":"{\\"a\\":\\"cu"} | call c f {} | call d f {"_raw":"[1]"} | call e f { "a" : 9007199254740993, "__proto__": 1e21, "2": "\\u00e9" } / user | result a [seen] | result b [seen] | result c [seen] | result d [seen] | result e [{"n":1.0}] / (adapted call a)',
    'user | hi / assistant | call a f "rm "x"\n" | call b f {"a":"cu | call c f {} | call d f [1] | call e f { "a" : 9007199254740993, "__proto__": 1e21, "2": "\\u00e9" } / user | result a [seen] | result b [seen] | result c [seen] | result d [seen] | result e [{"n":1.0}]',
    'user | hi / assistant | call a f {"input":"rm \\"x\\"\\n"} | call b f {"a":"cu | call c f {} | call d f [1] | call e f { "a" : 9007199254740993, "__proto__": 1e21, "2": "\\u00e9" } / user | result a [seen] / user | result b [seen] / user | result c [seen] / user | result d [seen] / user | result e [{"n":1.0}]',
  ],
  [
    'nothing empty',
    [user(text(''), text('a')), assistant(text('')), user(text('b'))],
    'user | a | b',
    'user | a / user | b',
    'user | a / user | b',
    'user | a / user | b',
  ],
  [
    'a refusal',
    [hi, assistant({ kind: 'refusal', text: 'No.' }, text('x')), hi],
    'user | hi / assistant | No. | x / user | hi',
    'user | hi / assistant | No. | x / user | hi',
    'user | hi / assistant | refuses No. | x / user | hi',
    'user | hi / assistant | x | refuses No. / user | hi',
  ],
  [
    'instructions alone',
    [system(text('s'))],
    'system | s / user | . / (adapted messages)',
    'system | s / user',
    'system | s',
    'system | s',
  ],
  [
    'what only another format has is left out and said',
    [system(other('one')), user(text('x'), other('two')), assistant(text('y'), other('three')), hi],
    'user | x / assistant | y / user | hi / (dropped one) / (dropped three) / (dropped two)',
    'user | x / assistant | y / user | hi / (dropped two) / (dropped three)',
    'user | x / assistant | y / user | hi / (dropped one) / (dropped two) / (dropped three)',
    'user | x / assistant | y / user | hi / (dropped one) / (dropped two) / (dropped three)',
  ],
  [
    'marks in ids go no further, and ids that are long or odd are alike in call and result',
    [
      hi,
      assistant(...[marked, 'a b'].map((id) => call(id))),
      user(...[marked, 'a b'].map((id) => result(id))),
    ],
    'user | hi / assistant | call c1 f {} | call call_12y6lse8kryp74tncbzkfkdu f {} / user | result c1 [seen] | result call_12y6lse8kryp74tncbzkfkdu [seen]',
    'user | hi / assistant | call c1 f {} | call call_12y6lse8kryp74tncbzkfkdu f {} / user | result c1 [seen] | result call_12y6lse8kryp74tncbzkfkdu [seen] / (adapted call c1_tg1_W1syLCJjMmxuIl0sW11d7r97)',
    'user | hi / assistant | call c1 f {} | call call_12y6lse8kryp74tncbzkfkdu f {} / user | result c1 [seen] | result call_12y6lse8kryp74tncbzkfkdu [seen]',
    'user | hi / assistant | call c1 f {} | call call_12y6lse8kryp74tncbzkfkdu f {} / user | result c1 [seen] / user | result call_12y6lse8kryp74tncbzkfkdu [seen]',
  ],
]
const order = ['anthropic', 'gemini', 'openai-responses', 'openai-chat'] as const

test('turns in every format', () => {
  for (const [name, turns, ...expected] of histories)
    for (const [index, format] of order.entries())
      assert.equal(turnsIn(format, turns), expected[index], `${name} in ${format}`)
})

const own: Readonly<Record<ConversationFormat, readonly History[]>> = {
  anthropic: [
    ['white space joins the text before it', [user(text('a'), text(' \n'), text('b'))], 'user | a \n | b'],
    [
      'else the text after it',
      [user(text('\n\n'), image(), text('b'))],
      'user | image base64 image/png QUJD | \n\nb',
    ],
    [
      'also where it is a message of its own',
      [user(text('a')), user(text('\t')), user(text('b'))],
      'user | a\t | b',
    ],
    [
      'in an answer too',
      [
        hi,
        assistant(text('a'), text('\n\n'), text('b'), thought('s', claude), text(' '), call('c')),
        user(result('c')),
      ],
      'user | hi / assistant | a\n\n | b  | thinks s anthropic:sig | call c f {} / user | result c [seen]',
    ],
    [
      'an empty message between answers',
      [hi, assistant(text('a')), user(text('')), assistant(text('b')), hi],
      'user | hi / assistant | a / user | . / assistant | b / user | hi / (adapted messages)',
    ],
    [
      'instructions with an empty message',
      [system(text('x')), user(text(''))],
      'system | x / user | . / (adapted messages)',
    ],
    [
      'the assistant begins',
      [assistant(text('Hi.')), hi],
      'user | . / assistant | Hi. / user | hi / (adapted messages)',
    ],
    [
      'instructions before a turn of the user are told in it, behind results',
      [hi, assistant(call('a')), system(text('Be brief.')), user(result('a'))],
      'user | hi / assistant | call a f {} / user | result a [seen] | <system-reminder>\nBe brief.\n</system-reminder>',
    ],
    [
      'where the model takes none they are told too',
      [hi, system(text('Be brief.'))],
      'user | hi | <system-reminder>\nBe brief.\n</system-reminder>',
      { midSystem: false },
    ],
    [
      'the beginning of an answer ends without space',
      [hi, assistant(text('{ '))],
      'user | hi / assistant | { / (adapted messages)',
    ],
    [
      'white space in instructions is preserved',
      [system(text('a'), text('\n\n')), system(text('b')), hi],
      'system | a\n\n | b / user | hi',
    ],
    [
      'an answer of white space is reported',
      [hi, assistant(text('\n')), hi],
      'user | hi | hi / (adapted messages)',
    ],
    [
      'thoughts of Claude go back exactly, the empty and the redacted ones too',
      [
        hi,
        assistant(
          thought('', claude),
          thought('', claude, true),
          text('Hi.'),
          thought('hm', claude),
          call('a'),
        ),
        user(result('a')),
      ],
      'user | hi / assistant | thinks  anthropic:sig | hidden  anthropic:sig | Hi. | thinks hm anthropic:sig | call a f {} / user | result a [seen]',
    ],
    [
      'ids that a host forgot differ',
      [
        hi,
        assistant(call(''), call(''), call('same_1'), call('same')),
        user(...['', '', 'same_1', 'same'].map((id) => result(id))),
      ],
      'user | hi / assistant | call call_6s380xqj7s7v64qak3cfkntu f {} | call _1 f {} | call same_1 f {} | call same f {} / user | result call_6s380xqj7s7v64qak3cfkntu [seen] | result _1 [seen] | result same_1 [seen] | result same [seen]',
    ],
  ],
  gemini: [
    ['nothing', [], 'user'],
    [
      'a model that speaks first',
      [assistant(call('a')), user(result('a'))],
      'user / assistant | call a f {} / user | result a [seen] / (adapted call a)',
    ],
    [
      'instructions later keep their place',
      [hi, assistant(call('a')), system(text('s')), user(result('a'), text('b'))],
      'user | hi / assistant | call a f {} / user | result a [seen] / user | <system-reminder>\ns\n</system-reminder> | b / (adapted call a)',
    ],
    [
      'signatures of Google come back where they were',
      [
        hi,
        assistant(
          thought('t', google),
          thought('', by('google', 'czI=')),
          text('x'),
          call('a', { encrypted: google }),
          call('b'),
        ),
        user(result('a'), result('b')),
      ],
      'user | hi / assistant | thinks t google:c2ln | x | call a f {} google:c2ln | call b f {} / user | result a [seen] | result b [seen]',
    ],
    [
      'a signature without a thought is left out',
      [hi, assistant(text('x'), thought('', google))],
      'user | hi / assistant | x',
    ],
    [
      'a result that is no text, and one of two calls with one id',
      [hi, assistant(call('a'), call('a')), user(result('a'), result('a', { content: [], json: '{"n":2}' }))],
      'user | hi / assistant | call a f {} | call a f {} / user | result a [seen] | result a [{"n":2}] / (adapted call a)',
    ],
    [
      'media behind a result where the model does not take them in it',
      [hi, assistant(call('a')), user(result('a', { content: [text('see'), image()] }), text('and now?'))],
      'user | hi / assistant | call a f {} / user | result a [see] / user | [media returned by tool call a] | image base64 image/png QUJD | and now? / (adapted call a)',
      { resultMedia: false },
    ],
  ],
  'openai-responses': [
    [
      'a model that does not reason gets no thoughts, and one without eyes in results sees them apart',
      [assistant(thought('hm', openai), call('a')), user(result('a', { content: [text('O'), image()] }))],
      'assistant | call a f {} / user | result a [O] / user | [returned by tool call a] | image base64 image/png QUJD detail=auto',
      { ...old, resultMedia: false },
    ],
    [
      'instructions between turns',
      [system(text('S')), hi, system(text('D'))],
      'system | S / user | hi / user | <system-reminder>\nD\n</system-reminder>',
      { midSystem: false },
    ],
    [
      'an item without an id, and without a summary',
      [hi, assistant(thought('', by('openai', '.gB')), call('a')), user(result('a'))],
      'user | hi / assistant | thinks  openai:.gB | call a f {} / user | result a [seen]',
    ],
    ['marks of what to cache', [user(text('x', { cache: '5m' }))], 'user | x ~5m'],
    [
      'marks that are not taken',
      [user(text('x', { cache: '5m' }))],
      'user | x / (dropped cache_control)',
      old,
    ],
  ],
  'openai-chat': [
    [
      'late instructions where the model takes none',
      [hi, system(text('late'))],
      'user | hi / user | <system-reminder>\nlate\n</system-reminder>',
      { midSystem: false },
    ],
    [
      'calls of neighboring turns come together, and media behind their results',
      [
        assistant(call('a')),
        assistant(call('b')),
        user(text('here'), result('a', { content: [image()] })),
        user(result('b')),
        hi,
      ],
      'assistant | call a f {} | call b f {} / user | result a [] / user | result b [seen] / user | [image(s) returned by tool call a] | image base64 image/png QUJD / user | here / user | hi',
    ],
    ['marks of what to cache', [user(text('x', { cache: '5m' }))], 'user | x ~5m'],
    [
      'marks where the model takes none',
      [user(text('x', { cache: '5m' }))],
      'user | x / (dropped cache_control)',
      { cacheBreakpoints: false },
    ],
  ],
}

for (const format of order) {
  test(`${format}: turns as only it has them`, () => {
    for (const [name, turns, expected, of] of own[format])
      assert.equal(turnsIn(format, turns, of), expected, name)
  })
}

// The decoder reads several spellings alike, so these are compared as they are written.

function shown(name: ConversationFormat, more: More, of?: Takes): string {
  const { body } = encode(name, more, of)
  return JSON.stringify(body.messages ?? body.contents ?? body.input)
}

const writtenTurns: readonly (readonly [
  format: ConversationFormat,
  more: More,
  written: string,
  of?: Takes,
])[] = [
  [
    'openai-chat',
    { turns: [system(text('s')), hi] },
    '[{"role":"developer","content":"s"},{"role":"user","content":"hi"}]',
  ],
  [
    'openai-chat',
    { turns: [system(text('s')), hi] },
    '[{"role":"system","content":"s"},{"role":"user","content":"hi"}]',
    { thinking: 'none' },
  ],
  [
    'openai-responses',
    {
      turns: [
        hi,
        assistant(thought('hm', openai), text('x'), call('a', { namespace: 'n' })),
        user(result('a')),
      ],
    },
    '[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]},{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"gA"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"x"}]},{"type":"function_call","call_id":"a","name":"f","namespace":"n","arguments":"{}"},{"type":"function_call_output","call_id":"a","output":"seen"}]',
  ],
  [
    'gemini',
    { turns: [hi, assistant(call('a'), call('b')), user(result('b', { isError: true }), result('a'))] },
    '[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"functionCall":{"id":"a","name":"f","args":{}},"thoughtSignature":"skip_thought_signature_validator"},{"functionCall":{"id":"b","name":"f","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"id":"a","name":"f","response":{"output":"seen"}}},{"functionResponse":{"id":"b","name":"f","response":{"error":"seen"}}}]}]',
  ],
  [
    'gemini',
    { turns: answered },
    '[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"functionCall":{"id":"a","name":"f","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"id":"a","name":"f","response":{"output":"seen"}}}]}]',
    { signedCalls: false },
  ],
  [
    'anthropic',
    { turns: [hi, assistant(call('a')), user(result('a', { content: [text(' ')], isError: true }))] },
    '[{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","is_error":true}]}]',
  ],
  [
    'anthropic',
    { turns: [hi, assistant(call('a')), user(result('a', { content: [text('a'), text('b')] }), image())] },
    '[{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"QUJD"}}]}]',
  ],
]

test('turns as they are written', () => {
  for (const [format, more, written, of] of writtenTurns) assert.equal(shown(format, more, of), written)
})

test('input of calls is the text that the model wrote, where it is an object', () => {
  const written = '{ "a" : 9007199254740993, "__proto__": 1e21, "2": "\\u00e9" }'
  const deep = '['.repeat(100_000)
  for (const [format, before] of [
    ['anthropic', '"input":'],
    ['gemini', '"args":'],
  ] as const) {
    for (const [input, expected] of [
      [written, written],
      [deep, `{"_raw":"${deep}"}`],
    ] as const) {
      const turns = [hi, assistant(call('a', { input })), user(result('a'))]
      assert.ok(encode(format, { turns }).text.includes(before + expected), format)
    }
  }
})

test('long ids become the same short one in call and result', () => {
  for (const format of order) {
    const turns = [hi, assistant(call(`call_${long}`)), user(result(`call_${long}`))]
    const ids = [
      ...encode(format, { turns }).text.matchAll(/"(?:id|call_id|tool_call_id|tool_use_id)":"([^"]+)"/g),
    ]
    assert.deepEqual(
      [...new Set(ids.map(([, id]) => id))].map((id) => /^[\w-]{1,40}$/.test(id ?? '')),
      [true],
      format,
    )
  }
})

const documentOf = (mediaType: string, data?: string): Partial<MediaPart> => ({
  ...{ medium: 'document', ...base64(mediaType, data) },
})
const mediaRows: readonly (readonly [part: Partial<MediaPart>, ...written: string[]])[] = [
  [
    base64('image/JPG'),
    'untranslatable the image',
    '{"inlineData":{"mimeType":"image/jpeg","data":"QUJD"}}',
    '{"type":"input_image","image_url":"data:image/JPG;base64,QUJD","detail":"auto"}',
    '{"type":"image_url","image_url":{"url":"data:image/JPG;base64,QUJD"}}',
  ],
  [
    at('https://a.example/b.webp?x=1'),
    '{"type":"image","source":{"type":"url","url":"https://a.example/b.webp?x=1"}}',
    '{"fileData":{"mimeType":"image/webp","fileUri":"https://a.example/b.webp?x=1"}}',
    '{"type":"input_image","image_url":"https://a.example/b.webp?x=1","detail":"auto"}',
    '{"type":"image_url","image_url":{"url":"https://a.example/b.webp?x=1"}}',
  ],
  [
    { ...at('https://a.example/b'), detail: 'low' },
    '{"type":"image","source":{"type":"url","url":"https://a.example/b"}}',
    '{"fileData":{"fileUri":"https://a.example/b"}}',
    '{"type":"input_image","image_url":"https://a.example/b","detail":"low"}',
    '{"type":"image_url","image_url":{"url":"https://a.example/b","detail":"low"}}',
  ],
  [
    { ...documentOf('application/pdf'), title: 'My paper' },
    '{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"QUJD"},"title":"My paper"}',
    '{"inlineData":{"mimeType":"application/pdf","data":"QUJD"}}',
    '{"type":"input_file","filename":"My paper.pdf","file_data":"data:application/pdf;base64,QUJD"}',
    '{"type":"file","file":{"filename":"My paper","file_data":"data:application/pdf;base64,QUJD"}}',
  ],
  [
    { medium: 'document', ...at('https://a.example/b.pdf') },
    '{"type":"document","source":{"type":"url","url":"https://a.example/b.pdf"}}',
    '{"fileData":{"mimeType":"application/pdf","fileUri":"https://a.example/b.pdf"}}',
    '{"type":"input_file","file_url":"https://a.example/b.pdf"}',
    'untranslatable the image',
  ],
  [
    { medium: 'document', title: 'T', source: { kind: 'text', text: 'é' } },
    '{"type":"document","source":{"type":"text","media_type":"text/plain","data":"é"},"title":"T"}',
    '{"text":"T\\n\\né"}',
    '{"type":"input_text","text":"T\\n\\né"}',
    '{"type":"text","text":"é"}',
  ],
  [
    documentOf('text/csv', 'w6k='),
    '{"type":"document","source":{"type":"text","media_type":"text/plain","data":"é"}}',
    '{"inlineData":{"mimeType":"text/csv","data":"w6k="}}',
    '{"type":"input_file","filename":"document.csv","file_data":"data:text/csv;base64,w6k="}',
    '{"type":"file","file":{"filename":"document","file_data":"data:text/csv;base64,w6k="}}',
  ],
  [
    documentOf('text/plain', '/w=='),
    'untranslatable the image',
    '{"inlineData":{"mimeType":"text/plain","data":"/w=="}}',
    '{"type":"input_file","filename":"document.txt","file_data":"data:text/plain;base64,/w=="}',
    '{"type":"file","file":{"filename":"document","file_data":"data:text/plain;base64,/w=="}}',
  ],
  [
    documentOf('application/zip'),
    'untranslatable the image',
    'untranslatable the image',
    '{"type":"input_file","filename":"document.zip","file_data":"data:application/zip;base64,QUJD"}',
    '{"type":"file","file":{"filename":"document","file_data":"data:application/zip;base64,QUJD"}}',
  ],
  [
    base64('image/svg+xml'),
    'untranslatable the image',
    'untranslatable the image',
    '{"type":"input_image","image_url":"data:image/svg+xml;base64,QUJD","detail":"auto"}',
    '{"type":"image_url","image_url":{"url":"data:image/svg+xml;base64,QUJD"}}',
  ],
  [
    base64('image/gif'),
    '{"type":"image","source":{"type":"base64","media_type":"image/gif","data":"QUJD"}}',
    'untranslatable the image',
    '{"type":"input_image","image_url":"data:image/gif;base64,QUJD","detail":"auto"}',
    '{"type":"image_url","image_url":{"url":"data:image/gif;base64,QUJD"}}',
  ],
  [
    { medium: 'audio', ...base64('audio/mp3') },
    'untranslatable the image',
    '{"inlineData":{"mimeType":"audio/mp3","data":"QUJD"}}',
    'untranslatable the image',
    '{"type":"input_audio","input_audio":{"data":"QUJD","format":"mp3"}}',
  ],
  [
    { medium: 'audio', ...base64('audio/ogg; codecs=opus') },
    'untranslatable the image',
    '{"inlineData":{"mimeType":"audio/ogg","data":"QUJD"}}',
    'untranslatable the image',
    'untranslatable the image',
  ],
]

test('media go as they came, or their place is named', () => {
  for (const [part, ...expected] of mediaRows) {
    for (const [index, format] of order.entries()) {
      const more = { turns: [user(image(part))] }
      const rejected = rejection(() => encode(format, more))
      const [turn] = rejected === '' ? (JSON.parse(shown(format, more)) as Body[]) : []
      const [block] = (turn?.content ?? turn?.parts ?? []) as unknown[]
      const found = rejected === '' ? JSON.stringify(block) : rejected
      assert.equal(found, expected[index], `${JSON.stringify(part)} in ${format}`)
    }
  }
})

type Rejection = readonly [what: string, more: More, pointer: string, of?: Takes]
const lookTool = { tools: [tool('look')] }
/** In every format. */
const rejections: readonly Rejection[] = [
  ['a result without a call', { turns: [hi, user(result('a'))] }, 'result a'],
  ['a call without a result', { turns: [hi, assistant(call('a'))] }, 'call a'],
  [
    'one of two calls without a result',
    { turns: [hi, assistant(call('a'), call('b')), user(result('a'))] },
    'call b',
  ],
  ['two results of one call', { turns: [...answered, user(result('a'))] }, 'result a'],
  ['an image for a model that sees none', { turns: [user(image())] }, 'the image', { inputs: ['text'] }],
  ['an image by the model', { turns: [hi, assistant(image()), hi] }, 'the image'],
  ['a prefilled answer', { turns: [hi, assistant(text('{'))] }, 'messages', { prefill: false }],
  ['a schema', { format: schemaFormat() }, 'response_format', { schemaOutput: false }],
  [
    'a schema beside tools',
    { ...lookTool, format: schemaFormat() },
    'response_format',
    { schemaWithTools: false },
  ],
  ['probabilities', { logprobs: 2 }, 'logprobs', { logprobs: false }],
  [
    'a tool that must be called',
    { ...lookTool, toolChoice: { kind: 'required' } },
    'tool_choice',
    { forcedTools: false },
  ],
]
/** Cases that a format carries anyway. */
const carried: Readonly<Record<ConversationFormat, readonly string[]>> = {
  anthropic: ['probabilities, a tool that must be called'],
  gemini: ['an image by the model'],
  'openai-responses': [
    'a call without a result, one of two calls without a result, two results of one call, a prefilled answer, a schema beside tools',
  ],
  'openai-chat': [
    'a call without a result, one of two calls without a result, two results of one call, an image by the model, a prefilled answer',
  ],
}

function rejected(name: ConversationFormat, more: More, of: Takes = {}): string {
  const capabilities = { ...base[name], ...of }
  return rejection(() => formatOf(name).codec.encodeRequest(conversation(more), { model: 'm', capabilities }))
}

test('what can neither be carried nor left out is rejected with its place', () => {
  for (const format of order) {
    const others = rejections.filter(
      ([, more, pointer, of]) => rejected(format, more, of) !== `untranslatable ${pointer}`,
    )
    assert.equal(others.map(([what]) => what).join(', '), carried[format].join(', '), format)
  }
  for (const [format, more, pointer, of] of [
    ['anthropic', { turns: [system(image()), hi] }, 'the image'],
    [
      'anthropic',
      { turns: [hi, assistant(call('a')), user(result('a', { content: [image()] }))] },
      'the image',
      { resultMedia: false },
    ],
    ['anthropic', { format: schemaFormat('{"$ref":"#"}') }, 'response_format'],
    ...(['anthropic', 'openai-chat'] as const).map(
      (format) =>
        [
          format,
          { ...lookTool, toolChoice: { kind: 'one', name: 'x', namespace: null } },
          'tool_choice',
        ] as const,
    ),
    ['anthropic', { turns: [user(image(at('gs://bucket/b')))] }, 'the image'],
    ['gemini', { outputLimit: 0 }, 'max_tokens'],
    ['openai-chat', lookTool, 'tools', { chatTools: 'never' }],
  ] as const)
    assert.equal(rejected(format, more, of), `untranslatable ${pointer}`)
})

// Settings.

const all = sampling({ temperature: '0.70', topP: '0.5', topK: '5', seed: '7', presencePenalty: '1' })
const effort = (more: Partial<Reasoning>): More => ({ reasoning: reasoning(more) })
const shared: readonly (readonly [more: More, of: Takes, ...written: string[]])[] = [
  [
    { stream: true, outputLimit: 7 },
    {},
    '{"max_tokens":7,"stream":true}',
    '{"generationConfig":{"maxOutputTokens":7,"thinkingConfig":{"includeThoughts":true}}}',
    '{"max_output_tokens":16,"stream":true} adapted max_output_tokens',
    '{"max_completion_tokens":7,"stream":true,"stream_options":{"include_usage":true}}',
  ],
  [
    { outputLimit: 300_000 },
    {},
    'adapted max_tokens',
    '{"generationConfig":{"maxOutputTokens":65536,"thinkingConfig":{"includeThoughts":true}}} adapted max_tokens',
    '{"max_output_tokens":128000} adapted max_output_tokens',
    '{"max_completion_tokens":200000} adapted max_tokens',
  ],
  [
    { sampling: all },
    {},
    '{"temperature":0.7,"top_p":0.5,"top_k":5}',
    '{"generationConfig":{"temperature":0.7,"topP":0.5,"topK":5,"presencePenalty":1,"seed":7,"thinkingConfig":{"includeThoughts":true}}}',
    'dropped temperature dropped top_p',
    '{"temperature":0.7,"top_p":0.5,"presence_penalty":1,"seed":7}',
  ],
  [
    { sampling: all, ...effort({ effort: 'high' }) },
    {},
    '{"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"high"}} dropped temperature dropped top_p dropped top_k',
    '{"generationConfig":{"temperature":0.7,"topP":0.5,"topK":5,"presencePenalty":1,"seed":7,"thinkingConfig":{"thinkingLevel":"HIGH","includeThoughts":true}}}',
    '{"reasoning":{"effort":"high","summary":"auto"}} dropped temperature dropped top_p',
    '{"reasoning_effort":"high","temperature":0.7,"top_p":0.5,"presence_penalty":1,"seed":7}',
  ],
  [
    { sampling: all, ...effort({ effort: 'none' }) },
    { sampling: 'without_reasoning' },
    '{"thinking":{"type":"disabled"},"temperature":0.7,"top_p":0.5,"top_k":5}',
    '{"generationConfig":{"temperature":0.7,"topP":0.5,"topK":5,"presencePenalty":1,"seed":7,"thinkingConfig":{"thinkingLevel":"LOW"}}} adapted reasoning',
    '{"temperature":0.7,"top_p":0.5,"reasoning":{"effort":"none"}}',
    '{"reasoning_effort":"none","temperature":0.7,"top_p":0.5,"presence_penalty":1,"seed":7}',
  ],
  [
    { sampling: all },
    { sampling: 'none', topK: false, penalties: false, seed: false },
    'dropped temperature dropped top_p dropped top_k',
    'dropped temperature dropped top_p dropped top_k dropped presence_penalty dropped seed',
    'dropped temperature dropped top_p',
    'dropped temperature dropped top_p dropped presence_penalty dropped seed',
  ],
  [
    { sampling: all },
    { sampling: 'one_of', topK: false },
    '{"temperature":0.7} dropped top_p dropped top_k',
    '{"generationConfig":{"temperature":0.7,"presencePenalty":1,"seed":7,"thinkingConfig":{"includeThoughts":true}}} dropped top_p dropped top_k',
    '{"temperature":0.7} dropped top_p',
    '{"temperature":0.7,"presence_penalty":1,"seed":7} dropped top_p',
  ],
  [
    { sampling: sampling({ topP: '0.5' }) },
    { sampling: 'one_of' },
    '{"top_p":0.5}',
    '{"generationConfig":{"topP":0.5,"thinkingConfig":{"includeThoughts":true}}}',
    '{"top_p":0.5}',
    '{"top_p":0.5}',
  ],
  [
    { sampling: sampling({ temperature: '1.5', frequencyPenalty: '-1' }) },
    { temperatureMax: 1, sampling: 'all' },
    '{"temperature":1} adapted temperature',
    '{"generationConfig":{"temperature":1,"frequencyPenalty":-1,"thinkingConfig":{"includeThoughts":true}}} adapted temperature',
    '{"temperature":1} adapted temperature',
    '{"temperature":1,"frequency_penalty":-1} adapted temperature',
  ],
  [
    { sampling: sampling({ seed: '9007199254740993' }) },
    { seed: true },
    '',
    'dropped seed',
    '',
    '{"seed":9007199254740992}',
  ],
  [
    { stops: ['a', '\n', 'b', 'c'] },
    { stopsMax: 2 },
    '{"stop_sequences":["a","b"]} adapted stop emulates \n,c',
    '{"generationConfig":{"stopSequences":["a","\\n"],"thinkingConfig":{"includeThoughts":true}}} adapted stop emulates b,c',
    'adapted stop emulates a,\n,b,c',
    '{"stop":["a","\\n"]} adapted stop emulates b,c',
  ],
  [
    { stops: ['a'] },
    { stopsMax: 0 },
    'adapted stop emulates a',
    'adapted stop emulates a',
    'adapted stop emulates a',
    'adapted stop emulates a',
  ],
  [
    { logprobs: 0 },
    {},
    '',
    '{"generationConfig":{"responseLogprobs":true,"thinkingConfig":{"includeThoughts":true}}}',
    '{"include":["reasoning.encrypted_content","message.output_text.logprobs"],"top_logprobs":0}',
    '{"logprobs":true}',
  ],
  [
    { logprobs: 3 },
    { logprobs: true },
    '',
    '{"generationConfig":{"responseLogprobs":true,"logprobs":3,"thinkingConfig":{"includeThoughts":true}}}',
    '{"include":["reasoning.encrypted_content","message.output_text.logprobs"],"top_logprobs":3}',
    '{"logprobs":true,"top_logprobs":3}',
  ],
  [
    { verbosity: 'low', format: { kind: 'json' } },
    {},
    '{"system":"Answer with one JSON object and nothing else."} adapted response_format',
    '{"generationConfig":{"responseMimeType":"application/json","thinkingConfig":{"includeThoughts":true}}}',
    '{"text":{"format":{"type":"json_object"},"verbosity":"low"}}',
    '{"verbosity":"low","response_format":{"type":"json_object"}}',
  ],
  [
    { verbosity: 'low' },
    { thinking: 'none' },
    '',
    '-generationConfig',
    '{"text":{"verbosity":"low"}} -reasoning -include',
    'dropped verbosity',
  ],
  [
    { format: schemaFormat('{"type":"object","properties":{"n":{"minimum":1}}}', 'D') },
    {},
    '{"output_config":{"format":{"type":"json_schema","schema":{"type":"object","properties":{"n":{"description":"{minimum: 1}"}},"additionalProperties":false}}}} adapted response_format',
    '{"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":{"type":"object","properties":{"n":{"minimum":1}}},"thinkingConfig":{"includeThoughts":true}}}',
    '{"text":{"format":{"type":"json_schema","name":"structured_output","description":"D","schema":{"type":"object","properties":{"n":{"minimum":1}}}}}}',
    '{"response_format":{"type":"json_schema","json_schema":{"name":"structured_output","description":"D","schema":{"type":"object","properties":{"n":{"minimum":1}}}}}}',
  ],
  [
    { user: 'u' },
    {},
    '{"metadata":{"user_id":"u"}}',
    '',
    '{"prompt_cache_key":"u","safety_identifier":"u"}',
    '{"safety_identifier":"u","prompt_cache_key":"u"}',
  ],
  [
    { user: 'u', cacheKey: 'k' },
    {},
    '{"metadata":{"user_id":"u"}}',
    '',
    '{"prompt_cache_key":"k","safety_identifier":"u"}',
    '{"safety_identifier":"u","prompt_cache_key":"k"}',
  ],
  [
    { user: long.repeat(4) },
    {},
    '{"metadata":{"user_id":"td9k8u5ia0lniz3569pummvt"}} adapted user',
    '',
    '{"prompt_cache_key":"td9k8u5ia0lniz3569pummvt","safety_identifier":"td9k8u5ia0lniz3569pummvt"}',
    '{"safety_identifier":"td9k8u5ia0lniz3569pummvt","prompt_cache_key":"td9k8u5ia0lniz3569pummvt"}',
  ],
  [
    effort({ effort: 'minimal' }),
    { efforts: ['low', 'high'], thinkingOff: null },
    '{"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"low"}} adapted reasoning',
    '{"generationConfig":{"thinkingConfig":{"thinkingLevel":"LOW","includeThoughts":true}}} adapted reasoning',
    '{"reasoning":{"effort":"low","summary":"auto"}} adapted reasoning',
    '{"reasoning_effort":"low"} adapted reasoning',
  ],
  [
    effort({ effort: 'medium' }),
    { efforts: ['low', 'high'], thinkingOff: null },
    '{"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"high"}} adapted reasoning',
    '{"generationConfig":{"thinkingConfig":{"thinkingLevel":"HIGH","includeThoughts":true}}} adapted reasoning',
    '{"reasoning":{"effort":"low","summary":"auto"}} adapted reasoning',
    '{"reasoning_effort":"high"} adapted reasoning',
  ],
  [
    effort({ effort: 'none' }),
    { efforts: ['low', 'high'], thinkingOff: null },
    '{"output_config":{"effort":"low"}} adapted reasoning',
    '{"generationConfig":{"thinkingConfig":{"thinkingLevel":"LOW"}}} adapted reasoning',
    '{"reasoning":{"effort":"low","summary":"auto"}} adapted reasoning',
    '{"reasoning_effort":"low"} adapted reasoning',
  ],
  [
    effort({ effort: 'max', summaries: false }),
    {},
    '{"thinking":{"type":"adaptive","display":"omitted"},"output_config":{"effort":"max"}}',
    '{"generationConfig":{"thinkingConfig":{"thinkingLevel":"HIGH"}}} adapted reasoning',
    '{"reasoning":{"effort":"xhigh"}} adapted reasoning',
    '{"reasoning_effort":"xhigh"} adapted reasoning',
  ],
  [effort({ summaries: true }), {}, '{"thinking":{"type":"adaptive","display":"summarized"}}', '', '', ''],
  [
    effort({ effort: 'high' }),
    { thinking: 'none' },
    'dropped reasoning',
    '-generationConfig dropped reasoning',
    '-reasoning -include dropped reasoning',
    'dropped reasoning',
  ],
  [effort({ effort: 'none' }), { thinking: 'none' }, '', '-generationConfig', '-reasoning -include', ''],
  [
    effort({ budget: 1_024 }),
    {},
    '{"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"low"}} adapted reasoning',
    '{"generationConfig":{"thinkingConfig":{"thinkingLevel":"LOW","includeThoughts":true}}} adapted reasoning',
    '{"reasoning":{"effort":"low","summary":"auto"}}',
    '{"reasoning_effort":"low"} adapted reasoning',
  ],
  [
    effort({ budget: 6_000 }),
    {},
    '{"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"medium"}} adapted reasoning',
    '{"generationConfig":{"thinkingConfig":{"thinkingLevel":"MEDIUM","includeThoughts":true}}} adapted reasoning',
    '{"reasoning":{"effort":"medium","summary":"auto"}}',
    '{"reasoning_effort":"medium"} adapted reasoning',
  ],
  [
    effort({ budget: 20_000 }),
    {},
    '{"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"high"}} adapted reasoning',
    '{"generationConfig":{"thinkingConfig":{"thinkingLevel":"HIGH","includeThoughts":true}}} adapted reasoning',
    '{"reasoning":{"effort":"high","summary":"auto"}}',
    '{"reasoning_effort":"high"} adapted reasoning',
  ],
  [
    effort({ budget: 0 }),
    {},
    '{"thinking":{"type":"disabled"}}',
    '{"generationConfig":{"thinkingConfig":{"thinkingLevel":"LOW"}}} adapted reasoning',
    '{"reasoning":{"effort":"none"}}',
    '{"reasoning_effort":"none"} adapted reasoning',
  ],
  [effort({ budget: -1 }), {}, '{"thinking":{"type":"adaptive","display":"summarized"}}', '', '', ''],
]

/** The members that differ from those of a request without settings, and what is reported. */
function settingsIn(name: ConversationFormat, more: More, of?: Takes): string {
  const { body, said, emulation } = encode(name, more, of)
  const { body: usual } = encode(name, { turns: more.turns ?? [hi] })
  const differ = Object.entries(body).filter(
    ([member, value]) => JSON.stringify(value) !== JSON.stringify(usual[member]) && member !== 'tools',
  )
  const missing = Object.keys(usual).filter((member) => !(member in body))
  const emulated = emulation === undefined ? [] : [`emulates ${emulation.stops.join()}`]
  const found = differ.length === 0 ? [] : [JSON.stringify(Object.fromEntries(differ))]
  return [...found, ...missing.map((member) => `-${member}`), ...said, ...emulated].join(' ')
}

test('settings go as far as the model takes them, and the rest is said', () => {
  for (const [more, of, ...expected] of shared)
    for (const [index, format] of order.entries())
      assert.equal(
        settingsIn(format, more, of),
        expected[index],
        `${JSON.stringify([more, of])} in ${format}`,
      )
})

const settings: readonly (readonly [format: ConversationFormat, more: More, of: Takes, written: string])[] = [
  [
    'anthropic',
    effort({ effort: 'none' }),
    { thinkingOff: 'between_tools' },
    '{"thinking":{"type":"between_tools"}} adapted reasoning',
  ],
  ['anthropic', effort({ effort: 'low' }), budgeted, '{"thinking":{"type":"enabled","budget_tokens":2048}}'],
  [
    'anthropic',
    { ...effort({ effort: 'max' }), outputLimit: 9_000 },
    budgeted,
    '{"max_tokens":9000,"thinking":{"type":"enabled","budget_tokens":6750}}',
  ],
  [
    'anthropic',
    effort({ budget: 100 }),
    budgeted,
    '{"thinking":{"type":"enabled","budget_tokens":1024}} adapted reasoning',
  ],
  ['anthropic', effort({ budget: 5_000 }), budgeted, '{"thinking":{"type":"enabled","budget_tokens":5000}}'],
  ['anthropic', effort({ budget: -1 }), budgeted, '{"thinking":{"type":"enabled","budget_tokens":8192}}'],
  [
    'anthropic',
    { ...effort({ effort: 'high' }), outputLimit: 1_024 },
    budgeted,
    '{"max_tokens":1024,"thinking":{"type":"disabled"}} adapted reasoning',
  ],
  ['anthropic', { outputLimit: 0 }, {}, '{"max_tokens":1}'],
  [
    'anthropic',
    { sampling: sampling({ temperature: '1.0', topP: '0.95' }), ...effort({ effort: 'high' }) },
    {},
    '{"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"high"},"temperature":1,"top_p":0.95}',
  ],
  ['anthropic', { sampling: sampling({ temperature: '2' }) }, {}, '{"temperature":1} adapted temperature'],
  [
    'gemini',
    effort({ effort: 'low' }),
    { ...budgeted, budget: { min: 128, max: 32_768 } },
    '{"generationConfig":{"thinkingConfig":{"thinkingBudget":1024,"includeThoughts":true}}}',
  ],
  [
    'gemini',
    effort({ effort: 'max' }),
    { ...budgeted, budget: { min: 128, max: 32_768 } },
    '{"generationConfig":{"thinkingConfig":{"thinkingBudget":32768,"includeThoughts":true}}}',
  ],
  [
    'gemini',
    effort({ effort: 'none' }),
    { ...budgeted, budget: { min: 128, max: 32_768 } },
    '{"generationConfig":{"thinkingConfig":{"thinkingBudget":128}}} adapted reasoning',
  ],
  [
    'gemini',
    effort({ effort: 'none' }),
    { ...budgeted, thinkingOff: 'zero' },
    '{"generationConfig":{"thinkingConfig":{"thinkingBudget":0}}}',
  ],
  [
    'gemini',
    effort({ budget: 100_000 }),
    budgeted,
    '{"generationConfig":{"thinkingConfig":{"thinkingBudget":63999,"includeThoughts":true}}} adapted reasoning',
  ],
  [
    'gemini',
    effort({ budget: 64 }),
    budgeted,
    '{"generationConfig":{"thinkingConfig":{"thinkingBudget":1024,"includeThoughts":true}}} adapted reasoning',
  ],
  [
    'gemini',
    effort({ budget: -1, summaries: true }),
    budgeted,
    '{"generationConfig":{"thinkingConfig":{"thinkingBudget":-1,"includeThoughts":true}}}',
  ],
  ['openai-responses', {}, old, '-reasoning -include'],
  ['openai-responses', { outputLimit: 1 }, {}, '{"max_output_tokens":16} adapted max_output_tokens'],
  [
    'openai-responses',
    { sampling: sampling({ temperature: '0.50' }), ...effort({ effort: 'none' }) },
    {},
    '{"temperature":0.5,"reasoning":{"effort":"none"}}',
  ],
  [
    'openai-chat',
    { ...lookTool, ...effort({ effort: 'high' }) },
    { chatTools: 'without_effort' },
    'dropped reasoning',
  ],
  ['openai-chat', effort({ effort: 'high' }), { chatTools: 'without_effort' }, '{"reasoning_effort":"high"}'],
  ['openai-chat', lookTool, { chatTools: 'without_effort' }, ''],
  ['openai-chat', lookTool, { chatTools: 'explicit_none' }, '{"reasoning_effort":"none"} adapted reasoning'],
  [
    'openai-chat',
    { ...lookTool, ...effort({ effort: 'none' }) },
    { chatTools: 'explicit_none' },
    '{"reasoning_effort":"none"}',
  ],
]

test('settings as only one format has them', () => {
  for (const [format, more, of, written] of settings)
    assert.equal(settingsIn(format, more, of), written, JSON.stringify([more, of]))
})

test('a request without settings, but with a search at the provider', () => {
  const providerTools = [{ name: 'web_search', usesMax: 3, pointer: 'tools[0]' }]
  for (const [format, expected] of [
    [
      'anthropic',
      '{"model":"m","tools":[{"type":"web_search_20250305","name":"web_search","max_uses":3}],"max_tokens":64000}',
    ],
    ['gemini', '{"generationConfig":{"thinkingConfig":{"includeThoughts":true}}} dropped tools[0]'],
    [
      'openai-responses',
      '{"model":"m","tools":[{"type":"web_search"}],"max_tool_calls":3,"reasoning":{"summary":"auto"},"include":["reasoning.encrypted_content"],"store":false}',
    ],
    ['openai-chat', '{"model":"m"} dropped tools[0]'],
  ] as const) {
    const { body, said } = encode(format, { providerTools })
    const { messages: _, contents: __, input: ___, ...rest } = body
    assert.equal([JSON.stringify(rest), ...said].join(' '), expected)
  }
})

test('numbers keep their digits', () => {
  for (const format of order)
    assert.match(
      encode(format, { sampling: all }, { sampling: 'all' }).text,
      /"temperature": ?0\.70[,}]/,
      format,
    )
})

// Tools.

const two = [tool('a'), tool('b')]
const closed = new RawJson('{"type":"object","properties":{},"additionalProperties":false}')
const choices: readonly (readonly [more: More, ...written: string[]])[] = [
  [{ tools: [], toolChoice: { kind: 'required' }, parallelCalls: true }, '', '', '', ''],
  [
    { toolChoice: { kind: 'auto' } },
    'a,b {"type":"auto"}',
    'a,b {"functionCallingConfig":{"mode":"AUTO"}}',
    'a,b "auto"',
    'a,b "auto"',
  ],
  [
    { toolChoice: { kind: 'none' }, parallelCalls: false },
    'a,b {"type":"none"}',
    'a,b {"functionCallingConfig":{"mode":"NONE"}}',
    'a,b "none" false',
    'a,b "none" false',
  ],
  [
    { toolChoice: { kind: 'required' }, parallelCalls: false },
    'a,b {"type":"any","disable_parallel_tool_use":true}',
    'a,b {"functionCallingConfig":{"mode":"ANY"}}',
    'a,b "required" false',
    'a,b "required" false',
  ],
  [
    { toolChoice: { kind: 'one', name: 'b', namespace: null } },
    'a,b {"type":"tool","name":"b"}',
    'a,b {"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["b"]}}',
    'a,b {"type":"function","name":"b"}',
    'a,b {"type":"function","function":{"name":"b"}}',
  ],
  [
    { toolChoice: { kind: 'some', required: true, names: ['b'] } },
    'b {"type":"any"}',
    'a,b {"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["b"]}}',
    'a,b {"type":"allowed_tools","mode":"required","tools":[{"type":"function","name":"b"}]}',
    'a,b {"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"function","function":{"name":"b"}}]}}',
  ],
  [
    { toolChoice: { kind: 'some', required: false, names: ['a'] } },
    'a {"type":"auto"}',
    'a,b {"functionCallingConfig":{"mode":"VALIDATED","allowedFunctionNames":["a"]}}',
    'a,b {"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"a"}]}',
    'a,b {"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"a"}}]}}',
  ],
  [{ parallelCalls: true }, 'a,b', 'a,b', 'a,b true', 'a,b true'],
  [
    { tools: [tool('a', { strict: true, schema: closed })] },
    'a strict',
    'a {"functionCallingConfig":{"mode":"VALIDATED"}}',
    'a strict',
    'a strict',
  ],
]

test('the choice among tools is said in the words of the format', () => {
  for (const [more, ...expected] of choices) {
    for (const [index, format] of order.entries()) {
      const { body, said } = encode(format, { tools: two, ...more })
      const { tools, tool_choice, toolConfig, parallel_tool_calls: parallel } = body
      const names = [...JSON.stringify(tools ?? []).matchAll(/"name":"(.)"/g)].map(([, name]) => name)
      const strict = /"strict":true/.test(JSON.stringify(tools)) ? ['strict'] : []
      const choice = [tool_choice ?? toolConfig, parallel].filter((one) => one !== undefined)
      const found = [names.join(), ...strict, ...choice.map((one) => JSON.stringify(one)), ...said]
      assert.equal(found.join(' '), expected[index], `${JSON.stringify(more)} in ${format}`)
    }
  }
})

test('a tool as it is written', () => {
  for (const [format, expected] of [
    [
      'anthropic',
      '[{"name":"a","description":"A","input_schema":{"type":"object","properties":{}},"cache_control":{"type":"ephemeral","ttl":"1h"}}]',
    ],
    ['gemini', '[{"functionDeclarations":[{"name":"a","description":"A"}]}]'],
    [
      'openai-responses',
      '[{"type":"function","name":"a","description":"A","parameters":{"type":"object","properties":{}},"strict":false}] dropped cache_control',
    ],
    ['openai-chat', '[{"type":"function","function":{"name":"a","description":"A"}}]'],
  ] as const) {
    const { body, said } = encode(format, { tools: [tool('a', { cache: '1h', description: 'A' })] })
    assert.equal([JSON.stringify(body.tools), ...said].join(' '), expected)
  }
})

test('tools keep their order and their schemas; names that are not allowed, and free text, come back', () => {
  const schema = '{ "type":"object", "properties": {"2":{}, "1":{"const":9007199254740993}}, "required":[] }'
  const format = new RawJson('{"type":"grammar"}')
  const tools = [
    tool('b', { description: 'B', schema: new RawJson(schema) }),
    tool('none'),
    tool('patch', { form: 'text', format, description: 'Patches.' }),
    tool('strict', { strict: true }),
    tool('read', { namespace: 'mcp' }),
    tool('n'.repeat(80)),
  ]
  const providerTools = [{ name: 'code_execution', usesMax: null, pointer: 'tools[7]' }]
  for (const [name, expected] of [
    [
      'anthropic',
      'b none patch strict mcp__read patch=/patch* mcp__read=mcp/read adapted tool patch dropped tools[7]',
    ],
    [
      'gemini',
      'b none patch strict mcp__read patch=/patch* mcp__read=mcp/read short=/nnnnnnnnn dropped tools[7]',
    ],
    ['openai-responses', 'b none patch strict mcp read short=/nnnnnnnnn dropped tools[7]'],
    [
      'openai-chat',
      'b none patch strict mcp__read patch=/patch* mcp__read=mcp/read short=/nnnnnnnnn adapted tool patch dropped tools[7]',
    ],
  ] as const) {
    const { text: written, names, said } = encode(name, { tools, providerTools })
    assert.ok(written.includes(schema), name)
    const callers = [...names].map(
      ([own, of]) =>
        `${own.length > 20 ? 'short' : own}=${of.namespace ?? ''}/${of.name.slice(0, 9)}${of.wrapped ? '*' : ''}`,
    )
    const kept = [...written.matchAll(/"name":"([^"]{1,10})"/g)].map(([, one]) => one)
    assert.equal([...kept, ...callers, ...said].join(' '), expected, name)
    for (const own of names.keys()) assert.match(own, /^[\w-]{1,64}$/)
  }
  const { text: wrapped } = encode('anthropic', { tools })
  assert.match(
    wrapped,
    /"description":"Patches\.\\n\\nThe input has this format: \{\\"type\\":\\"grammar\\"\}"/,
  )
  assert.match(encode('openai-chat', { tools }).text, /"required":\["input"\]/)
})

test('anthropic: at most twenty tools are strict', () => {
  const tools = Array.from({ length: 22 }, (_, index) => tool(`t${index}`, { strict: true, schema: closed }))
  const { body } = encode('anthropic', { tools })
  assert.equal((body.tools as Body[]).filter(({ strict }) => strict === true).length, 20)
})

const named = (schema: string) => tool('look', { description: 'Looks.', schema: new RawJson(schema) })
const aString = '{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}'
const required = { toolChoice: { kind: 'required' } } as const
const many = (count: number, schema: object) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, schema]))
const optional = (count: number) =>
  JSON.stringify({ type: 'object', properties: many(count, { type: 'string' }) })
const unions = (count: number) => {
  const properties = many(count, { anyOf: [{ type: 'string' }, { type: 'null' }] })
  return JSON.stringify({ type: 'object', properties, required: Object.keys(properties) })
}

test('anthropic: a tool that must be called is asked for as an output where the model cannot be made to call it', () => {
  const { body, emulation } = encode('anthropic', { tools: [named(aString)], ...required }, strict)
  assert.deepEqual([body.tool_choice, emulation], [{ type: 'none' }, { callOf: 'look', stops: [] }])
  assert.partialDeepStrictEqual(body.output_config, {
    format: {
      schema: {
        ...JSON.parse(aString),
        description: 'The input of the tool look. Looks.',
        additionalProperties: false,
      },
    },
  })
  for (const tools of [[named(optional(24))], [named(unions(16))], [tool('look')]])
    assert.equal(encode('anthropic', { tools, ...required }, strict).emulation?.callOf, 'look')
  const merged =
    '{"type":"object","properties":{"a":{"allOf":[{"$ref":"#/$defs/x"},{"$ref":"#/$defs/x"}]}},"$defs":{"x":{"type":"string"}}}'
  // The API rejects the last three.
  for (const more of [
    { tools: [named(aString), tool('other')] },
    { tools: [named(aString)], format: { kind: 'json' } as const },
    ...[
      '{"type":"object","additionalProperties":true}',
      '{"type":"object","properties":{"a":{"type":"object"}}}',
      '{"type":"object","properties":{"a":{"$ref":"#"}}}',
      ...[optional(25), unions(17), merged],
    ].map((schema) => ({ tools: [named(schema)] })),
  ]) {
    const { body: auto, emulation: none, said } = encode('anthropic', { ...more, ...required }, strict)
    assert.deepEqual([auto.tool_choice, none], [{ type: 'auto' }, undefined])
    assert.ok(said.includes('adapted tool_choice'))
  }
  const rejecting = () =>
    encode('anthropic', { tools: [named(aString)], ...required }, strict, { forcedTools: 'reject' })
  assert.equal(rejection(rejecting), 'untranslatable tool_choice')
})

test('anthropic: a model that binds thoughts is asked to drop what it cannot read', () => {
  const turns = [hi, assistant(thought('s', claude), text('x')), hi]
  const { headers, body } = encode('anthropic', { turns }, strict)
  assert.deepEqual(headers, { 'anthropic-beta': 'thinking-binding-controls-2026-08-01' })
  const drops = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } }
  assert.deepEqual(body.thinking, drops)
  for (const written of [encode('anthropic', {}, strict), encode('anthropic', { turns })])
    assert.deepEqual(written.headers, {})
  // Without a place for the wish all thoughts go, since some alone may not.
  const off = { ...strict, thinkingOff: 'between_tools' } as const
  const least = encode('anthropic', { turns, ...effort({ effort: 'none' }) }, off)
  assert.deepEqual(least.body.thinking, { type: 'between_tools' })
  assert.doesNotMatch(least.text, /signature/)
})

test('anthropic: budgeted thinking gives way to what it does not go with', () => {
  const low = effort({ effort: 'low' })
  const whole = [hi, assistant(thought('s', claude), call('a')), user(result('a'))]
  for (const turns of [
    whole,
    [...whole, assistant(call('b')), user(result('b'))],
    [...answered, assistant(text('Done.')), hi],
  ]) {
    const { body } = encode('anthropic', { turns, ...low }, budgeted)
    assert.deepEqual(body.thinking, { type: 'enabled', budget_tokens: 2_048 })
  }
  for (const more of [
    { turns: answered },
    { turns: [hi, assistant(text('{'))] },
    { ...lookTool, ...required },
  ]) {
    const { body, said } = encode('anthropic', { ...more, ...low }, budgeted)
    assert.deepEqual([body.thinking, said], [{ type: 'disabled' }, ['adapted reasoning']])
  }
})

test('anthropic: of the marks of a cache four go, and none of an hour after one of five minutes', () => {
  const rounds = [1, 2, 3, 4, 5].flatMap((n) => [
    user(text(`q${n}`, { cache: '5m' })),
    assistant(text(`a${n}`)),
  ])
  const turns = [system(text('s', { cache: '1h' })), ...rounds, user(text('last', { cache: '1h' }))]
  const more = { turns, tools: [tool('look', { cache: '1h' })] }
  const { text: written, said } = encode('anthropic', more)
  assert.equal(written.match(/cache_control/g)?.length, 4)
  assert.match(written, /"s","cache_control":\{"type":"ephemeral","ttl":"1h"\}/)
  assert.match(written, /"last","cache_control":\{"type":"ephemeral"\}/)
  assert.deepEqual(said, ['dropped cache_control', 'adapted cache_control'])
  const none = encode('anthropic', more, { cacheBreakpoints: false })
  assert.doesNotMatch(none.text, /cache_control/)
  assert.deepEqual(none.said, ['dropped cache_control'])
})

test('anthropic: a prompt without markers is cached once its conversation continues, or as requested', () => {
  const turns = [hi, assistant(text('x')), hi]
  const rows: readonly (readonly [isCached: boolean, More, Partial<TranslationTarget>?, Takes?])[] = [
    [false, {}],
    // A single call with tools is not worth a cache write.
    [false, lookTool],
    [true, { turns }],
    [false, { turns }, { automaticCaching: 'never' }],
    [true, lookTool, { automaticCaching: 'always' }],
    [false, { turns }, {}, { cacheBreakpoints: false }],
    [false, { turns, tools: [tool('look', { cache: '5m' })] }],
  ]
  for (const [isCached, more, target, of] of rows) {
    const { body, added } = encode('anthropic', more, of, target)
    assert.deepEqual([body.cache_control, added], isCached ? [{ type: 'ephemeral' }, 1] : [undefined, 0])
  }
})

test('gemini: a step of calls that Google did not sign has the placeholder, once', () => {
  const turns = [...answered, assistant(call('b'), call('c')), user(result('b'), result('c'))]
  assert.equal(encode('gemini', { turns }).text.split(standIn).length - 1, 2)
  assert.doesNotMatch(encode('gemini', { turns }, { signedCalls: false }).text, /thoughtSignature/)
})

test('what a cache matches by prefix comes first', () => {
  const more = { turns: [system(text('s')), hi], ...lookTool, ...required, outputLimit: 20 }
  for (const [format, expected] of [
    ['anthropic', 'model tools system messages max_tokens tool_choice'],
    ['gemini', 'tools systemInstruction contents toolConfig generationConfig'],
    ['openai-responses', 'model tools input tool_choice max_output_tokens reasoning include store'],
    ['openai-chat', 'model tools messages tool_choice max_completion_tokens'],
  ] as const)
    assert.equal(Object.keys(encode(format, more).body).join(' '), expected)
})
