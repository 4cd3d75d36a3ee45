/** Chat requests in the neutral form: what clients of every format send in such a body is understood, with its position. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ReadLimits, WireError } from '../dialect.ts'
import type {
  Conversation,
  ConversationPart,
  EncryptedReasoning,
  ThinkingPart,
} from '../translation/neutral.ts'
import { carrierId, tagged, taggedBase64 } from '../translation/reasoning-carriers.ts'
import { decodeRequest } from './decode-request.ts'

type Members = Readonly<Record<string, unknown>>

const limits: ReadLimits = { depthMax: 64, valuesMax: 10_000, integerMax: 1_000_000_000 }
const nowhere = { model: null, stream: false }
const user = { role: 'user', content: 'hi' }

function decodedText(text: string): Conversation {
  return decodeRequest(new TextEncoder().encode(text), limits, nowhere)
}

function decoded(more: Members = {}): Conversation {
  return decodedText(JSON.stringify({ model: 'm', messages: [user], ...more }))
}

/** A part in a few letters. */
function brief(part: ConversationPart): string {
  switch (part.kind) {
    case 'text':
      return `text ${part.text}${part.cache === null ? '' : ` ~${part.cache}`}`
    case 'media': {
      const { source, title, detail } = part
      const content = source.kind === 'url' ? source.url : source.kind === 'text' ? source.text : source.data
      const type = source.kind === 'base64' ? `${source.mediaType} ` : `${source.kind} `
      return `${part.medium} ${type}${content}${title === null ? '' : ` "${title}"`}${detail === null ? '' : ` ${detail}`}`
    }
    case 'thinking':
      return `${part.redacted ? 'redacted' : 'thinking'} ${part.text} ${part.encrypted?.vendor}:${part.encrypted?.data}`
    case 'call':
      return `call ${part.id} ${part.name} ${part.form} ${part.input}${part.encrypted === null ? '' : ` ${part.encrypted.data}`}`
    case 'result': {
      const content = part.content.map(brief).join(', ')
      return `result ${part.callId} [${content}]${part.isError ? ' error' : ''}${part.cache === null ? '' : ` ~${part.cache}`}`
    }
    case 'refusal':
      return `refusal ${part.text}`
    case 'other':
      return `other ${part.type} at ${part.pointer}`
  }
}

function turns(...messages: unknown[]): string[] {
  return decoded({ messages }).turns.map(({ role, parts }) => `${role}: ${parts.map(brief).join(' | ')}`)
}

const google: EncryptedReasoning = { vendor: 'google', data: 'R09PRw==' }
const claude: EncryptedReasoning = { vendor: 'anthropic', data: 'sig' }
const openai: EncryptedReasoning = { vendor: 'openai', data: 'rs_1.enc' }
const thought = (text: string, encrypted: EncryptedReasoning | null, redacted = false): ThinkingPart => ({
  kind: 'thinking',
  text,
  redacted,
  encrypted,
})
const fn = (name: string, args: unknown = '{}') => ({ name, arguments: args })
const call = (id: unknown, name = 'f', more: Members = {}) => ({
  id,
  type: 'function',
  function: fn(name),
  ...more,
})
const userMessage = (...content: unknown[]) => ({ role: 'user', content })

