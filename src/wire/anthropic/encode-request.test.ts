/** Conversations as Messages requests: recordings return unchanged, all others follow the format's rules. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fixtureCases } from '../../../test/support/fixtures.ts'
import { brokenRequestRules } from '../../../test/support/rules/anthropic.ts'
import { type ReadLimits, WireError } from '../dialect.ts'
import { RawJson } from '../json/text.ts'
import type { Capabilities } from '../translation/capabilities.ts'
import type {
  CallPart,
  Conversation,
  ConversationPart,
  ConversationTurn,
  EncodedRequest,
  MediaPart,
  ResultPart,
  TextPart,
  ThinkingPart,
  Tool,
  TranslationTarget,
} from '../translation/neutral.ts'
import { carrierId } from '../translation/reasoning-carriers.ts'
import { decodeRequest } from './decode-request.ts'
import { encodeRequest } from './encode-request.ts'
import { extractRequest } from './extract-request.ts'

const limits: ReadLimits = { depthMax: 64, valuesMax: 250_000, integerMax: 1_000_000_000 }
const encoder = new TextEncoder()

/** A model that takes everything. */
const takes: Capabilities = {
  sampling: 'all',
  temperatureMax: 1,
  topK: true,
  penalties: false,
  seed: false,
  stopsMax: 4,
  logprobs: false,
  thinking: 'adaptive',
  efforts: ['low', 'medium', 'high', 'max'],
  thinkingOff: 'disabled',
  budget: null,
  bindsThinking: false,
  signedCalls: false,
  forcedTools: true,
  prefill: true,
  midSystem: true,
  parallelSwitch: true,
  schemaOutput: true,
  schemaWithTools: true,
  cacheBreakpoints: true,
  resultMedia: true,
  inputs: ['text', 'image', 'document'],
  chatTools: 'always',
  outputTokensMax: 64_000,
}
const budgeted: Capabilities = { ...takes, thinking: 'budget', budget: { min: 1_024, max: 63_999 } }
const newest: Capabilities = {
  ...takes,
  sampling: 'none',
  thinkingOff: null,
  bindsThinking: true,
  forcedTools: false,
  prefill: false,
}

const empty: Conversation = {
  model: 'asked-for',
  stream: false,
  turns: [],
  tools: [],
  providerTools: [],
  toolChoice: null,
  parallelCalls: null,
  outputLimit: null,
  sampling: {
    temperature: null,
    topP: null,
    topK: null,
    presencePenalty: null,
    frequencyPenalty: null,
    seed: null,
  },
  stops: [],
  reasoning: { effort: null, budget: null, summaries: null },
  format: null,
  verbosity: null,
  user: null,
  cacheKey: null,
  logprobs: null,
  fields: [],
  responseOptions: { includeUsage: true, echo: [], tools: [], logprobs: false },
}

const text = (words: string, cache: TextPart['cache'] = null): TextPart => ({
  kind: 'text',
  text: words,
  cache,
  citations: [],
})
const user = (...parts: ConversationPart[]): ConversationTurn => ({ role: 'user', parts })
const assistant = (...parts: ConversationPart[]): ConversationTurn => ({ role: 'assistant', parts })
const system = (...parts: ConversationPart[]): ConversationTurn => ({ role: 'system', parts })
const call = (id: string, more: Partial<CallPart> = {}): CallPart => ({
  kind: 'call',
  id,
  name: 'look',
  namespace: null,
  form: 'json',
  input: '{}',
  encrypted: null,
  pointer: `call ${id}`,
  ...more,
})
const result = (callId: string, more: Partial<ResultPart> = {}): ResultPart => ({
  kind: 'result',
  callId,
  name: null,
  content: [text('seen')],
  json: null,
  isError: false,
  cache: null,
  pointer: `result ${callId}`,
  ...more,
})
const thought = (data: string, more: Partial<ThinkingPart> = {}): ThinkingPart => ({
  kind: 'thinking',
  text: 'hm',
  redacted: false,
  encrypted: { vendor: 'anthropic', data },
  ...more,
})
const image = (more: Partial<MediaPart> = {}): MediaPart => ({
  kind: 'media',
  medium: 'image',
  source: { kind: 'base64', mediaType: 'image/png', data: 'aGk=' },
  title: null,
  detail: null,
  cache: null,
  pointer: 'the picture',
  ...more,
})
const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  namespace: null,
  description: null,
  form: 'json',
  schema: new RawJson('{"type":"object","properties":{}}'),
  format: null,
  strict: null,
  cache: null,
  pointer: `tool ${name}`,
  ...more,
})
const hello = user(text('Hello.'))

function encode(more: Partial<Conversation>, capabilities = takes): EncodedRequest {
  const written = encodeRequest({ ...empty, turns: [hello], ...more }, { model: 'm', capabilities })
  assert.deepEqual(brokenRequestRules(JSON.parse(written.text), capabilities), [], written.text)
  // What is written must pass the format's own reading, from which money is bounded.
  assert.equal(extractRequest(encoder.encode(written.text), limits).model, 'm')
  return written
}

type Body = Record<string, unknown>
const body = (more: Partial<Conversation>, capabilities = takes) =>
  JSON.parse(encode(more, capabilities).text) as Body
const adjusted = (more: Partial<Conversation>, capabilities = takes) =>
  encode(more, capabilities)
    .adjusted.filter(({ kind }) => kind !== 'added')
    .map(({ kind, field }) => `${kind} ${field}`)

