/**
 * Rejections of wrong translations by each format, with the provider's messages. Every row is a body that
 * differs in one thing from a valid one, and the valid one is sent as well.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ConversationFormat } from '../src/wire/format-names.ts'
import { manualClock } from '../test/support/manual-clock.ts'
import { exchange, type Reply } from '../test/support/sandbox-client.ts'
import type { JsonObject } from './request/normalized-request.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'
import { encryptReasoning, itemId, signThinking, signThought } from './signature.ts'

let sandbox: Sandbox

before(async () => {
  sandbox = await startSandbox({ clock: manualClock() })
})
after(() => sandbox.close())

const paths: Readonly<Record<ConversationFormat, (model: string) => string>> = {
  'openai-chat': () => '/v1/chat/completions',
  'openai-responses': () => '/v1/responses',
  anthropic: () => '/v1/messages',
  gemini: (model) => `/v1beta/models/${model}:generateContent`,
}

function send(format: ConversationFormat, model: string, body: object): Promise<Reply> {
  const named = format === 'gemini' ? body : { model, ...body }
  return exchange(sandbox.origin, { path: paths[format](model), body: named })
}

/** The model is given where not every model minds: one that does. */
type Case = readonly [
  what: string,
  good: object,
  bad: object,
  says: RegExp,
  code?: string | undefined,
  model?: string,
]

const schema = { type: 'object', properties: {} }
const user = { role: 'user', content: 'hi' }

const chatCall = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }
const chatTool = { type: 'function', function: { name: 'f', parameters: schema } }
const chatTools = { messages: [user], tools: [chatTool] }
const chatHistory = (call: JsonObject, result: JsonObject = {}): object => ({
  messages: [
    user,
    { role: 'assistant', content: null, tool_calls: [{ ...chatCall, ...call }] },
    { role: 'tool', tool_call_id: call.id ?? 'call_1', content: 'x', ...result },
  ],
})
const chatMessages = { messages: [user] }

const chatCases: readonly Case[] = [
  [
    'a call id of 41 characters',
    chatHistory({ id: 'x'.repeat(40) }),
    chatHistory({ id: 'x'.repeat(41) }),
    /maximum length 40, but got a string with length 41/,
    'string_above_max_length',
  ],
  [
    'arguments that are an object',
    chatHistory({}),
    chatHistory({ function: { name: 'f', arguments: {} } }),
    /arguments/,
    'invalid_type',
  ],
  [
    'a name with a dot',
    chatHistory({}),
    chatHistory({ function: { name: 'a.b', arguments: '{}' } }),
    /pattern/,
    'invalid_value',
  ],
  ['null content', chatMessages, { messages: [{ role: 'user', content: null }] }, /null/],
  [
    'a choice without tools',
    { ...chatTools, tool_choice: 'auto' },
    { ...chatMessages, tool_choice: 'auto' },
    /only allowed when 'tools' are specified/,
  ],
  ['an empty list of tools', chatMessages, { ...chatMessages, tools: [] }, /empty array/, 'empty_array'],
  [
    'a choice that is not among the tools',
    { ...chatTools, tool_choice: { type: 'function', function: { name: 'f' } } },
    { ...chatTools, tool_choice: { type: 'function', function: { name: 'g' } } },
    /'g' not found/,
  ],
  [
    'a field of another maker',
    { ...chatMessages, seed: 1 },
    { ...chatMessages, reasoning: {} },
    /^Unrecognized request argument supplied: reasoning$/,
    undefined,
    'sandbox-chat-echo',
  ],
  [
    'a field of another maker in a call',
    chatHistory({}),
    chatHistory({ extra_content: {} }),
    /Unknown parameter: 'messages\[1\]\.tool_calls\[0\]\.extra_content'/,
    'unknown_parameter',
    'sandbox-chat-tools',
  ],
  [
    'a cache mark on a part',
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }] },
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'hi', cache_control: {} }] }] },
    /'messages\[0\]\.content\[0\]\.cache_control'/,
    'unknown_parameter',
    'sandbox-chat-echo',
  ],
]