const turnCases: readonly (readonly [why: string, messages: readonly unknown[], turns: readonly string[]])[] =
  [
    [
      'a developer is the system',
      [
        { role: 'developer', content: 'a' },
        { role: 'system', content: [{ type: 'text', text: 'b' }] },
      ],
      ['system: text a', 'system: text b'],
    ],
    [
      'empty text says nothing',
      [
        { role: 'system', content: '' },
        userMessage({ type: 'text', text: '' }),
        { role: 'assistant', content: null },
      ],
      // An empty user message is still a message.
      ['user: '],
    ],
    [
      'late instructions keep their place',
      [user, { role: 'system', content: 'late' }, user],
      ['user: text hi', 'system: text late', 'user: text hi'],
    ],
    [
      'text, then calls, then results as they come',
      [
        { role: 'assistant', content: 'so', tool_calls: [call('a'), call('b', 'g')] },
        {
          role: 'tool',
          tool_call_id: 'b',
          content: [
            { type: 'text', text: 'x' },
            { type: 'text', text: 'y' },
          ],
        },
        { role: 'tool', tool_call_id: 'a', content: '' },
      ],
      [
        'assistant: text so | call a f json {} | call b g json {}',
        'user: result b [text x, text y]',
        'user: result a []',
      ],
    ],
    [
      'arguments that a client sends as an object stay its text',
      [{ role: 'assistant', tool_calls: [{ id: 'a', function: fn('f', { b: 1 }) }] }],
      ['assistant: call a f json {"b":1}'],
    ],
    [
      'free text',
      [{ role: 'assistant', tool_calls: [{ id: 'a', type: 'custom', custom: { name: 'c', input: 'x' } }] }],
      ['assistant: call a c text x'],
    ],
    [
      'ids that a client leaves out are made from the place, and found again in order',
      [
        { role: 'assistant', tool_calls: [call(''), call(undefined)] },
        { role: 'tool', tool_call_id: '', content: 'x' },
        { role: 'tool', content: 'y' },
      ],
      [
        'assistant: call call_0_0 f json {} | call call_0_1 f json {}',
        'user: result call_0_0 [text x]',
        'user: result call_0_1 [text y]',
      ],
    ],
    [
      'the oldest form',
      [
        { role: 'assistant', content: null, function_call: fn('f') },
        { role: 'function', name: 'f', content: 'x' },
      ],
      ['assistant: call call_function_0 f json {}', 'user: result call_function_0 [text x]'],
    ],
    [
      'a refusal, as a field and as a part',
      [
        { role: 'assistant', content: null, refusal: 'no' },
        { role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] },
      ],
      ['assistant: refusal no', 'assistant: refusal no'],
    ],
    [
      'thoughts that a client echoes',
      [
        { role: 'assistant', reasoning_content: 'hm', content: 'so' },
        { role: 'assistant', reasoning: 'hm', content: 'so' },
      ],
      [
        'assistant: thinking hm undefined:undefined | text so',
        'assistant: thinking hm undefined:undefined | text so',
      ],
    ],
    [
      'details come before the one text of them all',
      [
        {
          role: 'assistant',
          content: 'so',
          reasoning_content: 'all',
          reasoning_details: [
            { type: 'reasoning.text', text: 'hm', signature: tagged(claude) },
            { type: 'reasoning.encrypted', data: tagged(claude) },
            { type: 'reasoning.summary', summary: 'sum', signature: tagged(openai) },
            { type: 'reasoning.encrypted', data: tagged({ ...openai, data: 'rs_2.e' }) },
            { type: 'reasoning.text', text: 'cut', signature: `${tagged(claude)}x` },
            { type: 'reasoning.text', text: 'foreign', signature: 'x' },
            { type: 'reasoning.encrypted', data: 'foreign' },
          ],
        },
      ],
      [
        'assistant: thinking hm anthropic:sig | thinking sum openai:rs_1.enc | thinking  openai:rs_2.e | thinking foreign undefined:undefined | text so',
      ],
    ],
    [
      'a mark in an id gives the thoughts and the encrypted, once',
      [
        {
          role: 'assistant',
          content: 'so',
          reasoning_content: 'hm',
          reasoning_details: [{ type: 'reasoning.text', text: 'hm', signature: tagged(claude) }],
          tool_calls: [
            call(carrierId('a', { encrypted: google, thoughts: [thought('hm', claude)] }), 'f', {
              extra_content: { google: { thought_signature: 'other' } },
            }),
          ],
        },
        {
          role: 'tool',
          tool_call_id: carrierId('a', { encrypted: google, thoughts: [thought('hm', claude)] }),
          content: 'x',
        },
      ],
      [
        'assistant: thinking hm anthropic:sig | text so | call a f json {} R09PRw==',
        'user: result a [text x]',
      ],
    ],
    [
      'thoughts between calls stand where they were',
      [
        {
          role: 'assistant',
          reasoning_details: [
            { type: 'reasoning.text', text: 'one', signature: tagged({ ...claude, data: '1' }) },
            { type: 'reasoning.text', text: 'two', signature: tagged({ ...claude, data: '2' }) },
          ],
          tool_calls: [
            call(carrierId('a', { encrypted: null, thoughts: [thought('one', { ...claude, data: '1' })] })),
            call(carrierId('b', { encrypted: null, thoughts: [thought('two', { ...claude, data: '2' })] })),
          ],
        },
      ],
      [
        'assistant: thinking one anthropic:1 | call a f json {} | thinking two anthropic:2 | call b f json {}',
      ],
    ],
    [
      'a damaged mark is cut off',
      [{ role: 'assistant', tool_calls: [call(`a_tg1_Wxyz`)] }],
      ['assistant: call a f json {}'],
    ],
    [
      'Google’s field, plain, tagged and damaged',
      [
        {
          role: 'assistant',
          tool_calls: [call('a', 'f', { extra_content: { google: { thought_signature: 'R09PRw==' } } })],
        },
        {
          role: 'assistant',
          tool_calls: [
            call('a', 'f', { extra_content: { google: { thought_signature: taggedBase64(google) } } }),
          ],
        },
        {
          role: 'assistant',
          tool_calls: [
            call('a', 'f', { extra_content: { google: { thought_signature: btoa(`${tagged(google)}x`) } } }),
          ],
        },
        {
          role: 'assistant',
          tool_calls: [call('a'), call('b')],
          extra_content: { google: { thought_signature: 'R09PRw==' } },
        },
        { role: 'assistant', content: 'x', extra_content: { google: { thought_signature: 'R09PRw==' } } },
      ],
      [
        'assistant: call a f json {} R09PRw==',
        'assistant: call a f json {} R09PRw==',
        'assistant: call a f json {}',
        'assistant: call a f json {} R09PRw== | call b f json {}',
        'assistant: text x | thinking  google:R09PRw==',
      ],
    ],
    [
      'blocks of Messages',
      [
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'sig' },
            { type: 'thinking', thinking: '', signature: tagged(openai) },
            { type: 'redacted_thinking', data: 'red' },
            { type: 'text', text: 'so' },
            { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1 } },
            { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
          ],
        },
        userMessage(
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            is_error: true,
            content: [
              { type: 'text', text: 'bad' },
              { type: 'image', source: { type: 'base64', media_type: 'image/jpg', data: 'AA\nAA' } },
            ],
            cache_control: { type: 'ephemeral', ttl: '1h' },
          },
          { type: 'text', text: 'go on', cache_control: { type: 'ephemeral' } },
          { type: 'document', title: 'T', source: { type: 'text', data: 'body' } },
          { type: 'document', source: { type: 'url', url: 'https://a/b.pdf' } },
          { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'inner' }] } },
          {
            type: 'search_result',
            title: 'S',
            source: 'https://s',
            content: [{ type: 'text', text: 'found' }],
          },
        ),
      ],
      [
        'assistant: thinking hm anthropic:sig | thinking  openai:rs_1.enc | redacted  anthropic:red | text so | call toolu_1 f json {"a":1} | other server_tool_use at messages[0].content[5]',
        'user: result toolu_1 [text bad, image image/jpeg AAAA] error ~1h | text go on ~5m | document text body "T" | document url https://a/b.pdf | text inner | text S\nhttps://s\nfound',
      ],
    ],
    [
      'media in every spelling',
      [
        userMessage(
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
          { type: 'image_url', image_url: 'https://a/b.png' },
          { type: 'image_url', image_url: { url: 'data:application/pdf;base64,AAAA' } },
          { type: 'image_url', image_url: { url: 'data:audio/wav;base64,AAAA' } },
          { type: 'image_url', image_url: { url: 'data:text/plain,a%20b' } },
          { type: 'input_image', image_url: 'DATA:IMAGE/JPG;charset=utf-8;BASE64,AA%2BA' },
          { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
          { type: 'audio_url', audio_url: { url: 'https://a/b.wav' } },
          { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA', filename: 'a.pdf' } },
          { type: 'file', file: { file_data: 'AAAA' } },
          { type: 'file', file: { file_data: `data:text/plain;base64,${btoa('plain')}` } },
          { type: 'file', file: { file_data: 'data:text/plain,a%20b' } },
          { type: 'input_file', file_url: 'https://a/b.pdf' },
          { type: 'text', text: 'x', prompt_cache_breakpoint: { mode: 'explicit' } },
        ),
      ],
      [
        `user: ${[
          'image image/png AAAA low',
          'image url https://a/b.png',
          'document application/pdf AAAA',
          'audio audio/wav AAAA',
          'document text a b',
          'image image/jpeg AA+A',
          'audio audio/mp3 AAAA',
          'audio url https://a/b.wav',
          'document application/pdf AAAA "a.pdf"',
          'document application/pdf AAAA',
          'document text plain',
          'document text a b',
          'document url https://a/b.pdf',
          'text x ~5m',
        ].join(' | ')}`,
      ],
    ],
    [
      'a mark on a message is one on its last part',
      [{ ...user, cache_control: { type: 'ephemeral', ttl: '1h' } }],
      ['user: text hi ~1h'],
    ],
    [
      'thinking in parts, as hosts have it',
      [
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
            { type: 'text', text: 'so' },
          ],
        },
      ],
      ['assistant: thinking hm undefined:undefined | text so'],
    ],
  ]