function refusal(more: Partial<Conversation>, capabilities = takes): string {
  try {
    encodeRequest({ ...empty, turns: [hello], ...more }, { model: 'm', capabilities })
    return 'written'
  } catch (error) {
    assert.ok(error instanceof WireError, String(error))
    return `${error.code} ${error.pointer}`
  }
}

const answered = [hello, assistant(call('a')), user(result('a'))]

/** No request for an answer, and one whose only tool is not offered to other formats' clients. */
const notWritten = ['count-tokens', 'stream-code-execution']

test('recorded requests come back as they were, but for what only another format asks for', () => {
  for (const { name, request, status } of fixtureCases('anthropic')) {
    if (request === undefined || status !== 200 || notWritten.includes(name)) continue
    const before = JSON.parse(request.toString()) as Body
    const decoded = decodeRequest(request, limits)
    const isBudget = (before.thinking as Body | undefined)?.type === 'enabled'
    const capabilities = {
      ...(isBudget ? budgeted : takes),
      efforts: ['low', 'medium', 'high', 'xhigh', 'max'] as const,
      outputTokensMax: 128_000,
    }
    const written = encodeRequest(decoded, { model: decoded.model, capabilities })
    const after = JSON.parse(written.text) as Body
    // The recorded temperature next to thinking is the one value that is removed.
    assert.deepEqual(brokenRequestRules(after, capabilities), [], name)
    const { cache_control: _, ...rest } = after
    assert.deepEqual(plain(rest), plain(before), name)
  }
})

/** What two bodies that ask for the same have alike. */
function plain(request: Body): Body {
  const { stream, system: instructions, tools, messages, thinking, ...rest } = request
  const isOne = Array.isArray(instructions) && instructions.length === 1 && !instructions[0]?.cache_control
  const { display, ...way } = (thinking ?? {}) as Body
  return {
    ...rest,
    ...(stream === true ? { stream } : {}),
    ...(instructions === undefined ? {} : { system: isOne ? instructions[0].text : instructions }),
    ...(tools === undefined ? {} : { tools: (tools as Body[]).flatMap(plainTool) }),
    ...(thinking === undefined ? {} : { thinking: way }),
    messages: (messages as Body[]).map(({ role, content }) => ({
      role,
      content:
        typeof content === 'string' ? [{ type: 'text', text: content }] : (content as Body[]).map(plainBlock),
    })),
  }
}

function plainTool({ defer_loading: _, ...tool }: Body): Body[] {
  const { type, name, max_uses: uses } = tool
  if (typeof type !== 'string') return [tool]
  return name === 'web_search'
    ? [{ type, name, ...(typeof uses === 'number' ? { max_uses: uses } : {}) }]
    : []
}

function plainBlock({ citations: _, ...block }: Body): Body {
  if (block.type !== 'tool_result') return block
  const { is_error: isError, content, ...rest } = block
  const parts = (Array.isArray(content) ? content : [{ type: 'text', text: content }]) as Body[]
  const shown = parts.map((part) =>
    part.type === 'tool_reference' ? { type: 'text', text: `Tool: ${part.tool_name}` } : part,
  )
  return { ...rest, ...(isError === true ? { is_error: true } : {}), content: shown }
}

test('what a cache matches by prefix comes first, and the next turn begins with the bytes of this one', () => {
  const turns = [system(text('Be brief.')), hello, assistant(thought('s'), call('a')), user(result('a'))]
  const more = {
    tools: [tool('look')],
    reasoning: { effort: 'high', budget: null, summaries: null },
  } as const
  const first = encode({ ...more, turns: turns.slice(0, 2) }).text
  const second = encode({ ...more, turns }).text
  const third = encode({ ...more, turns: [...turns, assistant(text('Done.')), user(text('More?'))] }).text
  assert.match(first, /^\{"model":"m","tools":\[.*\],"system":"Be brief.","messages":\[.*\],"max_tokens"/)
  const messages = (whole: string) => whole.slice(0, whole.indexOf(']}],"max_tokens"'))
  assert.ok(second.startsWith(messages(first)))
  assert.ok(third.startsWith(messages(second)))
  assert.equal(encode({ ...more, turns }).text, second)
})

test('results come first, in the order of their calls, with what the user says behind them', () => {
  const turns = [
    hello,
    assistant(text('Let me see.'), call('a'), call('b')),
    user(result('b', { isError: true })),
    user(text('And?'), image()),
    user(result('a', { content: [text('x'), image(), text(' ')] })),
  ]
  const png = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } }
  assert.deepEqual((body({ turns, tools: [tool('look')] }).messages as Body[])[2], {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'x ' }, png] },
      { type: 'tool_result', tool_use_id: 'b', content: 'seen', is_error: true },
      { type: 'text', text: 'And?' },
      png,
    ],
  })
})

test('ids go short and alike in call and result; those that a host forgot differ', () => {
  const long = 'call_'.padEnd(80, 'x')
  const marked = carrierId('toolu_1', { encrypted: { vendor: 'google', data: 'c2lnbg==' }, thoughts: [] })
  for (const ids of [[long], ['a b'], [''], [marked], ['', ''], ['same', 'same', 'same_1']]) {
    const turns = [hello, assistant(...ids.map((id) => call(id))), user(...ids.map((id) => result(id)))]
    const [, answer, shown] = body({ turns }).messages as { content: Body[] }[]
    assert.deepEqual(
      shown?.content.map((block) => block.tool_use_id),
      answer?.content.map(({ id }) => id),
    )
  }
})

