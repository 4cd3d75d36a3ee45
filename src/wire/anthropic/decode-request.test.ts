/** Messages requests in the neutral form: what coding agents send, every kind of block, carriers, and the policy's names. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fixtureCases } from '../../../test/support/fixtures.ts'
import { type ReadLimits, WireError } from '../dialect.ts'
import type { Conversation, ConversationPart, ThinkingPart } from '../translation/neutral.ts'
import { carrierId, tagged } from '../translation/reasoning-carriers.ts'
import { decodeRequest } from './decode-request.ts'
import { policy } from './request-policy-table.ts'

const limits: ReadLimits = { depthMax: 64, valuesMax: 250_000, integerMax: 1_000_000_000 }
const encoder = new TextEncoder()
const base = { model: 'claude-x', max_tokens: 100, messages: [{ role: 'user', content: 'Hello.' }] }

type Members = Readonly<Record<string, unknown>>
const decodeText = (body: string): Conversation => decodeRequest(encoder.encode(body), limits)
const decode = (more: Members = {}): Conversation => decodeText(JSON.stringify({ ...base, ...more }))
const userMessage = (...content: unknown[]) => decode({ messages: [{ role: 'user', content }] })
const answering = (...content: unknown[]) => decode({ messages: [{ role: 'assistant', content }] })
const parts = ({ turns }: Conversation): readonly ConversationPart[] => turns.flatMap((turn) => turn.parts)
const fieldNames = ({ fields }: Conversation) => fields.map(({ name }) => name)

function refusal(more: Members): string {
  try {
    decode(more)
    return 'decoded'
  } catch (error) {
    assert.ok(error instanceof WireError, String(error))
    return `${error.code} ${error.pointer}`
  }
}

const ephemeral = { type: 'ephemeral' }

/** As a coding agent sends it. */
const agent = {
  model: 'claude-x',
  max_tokens: 32_000,
  stream: true,
  system: [
    { type: 'text', text: 'x-anthropic-billing-header: cc_version=2; cc_entrypoint=cli;' },
    { type: 'text', text: 'You are an agent.', cache_control: ephemeral },
    { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h' } },
  ],
  tools: [
    {
      name: 'Bash',
      description: 'Runs.',
      input_schema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: {},
      },
    },
    { name: 'mcp__a__b', input_schema: { type: 'object' }, defer_loading: true, strict: true },
    { type: 'web_search_20250305', name: 'web_search', max_uses: 8 },
    { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
  ],
  metadata: { user_id: '{"device_id":"d","session_id":"s"}' },
  thinking: { type: 'adaptive', display: 'omitted' },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  output_config: { effort: 'high' },
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: '<system-reminder>x</system-reminder>' },
        { type: 'text', text: 'Go.' },
      ],
    },
    { role: 'system', content: 'Text.' },
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } }],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'toolu_1',
          content: 'a',
          is_error: true,
          cache_control: ephemeral,
        },
      ],
    },
    { role: 'system', content: [{ type: 'text', text: 'Now.' }], output_config: { effort: 'low' } },
  ],
}