test('messages become turns', () => {
  for (const [why, messages, expected] of turnCases) assert.deepEqual(turns(...messages), expected, why)
})

test('what a client or a model wrote as JSON stays the same text', () => {
  const args = '{"__proto__":{"a":1},"big":9007199254740993,"e":1e21,"2":0,"1":"\\u00e9\\ud83d"}'
  const body = `{"model":"m","messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":${args}}]},{"role":"assistant","tool_calls":[{"id":"b","function":{"name":"f","arguments":${JSON.stringify(args)}}}]}],"tools":[{"type":"function","function":{"name":"f","parameters":${args}}}]}`
  const {
    turns: [native, chat],
    tools,
  } = decodedText(body)
  for (const part of [native?.parts[0], chat?.parts[0]])
    assert.equal(part?.kind === 'call' && part.input, args)
  assert.equal(tools[0]?.schema?.text, args)
})

const schema = { type: 'object', properties: {} }
const toolCases: readonly (readonly [tool: Members, expected: string])[] = [
  [
    { type: 'function', function: { name: 'f', description: 'd', parameters: schema, strict: true } },
    'f d json {"type":"object","properties":{}} null true null',
  ],
  [{ type: 'function', function: { name: 'f', parameters: null } }, 'f null json undefined null null null'],
  [{ type: 'function', name: 'f', parameters: {}, strict: false }, 'f null json {} null false null'],
  [
    { name: 'f', input_schema: schema, cache_control: { type: 'ephemeral' } },
    'f null json {"type":"object","properties":{}} null null 5m',
  ],
  [
    { type: 'custom', name: 'f', input_schema: schema },
    'f null json {"type":"object","properties":{}} null null null',
  ],
  [
    { type: 'function', function: { name: 'f', cache_control: { type: 'ephemeral', ttl: '1h' } } },
    'f null json undefined null null 1h',
  ],
  [
    { type: 'custom', custom: { name: 'c', description: 'd', format: { type: 'text' } } },
    'c d text undefined null null null',
  ],
  [
    {
      type: 'custom',
      custom: { name: 'c', format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'x' } } },
    },
    'c null text undefined {"type":"grammar","syntax":"lark","definition":"x"} null null',
  ],
  [
    { type: 'custom', name: 'c', format: { type: 'grammar', syntax: 'regex', definition: 'x' } },
    'c null text undefined {"type":"grammar","syntax":"regex","definition":"x"} null null',
  ],
]