const messageCases: readonly [
  what: string,
  turns: readonly ConversationTurn[],
  capabilities: Capabilities,
  expected: unknown,
][] = [
  [
    'white space joins the text before it',
    [user(text('a'), text(' \n'), text('b'))],
    takes,
    [['user', 'a \n', 'b']],
  ],
  ['else the text after it', [user(text('\n\n'), image(), text('b'))], takes, [['user', 'image', '\n\nb']]],
  [
    'also where it is a message of its own',
    [user(text('a')), user(text('\t')), user(text('b'))],
    takes,
    [['user', 'a\t', 'b']],
  ],
  [
    'in an answer too',
    [
      hello,
      assistant(text('a'), text('\n\n'), text('b'), thought('s'), text(' '), call('c')),
      user(result('c')),
    ],
    takes,
    [
      ['user', 'Hello.'],
      ['assistant', 'a\n\n', 'b ', 'thinking', 'tool_use'],
      ['user', 'tool_result'],
    ],
  ],
  [
    'an empty message between answers says something',
    [hello, assistant(text('a')), user(text('')), assistant(text('b')), hello],
    takes,
    [
      ['user', 'Hello.'],
      ['assistant', 'a'],
      ['user', '.'],
      ['assistant', 'b'],
      ['user', 'Hello.'],
    ],
  ],
  ['instructions with an empty message', [system(text('x')), user(text(''))], takes, [['user', '.']]],
  ['no turn at all', [system(text('x'))], takes, [['user', '.']]],
  [
    'the assistant begins',
    [assistant(text('Hi.')), hello],
    takes,
    [
      ['user', '.'],
      ['assistant', 'Hi.'],
      ['user', 'Hello.'],
    ],
  ],
  ['turns of one speaker are joined', [hello, user(text('You?'))], takes, [['user', 'Hello.', 'You?']]],
  [
    'an empty answer joins its neighbours',
    [hello, assistant(text('')), user(text('You?'))],
    takes,
    [['user', 'Hello.', 'You?']],
  ],
  [
    'later instructions keep their place',
    [hello, system(text('Be brief.')), assistant(text('Hi.')), hello],
    takes,
    [
      ['user', 'Hello.'],
      ['system', 'Be brief.'],
      ['assistant', 'Hi.'],
      ['user', 'Hello.'],
    ],
  ],
  [
    'instructions before a turn of the user are told in it, behind results',
    [hello, assistant(call('a')), system(text('Be brief.')), user(result('a'))],
    takes,
    [
      ['user', 'Hello.'],
      ['assistant', 'tool_use'],
      ['user', 'tool_result', '<system-reminder>\nBe brief.\n</system-reminder>'],
    ],
  ],
  [
    'where the model takes none they are told too',
    [hello, system(text('Be brief.'))],
    { ...takes, midSystem: false },
    [['user', 'Hello.', '<system-reminder>\nBe brief.\n</system-reminder>']],
  ],
  [
    'instructions after an answer are a turn of the user',
    [hello, assistant(text('Hi.')), system(text('Go on.'))],
    takes,
    [
      ['user', 'Hello.'],
      ['assistant', 'Hi.'],
      ['user', '<system-reminder>\nGo on.\n</system-reminder>'],
    ],
  ],
  [
    'a refusal is text',
    [hello, assistant({ kind: 'refusal', text: 'No.' }), hello],
    takes,
    [
      ['user', 'Hello.'],
      ['assistant', 'No.'],
      ['user', 'Hello.'],
    ],
  ],
  [
    'the beginning of an answer ends without space',
    [hello, assistant(text('{ '))],
    takes,
    [
      ['user', 'Hello.'],
      ['assistant', '{'],
    ],
  ],
  [
    'thoughts at the end of an answer are none',
    [hello, assistant(thought('s')), hello],
    takes,
    [['user', 'Hello.', 'Hello.']],
  ],
  [
    'thoughts of other vendors are left out',
    [
      hello,
      assistant(
        thought('s', { encrypted: { vendor: 'openai', data: 'x' } }),
        thought('', { encrypted: null }),
        text('Hi.'),
      ),
      hello,
    ],
    takes,
    [
      ['user', 'Hello.'],
      ['assistant', 'Hi.'],
      ['user', 'Hello.'],
    ],
  ],
]

test('turns become legal messages', () => {
  for (const [what, turns, capabilities, expected] of messageCases) {
    const { messages } = body({ turns }, capabilities) as { messages: { role: string; content: Body[] }[] }
    assert.deepEqual(
      messages.map(({ role, content }) => [role, ...content.map((block) => block.text ?? block.type)]),
      expected,
      what,
    )
  }
})

test('white space in instructions and in tool results is preserved, or reported where it cannot be', () => {
  const request = body({ turns: [system(text('a'), text('\n\n')), system(text('b')), hello] })
  assert.deepEqual(request.system, [
    { type: 'text', text: 'a\n\n' },
    { type: 'text', text: 'b' },
  ])
  const results = (...content: TextPart[]) => {
    const conversation = { turns: [hello, assistant(call('a')), user(result('a', { content }))] }
    const { messages } = body(conversation) as { messages?: { content: Body[] }[] }
    return [messages?.[2]?.content[0]?.content, adjusted(conversation)]
  }
  assert.deepEqual(results(text('x'), text('\n'), text('y')), [
    [
      { type: 'text', text: 'x\n' },
      { type: 'text', text: 'y' },
    ],
    [],
  ])
  assert.deepEqual(results(text('\n')), [undefined, ['adapted result a']])
  assert.deepEqual(adjusted({ turns: [hello, assistant(text('\n')), hello] }), ['adapted messages'])
})