test('what a coding agent sends is understood', () => {
  const conversation = decode(agent)
  assert.deepEqual(
    conversation.turns.map(({ role, parts: said }) => [
      role,
      ...said.map((part) => ('text' in part ? part.text : part.kind)),
    ]),
    [
      ['system', 'You are an agent.', 'Be brief.'],
      ['user', '<system-reminder>x</system-reminder>', 'Go.'],
      ['system', 'Text.'],
      ['assistant', 'call'],
      ['user', 'result'],
      ['system', 'Now.'],
    ],
  )
  assert.deepEqual(
    conversation.turns[0]?.parts.map((part) => 'cache' in part && part.cache),
    ['5m', '1h'],
  )
  assert.equal(conversation.tools[0]?.schema?.text, JSON.stringify(agent.tools[0]?.input_schema))
  assert.equal(conversation.tools[1]?.strict, true)
  assert.deepEqual(conversation.providerTools, [
    { name: 'web_search', usesMax: 8, pointer: 'tools[2]' },
    { name: 'tool_search', usesMax: null, pointer: 'tools[3]' },
  ])
  assert.deepEqual(conversation.reasoning, { effort: 'low', budget: null, summaries: false })
  assert.equal(conversation.user, '{"device_id":"d","session_id":"s"}')
  assert.equal(conversation.outputLimit, 32_000)
  assert.deepEqual(conversation.fields.map(({ name, pointer }) => `${name} at ${pointer}`).sort(), [
    'context_management at context_management',
    'max_tokens at max_tokens',
    'messages[].content[].cache_control at messages[3].content[0].cache_control',
    'messages[].output_config at messages[4].output_config',
    'metadata.user_id at metadata.user_id',
    'output_config.effort at output_config.effort',
    'system at system',
    'system[] at system[0]',
    'system[].cache_control at system[1].cache_control',
    'thinking at thinking',
    'thinking.display at thinking.display',
    'tools at tools',
    'tools[].defer_loading at tools[1].defer_loading',
  ])
})

test('the effort of an instruction holds until the user speaks again', () => {
  const later = [
    ...agent.messages,
    { role: 'assistant', content: 'Done.' },
    { role: 'user', content: 'More.' },
  ]
  assert.equal(decode({ ...agent, messages: later }).reasoning.effort, 'high')
})

const blocks: readonly [what: string, block: unknown, expected: unknown][] = [
  [
    'text',
    { type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl: '1h' } },
    [{ kind: 'text', text: 'x', cache: '1h', citations: [] }],
  ],
  [
    'cited text',
    {
      type: 'text',
      text: 'x',
      citations: [{ type: 'char_location', cited_text: 'y', document_title: 'z', document_index: 0 }],
    },
    [{ kind: 'text', text: 'x', cache: null, citations: [{ url: null, title: 'z', quoted: 'y' }] }],
  ],
  [
    'a picture',
    { type: 'image', source: { type: 'base64', media_type: 'image/PNG', data: 'aG\nk=' } },
    ['image', { kind: 'base64', mediaType: 'image/png', data: 'aGk=' }, null],
  ],
  [
    'a picture elsewhere',
    { type: 'image', source: { type: 'url', url: 'https://a.example/b' } },
    ['image', { kind: 'url', mediaType: null, url: 'https://a.example/b' }, null],
  ],
  [
    'a PDF',
    { type: 'document', title: 't', source: { type: 'base64', media_type: 'application/pdf', data: 'aGk=' } },
    ['document', { kind: 'base64', mediaType: 'application/pdf', data: 'aGk=' }, 't'],
  ],
  [
    'a PDF elsewhere',
    { type: 'document', source: { type: 'url', url: 'https://a.example/b' } },
    ['document', { kind: 'url', mediaType: 'application/pdf', url: 'https://a.example/b' }, null],
  ],
  [
    'a text document',
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a b' } },
    ['document', { kind: 'text', text: 'a b' }, null],
  ],
  [
    'a document of blocks',
    {
      type: 'document',
      source: {
        type: 'content',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    },
    ['document', { kind: 'text', text: 'a\n\nb' }, null],
  ],
  [
    'a document of a string',
    { type: 'document', source: { type: 'content', content: 'a' } },
    ['document', { kind: 'text', text: 'a' }, null],
  ],
  [
    'a search result',
    {
      type: 'search_result',
      title: 'T',
      source: 'https://a.example',
      content: [{ type: 'text', text: 'x' }],
    },
    [{ kind: 'text', text: 'T\nhttps://a.example\n\nx', cache: null, citations: [] }],
  ],
  [
    'what ran at the provider',
    { type: 'web_search_tool_result', tool_use_id: 'x', content: [] },
    [{ kind: 'other', type: 'web_search_tool_result', pointer: 'messages[0].content[0]' }],
  ],
  [
    'a summary',
    { type: 'compaction', content: 'So far.' },
    [{ kind: 'text', text: 'So far.', cache: null, citations: [] }],
  ],
  [
    'a summary of nothing',
    { type: 'compaction', content: null },
    [{ kind: 'other', type: 'compaction', pointer: 'messages[0].content[0]' }],
  ],
]