test('tools in the words of every format', () => {
  for (const [tool, expected] of toolCases) {
    const [found] = decoded({ tools: [tool] }).tools
    assert.ok(found !== undefined)
    const { name, description, form, schema: own, format, strict, cache } = found
    const summary = [name, description, form, own?.text, format === null ? null : format.text, strict, cache]
    assert.equal(summary.map(String).join(' '), expected)
  }
  const legacy = decoded({ functions: [{ name: 'f', parameters: schema }], function_call: { name: 'f' } })
  assert.deepEqual(legacy.toolChoice, { kind: 'one', name: 'f', namespace: null })
  assert.equal(legacy.tools[0]?.name, 'f')
  assert.equal(legacy.parallelCalls, false)
})

const choices: readonly (readonly [choice: unknown, expected: unknown])[] = [
  ['auto', { kind: 'auto' }],
  ['none', { kind: 'none' }],
  ['required', { kind: 'required' }],
  ['any', { kind: 'required' }],
  [
    { type: 'function', function: { name: 'f' } },
    { kind: 'one', name: 'f', namespace: null },
  ],
  [
    { type: 'function', name: 'f' },
    { kind: 'one', name: 'f', namespace: null },
  ],
  [
    { type: 'custom', custom: { name: 'c' } },
    { kind: 'one', name: 'c', namespace: null },
  ],
  [
    { type: 'tool', name: 'f' },
    { kind: 'one', name: 'f', namespace: null },
  ],
  [{ type: 'any' }, { kind: 'required' }],
  [{ type: 'auto', disable_parallel_tool_use: true }, { kind: 'auto' }],
  [
    {
      type: 'allowed_tools',
      allowed_tools: {
        mode: 'required',
        tools: [
          { type: 'function', function: { name: 'f' } },
          { type: 'function', name: 'g' },
        ],
      },
    },
    { kind: 'some', required: true, names: ['f', 'g'] },
  ],
]