test('a last message that says nothing is refused, not made up', () => {
  for (const turns of [
    [user(text(''))],
    [user(text(' \n'))],
    [hello, assistant(text('Yes.')), user(text(''))],
  ]) {
    assert.throws(
      () => encode({ turns }),
      (error) =>
        error instanceof WireError &&
        error.code === 'untranslatable' &&
        /only whitespace/.test(error.message),
    )
  }
})

test('thoughts of Claude go back exactly, the empty and the redacted ones too', () => {
  const turns = [
    hello,
    assistant(
      thought('s1', { text: '' }),
      thought('s2', { text: '', redacted: true }),
      text('Hi.'),
      thought('s3'),
      call('a'),
    ),
    user(result('a')),
  ]
  const { content } = (body({ turns }).messages as { content: Body[] }[])[1] ?? {}
  assert.deepEqual(content?.slice(0, 4), [
    { type: 'thinking', thinking: '', signature: 's1' },
    { type: 'redacted_thinking', data: 's2' },
    { type: 'text', text: 'Hi.' },
    { type: 'thinking', thinking: 'hm', signature: 's3' },
  ])
})

test('a model that binds thoughts is asked to drop what it cannot read', () => {
  const turns = [hello, assistant(thought('s'), text('Hi.')), hello]
  const bound = encode({ turns }, newest)
  assert.deepEqual(bound.headers, { 'anthropic-beta': 'thinking-binding-controls-2026-08-01' })
  assert.deepEqual((JSON.parse(bound.text) as Body).thinking, {
    type: 'adaptive',
    block_binding: { prefix_mismatch_behavior: 'drop_block' },
  })
  assert.deepEqual(encode({}, newest).headers, {})
  assert.deepEqual(encode({ turns }).headers, {})
  // Without a place for the wish all thoughts go, since some alone may not.
  const reasoning = { effort: 'none', budget: null, summaries: null } as const
  const least = body({ turns, reasoning }, { ...newest, thinkingOff: 'between_tools' })
  assert.deepEqual(least.thinking, { type: 'between_tools' })
  assert.doesNotMatch(JSON.stringify(least.messages), /signature/)
})

const inputs: readonly [input: string, form: CallPart['form'], written: string][] = [
  ['', 'json', '{}'],
  [
    '{ "a" : 9007199254740993, "__proto__": 1e21, "2": "\\u00e9" }',
    'json',
    '{ "a" : 9007199254740993, "__proto__": 1e21, "2": "\\u00e9" }',
  ],
  ['{"a":"cu', 'json', '{"_raw":"{\\"a\\":\\"cu"}'],
  ['[1]', 'json', '{"_raw":"[1]"}'],
  ['['.repeat(100_000), 'json', `{"_raw":"${'['.repeat(100_000)}"}`],
  ['rm -rf "x"\n', 'text', '{"input":"rm -rf \\"x\\"\\n"}'],
]

test('input of calls goes as the model wrote it, where it is an object', () => {
  for (const [input, form, written] of inputs) {
    const turns = [hello, assistant(call('a', { input, form })), user(result('a'))]
    assert.ok(encode({ turns }).text.includes(`"name":"look","input":${written}}`), input.slice(0, 50))
  }
})

const results: readonly [more: Partial<ResultPart>, content: unknown][] = [
  [{ content: [] }, undefined],
  [{ content: [text(' ')] }, undefined],
  [
    { content: [text('a'), text('b')] },
    [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ],
  ],
  [{ content: [], json: '{"n":1.0}' }, '{"n":1.0}'],
]

test('results are text where that is all', () => {
  for (const [more, content] of results) {
    const turns = [hello, assistant(call('a')), user(result('a', more))]
    const shown = (body({ turns }).messages as { content: Body[] }[])[2]
    assert.deepEqual(shown?.content[0]?.content, content, JSON.stringify(more))
  }
})

const media: readonly [part: Partial<MediaPart>, expected: unknown][] = [
  [
    { source: { kind: 'base64', mediaType: 'image/jpg', data: 'aGk=' } },
    { type: 'base64', media_type: 'image/jpeg', data: 'aGk=' },
  ],
  [
    { source: { kind: 'url', mediaType: null, url: 'https://a.example/b.png' } },
    { type: 'url', url: 'https://a.example/b.png' },
  ],
  [
    { medium: 'document', source: { kind: 'base64', mediaType: 'application/pdf', data: 'aGk=' } },
    { type: 'base64', media_type: 'application/pdf', data: 'aGk=' },
  ],
  [
    { medium: 'document', source: { kind: 'base64', mediaType: 'text/csv', data: 'w6k=' } },
    { type: 'text', media_type: 'text/plain', data: 'é' },
  ],
  [
    { medium: 'document', source: { kind: 'text', text: 'é' } },
    { type: 'text', media_type: 'text/plain', data: 'é' },
  ],
  [
    { medium: 'document', source: { kind: 'url', mediaType: null, url: 'http://a.example/b' } },
    { type: 'url', url: 'http://a.example/b' },
  ],
  [{ source: { kind: 'base64', mediaType: 'image/svg+xml', data: 'aGk=' } }, 'untranslatable the picture'],
  [{ source: { kind: 'url', mediaType: null, url: 'gs://bucket/b' } }, 'untranslatable the picture'],
  [{ medium: 'audio' }, 'untranslatable the picture'],
  [
    { medium: 'document', source: { kind: 'base64', mediaType: 'application/zip', data: 'aGk=' } },
    'untranslatable the picture',
  ],
  [
    { medium: 'document', source: { kind: 'base64', mediaType: 'text/plain', data: '/w==' } },
    'untranslatable the picture',
  ],
]