test('each block is one part, or is named', () => {
  for (const [what, block, expected] of blocks) {
    const read = parts(userMessage(block))
    const [first] = read
    const shown = first?.kind === 'media' ? [first.medium, first.source, first.title] : read
    assert.deepEqual(shown, expected, what)
  }
})

test('documents with images are split into parts, and text before a document stays text', () => {
  const picture = { type: 'image', source: { type: 'url', url: 'https://a.example/b' } }
  const content = [{ type: 'text', text: 'a' }, picture]
  const kinds = (block: unknown) => parts(userMessage(block)).map(({ kind }) => kind)
  assert.deepEqual(kinds({ type: 'document', source: { type: 'content', content } }), ['text', 'media'])
  const text = { type: 'text', media_type: 'text/plain', data: 'a' }
  assert.deepEqual(kinds({ type: 'document', source: text, context: 'c' }), ['text', 'media'])
})

test('results hold text, media and what a search found; the rest is named behind them', () => {
  const content = [
    { type: 'text', text: 'a' },
    { type: 'image', source: { type: 'url', url: 'https://a.example/b' } },
    { type: 'tool_reference', tool_name: 'look' },
    { type: 'browser_state', tabs: [] },
  ]
  const [result, other] = parts(userMessage({ type: 'tool_result', tool_use_id: 'a', content }))
  assert.ok(result?.kind === 'result')
  assert.deepEqual(
    result.content.map((part) => (part.kind === 'text' ? part.text : part.medium)),
    ['a', 'image', 'Tool: look'],
  )
  assert.deepEqual(other, {
    kind: 'other',
    type: 'browser_state',
    pointer: 'messages[0].content[0].content[3]',
  })
})

test('input of calls is the text as it was written', () => {
  const input = '{ "b" : 9007199254740993, "__proto__" : 1e21, "1":"\\u00e9"}'
  const body = `{"model":"m","max_tokens":1,"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":${input}}]}]}`
  const [call] = parts(decodeText(body))
  assert.ok(call?.kind === 'call')
  assert.equal(call.input, input)
})

const google = { vendor: 'google', data: 'c2ln' } as const
const openai = { vendor: 'openai', data: 'rs_1.abc' } as const
const use = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} })
const think = (thinking: string, signature: string) => ({ type: 'thinking', thinking, signature })
const damaged = `${tagged(google).slice(0, -6)}xxxxxx`

const encryptedValues: readonly [what: string, content: unknown[], expected: unknown[]][] = [
  ['its own', [think('t', 'sig')], [['t', { vendor: 'anthropic', data: 'sig' }]]],
  ['its own without text', [think('', 'sig')], [['', { vendor: 'anthropic', data: 'sig' }]]],
  ['redacted', [{ type: 'redacted_thinking', data: 'sig' }], [['', { vendor: 'anthropic', data: 'sig' }]]],
  ['of another vendor', [think('t', tagged(openai))], [['t', openai]]],
  ['of nobody', [think('t', '')], [['t', null]]],
  ['damaged', [think('t', damaged), use('a')], [null]],
  ['with text before a call', [think('t', tagged(google)), use('a')], [['t', google], null]],
  ['in the id', [use(carrierId('a', { encrypted: google, thoughts: [] }))], [google]],
  [
    'in the ID, whatever precedes the call',
    [think('t', tagged(openai)), use(carrierId('a', { encrypted: google, thoughts: [] }))],
    [['t', openai], google],
  ],
  ['another vendor before a call', [think('', tagged(openai)), use('a')], [['', openai], null]],
]

