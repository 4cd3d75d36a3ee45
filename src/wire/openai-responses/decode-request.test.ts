/** Responses requests in the neutral form: turns, reasoning, tools, choices, settings, and what is named for the policy. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReadLimits } from '../dialect.ts'
import type { Conversation, ConversationPart, ThinkingPart } from '../translation/neutral.ts'
import { applyPolicy } from '../translation/policy.ts'
import { carrierId, tagged } from '../translation/reasoning-carriers.ts'
import { openaiResponsesCodec as codec } from './index.ts'

const limits: ReadLimits = { depthMax: 64, valuesMax: 100_000, integerMax: 1_000_000 }
const nowhere = { model: null, stream: false }
const decode = (more: object): Conversation =>
  codec.decodeRequest(Buffer.from(JSON.stringify({ model: 'm', input: 'Hello.', ...more })), limits, nowhere)

/** A part in a few words. */
const brief = (part: ConversationPart): string => {
  switch (part.kind) {
    case 'text':
      return `text ${part.text}${part.cache === null ? '' : ` ${part.cache}`}`
    case 'thinking':
      return `thinking ${part.text} ${part.encrypted?.vendor ?? '-'} ${part.encrypted?.data ?? '-'}${part.redacted ? ' redacted' : ''}`
    case 'call':
      return `call ${part.id} ${part.namespace ?? '-'} ${part.name} ${part.form} ${part.input}${part.encrypted === null ? '' : ` ${part.encrypted.data}`}`
    case 'result':
      return `result ${part.callId} [${part.content.map(brief).join(', ')}]`
    case 'media':
      return `${part.medium} ${Object.values(part.source).join(' ')}${part.detail === null ? '' : ` ${part.detail}`}`
    case 'refusal':
      return `refusal ${part.text}`
    case 'other':
      return `other ${part.type} ${part.pointer}`
  }
}
const turnsOf = (input: unknown, more: object = {}) =>
  decode({ input, ...more }).turns.map(({ role, parts }) => [role, ...parts.map(brief)])

const google = { vendor: 'google', data: 'c2VhbA==' } as const
const thought: ThinkingPart = {
  kind: 'thinking',
  text: 'Hm.',
  redacted: false,
  encrypted: { vendor: 'anthropic', data: 'sig' },
}
const reasoning = (encrypted: string | undefined, ...summary: string[]) => ({
  type: 'reasoning',
  id: 'rs_1',
  summary: summary.map((text) => ({ type: 'summary_text', text })),
  encrypted_content: encrypted,
})
const call = (more: object = {}) => ({
  type: 'function_call',
  call_id: 'c1',
  name: 'f',
  arguments: '{"a":1}',
  ...more,
})
const image = 'data:image/jpg;charset=x;BASE64,AA AA'