test('media go as they came, or their place is named', () => {
  for (const [part, expected] of media) {
    const turns = [user(image(part))]
    if (typeof expected === 'string') assert.equal(refusal({ turns }), expected)
    else {
      const [message] = body({ turns }).messages as { content: Body[] }[]
      assert.deepEqual(message?.content[0]?.source, expected)
    }
  }
})

const refusals: readonly [
  what: string,
  more: Partial<Conversation>,
  capabilities: Capabilities,
  pointer: string,
][] = [
  ['a result without a call', { turns: [hello, user(result('a'))] }, takes, 'result a'],
  ['a call without a result', { turns: [hello, assistant(call('a')), hello] }, takes, 'call a'],
  ['a call at the end', { turns: [hello, assistant(call('a'))] }, takes, 'call a'],
  [
    'two results of one call',
    { turns: [hello, assistant(call('a')), user(result('a'), result('a'))] },
    takes,
    'result a',
  ],
  ['media of an assistant', { turns: [hello, assistant(image()), hello] }, takes, 'the picture'],
  ['media in an instruction', { turns: [system(image()), hello] }, takes, 'the picture'],
  ['a picture for the blind', { turns: [user(image())] }, { ...takes, inputs: ['text'] }, 'the picture'],
  [
    'a picture in a result',
    { turns: [hello, assistant(call('a')), user(result('a', { content: [image()] }))] },
    { ...takes, resultMedia: false },
    'the picture',
  ],
  ['prefill', { turns: [hello, assistant(text('{'))] }, newest, 'messages'],
  [
    'a tool that is not there, by its name',
    { tools: [tool('look')], toolChoice: { kind: 'one', name: 'other', namespace: null } },
    newest,
    'tool_choice',
  ],
  [
    'a tool that is not there',
    { tools: [tool('look')], toolChoice: { kind: 'one', name: 'x', namespace: null } },
    takes,
    'tool_choice',
  ],
  [
    'a schema',
    { format: { kind: 'schema', name: null, description: null, schema: new RawJson('{}'), strict: null } },
    { ...takes, schemaOutput: false },
    'response_format',
  ],
  [
    'a schema that refers to itself',
    {
      format: {
        kind: 'schema',
        name: null,
        description: null,
        schema: new RawJson('{"$ref":"#"}'),
        strict: null,
      },
    },
    takes,
    'response_format',
  ],
]

test('what can neither be carried nor left out is refused with its place', () => {
  for (const [what, more, capabilities, pointer] of refusals) {
    assert.equal(refusal(more, capabilities), `untranslatable ${pointer}`, what)
  }
})

test('a tool that must be called is asked for as an output where the model cannot be made to call it', () => {
  const named = (schema: string): Tool => ({
    ...tool('look'),
    description: 'Looks.',
    schema: new RawJson(schema),
  })
  const closed = '{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}'
  const forced = (tools: readonly Tool[], more: Partial<Conversation> = {}) =>
    encode({ tools, toolChoice: { kind: 'required' }, ...more }, newest)
  const found = forced([named(closed)])
  assert.deepEqual(found.emulation, { callOf: 'look', stops: [] })
  const written = JSON.parse(found.text) as { tool_choice: Body; output_config: { format: { schema: Body } } }
  assert.deepEqual(written.tool_choice, { type: 'none' })
  assert.deepEqual(written.output_config.format.schema, {
    description: 'The input of the tool look. Looks.',
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  })
  const format = { kind: 'json' } as const
  const open = [
    '{"type":"object","additionalProperties":true}',
    '{"type":"object","properties":{"a":{"type":"object"}}}',
  ]
  const recursive = '{"type":"object","properties":{"a":{"$ref":"#"}}}'
  const properties = (count: number, schema: object) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, schema]))
  const optional = (count: number) =>
    JSON.stringify({ type: 'object', properties: properties(count, { type: 'string' }) })
  const nullable = { anyOf: [{ type: 'string' }, { type: 'null' }] }
  const unions = (count: number) => {
    const input = properties(count, nullable)
    return JSON.stringify({ type: 'object', properties: input, required: Object.keys(input) })
  }
  const merged =
    '{"type":"object","properties":{"a":{"allOf":[{"$ref":"#/$defs/x"},{"$ref":"#/$defs/x"}]}},"$defs":{"x":{"type":"string"}}}'
  // The API refuses these.
  const tooMuch = [optional(25), unions(17), merged]
  for (const schema of [optional(24), unions(16)]) {
    assert.equal(forced([named(schema)]).emulation?.callOf, 'look')
  }
  const unforcedCases: readonly (readonly [readonly Tool[], Partial<Conversation>])[] = [
    [[named(closed), tool('other')], {}],
    [[named(closed)], { format }],
    ...[...open, recursive, ...tooMuch].map((schema) => [[named(schema)], {}] as const),
  ]
  for (const [tools, more] of unforcedCases) {
    const { text: auto, emulation, adjusted: adjustments } = forced(tools, more)
    assert.deepEqual((JSON.parse(auto) as Body).tool_choice, { type: 'auto' })
    assert.equal(emulation, undefined)
    assert.ok(adjustments.some(({ kind, field }) => kind === 'adapted' && field === 'tool_choice'))
  }
  // Without any input there is still a call.
  assert.equal(forced([tool('look')]).emulation?.callOf, 'look')
  const refusing = { model: 'm', capabilities: newest, forcedTools: 'refuse' } as const
  const conversation = {
    ...empty,
    turns: [hello],
    tools: [named(closed)],
    toolChoice: { kind: 'required' },
  } as const
  assert.throws(
    () => encodeRequest(conversation, refusing),
    (error) => error instanceof WireError && error.pointer === 'tool_choice',
  )
})