test('encryptedValues find their way back from signatures and ids', () => {
  for (const [what, content, expected] of encryptedValues) {
    const read = parts(answering(...content)).map((part) => {
      if (part.kind === 'thinking') return [part.text, part.encrypted]
      return part.kind === 'call' ? part.encrypted : part.kind === 'text' ? part.text : part
    })
    assert.deepEqual(read, expected, what)
  }
})

test('reasoning in an ID precedes its call, once', () => {
  const thought: ThinkingPart = { kind: 'thinking', text: 't', redacted: false, encrypted: openai }
  const id = carrierId('a', { encrypted: null, thoughts: [thought] })
  const alone = parts(answering(use(id)))
  assert.deepEqual(alone[0], thought)
  assert.deepEqual(
    parts(answering(think('t', tagged(openai)), use(id))).map(({ kind }) => kind),
    ['thinking', 'call'],
  )
  const [call, result] = parts(
    decode({
      messages: [
        { role: 'assistant', content: [use(id)] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: id }] },
      ],
    }),
  ).slice(1)
  assert.ok(call?.kind === 'call' && result?.kind === 'result')
  assert.equal(call.id, 'a')
  assert.equal(result.callId, 'a')
})

const reasoningCases: readonly [more: Members, reasoning: Conversation['reasoning']][] = [
  [{}, { effort: null, budget: null, summaries: null }],
  [{ thinking: { type: 'disabled' } }, { effort: 'none', budget: 0, summaries: null }],
  [
    { thinking: { type: 'disabled' }, output_config: { effort: 'high' } },
    { effort: 'none', budget: 0, summaries: null },
  ],
  [{ thinking: { type: 'enabled', budget_tokens: 2_000 } }, { effort: null, budget: 2_000, summaries: null }],
  [{ thinking: { type: 'adaptive' } }, { effort: null, budget: -1, summaries: null }],
  [
    { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'max' } },
    { effort: 'max', budget: null, summaries: true },
  ],
  [{ thinking: { type: 'between_tools' } }, { effort: 'low', budget: null, summaries: null }],
  [{ output_config: { effort: 'medium' } }, { effort: 'medium', budget: null, summaries: null }],
]

test('thinking in neutral words', () => {
  for (const [more, reasoning] of reasoningCases)
    assert.deepEqual(decode(more).reasoning, reasoning, JSON.stringify(more))
})

test('tools, choices and the form of the answer', () => {
  const choice = (toolChoice: unknown) => {
    const { toolChoice: chosen, parallelCalls } = decode({ tool_choice: toolChoice })
    return [chosen, parallelCalls]
  }
  assert.deepEqual(choice({ type: 'auto' }), [{ kind: 'auto' }, null])
  assert.deepEqual(choice({ type: 'any', disable_parallel_tool_use: true }), [{ kind: 'required' }, false])
  assert.deepEqual(choice({ type: 'tool', name: 'f' }), [{ kind: 'one', name: 'f', namespace: null }, null])
  assert.deepEqual(choice({ type: 'none' }), [{ kind: 'none' }, null])
  const schema = { type: 'object' }
  for (const more of [
    { output_config: { format: { type: 'json_schema', schema } } },
    { output_format: { schema } },
  ]) {
    const { format } = decode(more)
    assert.equal(format?.kind === 'schema' && format.schema.text, '{"type":"object"}')
  }
  const addition = {
    role: 'system',
    content: [
      {
        type: 'tool_addition',
        tool: { type: 'tool_definition', definition: { name: 'late', input_schema: schema } },
      },
    ],
  }
  const late = decode({ messages: [...base.messages, addition] })
  assert.deepEqual(
    late.tools.map(({ name }) => name),
    ['late'],
  )
  assert.equal(late.turns.length, 1)
})