const use = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }
const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' }
const messagesTools = { max_tokens: 2_000, messages: [user], tools: [{ name: 'f', input_schema: schema }] }
const messagesHistory = (made: object, ...rest: object[]): object => ({
  max_tokens: 100,
  messages: [user, { role: 'assistant', content: [made] }, { role: 'user', content: rest }],
})
const thought = (text: string, earlier: number): object => ({
  role: 'assistant',
  content: [
    { type: 'thinking', thinking: text, signature: signThinking(text, earlier) },
    { type: 'text', text: 'so' },
  ],
})
const plain = { max_tokens: 100, messages: [user] }
const aside = { role: 'system', content: 'Be kind.' }

const messagesCases: readonly Case[] = [
  [
    'an id with a dot',
    messagesHistory(use, result),
    messagesHistory({ ...use, id: 'a.b' }, { ...result, tool_use_id: 'a.b' }),
    /tool_use\.id: String should match pattern/,
  ],
  [
    'input that is text',
    messagesHistory(use, result),
    messagesHistory({ ...use, input: '{}' }, result),
    /input: Input should be a valid dictionary/,
  ],
  [
    'a result behind a text',
    messagesHistory(use, result, { type: 'text', text: 'and' }),
    messagesHistory(use, { type: 'text', text: 'and' }, result),
    /immediately after: toolu_1/,
  ],
  [
    'a blank text',
    plain,
    { ...plain, messages: [{ role: 'user', content: [{ type: 'text', text: ' \n' }] }] },
    /non-empty/,
  ],
  [
    'redacted thinking of another maker',
    { ...plain, messages: [user, thought('hm', 0), user] },
    messagesHistory({ type: 'redacted_thinking', data: 'x' }, { type: 'text', text: 'and' }),
    /redacted_thinking/,
  ],
  [
    'thinking of which only the last is left',
    { ...plain, messages: [user, thought('hm', 0), user, thought('well', 1), user] },
    { ...plain, messages: [user, { role: 'assistant', content: 'so' }, user, thought('well', 1), user] },
    /Invalid `signature`/,
  ],
  [
    'a system message before the user',
    { ...plain, messages: [user, aside] },
    { ...plain, messages: [aside, user] },
    /role 'system'/,
  ],
  [
    'a choice without tools',
    { ...messagesTools, tool_choice: { type: 'auto' } },
    { ...plain, tool_choice: { type: 'auto' } },
    /only be specified while providing tools/,
  ],
  [
    'a tool without a schema',
    messagesTools,
    { ...messagesTools, tools: [{ name: 'f', input_schema: {} }] },
    /input_schema/,
  ],
  [
    'a tool that is there twice',
    messagesTools,
    { ...messagesTools, tools: [...messagesTools.tools, ...messagesTools.tools] },
    /unique/,
  ],
  [
    'a budget that the limit does not hold',
    { ...messagesTools, thinking: { type: 'enabled', budget_tokens: 1_999 } },
    { ...messagesTools, thinking: { type: 'enabled', budget_tokens: 2_000 } },
    /`max_tokens` must be greater/,
  ],
  [
    'a field of another maker',
    { ...plain, temperature: 1 },
    { ...plain, reasoning_effort: 'low' },
    /^reasoning_effort: Extra inputs are not permitted$/,
    undefined,
    'sandbox-messages-echo',
  ],
  [
    'a field of another maker in a block',
    messagesHistory(use, result),
    messagesHistory({ ...use, extra_content: {} }, result),
    /^messages\.1\.content\.0\.tool_use\.extra_content: Extra/,
    undefined,
    'sandbox-messages-tools',
  ],
]