test('tools keep their order and their schemas; names that are not allowed come back', () => {
  const schema = '{ "type":"object", "properties": {"2":{}, "1":{"const":9007199254740993}} }'
  const tools = [
    tool('b', { description: 'B', schema: new RawJson(schema) }),
    tool('a.b', { namespace: 'mcp' }),
    tool('none', { schema: null }),
    tool('patch', {
      form: 'text',
      schema: null,
      format: new RawJson('{"type":"grammar"}'),
      description: 'Patches.',
    }),
    tool('strict', { strict: true }),
    tool('bare', { schema: new RawJson('{}') }),
  ]
  const written = encode({
    tools,
    providerTools: [
      { name: 'web_search', usesMax: 3, pointer: 'tools[6]' },
      { name: 'code_execution', usesMax: null, pointer: 'tools[7]' },
    ],
    toolChoice: { kind: 'one', name: 'patch', namespace: null },
    parallelCalls: false,
  })
  const { tools: shown, tool_choice: choice } = JSON.parse(written.text) as {
    tools: Body[]
    tool_choice: Body
  }
  const [b, ab, none, patch, strict, bare, search] = shown
  assert.ok(written.text.includes(`"input_schema":${schema}`))
  assert.deepEqual(Object.keys(b ?? {}), ['name', 'description', 'input_schema'])
  assert.deepEqual(none?.input_schema, { type: 'object', properties: {} })
  assert.equal(patch?.description, 'Patches.\n\nThe input has this format: {"type":"grammar"}')
  assert.equal(strict?.strict, undefined, 'its schema allows more than it lists')
  assert.deepEqual(bare?.input_schema, { type: 'object', properties: {} })
  assert.deepEqual(search, { type: 'web_search_20250305', name: 'web_search', max_uses: 3 })
  assert.deepEqual(choice, { type: 'tool', name: 'patch', disable_parallel_tool_use: true })
  assert.deepEqual(written.names.get(String(ab?.name)), { name: 'a.b', namespace: 'mcp', wrapped: false })
  assert.deepEqual(written.names.get('patch'), { name: 'patch', namespace: null, wrapped: true })
  assert.deepEqual(
    written.adjusted.map(({ kind, field }) => `${kind} ${field}`),
    ['adapted tool patch', 'adapted tool strict.strict', 'dropped tools[7]'],
  )
})

const closed = new RawJson('{"type":"object","properties":{},"additionalProperties":false}')
const choices: readonly [more: Partial<Conversation>, choice: unknown, names: unknown][] = [
  [{ tools: [], toolChoice: { kind: 'required' } }, undefined, undefined],
  [{ tools: [tool('a')], toolChoice: { kind: 'none' }, parallelCalls: false }, { type: 'none' }, ['a']],
  [{ tools: [tool('a')], parallelCalls: false }, { type: 'auto', disable_parallel_tool_use: true }, ['a']],
  [{ tools: [tool('a')], parallelCalls: true }, undefined, ['a']],
  [
    { tools: [tool('a'), tool('b')], toolChoice: { kind: 'some', required: true, names: ['b'] } },
    { type: 'any' },
    ['b'],
  ],
  [
    { tools: [tool('a'), tool('b')], toolChoice: { kind: 'some', required: false, names: ['a'] } },
    { type: 'auto' },
    ['a'],
  ],
  [
    { tools: [tool('a', { strict: true, schema: closed })], toolChoice: { kind: 'auto' } },
    { type: 'auto' },
    ['a'],
  ],
]

test('the choice among tools is said in the words of the format', () => {
  for (const [more, choice, names] of choices) {
    const written = body(more)
    assert.deepEqual(written.tool_choice, choice, JSON.stringify(more.toolChoice))
    assert.deepEqual(
      (written.tools as Body[] | undefined)?.map(({ name }) => name),
      names,
    )
  }
  assert.equal(
    (body({ tools: [tool('a', { strict: true, schema: closed })] }).tools as Body[])[0]?.strict,
    true,
  )
  const many = Array.from({ length: 22 }, (_, index) => tool(`t${index}`, { strict: true, schema: closed }))
  assert.equal((body({ tools: many }).tools as Body[]).filter(({ strict }) => strict === true).length, 20)
})