const refused: readonly [more: Members, expected: string][] = [
  [{ max_tokens: 0 }, 'untranslatable max_tokens'],
  [{ tools: [{ type: 'bash_20250124', name: 'bash' }] }, 'untranslatable tools[0]'],
  [{ tools: [{ type: 'computer_toolset_20260801', name: 'computer' }] }, 'untranslatable tools[0]'],
  [{ tools: [{ input_schema: {} }] }, 'invalid_value tools[0]'],
  [{ tool_choice: { type: 'tool' } }, 'invalid_value tool_choice'],
  [{ thinking: { type: 'on' } }, 'invalid_value thinking'],
  [{ output_config: { effort: 'huge' } }, 'invalid_value output_config.effort'],
  [{ messages: [{ role: 'tool', content: 'x' }] }, 'invalid_value messages[0].role'],
  [{ messages: [{ content: 'x' }] }, 'invalid_value messages[0]'],
  [{ messages: [{ role: 'user', content: [{ type: 'text' }] }] }, 'invalid_value messages[0].content[0]'],
  [{ messages: [{ role: 'user', content: [{ type: 'image' }] }] }, 'invalid_value messages[0].content[0]'],
  [
    { messages: [{ role: 'user', content: [{ type: 'image', source: {} }] }] },
    'invalid_value messages[0].content[0].source',
  ],
  [
    { messages: [{ role: 'user', content: [{ type: 'tool_result' }] }] },
    'invalid_value messages[0].content[0]',
  ],
  [{ temperature: 'hot' }, 'invalid_value temperature'],
  [{ stop_sequences: [1] }, 'invalid_value stop_sequences[0]'],
]

test('what cannot be read or carried names its place', () => {
  for (const [more, expected] of refused) assert.equal(refusal(more), expected, JSON.stringify(more))
})

test('settings without an effect are not reported', () => {
  const quiet = {
    tools: [],
    stop_sequences: [],
    service_tier: 'auto',
    speed: null,
    inference_geo: 'global',
    metadata: {},
    thinking: null,
  }
  assert.deepEqual(fieldNames(decode(quiet)), ['max_tokens'])
  assert.deepEqual(fieldNames(decode({ unheard_of: 1, metadata: { other: 2 } })), [
    'max_tokens',
    'unheard_of',
    'metadata.other',
  ])
})

test('every row of the policy names a field by which it is found, and a fate for every other format', () => {
  for (const { field, to, example, note } of policy) {
    assert.deepEqual(
      Object.keys(to).sort(),
      ['bedrock-converse', 'gemini', 'openai-chat', 'openai-responses'],
      field,
    )
    assert.ok(note.split(' ').length <= 12, note)
    if (refusal(example as Members) === 'decoded')
      assert.ok(fieldNames(decode(example as Members)).includes(field), field)
    else assert.deepEqual([...new Set(Object.values(to))], ['refused'], field)
  }
  assert.equal(new Set(policy.map(({ field }) => field)).size, policy.length)
})

test('every recorded request is understood, and every field of it has a row', () => {
  const known = policy.map(({ field }) => field)
  for (const { name, request, status } of fixtureCases('anthropic')) {
    if (request === undefined || status !== 200) continue
    for (const field of fieldNames(decodeRequest(request, limits)))
      assert.ok(known.includes(field), `${name}: ${field}`)
  }
})

test('long conversations are read in linear time', () => {
  const messages = Array.from({ length: 20_000 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: [
      { type: 'text', text: 'x' },
      { type: 'server_tool_use', id: 'a' },
    ],
  }))
  const wide = { ...limits, valuesMax: 1_000_000 }
  const { turns } = decodeRequest(encoder.encode(JSON.stringify({ ...base, messages })), wide)
  assert.deepEqual(turns.at(-1)?.parts.at(-1), {
    kind: 'other',
    type: 'server_tool_use',
    pointer: 'messages[19999].content[1]',
  })
})