const histories: [name: string, input: unknown, turns: readonly string[][]][] = [
  ['a text', 'Hi.', [['user', 'text Hi.']]],
  [
    'messages of all roles',
    [
      { role: 'developer', content: 'D' },
      { role: 'system', content: [{ type: 'input_text', text: 'S' }] },
      { role: 'user', content: 'U' },
      {
        type: 'message',
        role: 'assistant',
        id: 'msg_1',
        status: 'completed',
        content: [
          { type: 'output_text', text: 'A', annotations: [] },
          { type: 'refusal', refusal: 'R' },
        ],
      },
      { role: 'user', content: 'V' },
      { role: 'user', content: 'W' },
      { role: 'developer', content: 'E' },
    ],
    [
      ['system', 'text D'],
      ['system', 'text S'],
      ['user', 'text U'],
      ['assistant', 'text A', 'refusal R'],
      ['user', 'text V'],
      ['user', 'text W'],
      ['system', 'text E'],
    ],
  ],
  [
    'thoughts, words and calls of one turn, and their outputs',
    [
      { role: 'user', content: 'U' },
      reasoning('gAAA', 'One.', 'Two.'),
      { role: 'assistant', content: 'A' },
      call(),
      call({ call_id: 'c2', arguments: '' }),
      { type: 'function_call_output', call_id: 'c1', output: 'O' },
      {
        type: 'function_call_output',
        call_id: 'c2',
        output: [
          { type: 'input_text', text: 'P' },
          { type: 'input_image', image_url: image },
        ],
      },
      { role: 'user', content: 'V' },
    ],
    [
      ['user', 'text U'],
      [
        'assistant',
        'thinking One.\n\nTwo. openai rs_1.gAAA',
        'text A',
        'call c1 - f json {"a":1}',
        'call c2 - f json ',
      ],
      ['user', 'result c1 [text O]', 'result c2 [text P, image base64 image/jpeg AAAA]'],
      ['user', 'text V'],
    ],
  ],
  [
    'free text and namespaces',
    [
      { type: 'custom_tool_call', call_id: 'c1', name: 'patch', input: '*** Begin', namespace: 'files' },
      { type: 'custom_tool_call_output', call_id: 'c1', output: 'Done' },
      call({ namespace: 'mcp' }),
    ],
    [
      ['assistant', 'call c1 files patch text *** Begin'],
      ['user', 'result c1 [text Done]'],
      ['assistant', 'call c1 mcp f json {"a":1}'],
    ],
  ],
  [
    'thoughts of other vendors',
    [
      reasoning(tagged({ vendor: 'anthropic', data: 'sig' }), 'Hm.'),
      reasoning(tagged({ vendor: 'anthropic', data: 'redacted:x' })),
      reasoning(tagged(google)),
      reasoning(tagged({ vendor: 'openai', data: 'rs_9.gAAA' })),
      reasoning(tagged({ vendor: 'openai', data: '-' }), 'Bare.'),
      reasoning(undefined, 'Old.'),
    ],
    [
      [
        'assistant',
        'thinking Hm. anthropic sig',
        'thinking  anthropic x redacted',
        'thinking  google c2VhbA==',
        'thinking  openai rs_9.gAAA',
        'thinking Bare. - -',
        'thinking Old. - -',
      ],
    ],
  ],
  [
    'damaged thoughts, and thoughts without a word',
    [reasoning(`${tagged(google)}x`, 'Hm.'), reasoning(undefined), { role: 'assistant', content: 'A' }],
    [['assistant', 'text A']],
  ],
  [
    'what an id carries',
    [
      call({ call_id: carrierId('c1', { encrypted: google, thoughts: [thought] }) }),
      {
        type: 'function_call_output',
        call_id: carrierId('c1', { encrypted: google, thoughts: [thought] }),
        output: 'O',
      },
    ],
    [
      ['assistant', 'thinking Hm. anthropic sig', 'call c1 - f json {"a":1} c2VhbA=='],
      ['user', 'result c1 [text O]'],
    ],
  ],
  [
    'thoughts that an id and an item carry',
    [
      reasoning(tagged({ vendor: 'anthropic', data: 'sig' }), 'Hm.'),
      call({ call_id: carrierId('c1', { encrypted: null, thoughts: [thought] }) }),
    ],
    [['assistant', 'thinking Hm. anthropic sig', 'call c1 - f json {"a":1}']],
  ],
  [
    'what only this format has',
    [
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search' } },
      { type: 'computer_call_output', call_id: 'c', output: {} },
      { role: 'user', content: [{ type: 'teleport' }] },
    ],
    [
      ['assistant', 'other web_search_call input[0]'],
      ['user', 'other computer_call_output input[1]'],
      ['user', 'other teleport input[2].content[0]'],
    ],
  ],
  [
    'media',
    [
      {
        role: 'user',
        content: [
          { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'high' },
          { type: 'input_image', image_url: 'data:application/pdf;base64,CCCC' },
          { type: 'input_file', filename: 'a.csv', file_data: 'AAAA' },
          { type: 'input_file', file_url: 'https://example.com/a.pdf' },
          { type: 'input_file', filename: 'a.txt', file_data: 'data:text/plain,a%20b' },
          { type: 'input_audio', input_audio: { data: 'BBBB', format: 'mp3' } },
          { type: 'input_text', text: 'T', prompt_cache_breakpoint: { mode: 'explicit' } },
        ],
      },
    ],
    [
      [
        'user',
        'image url  https://example.com/a.png high',
        'document base64 application/pdf CCCC',
        'document base64 text/csv AAAA',
        'document url  https://example.com/a.pdf',
        'document text a b',
        'audio base64 audio/mpeg BBBB',
        'text T 5m',
      ],
    ],
  ],
]
for (const [name, input, turns] of histories) {
  test(`history: ${name}`, () => {
    assert.deepEqual(turnsOf(input), turns)
  })
}

test('instructions come first', () => {
  assert.deepEqual(turnsOf([{ role: 'developer', content: 'D' }], { instructions: 'I' }), [
    ['system', 'text I'],
    ['system', 'text D'],
  ])
  assert.deepEqual(turnsOf('Hi.', { instructions: '' }), [['user', 'text Hi.']])
})