const unique = 'a'.repeat(22)
const made = (prefix: string): string => itemId({ prefix, unique, reasoned: true }, 0)
const input = (...items: object[]): object => ({ input: items })
const reasoning = { type: 'reasoning', summary: [], encrypted_content: encryptReasoning(unique) }
const call = { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' }
const output = { type: 'function_call_output', call_id: 'call_1', output: 'x' }
const reply = { role: 'assistant', content: [{ type: 'output_text', text: 'so' }] }
const flatTool = { type: 'function', name: 'f', parameters: schema }

const responsesCases: readonly Case[] = [
  [
    'reasoning that nothing follows',
    input(user, reasoning, reply, user),
    input(user, reasoning, user),
    /provided without its required following item/,
  ],
  [
    'reasoning at the end',
    input(user, reasoning, call, output),
    input(user, call, output, reasoning),
    /required following item/,
  ],
  [
    'a call without the reasoning that it was made with',
    input(user, { ...reasoning, id: made('rs') }, { ...call, id: made('fc') }, output),
    input(user, { ...call, id: made('fc') }, output),
    /without its required 'reasoning' item: 'rs_/,
  ],
  [
    'encrypted content of another maker',
    input(user, reasoning, reply, user),
    input(user, { ...reasoning, encrypted_content: 'gAAAAABq' }, reply, user),
    /could not be verified/,
    'invalid_encrypted_content',
  ],
  [
    'reasoning without a summary',
    input(user, reasoning, reply, user),
    input(user, { ...reasoning, summary: undefined }, reply, user),
    /'input\[1\]\.summary'/,
    'missing_required_parameter',
  ],
  [
    'an output without its call',
    input(user, call, output),
    input(user, output),
    /No tool call found for function call output with call_id call_1\./,
  ],
  ['an output before its call', input(user, call, output), input(user, output, call), /No tool call found/],
  [
    'a call without its output',
    input(user, call, output),
    input(user, call, user),
    /No tool output found for function call call_1\./,
  ],
  [
    'a call id of 65 characters',
    input(user, { ...call, call_id: 'x'.repeat(64) }, { ...output, call_id: 'x'.repeat(64) }),
    input(user, { ...call, call_id: 'x'.repeat(65) }, { ...output, call_id: 'x'.repeat(65) }),
    /maximum length 64, but got a string with length 65/,
    'string_above_max_length',
  ],
  [
    'an id of another kind',
    input(user, { ...call, id: 'fc_1' }, output),
    input(user, { ...call, id: 'call_1' }, output),
    /Expected an ID that begins with 'fc'/,
    'invalid_value',
  ],
  [
    "an assistant's text as input",
    input(user, reply, user),
    input(user, { role: 'assistant', content: [{ type: 'input_text', text: 'so' }] }, user),
    /Supported values are: 'output_text', 'refusal'/,
    'invalid_value',
  ],
  [
    'a part of Chat Completions',
    input({ role: 'user', content: [{ type: 'input_text', text: 'hi' }] }),
    input({ role: 'user', content: [{ type: 'text', text: 'hi' }] }),
    /Invalid value: 'text'/,
    'invalid_value',
  ],
  [
    'the role tool',
    input(user),
    input({ role: 'tool', content: 'x' }),
    /Invalid value: 'tool'/,
    'invalid_value',
  ],
  [
    'a tool of Chat Completions',
    { ...input(user), tools: [flatTool] },
    { ...input(user), tools: [chatTool] },
    /'tools\[0\]\.name'/,
    'missing_required_parameter',
  ],
  [
    'a demand without tools',
    { ...input(user), tools: [flatTool], tool_choice: 'required' },
    { ...input(user), tool_choice: 'required' },
    /'required' must be specified with 'tools'/,
  ],
  [
    'a limit below 16',
    { ...input(user), max_output_tokens: 16 },
    { ...input(user), max_output_tokens: 15 },
    />= 16, but got 15/,
    'integer_below_min_value',
  ],
  [
    'a field of Chat Completions',
    { ...input(user), temperature: 1 },
    { ...input(user), stop: ['x'] },
    /^Unknown parameter: 'stop'\.$/,
    'unknown_parameter',
  ],
  [
    'a field of Chat Completions within',
    { ...input(user), reasoning: { effort: 'low' } },
    { ...input(user), reasoning: { max_tokens: 1 } },
    /'reasoning\.max_tokens'/,
    'unknown_parameter',
  ],
  [
    'an effort that there is not',
    { ...input(user), reasoning: { effort: 'xhigh' } },
    { ...input(user), reasoning: { effort: 'huge' } },
    /Invalid value: 'huge'/,
    'invalid_value',
  ],
  ['an empty input', { input: 'hi' }, input(), /empty array/, 'empty_array'],
  [
    'a response that is not stored',
    { ...input(user), previous_response_id: null },
    { ...input(user), previous_response_id: 'resp_1' },
    /'resp_1' not found/,
    'previous_response_not_found',
  ],
]

const go = { role: 'user', parts: [{ text: 'go' }] }
const contents = (...list: object[]): object => ({ contents: list })
const model = (...parts: object[]): object => ({ role: 'model', parts })
const signed = (name = 'f', more: object = {}): object => ({
  functionCall: { name, args: {}, ...more },
  thoughtSignature: signThought(name),
})
const unsigned = { functionCall: { name: 'f', args: {} } }
const answered = (...names: string[]): object => ({
  role: 'user',
  parts: names.map((name) => ({ functionResponse: { name, response: { result: 'x' } } })),
})
const declared = { tools: [{ functionDeclarations: [{ name: 'f' }] }] }
const calling = (config: object): object => ({ toolConfig: { functionCallingConfig: config } })
const configured = (generationConfig: object): object => ({ ...contents(go), generationConfig })

const geminiCases: readonly Case[] = [
  [
    'a call of the current turn without its signature',
    contents(go, model(signed()), answered('f')),
    contents(go, model(unsigned), answered('f')),
    /missing a thought_signature in functionCall parts/,
  ],
  [
    'a later step without its signature',
    contents(go, model(signed()), answered('f'), model(signed()), answered('f')),
    contents(go, model(signed()), answered('f'), model(unsigned), answered('f')),
    /position 4/,
  ],
  [
    'a signature on the second of two calls alone',
    contents(go, model(signed(), unsigned), answered('f', 'f')),
    contents(go, model(unsigned, signed()), answered('f', 'f')),
    /missing a thought_signature/,
  ],
  [
    'a signature of another maker',
    contents(
      go,
      model({ ...unsigned, thoughtSignature: btoa('skip_thought_signature_validator') }),
      answered('f'),
    ),
    contents(go, model({ ...unsigned, thoughtSignature: 'c2lnbmF0dXJl' }), answered('f')),
    /Corrupted thought signature/,
  ],
  [
    'the signature of another call',
    contents(go, model({ ...unsigned, thoughtSignature: 'skip_thought_signature_validator' }), answered('f')),
    contents(go, model({ ...unsigned, thoughtSignature: signThought('g') }), answered('f')),
    /Corrupted thought signature/,
  ],
  [
    'a forged signature of an earlier turn',
    contents(go, model(unsigned), answered('f'), model({ text: 'so' }), go),
    contents(go, model({ text: 'so', thoughtSignature: 'c2lnbmF0dXJl' }), go),
    /Corrupted thought signature/,
  ],
  [
    'a signature that is not base64',
    contents(go, model(signed()), answered('f')),
    contents(go, model({ ...unsigned, thoughtSignature: 'a.b' }), answered('f')),
    /TYPE_BYTES/,
  ],
  [
    'one response for two calls',
    contents(go, model(signed(), unsigned), answered('f', 'f')),
    contents(go, model(signed(), unsigned), answered('f')),
    /number of function response parts is equal to the number of function call parts/,
  ],
  [
    'a response by another name',
    contents(go, model(signed()), answered('f')),
    contents(go, model(signed()), answered('call_1')),
    /`call_1` answers a function call/,
  ],
  [
    'a response without its call',
    contents(go, model({ text: 'so' }), go),
    contents(go, model({ text: 'so' }), answered('f')),
    /immediately after a function call turn/,
  ],
  [
    'a call at the beginning',
    contents(go, model(signed()), answered('f')),
    contents(model(signed()), answered('f')),
    /immediately after a user turn/,
  ],
  [
    'contents that end with the model',
    contents(go, model({ text: 'so' }), go),
    contents(go, model({ text: 'so' })),
    /end with a user role/,
  ],
  ['no contents', contents(go), contents(), /contents is not specified/],
  [
    'contents without parts',
    contents({ role: 'user', parts: [{ text: '' }] }),
    contents({ role: 'user', parts: [] }),
    /parts must not be empty/,
  ],
  ['an empty part', contents(go), contents({ parts: [{}] }), /oneof field 'data'/],
  ['the role assistant', contents(go), contents({ ...go, role: 'assistant' }), /user, model/],
  [
    'an unknown field',
    { ...contents(go), safety_settings: [] },
    { ...contents(go), messages: [] },
    /^Invalid JSON payload received\. Unknown name "messages": Cannot find field\.$/,
  ],
  [
    'an unknown field within',
    configured({ maxOutputTokens: 5 }),
    configured({ max_tokens: 5 }),
    /Unknown name "max_tokens" at 'generation_config'/,
  ],
  [
    'a field of another maker in a part',
    contents(go, model(signed()), answered('f')),
    contents(go, model({ ...signed(), cache_control: {} }), answered('f')),
    /Unknown name "cache_control" at 'contents\[1\]\.parts\[0\]'/,
  ],
  [
    'arguments that are text',
    contents(go, model(signed('f', { args: {} })), answered('f')),
    contents(go, model(signed('f', { args: '{}' })), answered('f')),
    /function_call\.args' \(type\.googleapis\.com\/google\.protobuf\.Struct\)/,
  ],
  [
    'a calling mode without functions',
    { ...contents(go), ...declared, ...calling({ mode: 'ANY' }) },
    { ...contents(go), ...calling({ mode: 'ANY' }) },
    /set without function_declarations/,
  ],
  [
    'names that are allowed in mode AUTO',
    { ...contents(go), ...declared, ...calling({ mode: 'ANY', allowedFunctionNames: ['f'] }) },
    { ...contents(go), ...declared, ...calling({ mode: 'AUTO', allowedFunctionNames: ['f'] }) },
    /allowed_function_names/,
  ],
  [
    'a function that is declared twice',
    { ...contents(go), ...declared },
    { ...contents(go), tools: [...declared.tools, ...declared.tools] },
    /Duplicate function declaration found: f/,
  ],
  [
    'a function name that begins with a digit',
    { ...contents(go), tools: [{ functionDeclarations: [{ name: 'a.b:c-1' }] }] },
    { ...contents(go), tools: [{ functionDeclarations: [{ name: '1f' }] }] },
    /Invalid function name/,
  ],
  [
    'budget and level at once',
    configured({ thinkingConfig: { thinkingLevel: 'low' } }),
    configured({ thinkingConfig: { thinkingLevel: 'low', thinkingBudget: 1_024 } }),
    /only one of thinking budget and thinking level/,
  ],
  [
    'a level that there is not',
    configured({ thinkingConfig: { thinkingLevel: 'HIGH' } }),
    configured({ thinkingConfig: { thinkingLevel: 'xhigh' } }),
    /TYPE_ENUM/,
  ],
  [
    'six stop sequences',
    configured({ stopSequences: [...'abcde'] }),
    configured({ stopSequences: [...'abcdef'] }),
    /must not exceed 5/,
  ],
  [
    'two candidates',
    configured({ candidateCount: 1 }),
    configured({ candidateCount: 2 }),
    /Multiple candidates/,
  ],
]

const tables: Readonly<Record<ConversationFormat, readonly Case[]>> = {
  'openai-chat': chatCases,
  'openai-responses': responsesCases,
  anthropic: messagesCases,
  gemini: geminiCases,
}

for (const [name, cases] of Object.entries(tables)) {
  const format = name as ConversationFormat
  for (const [what, good, bad, says, code, strict = 'sandbox-echo'] of cases) {
    test(`${format} rejects ${what}`, async () => {
      const accepted = await send(format, strict, good)
      assert.equal(accepted.status, 200, accepted.body)
      const rejected = await send(format, strict, bad)
      assert.equal(rejected.status, 400)
      const { error } = JSON.parse(rejected.body) as { error: { message: string; code?: unknown } }
      assert.match(error.message, says)
      if (code !== undefined) assert.equal(error.code, code)
    })
  }
}

for (const [format, body] of [
  ['openai-chat', { ...chatMessages, reasoning: {} }],
  ['anthropic', { ...plain, reasoning_effort: 'low' }],
] as const) {
  test(`unknown fields of ${format} pass where a model has every format`, async () => {
    assert.equal((await send(format, 'sandbox-echo', body)).status, 200)
  })
}