type ReasoningOptions = Partial<Conversation['reasoning']>
const between = { ...takes, thinkingOff: 'between_tools' } as const
const thinking: readonly [
  wish: ReasoningOptions,
  capabilities: Capabilities,
  limit: number | null,
  thinking: unknown,
  effort: unknown,
  said?: string,
][] = [
  [{}, takes, null, undefined, undefined],
  [{ summaries: true }, takes, null, { type: 'adaptive', display: 'summarized' }, undefined],
  [{ effort: 'high' }, takes, null, { type: 'adaptive', display: 'summarized' }, 'high'],
  [{ effort: 'high', summaries: false }, takes, null, { type: 'adaptive', display: 'omitted' }, 'high'],
  [
    { effort: 'minimal' },
    takes,
    null,
    { type: 'adaptive', display: 'summarized' },
    'low',
    'adapted reasoning',
  ],
  [{ effort: 'xhigh' }, takes, null, { type: 'adaptive', display: 'summarized' }, 'max', 'adapted reasoning'],
  [
    { effort: 'max' },
    { ...takes, efforts: ['low', 'high'] },
    null,
    { type: 'adaptive', display: 'summarized' },
    'high',
    'adapted reasoning',
  ],
  [
    { budget: 6_000 },
    takes,
    null,
    { type: 'adaptive', display: 'summarized' },
    'medium',
    'adapted reasoning',
  ],
  [{ budget: -1 }, takes, null, { type: 'adaptive', display: 'summarized' }, undefined],
  [{ effort: 'none' }, takes, null, { type: 'disabled' }, undefined],
  [{ budget: 0 }, takes, null, { type: 'disabled' }, undefined],
  [{ effort: 'none' }, between, null, { type: 'between_tools' }, undefined, 'adapted reasoning'],
  [{ effort: 'none' }, { ...takes, thinkingOff: null }, null, undefined, 'low', 'adapted reasoning'],
  [{ effort: 'high' }, { ...takes, thinking: 'none' }, null, undefined, undefined, 'dropped reasoning'],
  [{ effort: 'none' }, { ...takes, thinking: 'none' }, null, undefined, undefined],
  [{ effort: 'low' }, budgeted, null, { type: 'enabled', budget_tokens: 2_048 }, undefined],
  [{ effort: 'max' }, budgeted, 9_000, { type: 'enabled', budget_tokens: 6_750 }, undefined],
  [
    { budget: 100 },
    budgeted,
    null,
    { type: 'enabled', budget_tokens: 1_024 },
    undefined,
    'adapted reasoning',
  ],
  [{ budget: 5_000 }, budgeted, null, { type: 'enabled', budget_tokens: 5_000 }, undefined],
  [{ budget: -1 }, budgeted, null, { type: 'enabled', budget_tokens: 8_192 }, undefined],
  [{ effort: 'high' }, budgeted, 1_024, { type: 'disabled' }, undefined, 'adapted reasoning'],
]

test('thinking is asked for as the model takes it', () => {
  for (const [options, capabilities, outputLimit, expected, effort, adjustment] of thinking) {
    const more = { reasoning: { effort: null, budget: null, summaries: null, ...options }, outputLimit }
    const written = body(more, capabilities)
    const label = JSON.stringify([options, capabilities.thinking, outputLimit])
    assert.deepEqual(written.thinking, expected, label)
    assert.equal((written.output_config as Body | undefined)?.effort, effort, label)
    assert.deepEqual(adjusted(more, capabilities), adjustment === undefined ? [] : [adjustment], label)
  }
})

test('budgeted thinking gives way to what it does not go with', () => {
  const reasoning = { effort: 'low', budget: null, summaries: null } as const
  const whole = [hello, assistant(thought('s'), call('a')), user(result('a'))]
  assert.deepEqual(body({ turns: whole, reasoning }, budgeted).thinking, {
    type: 'enabled',
    budget_tokens: 2_048,
  })
  const longer = [...whole, assistant(call('b')), user(result('b'))]
  assert.deepEqual(body({ turns: longer, reasoning }, budgeted).thinking, {
    type: 'enabled',
    budget_tokens: 2_048,
  })
  const past = [...answered, assistant(text('Done.')), hello]
  assert.deepEqual(body({ turns: past, reasoning }, budgeted).thinking, {
    type: 'enabled',
    budget_tokens: 2_048,
  })
  const forced = { tools: [tool('look')], toolChoice: { kind: 'required' } } as const
  for (const more of [{ turns: answered }, { turns: [hello, assistant(text('{'))] }, forced]) {
    assert.deepEqual(body({ ...more, reasoning }, budgeted).thinking, { type: 'disabled' })
    assert.ok(adjusted({ ...more, reasoning }, budgeted).includes('adapted reasoning'))
  }
  assert.deepEqual(body({ turns: answered, reasoning }).thinking, { type: 'adaptive', display: 'summarized' })
})

const all = { ...empty.sampling, temperature: '0.70', topP: '0.5', topK: '5' }
const high = { effort: 'high', budget: null, summaries: null } as const
const samplings: readonly [
  more: Partial<Conversation>,
  capabilities: Capabilities,
  fields: string[],
  adjustments: string[],
][] = [
  [{ sampling: all }, takes, ['temperature', 'top_p', 'top_k'], []],
  [
    { sampling: all },
    { ...takes, sampling: 'one_of', topK: false },
    ['temperature'],
    ['dropped top_p', 'dropped top_k'],
  ],
  [{ sampling: { ...all, temperature: null } }, { ...takes, sampling: 'one_of' }, ['top_p', 'top_k'], []],
  [{ sampling: all }, newest, [], ['dropped temperature', 'dropped top_p', 'dropped top_k']],
  [{ sampling: all, reasoning: high }, takes, [], ['dropped temperature', 'dropped top_p', 'dropped top_k']],
  [
    { sampling: { ...all, temperature: '1.0', topP: '0.95', topK: null }, reasoning: high },
    takes,
    ['temperature', 'top_p'],
    [],
  ],
  [{ sampling: { ...empty.sampling, temperature: '1.5' } }, takes, ['temperature'], ['adapted temperature']],
]