test('tools of every kind', () => {
  const grammar = { type: 'grammar', syntax: 'lark', definition: 'start: "a"' }
  const { tools, providerTools, fields } = decode({
    max_tool_calls: 3,
    tools: [
      { type: 'function', name: 'f', description: 'F', parameters: { type: 'object' }, strict: true },
      { type: 'function', name: 'g', parameters: null },
      { type: 'custom', name: 'c', format: grammar },
      { type: 'custom', name: 'd', format: { type: 'text' } },
      {
        type: 'namespace',
        name: 'mcp',
        description: 'A server.',
        tools: [
          { type: 'function', name: 'f', description: 'Inner.', parameters: {} },
          { type: 'function', name: 'h', parameters: {} },
        ],
      },
      { type: 'web_search_preview_2025_03_11' },
      { type: 'code_interpreter', container: { type: 'auto' } },
      { type: 'apply_patch' },
    ],
    input: [
      {
        type: 'additional_tools',
        role: 'developer',
        tools: [{ type: 'function', name: 'late', parameters: {}, defer_loading: true }],
      },
    ],
  })
  assert.deepEqual(
    tools.map(({ name, namespace, form, description, schema, format, strict }) => [
      namespace ?? '-',
      name,
      form,
      description,
      schema?.text ?? null,
      format?.text ?? null,
      strict,
    ]),
    [
      ['-', 'f', 'json', 'F', '{"type":"object"}', null, true],
      ['-', 'g', 'json', null, null, null, null],
      ['-', 'c', 'text', null, null, JSON.stringify(grammar), null],
      ['-', 'd', 'text', null, null, null, null],
      ['mcp', 'f', 'json', 'A server.\n\nInner.', '{}', null, null],
      ['mcp', 'h', 'json', null, '{}', null, null],
      ['-', 'late', 'json', null, '{}', null, null],
    ],
  )
  assert.deepEqual(
    providerTools.map(({ name, usesMax }) => [name, usesMax]),
    [
      ['web_search', 3],
      ['code_execution', 3],
    ],
  )
  assert.deepEqual(
    fields.map(({ name, pointer }) => `${name} ${pointer}`),
    [
      'tools tools',
      'tools[type=apply_patch] tools[7]',
      'tools[].defer_loading input[0].tools[0].defer_loading',
      'max_tool_calls max_tool_calls',
    ],
  )
})

test('a namespace has a short name, as it becomes part of the name of each of its tools', () => {
  const declared = (name: string) =>
    decode({ input: 'a', tools: [{ type: 'namespace', name, tools: [{ type: 'function', name: 'f' }] }] })
  assert.equal(declared('n'.repeat(256)).tools[0]?.namespace?.length, 256)
  assert.throws(() => declared('n'.repeat(257)), { code: 'invalid_value', pointer: 'tools[0].name' })
})

test('a namespace that OpenAI gave to an added tool is none', () => {
  const input = [
    { type: 'additional_tools', role: 'developer', tools: [{ type: 'function', name: 'f', parameters: {} }] },
    call({ namespace: 'f' }),
  ]
  assert.deepEqual(turnsOf(input), [['assistant', 'call c1 - f json {"a":1}']])
})

test('schemas and arguments stay the text they were', () => {
  const text =
    '{"model":"m","input":[{"type":"function_call","call_id":"c","name":"f","arguments":"{\\"n\\":9007199254740993}"}],"tools":[{"type":"function","name":"f","parameters":{"__proto__":1e21,"b":1,"a":12345678901234567890}}]}'
  const { tools, turns } = codec.decodeRequest(Buffer.from(text), limits, nowhere)
  assert.equal(tools[0]?.schema?.text, '{"__proto__":1e21,"b":1,"a":12345678901234567890}')
  assert.equal(brief(turns[0]!.parts[0]!), 'call c - f json {"n":9007199254740993}')
})

const choices: [name: string, choice: unknown, expected: unknown][] = [
  ['auto', 'auto', { kind: 'auto' }],
  ['none', 'none', { kind: 'none' }],
  ['required', 'required', { kind: 'required' }],
  ['one', { type: 'function', name: 'f' }, { kind: 'one', name: 'f', namespace: null }],
  ['a custom one', { type: 'custom', name: 'c' }, { kind: 'one', name: 'c', namespace: null }],
  [
    'some',
    {
      type: 'allowed_tools',
      mode: 'required',
      tools: [
        { type: 'function', name: 'f' },
        { type: 'namespace', name: 'n' },
        { type: 'image_generation' },
      ],
    },
    { kind: 'some', required: true, names: ['f', 'x', 'y'] },
  ],
  [
    'some, named again',
    {
      type: 'allowed_tools',
      mode: 'auto',
      tools: [
        { type: 'namespace', name: 'n' },
        { type: 'function', name: 'f' },
        { type: 'namespace', name: 'n' },
        { type: 'function', name: 'x' },
      ],
    },
    { kind: 'some', required: false, names: ['x', 'y', 'f'] },
  ],
  ['one of the provider', { type: 'web_search_preview' }, null],
]
const inner = ['x', 'y'].map((name) => ({ type: 'function', name, parameters: {} }))
for (const [name, choice, expected] of choices) {
  test(`tool choice: ${name}`, () => {
    const tools = [
      { type: 'function', name: 'f' },
      { type: 'namespace', name: 'n', tools: inner },
    ]
    assert.deepEqual(decode({ tools, tool_choice: choice }).toolChoice, expected)
  })
}

