/** Conversations as Responses requests: items, tools, settings by capability, and that the next turn begins with this one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brokenRequestRules } from '../../../test/support/rules/openai-responses.ts'
import type { ReadLimits } from '../dialect.ts'
import { RawJson } from '../json/text.ts'
import type { Capabilities } from '../translation/capabilities.ts'
import type {
  CallPart,
  Conversation,
  ConversationPart,
  ConversationTurn,
  MediaPart,
  ResultPart,
  TextPart,
  ThinkingPart,
  Tool,
} from '../translation/neutral.ts'
import { carrierId } from '../translation/reasoning-carriers.ts'
import { openaiResponsesCodec as codec, openaiResponses } from './index.ts'

const limits: ReadLimits = { depthMax: 64, valuesMax: 100_000, integerMax: 1_000_000 }
const newest: Capabilities = {
  sampling: 'without_reasoning',
  temperatureMax: 2,
  topK: false,
  penalties: false,
  seed: false,
  stopsMax: 0,
  logprobs: true,
  thinking: 'effort',
  efforts: ['none', 'low', 'medium', 'high', 'xhigh'],
  thinkingOff: 'none',
  budget: null,
  bindsThinking: false,
  signedCalls: false,
  forcedTools: true,
  prefill: false,
  midSystem: true,
  parallelSwitch: true,
  schemaOutput: true,
  schemaWithTools: true,
  cacheBreakpoints: true,
  resultMedia: true,
  inputs: ['text', 'image', 'document'],
  chatTools: 'never',
  outputTokensMax: 128_000,
}
const old: Capabilities = {
  ...newest,
  sampling: 'all',
  thinking: 'none',
  efforts: [],
  thinkingOff: null,
  cacheBreakpoints: false,
  outputTokensMax: 16_384,
}

const blank: Conversation = {
  model: 'm',
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

const text = (content: string, more: Partial<TextPart> = {}): TextPart => ({
  kind: 'text',
  text: content,
  cache: null,
  citations: [],
  ...more,
})
const turn = (role: ConversationTurn['role'], ...parts: ConversationPart[]): ConversationTurn => ({
  role,
  parts,
})
const call = (id: string, more: Partial<CallPart> = {}): CallPart => ({
  kind: 'call',
  id,
  name: 'f',
  namespace: null,
  form: 'json',
  input: '{}',
  encrypted: null,
  pointer: 'p',
  ...more,
})
const result = (
  callId: string,
  content: ResultPart['content'],
  more: Partial<ResultPart> = {},
): ResultPart => ({
  kind: 'result',
  callId,
  name: null,
  content,
  json: null,
  isError: false,
  cache: null,
  pointer: 'p',
  ...more,
})
const thought = (
  data: string | null,
  summary = 'Hm.',
  vendor: 'openai' | 'anthropic' = 'openai',
): ThinkingPart => ({
  kind: 'thinking',
  text: summary,
  redacted: false,
  encrypted: data === null ? null : { vendor, data },
})
const image: MediaPart = {
  kind: 'media',
  medium: 'image',
  source: { kind: 'base64', mediaType: 'image/png', data: 'AAAA' },
  title: null,
  detail: null,
  cache: null,
  pointer: 'messages[0].content[0]',
}
const tool = (more: Partial<Tool> = {}): Tool => ({
  name: 'f',
  namespace: null,
  description: null,
  form: 'json',
  schema: null,
  format: null,
  strict: null,
  cache: null,
  pointer: 'tools[0]',
  ...more,
})

function encode(more: Partial<Conversation>, capabilities: Capabilities = newest) {
  const turns = more.turns ?? [turn('user', text('Hi.'))]
  const encoded = codec.encodeRequest({ ...blank, ...more, turns }, { model: 'gpt-x', capabilities })
  const body = JSON.parse(encoded.text) as Record<string, unknown>
  assert.deepEqual(brokenRequestRules(body, capabilities), [])
  openaiResponses.extractRequest(Buffer.from(encoded.text), limits, { model: null, stream: false })
  return { ...encoded, body }
}
const itemsOf = (turns: readonly ConversationTurn[], capabilities = newest) =>
  encode({ turns }, capabilities).body.input

const message = (role: string, ...content: object[]) => ({ type: 'message', role, content })
const inputText = (content: string) => ({ type: 'input_text', text: content })
const outputText = (content: string) => ({ type: 'output_text', text: content })
const reasoned = (encrypted: string, ...summary: string[]) => ({
  type: 'reasoning',
  summary: summary.map((part) => ({ type: 'summary_text', text: part })),
  encrypted_content: encrypted,
})
const called = (id: string, more: object = {}) => ({
  type: 'function_call',
  call_id: id,
  name: 'f',
  arguments: '{}',
  ...more,
})
const output = (id: string, of: unknown) => ({ type: 'function_call_output', call_id: id, output: of })

const histories: [name: string, turns: readonly ConversationTurn[], items: readonly object[]][] = [
  [
    'instructions keep their parts and their place',
    [
      turn('system', text('A'), text('B')),
      turn('system', text('C')),
      turn('user', text('U')),
      turn('system', text('D')),
    ],
    [
      message('developer', inputText('A'), inputText('B')),
      message('developer', inputText('C')),
      message('user', inputText('U')),
      message('developer', inputText('D')),
    ],
  ],
  [
    'a billing header is not an instruction',
    [turn('system', text('x-anthropic-billing-header: a=1'), text('B')), turn('user', text('U'))],
    [message('developer', inputText('B')), message('user', inputText('U'))],
  ],
  [
    'thoughts stand directly before what was thought about',
    [
      turn('user', text('U')),
      turn('assistant', thought('rs_1.gA'), text('A'), thought('rs_2.gB', ''), call('c1')),
      turn('user', result('c1', [text('O')])),
    ],
    [
      message('user', inputText('U')),
      reasoned('gA', 'Hm.'),
      message('assistant', outputText('A')),
      reasoned('gB'),
      called('c1'),
      output('c1', 'O'),
    ],
  ],
  [
    'a thought without a follower, of another vendor, or of nobody is left out',
    [
      turn('user', text('U')),
      turn('assistant', thought('sig', 'Hm.', 'anthropic'), thought(null), text('A'), thought('rs_1.gA')),
      turn('user', text('V')),
    ],
    [message('user', inputText('U')), message('assistant', outputText('A')), message('user', inputText('V'))],
  ],
  [
    'outputs come before what is said beside them',
    [
      turn('assistant', call('c1'), call('c2')),
      turn('user', text('V'), result('c1', []), result('c2', [text('O'), image])),
    ],
    [
      called('c1'),
      called('c2'),
      output('c1', ''),
      output('c2', [
        inputText('O'),
        { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' },
      ]),
      message('user', inputText('V')),
    ],
  ],
  [
    'ids are short and plain, alike in call and output',
    [
      turn('assistant', call(`${'x'.repeat(70)}`), call('a.b:c')),
      turn('user', result('x'.repeat(70), [text('O')]), result('a.b:c', [text('P')])),
    ],
    [],
  ],
  [
    'free text, cut text and no text',
    [
      turn(
        'assistant',
        call('c1', { form: 'text', input: 'raw', name: 'p' }),
        call('c2', { input: '{"a":' }),
        call('c3', { input: '' }),
      ),
      turn('user', result('c1', [text('O')]), result('c2', [], { json: '{"x":1}' }), result('c3', [])),
    ],
    [
      { type: 'custom_tool_call', call_id: 'c1', name: 'p', input: 'raw' },
      called('c2', { arguments: '{"a":' }),
      called('c3'),
      { type: 'custom_tool_call_output', call_id: 'c1', output: 'O' },
      output('c2', '{"x":1}'),
      output('c3', ''),
    ],
  ],
  [
    'nothing empty is written, but for what a user sent',
    [turn('user', text(''), text('U')), turn('assistant', text('')), turn('user', text(''))],
    [message('user', inputText('U')), { type: 'message', role: 'user', content: '' }],
  ],
  [
    'refusals and parts of one message',
    [
      turn('user', text('U')),
      turn('assistant', text('A'), text('B'), { kind: 'refusal', text: 'R' }),
      turn('user', text('V')),
    ],
    [
      message('user', inputText('U')),
      message('assistant', outputText('A'), outputText('B'), { type: 'refusal', refusal: 'R' }),
      message('user', inputText('V')),
    ],
  ],
  [
    'documents',
    [
      turn(
        'user',
        {
          ...image,
          medium: 'document',
          source: { kind: 'base64', mediaType: 'application/pdf', data: 'AAAA' },
          title: 'My paper',
        },
        {
          ...image,
          medium: 'document',
          source: { kind: 'url', mediaType: null, url: 'https://example.com/a.pdf' },
        },
        { ...image, medium: 'document', source: { kind: 'text', text: 'T' }, title: 'Notes' },
      ),
    ],
    [
      message(
        'user',
        { type: 'input_file', filename: 'My paper.pdf', file_data: 'data:application/pdf;base64,AAAA' },
        { type: 'input_file', file_url: 'https://example.com/a.pdf' },
        inputText('Notes\n\nT'),
      ),
    ],
  ],
]
for (const [name, turns, items] of histories) {
  test(`history: ${name}`, () => {
    const written = itemsOf(turns)
    if (items.length > 0) assert.deepEqual(written, items)
  })
}

test('a mark in an id goes no further', () => {
  const id = carrierId('c1', { encrypted: { vendor: 'google', data: 'c2VhbA==' }, thoughts: [] })
  assert.deepEqual(itemsOf([turn('assistant', call(id)), turn('user', result(id, [text('O')]))]), [
    called('c1'),
    output('c1', 'O'),
  ])
})

test('a model that does not reason gets no thoughts, and one without eyes in results sees them apart', () => {
  const turns = [
    turn('assistant', thought('rs_1.gA'), call('c1')),
    turn('user', result('c1', [text('O'), image])),
  ]
  const items = itemsOf(turns, { ...old, resultMedia: false }) as object[]
  assert.deepEqual(items, [
    called('c1'),
    output('c1', 'O'),
    message('user', inputText('[returned by tool call c1]'), {
      type: 'input_image',
      image_url: 'data:image/png;base64,AAAA',
      detail: 'auto',
    }),
  ])
})

test('instructions between turns are a reminder where they cannot be more', () => {
  const items = itemsOf([turn('system', text('S')), turn('user', text('U')), turn('system', text('D'))], {
    ...newest,
    midSystem: false,
  }) as object[]
  assert.deepEqual(items[2], message('user', inputText('<system-reminder>\nD\n</system-reminder>')))
})

test('tools in the order of the caller, with what the format has for each', () => {
  const schema = new RawJson('{"type":"object","x":1e2}')
  const grammar = new RawJson('{"type":"grammar","syntax":"lark","definition":"a"}')
  const {
    body,
    text: written,
    names,
    adjusted,
  } = encode({
    tools: [
      tool({ schema, description: 'F', strict: true }),
      tool({ name: 'none' }),
      tool({ name: 'patch', form: 'text', format: grammar }),
      tool({ name: 'a', namespace: 'mcp' }),
      tool({ name: 'b', namespace: 'mcp' }),
      tool({ name: 'x'.repeat(80) }),
    ],
    providerTools: [
      { name: 'web_search', usesMax: 2, pointer: 'tools[6]' },
      { name: 'code_execution', usesMax: null, pointer: 'tools[7]' },
    ],
    toolChoice: { kind: 'some', required: false, names: ['patch', 'a'] },
    parallelCalls: false,
  })
  const empty = { type: 'object', properties: {} }
  const tools = body.tools as Record<string, unknown>[]
  assert.deepEqual(tools.slice(0, 4), [
    { type: 'function', name: 'f', description: 'F', parameters: { type: 'object', x: 100 }, strict: true },
    { type: 'function', name: 'none', parameters: empty, strict: false },
    { type: 'custom', name: 'patch', format: { type: 'grammar', syntax: 'lark', definition: 'a' } },
    {
      type: 'namespace',
      name: 'mcp',
      description: 'mcp',
      tools: ['a', 'b'].map((name) => ({ type: 'function', name, parameters: empty, strict: false })),
    },
  ])
  assert.deepEqual(tools[5], { type: 'web_search' })
  assert.match(written, /"parameters":\{"type":"object","x":1e2\}/)
  assert.deepEqual(body.tool_choice, {
    type: 'allowed_tools',
    mode: 'auto',
    tools: [
      { type: 'custom', name: 'patch' },
      { type: 'function', name: 'a', namespace: 'mcp' },
      { type: 'web_search' },
    ],
  })
  assert.equal(body.parallel_tool_calls, false)
  assert.equal(body.max_tool_calls, 2)
  assert.equal(names.get(tools[4]?.name as string)?.name, 'x'.repeat(80))
  assert.deepEqual(
    adjusted.map(({ kind, field }) => `${kind} ${field}`),
    ['dropped tools[7]'],
  )
})

test('a tool choice without tools is dropped', () => {
  const { body } = encode({ toolChoice: { kind: 'required' }, parallelCalls: true })
  assert.equal('tool_choice' in body || 'parallel_tool_calls' in body || 'tools' in body, false)
})

const settings: [
  name: string,
  more: Partial<Conversation>,
  capabilities: Capabilities,
  expected: object,
  adjusted: readonly string[],
][] = [
  [
    'nothing asked',
    {},
    newest,
    { reasoning: { summary: 'auto' }, include: ['reasoning.encrypted_content'], store: false },
    [],
  ],
  ['nothing asked of an old model', {}, old, { store: false }, []],
  [
    'thoughts that nobody wants',
    { reasoning: { effort: 'high', budget: null, summaries: false } },
    newest,
    { reasoning: { effort: 'high' } },
    [],
  ],
  [
    'no thoughts',
    { reasoning: { effort: 'none', budget: null, summaries: null } },
    newest,
    { reasoning: { effort: 'none' } },
    [],
  ],
  [
    'no thoughts of a model that must',
    { reasoning: { effort: 'none', budget: null, summaries: null } },
    { ...newest, thinkingOff: null, efforts: ['low', 'high'] },
    { reasoning: { effort: 'low', summary: 'auto' } },
    ['adapted reasoning'],
  ],
  [
    'more effort than there is',
    { reasoning: { effort: 'max', budget: null, summaries: null } },
    newest,
    { reasoning: { effort: 'xhigh', summary: 'auto' } },
    ['adapted reasoning'],
  ],
  [
    'less effort than there is',
    { reasoning: { effort: 'minimal', budget: null, summaries: null } },
    newest,
    { reasoning: { effort: 'low', summary: 'auto' } },
    ['adapted reasoning'],
  ],
  [
    'effort of a model without',
    { reasoning: { effort: 'high', budget: null, summaries: null } },
    old,
    { store: false },
    ['dropped reasoning'],
  ],
  [
    'a budget',
    { reasoning: { effort: null, budget: 8_000, summaries: null } },
    newest,
    { reasoning: { effort: 'medium', summary: 'auto' } },
    [],
  ],
  [
    'an open budget',
    { reasoning: { effort: null, budget: -1, summaries: null } },
    newest,
    { reasoning: { summary: 'auto' } },
    [],
  ],
  [
    'sampling of a model that reasons',
    { sampling: { ...blank.sampling, temperature: '0.5', topP: '0.9' } },
    newest,
    { store: false },
    ['dropped temperature', 'dropped top_p'],
  ],
  [
    'sampling without reasoning',
    {
      sampling: { ...blank.sampling, temperature: '0.50' },
      reasoning: { effort: 'none', budget: null, summaries: null },
    },
    newest,
    { temperature: 0.5 },
    [],
  ],
  [
    'too hot',
    { sampling: { ...blank.sampling, temperature: '1.9' } },
    { ...old, temperatureMax: 1 },
    { temperature: 1 },
    ['adapted temperature'],
  ],
  [
    'one of two',
    { sampling: { ...blank.sampling, temperature: '0.5', topP: '0.9' } },
    { ...old, sampling: 'one_of' },
    { temperature: 0.5 },
    ['dropped top_p'],
  ],
  ['a small limit', { outputLimit: 1 }, newest, { max_output_tokens: 16 }, ['adapted max_output_tokens']],
  [
    'a large limit',
    { outputLimit: 64_000 },
    old,
    { max_output_tokens: 16_384 },
    ['adapted max_output_tokens'],
  ],
  ['a fitting limit', { outputLimit: 4_096 }, newest, { max_output_tokens: 4_096 }, []],
  ['who it is', { user: 'u'.repeat(100) }, newest, {}, []],
  [
    'a key of its own',
    { user: 'u', cacheKey: 'k' },
    newest,
    { prompt_cache_key: 'k', safety_identifier: 'u' },
    [],
  ],
  [
    'JSON',
    { format: { kind: 'json' }, verbosity: 'low' },
    newest,
    { text: { format: { type: 'json_object' }, verbosity: 'low' } },
    [],
  ],
  [
    'a schema',
    { format: { kind: 'schema', name: null, description: 'D', schema: new RawJson('{}'), strict: null } },
    newest,
    { text: { format: { type: 'json_schema', name: 'structured_output', description: 'D', schema: {} } } },
    [],
  ],
  [
    'log probabilities',
    { logprobs: 2 },
    newest,
    { include: ['reasoning.encrypted_content', 'message.output_text.logprobs'], top_logprobs: 2 },
    [],
  ],
  ['a stream', { stream: true }, newest, { stream: true }, []],
  [
    'what the format has no word for',
    { stops: ['a'], sampling: { ...blank.sampling, seed: '1', topK: '5', presencePenalty: '1' } },
    old,
    { store: false },
    ['adapted stop'],
  ],
  [
    'cache marks',
    { turns: [turn('user', text('U', { cache: '5m' }))] },
    newest,
    { input: [message('user', { ...inputText('U'), prompt_cache_breakpoint: { mode: 'explicit' } })] },
    [],
  ],
  [
    'cache marks that are not taken',
    { turns: [turn('user', text('U', { cache: '5m' }))] },
    old,
    { input: [message('user', inputText('U'))] },
    ['dropped cache_control'],
  ],
  [
    'other parts',
    {
      turns: [
        turn('user', text('U')),
        turn('assistant', { kind: 'other', type: 'server_tool_use', pointer: 'messages[1].content[0]' }),
      ],
    },
    newest,
    { input: [message('user', inputText('U'))] },
    ['dropped messages[1].content[0]'],
  ],
]
for (const [name, more, capabilities, expected, adjusted] of settings) {
  test(`settings: ${name}`, () => {
    const { body, adjusted: adjustments } = encode(more, capabilities)
    assert.partialDeepStrictEqual(body, expected)
    assert.deepEqual(
      adjustments.map(({ kind, field }) => `${kind} ${field}`),
      adjusted,
    )
  })
}

test('long identifiers become short ones, always the same', () => {
  const user = JSON.stringify({ session: 'x'.repeat(100) })
  const [one, two] = [encode({ user }).body, encode({ user }).body]
  assert.equal(one.safety_identifier, two.safety_identifier)
  assert.equal(one.prompt_cache_key, one.safety_identifier)
})

const refused: [name: string, more: Partial<Conversation>, capabilities: Capabilities, pointer: string][] = [
  [
    'a forced tool',
    { tools: [tool()], toolChoice: { kind: 'required' } },
    { ...newest, forcedTools: false },
    'tool_choice',
  ],
  [
    'a named tool',
    { tools: [tool()], toolChoice: { kind: 'one', name: 'f', namespace: null } },
    { ...newest, forcedTools: false },
    'tool_choice',
  ],
  ['log probabilities', { logprobs: 0 }, { ...newest, logprobs: false }, 'logprobs'],
  [
    'a schema',
    { format: { kind: 'schema', name: null, description: null, schema: new RawJson('{}'), strict: null } },
    { ...newest, schemaOutput: false },
    'response_format',
  ],
  ['an image', { turns: [turn('user', image)] }, { ...newest, inputs: ['text'] }, 'messages[0].content[0]'],
  ['audio', { turns: [turn('user', { ...image, medium: 'audio' })] }, newest, 'messages[0].content[0]'],
  ['an image by the model', { turns: [turn('assistant', image)] }, newest, 'messages[0].content[0]'],
]
for (const [name, more, capabilities, pointer] of refused) {
  test(`refused: ${name}`, () => {
    assert.throws(() => encode(more, capabilities), { code: 'untranslatable', pointer })
  })
}

test('the next turn begins with this one, byte for byte', () => {
  const turns = [
    turn('system', text('S')),
    turn('user', text('U')),
    turn('assistant', thought('rs_1.gA'), text('A'), call('c1')),
    turn('user', result('c1', [text('O')])),
    turn('assistant', text('B')),
    turn('user', text('V')),
  ]
  const settings = { tools: [tool()], outputLimit: 100, stream: true }
  const end = (body: string) => body.slice(0, body.lastIndexOf(']', body.indexOf('"max_output_tokens"')))
  for (let count = 2; count < turns.length; count += 1) {
    const [now, next] = [count, count + 1].map((most) =>
      codec.encodeRequest(
        { ...blank, ...settings, turns: turns.slice(0, most) },
        { model: 'gpt-x', capabilities: newest },
      ),
    )
    // A turn that ends with an open call is not a request, but its bytes are as stable.
    assert.ok(next!.text.startsWith(end(now!.text)), String(count))
  }
})