test('the choice of a tool in the words of every format', () => {
  for (const [choice, expected] of choices)
    assert.deepEqual(decoded({ tool_choice: choice }).toolChoice, expected)
  assert.equal(
    decoded({ tool_choice: { type: 'auto', disable_parallel_tool_use: true } }).parallelCalls,
    false,
  )
  assert.equal(decoded({ parallel_tool_calls: false }).parallelCalls, false)
})

const reasonings: readonly (readonly [more: Members, expected: readonly [unknown, unknown, unknown]])[] = [
  [{}, [null, null, null]],
  [{ reasoning_effort: 'xhigh' }, ['xhigh', null, null]],
  [{ reasoning: { effort: 'low', exclude: true } }, ['low', null, false]],
  [{ reasoning: { max_tokens: 2_000 } }, [null, 2_000, true]],
  [{ reasoning: { enabled: false } }, ['none', null, true]],
  [{ reasoning: { enabled: true } }, ['medium', null, true]],
  [{ reasoning: { enabled: true, max_tokens: 9 } }, [null, 9, true]],
  [{ thinking: { type: 'enabled', budget_tokens: 1_024 } }, [null, 1_024, null]],
  [{ thinking: { type: 'disabled' } }, ['none', null, null]],
  [{ include_reasoning: false }, [null, null, false]],
]

test('how much to think, in the words of every gateway', () => {
  for (const [more, [effort, budget, summaries]] of reasonings) {
    assert.deepEqual(decoded(more).reasoning, { effort, budget, summaries }, JSON.stringify(more))
  }
})

test('settings keep their digits, and defaults say nothing', () => {
  const {
    sampling,
    stops,
    outputLimit,
    logprobs,
    user: userId,
    cacheKey,
    verbosity,
    format,
    responseOptions,
    stream,
    providerTools,
  } = decodedText(
    '{"model":"m","messages":[{"role":"user","content":"x"}],"temperature":0.70,"top_p":1e-1,"top_k":40,"seed":9007199254740993,"presence_penalty":0.0,"frequency_penalty":-2,"stop":["","a"],"max_tokens":9,"max_completion_tokens":1e3,"logprobs":true,"top_logprobs":2,"user":"u","safety_identifier":"s","prompt_cache_key":"k","verbosity":"low","response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"a":1e21},"strict":true}},"stream":true,"stream_options":{"include_usage":true},"web_search_options":{}}',
  )
  assert.deepEqual(sampling, {
    temperature: '0.70',
    topP: '1e-1',
    topK: '40',
    presencePenalty: null,
    frequencyPenalty: '-2',
    seed: '9007199254740993',
  })
  assert.deepEqual(
    [stops, outputLimit, logprobs, userId, cacheKey, verbosity, stream],
    [['a'], 1_000, 2, 's', 'k', 'low', true],
  )
  assert.equal(format?.kind === 'schema' && format.schema.text, '{"a":1e21}')
  assert.deepEqual([responseOptions.includeUsage, responseOptions.logprobs], [true, true])
  assert.deepEqual(providerTools, [{ name: 'web_search', usesMax: null, pointer: 'web_search_options' }])
  assert.deepEqual(decoded({ response_format: { type: 'json_object' } }).format, { kind: 'json' })
  assert.deepEqual(decoded({ system: [{ type: 'text', text: 's' }] }).turns[0]?.role, 'system')
})