test('sampling goes digit by digit where the model takes it', () => {
  for (const [more, capabilities, fields, adjustment] of samplings) {
    const written = body(more, capabilities)
    assert.deepEqual(
      Object.keys(written).filter((name) => /^t(emp|op_)/.test(name)),
      fields,
    )
    assert.deepEqual(adjusted(more, capabilities), adjustment)
  }
  assert.match(encode({ sampling: all }).text, /"temperature":0\.70,/)
  assert.equal(body({ sampling: { ...empty.sampling, temperature: '2' } }).temperature, 1)
})

test('limits, stop strings, users and forms of the answer', () => {
  assert.equal(body({}).max_tokens, 64_000)
  assert.equal(body({ outputLimit: 7 }).max_tokens, 7)
  assert.equal(body({ outputLimit: 0 }).max_tokens, 1)
  assert.deepEqual(adjusted({ outputLimit: 70_000 }), ['adapted max_tokens'])
  assert.deepEqual(body({ stops: ['a', '\n', 'b'] }).stop_sequences, ['a', 'b'])
  assert.deepEqual(adjusted({ stops: ['\n'] }), ['adapted stop'])
  assert.deepEqual(encode({ stops: ['a', '\n'] }).emulation, { callOf: null, stops: ['\n'] })
  assert.equal(encode({ stops: ['a'] }).emulation, undefined)
  assert.deepEqual(body({ stops: ['a', 'b', 'c'] }, { ...takes, stopsMax: 2 }).stop_sequences, ['a', 'b'])
  assert.deepEqual(body({ user: 'u1' }).metadata, { user_id: 'u1' })
  assert.match(String((body({ user: 'u'.repeat(257) }).metadata as Body).user_id), /^[a-z0-9]{24}$/)
  assert.equal(body({ format: { kind: 'json' } }).system, 'Answer with one JSON object and nothing else.')
  assert.deepEqual(adjusted({ format: { kind: 'json' } }), ['adapted response_format'])
  const schema = new RawJson(
    '{"type":"object","properties":{"n":{"type":"integer","minimum":1}},"required":["n"]}',
  )
  const format = { kind: 'schema', name: 'x', description: null, schema, strict: null } as const
  assert.deepEqual(body({ format }).output_config, {
    format: {
      type: 'json_schema',
      schema: {
        type: 'object',
        properties: { n: { type: 'integer', description: '{minimum: 1}' } },
        required: ['n'],
        additionalProperties: false,
      },
    },
  })
  assert.equal(body({ stream: true }).stream, true)
  assert.equal(body({}).stream, undefined)
})

test('of the marks of a cache four go, and none of an hour after one of five minutes', () => {
  const marked = [1, 2, 3, 4, 5].flatMap((n) => [user(text(`q${n}`, '5m')), assistant(text(`a${n}`))])
  const turns = [system(text('s', '1h')), ...marked, user(text('last', '1h'))]
  const more = { turns, tools: [tool('look', { cache: '1h' })] }
  const written = encode(more)
  assert.equal(written.text.match(/cache_control/g)?.length, 4)
  assert.match(written.text, /"s","cache_control":\{"type":"ephemeral","ttl":"1h"\}/)
  assert.match(written.text, /"last","cache_control":\{"type":"ephemeral"\}/)
  assert.deepEqual(
    written.adjusted.map(({ kind, field }) => `${kind} ${field}`),
    ['dropped cache_control', 'adapted cache_control'],
  )
  const none = encode(more, { ...takes, cacheBreakpoints: false })
  assert.doesNotMatch(none.text, /cache_control/)
  assert.deepEqual(
    none.adjusted.map(({ kind }) => kind),
    ['dropped'],
  )
})

test('a prompt without markers is cached once its conversation continues, or as requested', () => {
  const tools = [tool('look')]
  const laterTurns = { turns: [hello, assistant(text('Hi.')), hello] }
  const written = (of: Partial<Conversation>, more: Partial<TranslationTarget> = {}) => {
    const target = { model: 'm', capabilities: takes, ...more }
    const { text: json, adjusted } = encodeRequest({ ...empty, turns: [hello], ...of }, target)
    const { cache_control: mark } = JSON.parse(json) as { cache_control?: object }
    assert.equal(
      adjusted.some(({ kind }) => kind === 'added'),
      mark !== undefined,
      'said',
    )
    return mark
  }
  const automatic = { type: 'ephemeral' }
  assert.equal(written({}), undefined)
  assert.equal(written({ tools }), undefined, 'one call with tools costs what its tokens cost')
  assert.deepEqual(written(laterTurns), automatic)
  assert.equal(written(laterTurns, { automaticCaching: 'never' }), undefined)
  assert.deepEqual(written({ tools }, { automaticCaching: 'always' }), automatic)
  assert.equal(written(laterTurns, { capabilities: { ...takes, cacheBreakpoints: false } }), undefined)
  assert.equal(written({ ...laterTurns, tools: [tool('look', { cache: '5m' })] }), undefined)
})

test('parts that only another format has are dropped and said', () => {
  const other = (pointer: string): ConversationPart => ({ kind: 'other', type: 'web_search_call', pointer })
  const turns = [
    system(other('one')),
    user(text('x'), other('two')),
    assistant(text('y'), other('three')),
    hello,
  ]
  assert.deepEqual(adjusted({ turns }).sort(), ['dropped one', 'dropped three', 'dropped two'])
})