test('settings are carried as they are written', () => {
  const text =
    '{"model":"m","input":"a","stream":true,"temperature":0.70,"top_p":1e-1,"max_output_tokens":100,"parallel_tool_calls":false,"reasoning":{"effort":"xhigh","summary":"auto"},"text":{"format":{"type":"json_schema","name":"n","schema":{"a":1.0},"strict":true},"verbosity":"low"},"prompt_cache_key":"k","safety_identifier":"s","user":"u","top_logprobs":3,"metadata":{"a":"b"}}'
  const conversation = codec.decodeRequest(Buffer.from(text), limits, nowhere)
  assert.equal(conversation.stream, true)
  assert.deepEqual([conversation.sampling.temperature, conversation.sampling.topP], ['0.70', '1e-1'])
  assert.equal(conversation.outputLimit, 100)
  assert.equal(conversation.parallelCalls, false)
  assert.deepEqual(conversation.reasoning, { effort: 'xhigh', budget: null, summaries: true })
  assert.ok(conversation.format?.kind === 'schema')
  assert.equal(conversation.format.schema.text, '{"a":1.0}')
  assert.deepEqual([conversation.verbosity, conversation.cacheKey, conversation.user], ['low', 'k', 's'])
  assert.deepEqual([conversation.logprobs, conversation.responseOptions.logprobs], [3, true])
  const echo = Object.fromEntries(conversation.responseOptions.echo)
  assert.equal(JSON.stringify(echo.temperature), JSON.stringify({ text: '0.70' }))
  assert.equal('store' in echo, false)
})

test('what is too large is not repeated', () => {
  const { responseOptions } = decode({ instructions: 'x'.repeat(20_000), tools: [] })
  assert.deepEqual(
    responseOptions.echo.map(([name]) => name),
    ['tools'],
  )
})

test('an update among the items changes settings', () => {
  const input = [
    { role: 'user', content: 'a' },
    { type: 'configuration_update', reasoning: { effort: 'high' } },
    { type: 'configuration_update', text: { format: { type: 'json_object' } } },
  ]
  const { reasoning: effort, format } = decode({ input, reasoning: { effort: 'low' } })
  assert.deepEqual([effort.effort, format], ['high', { kind: 'json' }])
})

test('what means nothing is not named', () => {
  const idle = {
    store: false,
    background: false,
    service_tier: 'auto',
    truncation: 'disabled',
    parallel_tool_calls: true,
    tool_choice: 'auto',
    include: ['reasoning.encrypted_content'],
    text: { format: { type: 'text' } },
    tools: [],
    metadata: {},
    max_tool_calls: 5,
    temperature: null,
  }
  assert.deepEqual(decode(idle).fields, [])
})

const refused: [name: string, more: object][] = [
  ['compaction', { input: [{ type: 'compaction', encrypted_content: 'x' }] }],
  ['shell', { tools: [{ type: 'shell' }] }],
  ['moderation', { moderation: { model: 'm' } }],
  ['hosted choice', { tool_choice: { type: 'image_generation' } }],
]
for (const [name, more] of refused) {
  test(`refused elsewhere: ${name}`, () => {
    assert.throws(() => applyPolicy(codec.policy, decode(more).fields, 'gemini'), { code: 'untranslatable' })
  })
}

test('every row has its example named, unless what it is refused for is refused before', () => {
  for (const row of codec.policy) {
    const { fields } = decode(row.example)
    assert.ok(
      fields.some(({ name }) => name === row.field),
      row.field,
    )
    assert.equal(codec.policy.filter(({ field }) => field === row.field).length, 1)
  }
})

const broken: [name: string, more: object, pointer: string][] = [
  ['a role', { input: [{ role: 'tool', content: 'a' }] }, 'input[0].role'],
  ['an effort', { reasoning: { effort: 'huge' } }, 'reasoning.effort'],
  ['a format', { text: { format: { type: 'xml' } } }, 'text.format'],
  ['a choice', { tool_choice: 'some' }, 'tool_choice'],
  ['an image', { input: [{ role: 'user', content: [{ type: 'input_image' }] }] }, 'input[0].content[0]'],
  [
    'a data URL',
    { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png,x' }] }] },
    'input[0].content[0].image_url',
  ],
]
for (const [name, more, pointer] of broken) {
  test(`a broken ${name} is named`, () => {
    assert.throws(() => decode(more), { code: 'invalid_value', pointer })
  })
}