test('every field that was given is noted with its place, and none that says nothing', () => {
  const nothing = {
    n: 1,
    service_tier: 'auto',
    store: false,
    logprobs: false,
    modalities: ['text'],
    seed: null,
    stop: [],
    metadata: {},
    presence_penalty: 0,
    parallel_tool_calls: true,
    response_format: { type: 'text' },
    stream: false,
    stream_options: {},
    tools: [],
    background: false,
  }
  assert.deepEqual(decoded(nothing).fields, [])
  const body = {
    messages: [
      {
        role: 'user',
        name: 'x',
        content: [
          { type: 'text', text: 'x', cache_control: {} },
          { type: 'image_url', image_url: { url: 'https://a', detail: 'high' } },
        ],
      },
    ],
    n: 2,
    seed: 1,
    provider: { order: [] },
    web_search_options: {},
    tools: [{ type: 'function', function: { name: 'f', strict: true } }],
  }
  assert.deepEqual(
    decoded(body).fields.map(({ name, pointer }) => `${name} at ${pointer}`),
    [
      'n at n',
      'seed at seed',
      'provider at provider',
      'web_search_options at web_search_options',
      'tools at tools',
      'messages[].name at messages[0].name',
      'messages[].content[].cache_control at messages[0].content[0].cache_control',
      'messages[].content[].image_url.detail at messages[0].content[1].image_url.detail',
      'tools[].function.strict at tools[0].function.strict',
    ],
  )
})

const wrong: readonly (readonly [more: Members, code: string, pointer: string])[] = [
  [{ messages: 'x' }, 'invalid_value', 'messages'],
  [{ messages: [{ content: 'x' }] }, 'invalid_value', 'messages[0]'],
  [{ messages: [{ role: 'model', content: 'x' }] }, 'invalid_value', 'messages[0].role'],
  [{ messages: [userMessage(7)] }, 'invalid_value', 'messages[0].content[0]'],
  [{ messages: [userMessage({ type: 'hologram' })] }, 'untranslatable', 'messages[0].content[0]'],
  [{ messages: [userMessage({ type: 'text' })] }, 'invalid_value', 'messages[0].content[0]'],
  [
    { messages: [userMessage({ type: 'image', source: { type: 'file', file_id: 'x' } })] },
    'reference_not_owned',
    'messages[0].content[0].source.file_id',
  ],
  [
    { messages: [userMessage({ type: 'image_url', image_url: { url: 'data:image/png,abc' } })] },
    'invalid_value',
    'messages[0].content[0].image_url.url',
  ],
  [
    { messages: [{ role: 'assistant', tool_calls: [{ id: 'a' }] }] },
    'invalid_value',
    'messages[0].tool_calls[0]',
  ],
  [{ tools: [{ type: 'function', function: {} }] }, 'invalid_value', 'tools[0].function'],
  [
    { tools: [{ type: 'function', function: { name: 'f', parameters: [] } }] },
    'invalid_value',
    'tools[0].function.parameters',
  ],
  [{ tool_choice: 'maybe' }, 'invalid_value', 'tool_choice'],
  [{ reasoning_effort: 'hard' }, 'invalid_value', 'reasoning_effort'],
  [{ response_format: { type: 'xml' } }, 'invalid_value', 'response_format.type'],
  [
    { response_format: { type: 'json_schema', json_schema: { name: 'n' } } },
    'invalid_value',
    'response_format.json_schema',
  ],
  [{ temperature: '1' }, 'invalid_value', 'temperature'],
  [{ max_tokens: 0 }, 'invalid_value', 'max_tokens'],
]

test('an invalid request is rejected, with the position of the error', () => {
  for (const [more, code, pointer] of wrong) {
    assert.throws(
      () => decoded(more),
      (error) => error instanceof WireError && error.code === code && error.pointer === pointer,
      JSON.stringify(more),
    )
  }
})
