/**
 * What each format rejects that a wrong translation would send, with the provider's messages. Every row is a body that
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

interface Case {
  readonly what: string
  readonly good: object
  readonly bad: object
  readonly message: RegExp
  readonly code?: string
  /** Where not every model minds: one that does. */
  readonly model?: string
}

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
  {
    what: 'a call id of 41 characters',
    good: chatHistory({ id: 'x'.repeat(40) }),
    bad: chatHistory({ id: 'x'.repeat(41) }),
    message: /maximum length 40, but got a string with length 41/,
    code: 'string_above_max_length',
  },
  {
    what: 'arguments that are an object',
    good: chatHistory({}),
    bad: chatHistory({ function: { name: 'f', arguments: {} } }),
    message: /arguments/,
    code: 'invalid_type',
  },
  {
    what: 'a name with a dot',
    good: chatHistory({}),
    bad: chatHistory({ function: { name: 'a.b', arguments: '{}' } }),
    message: /pattern/,
    code: 'invalid_value',
  },
  {
    what: 'null content',
    good: chatMessages,
    bad: { messages: [{ role: 'user', content: null }] },
    message: /null/,
  },
  {
    what: 'a choice without tools',
    good: { ...chatTools, tool_choice: 'auto' },
    bad: { ...chatMessages, tool_choice: 'auto' },
    message: /only allowed when 'tools' are specified/,
  },
  {
    what: 'an empty list of tools',
    good: chatMessages,
    bad: { ...chatMessages, tools: [] },
    message: /empty array/,
    code: 'empty_array',
  },
  {
    what: 'a choice that is not among the tools',
    good: { ...chatTools, tool_choice: { type: 'function', function: { name: 'f' } } },
    bad: { ...chatTools, tool_choice: { type: 'function', function: { name: 'g' } } },
    message: /'g' not found/,
  },
  {
    what: 'a field of another maker',
    good: { ...chatMessages, seed: 1 },
    bad: { ...chatMessages, reasoning: {} },
    message: /^Unrecognized request argument supplied: reasoning$/,
    model: 'sandbox-chat-echo',
  },
  {
    what: 'a field of another maker in a call',
    good: chatHistory({}),
    bad: chatHistory({ extra_content: {} }),
    message: /Unknown parameter: 'messages\[1\]\.tool_calls\[0\]\.extra_content'/,
    code: 'unknown_parameter',
    model: 'sandbox-chat-tools',
  },
  {
    what: 'a cache mark on a part',
    good: { messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }] },
    bad: { messages: [{ role: 'user', content: [{ type: 'text', text: 'hi', cache_control: {} }] }] },
    message: /'messages\[0\]\.content\[0\]\.cache_control'/,
    code: 'unknown_parameter',
    model: 'sandbox-chat-echo',
  },
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
  {
    what: 'an id with a dot',
    good: messagesHistory(use, result),
    bad: messagesHistory({ ...use, id: 'a.b' }, { ...result, tool_use_id: 'a.b' }),
    message: /tool_use\.id: String should match pattern/,
  },
  {
    what: 'input that is text',
    good: messagesHistory(use, result),
    bad: messagesHistory({ ...use, input: '{}' }, result),
    message: /input: Input should be a valid dictionary/,
  },
  {
    what: 'a result behind a text',
    good: messagesHistory(use, result, { type: 'text', text: 'and' }),
    bad: messagesHistory(use, { type: 'text', text: 'and' }, result),
    message: /immediately after: toolu_1/,
  },
  {
    what: 'a blank text',
    good: plain,
    bad: { ...plain, messages: [{ role: 'user', content: [{ type: 'text', text: ' \n' }] }] },
    message: /non-empty/,
  },
  {
    what: 'redacted thinking of another maker',
    good: { ...plain, messages: [user, thought('hm', 0), user] },
    bad: messagesHistory({ type: 'redacted_thinking', data: 'x' }, { type: 'text', text: 'and' }),
    message: /redacted_thinking/,
  },
  {
    what: 'thinking of which only the last is left',
    good: { ...plain, messages: [user, thought('hm', 0), user, thought('well', 1), user] },
    bad: { ...plain, messages: [user, { role: 'assistant', content: 'so' }, user, thought('well', 1), user] },
    message: /Invalid `signature`/,
  },
  {
    what: 'a system message before the user',
    good: { ...plain, messages: [user, aside] },
    bad: { ...plain, messages: [aside, user] },
    message: /role 'system'/,
  },
  {
    what: 'a choice without tools',
    good: { ...messagesTools, tool_choice: { type: 'auto' } },
    bad: { ...plain, tool_choice: { type: 'auto' } },
    message: /only be specified while providing tools/,
  },
  {
    what: 'a tool without a schema',
    good: messagesTools,
    bad: { ...messagesTools, tools: [{ name: 'f', input_schema: {} }] },
    message: /input_schema/,
  },
  {
    what: 'a tool that is there twice',
    good: messagesTools,
    bad: { ...messagesTools, tools: [...messagesTools.tools, ...messagesTools.tools] },
    message: /unique/,
  },
  {
    what: 'a budget that the limit does not hold',
    good: { ...messagesTools, thinking: { type: 'enabled', budget_tokens: 1_999 } },
    bad: { ...messagesTools, thinking: { type: 'enabled', budget_tokens: 2_000 } },
    message: /`max_tokens` must be greater/,
  },
  {
    what: 'a field of another maker',
    good: { ...plain, temperature: 1 },
    bad: { ...plain, reasoning_effort: 'low' },
    message: /^reasoning_effort: Extra inputs are not permitted$/,
    model: 'sandbox-messages-echo',
  },
  {
    what: 'a field of another maker in a block',
    good: messagesHistory(use, result),
    bad: messagesHistory({ ...use, extra_content: {} }, result),
    message: /^messages\.1\.content\.0\.tool_use\.extra_content: Extra/,
    model: 'sandbox-messages-tools',
  },
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
  {
    what: 'reasoning that nothing follows',
    good: input(user, reasoning, reply, user),
    bad: input(user, reasoning, user),
    message: /provided without its required following item/,
  },
  {
    what: 'reasoning at the end',
    good: input(user, reasoning, call, output),
    bad: input(user, call, output, reasoning),
    message: /required following item/,
  },
  {
    what: 'a call without the reasoning that it was made with',
    good: input(user, { ...reasoning, id: made('rs') }, { ...call, id: made('fc') }, output),
    bad: input(user, { ...call, id: made('fc') }, output),
    message: /without its required 'reasoning' item: 'rs_/,
  },
  {
    what: 'encrypted content of another maker',
    good: input(user, reasoning, reply, user),
    bad: input(user, { ...reasoning, encrypted_content: 'gAAAAABq' }, reply, user),
    message: /could not be verified/,
    code: 'invalid_encrypted_content',
  },
  {
    what: 'reasoning without a summary',
    good: input(user, reasoning, reply, user),
    bad: input(user, { ...reasoning, summary: undefined }, reply, user),
    message: /'input\[1\]\.summary'/,
    code: 'missing_required_parameter',
  },
  {
    what: 'an output without its call',
    good: input(user, call, output),
    bad: input(user, output),
    message: /No tool call found for function call output with call_id call_1\./,
  },
  {
    what: 'an output before its call',
    good: input(user, call, output),
    bad: input(user, output, call),
    message: /No tool call found/,
  },
  {
    what: 'a call without its output',
    good: input(user, call, output),
    bad: input(user, call, user),
    message: /No tool output found for function call call_1\./,
  },
  {
    what: 'a call id of 65 characters',
    good: input(user, { ...call, call_id: 'x'.repeat(64) }, { ...output, call_id: 'x'.repeat(64) }),
    bad: input(user, { ...call, call_id: 'x'.repeat(65) }, { ...output, call_id: 'x'.repeat(65) }),
    message: /maximum length 64, but got a string with length 65/,
    code: 'string_above_max_length',
  },
  {
    what: 'an id of another kind',
    good: input(user, { ...call, id: 'fc_1' }, output),
    bad: input(user, { ...call, id: 'call_1' }, output),
    message: /Expected an ID that begins with 'fc'/,
    code: 'invalid_value',
  },
  {
    what: "an assistant's text as input",
    good: input(user, reply, user),
    bad: input(user, { role: 'assistant', content: [{ type: 'input_text', text: 'so' }] }, user),
    message: /Supported values are: 'output_text', 'refusal'/,
    code: 'invalid_value',
  },
  {
    what: 'a part of Chat Completions',
    good: input({ role: 'user', content: [{ type: 'input_text', text: 'hi' }] }),
    bad: input({ role: 'user', content: [{ type: 'text', text: 'hi' }] }),
    message: /Invalid value: 'text'/,
    code: 'invalid_value',
  },
  {
    what: 'the role tool',
    good: input(user),
    bad: input({ role: 'tool', content: 'x' }),
    message: /Invalid value: 'tool'/,
    code: 'invalid_value',
  },
  {
    what: 'a tool of Chat Completions',
    good: { ...input(user), tools: [flatTool] },
    bad: { ...input(user), tools: [chatTool] },
    message: /'tools\[0\]\.name'/,
    code: 'missing_required_parameter',
  },
  {
    what: 'a demand without tools',
    good: { ...input(user), tools: [flatTool], tool_choice: 'required' },
    bad: { ...input(user), tool_choice: 'required' },
    message: /'required' must be specified with 'tools'/,
  },
  {
    what: 'a limit below 16',
    good: { ...input(user), max_output_tokens: 16 },
    bad: { ...input(user), max_output_tokens: 15 },
    message: />= 16, but got 15/,
    code: 'integer_below_min_value',
  },
  {
    what: 'a field of Chat Completions',
    good: { ...input(user), temperature: 1 },
    bad: { ...input(user), stop: ['x'] },
    message: /^Unknown parameter: 'stop'\.$/,
    code: 'unknown_parameter',
  },
  {
    what: 'a field of Chat Completions within',
    good: { ...input(user), reasoning: { effort: 'low' } },
    bad: { ...input(user), reasoning: { max_tokens: 1 } },
    message: /'reasoning\.max_tokens'/,
    code: 'unknown_parameter',
  },
  {
    what: 'an effort that there is not',
    good: { ...input(user), reasoning: { effort: 'xhigh' } },
    bad: { ...input(user), reasoning: { effort: 'huge' } },
    message: /Invalid value: 'huge'/,
    code: 'invalid_value',
  },
  {
    what: 'an empty input',
    good: { input: 'hi' },
    bad: input(),
    message: /empty array/,
    code: 'empty_array',
  },
  {
    what: 'a response that is not stored',
    good: { ...input(user), previous_response_id: null },
    bad: { ...input(user), previous_response_id: 'resp_1' },
    message: /'resp_1' not found/,
    code: 'previous_response_not_found',
  },
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
  {
    what: 'a call of the current turn without its signature',
    good: contents(go, model(signed()), answered('f')),
    bad: contents(go, model(unsigned), answered('f')),
    message: /missing a thought_signature in functionCall parts/,
  },
  {
    what: 'a later step without its signature',
    good: contents(go, model(signed()), answered('f'), model(signed()), answered('f')),
    bad: contents(go, model(signed()), answered('f'), model(unsigned), answered('f')),
    message: /position 4/,
  },
  {
    what: 'a signature on the second of two calls alone',
    good: contents(go, model(signed(), unsigned), answered('f', 'f')),
    bad: contents(go, model(unsigned, signed()), answered('f', 'f')),
    message: /missing a thought_signature/,
  },
  {
    what: 'a signature of another maker',
    good: contents(
      go,
      model({ ...unsigned, thoughtSignature: btoa('skip_thought_signature_validator') }),
      answered('f'),
    ),
    bad: contents(go, model({ ...unsigned, thoughtSignature: 'c2lnbmF0dXJl' }), answered('f')),
    message: /Corrupted thought signature/,
  },
  {
    what: 'the signature of another call',
    good: contents(
      go,
      model({ ...unsigned, thoughtSignature: 'skip_thought_signature_validator' }),
      answered('f'),
    ),
    bad: contents(go, model({ ...unsigned, thoughtSignature: signThought('g') }), answered('f')),
    message: /Corrupted thought signature/,
  },
  {
    what: 'a forged signature of an earlier turn',
    good: contents(go, model(unsigned), answered('f'), model({ text: 'so' }), go),
    bad: contents(go, model({ text: 'so', thoughtSignature: 'c2lnbmF0dXJl' }), go),
    message: /Corrupted thought signature/,
  },
  {
    what: 'a signature that is not base64',
    good: contents(go, model(signed()), answered('f')),
    bad: contents(go, model({ ...unsigned, thoughtSignature: 'a.b' }), answered('f')),
    message: /TYPE_BYTES/,
  },
  {
    what: 'one response for two calls',
    good: contents(go, model(signed(), unsigned), answered('f', 'f')),
    bad: contents(go, model(signed(), unsigned), answered('f')),
    message: /number of function response parts is equal to the number of function call parts/,
  },
  {
    what: 'a response by another name',
    good: contents(go, model(signed()), answered('f')),
    bad: contents(go, model(signed()), answered('call_1')),
    message: /`call_1` answers a function call/,
  },
  {
    what: 'a response without its call',
    good: contents(go, model({ text: 'so' }), go),
    bad: contents(go, model({ text: 'so' }), answered('f')),
    message: /immediately after a function call turn/,
  },
  {
    what: 'a call at the beginning',
    good: contents(go, model(signed()), answered('f')),
    bad: contents(model(signed()), answered('f')),
    message: /immediately after a user turn/,
  },
  {
    what: 'contents that end with the model',
    good: contents(go, model({ text: 'so' }), go),
    bad: contents(go, model({ text: 'so' })),
    message: /end with a user role/,
  },
  { what: 'no contents', good: contents(go), bad: contents(), message: /contents is not specified/ },
  {
    what: 'contents without parts',
    good: contents({ role: 'user', parts: [{ text: '' }] }),
    bad: contents({ role: 'user', parts: [] }),
    message: /parts must not be empty/,
  },
  {
    what: 'an empty part',
    good: contents(go),
    bad: contents({ parts: [{}] }),
    message: /oneof field 'data'/,
  },
  {
    what: 'the role assistant',
    good: contents(go),
    bad: contents({ ...go, role: 'assistant' }),
    message: /user, model/,
  },
  {
    what: 'an unknown field',
    good: { ...contents(go), safety_settings: [] },
    bad: { ...contents(go), messages: [] },
    message: /^Invalid JSON payload received\. Unknown name "messages": Cannot find field\.$/,
  },
  {
    what: 'an unknown field within',
    good: configured({ maxOutputTokens: 5 }),
    bad: configured({ max_tokens: 5 }),
    message: /Unknown name "max_tokens" at 'generation_config'/,
  },
  {
    what: 'a field of another maker in a part',
    good: contents(go, model(signed()), answered('f')),
    bad: contents(go, model({ ...signed(), cache_control: {} }), answered('f')),
    message: /Unknown name "cache_control" at 'contents\[1\]\.parts\[0\]'/,
  },
  {
    what: 'arguments that are text',
    good: contents(go, model(signed('f', { args: {} })), answered('f')),
    bad: contents(go, model(signed('f', { args: '{}' })), answered('f')),
    message: /function_call\.args' \(type\.googleapis\.com\/google\.protobuf\.Struct\)/,
  },
  {
    what: 'a calling mode without functions',
    good: { ...contents(go), ...declared, ...calling({ mode: 'ANY' }) },
    bad: { ...contents(go), ...calling({ mode: 'ANY' }) },
    message: /set without function_declarations/,
  },
  {
    what: 'names that are allowed in mode AUTO',
    good: { ...contents(go), ...declared, ...calling({ mode: 'ANY', allowedFunctionNames: ['f'] }) },
    bad: { ...contents(go), ...declared, ...calling({ mode: 'AUTO', allowedFunctionNames: ['f'] }) },
    message: /allowed_function_names/,
  },
  {
    what: 'a function that is declared twice',
    good: { ...contents(go), ...declared },
    bad: { ...contents(go), tools: [...declared.tools, ...declared.tools] },
    message: /Duplicate function declaration found: f/,
  },
  {
    what: 'a function name that begins with a digit',
    good: { ...contents(go), tools: [{ functionDeclarations: [{ name: 'a.b:c-1' }] }] },
    bad: { ...contents(go), tools: [{ functionDeclarations: [{ name: '1f' }] }] },
    message: /Invalid function name/,
  },
  {
    what: 'budget and level at once',
    good: configured({ thinkingConfig: { thinkingLevel: 'low' } }),
    bad: configured({ thinkingConfig: { thinkingLevel: 'low', thinkingBudget: 1_024 } }),
    message: /only one of thinking budget and thinking level/,
  },
  {
    what: 'a level that there is not',
    good: configured({ thinkingConfig: { thinkingLevel: 'HIGH' } }),
    bad: configured({ thinkingConfig: { thinkingLevel: 'xhigh' } }),
    message: /TYPE_ENUM/,
  },
  {
    what: 'six stop sequences',
    good: configured({ stopSequences: [...'abcde'] }),
    bad: configured({ stopSequences: [...'abcdef'] }),
    message: /must not exceed 5/,
  },
  {
    what: 'two candidates',
    good: configured({ candidateCount: 1 }),
    bad: configured({ candidateCount: 2 }),
    message: /Multiple candidates/,
  },
]

const tables: Readonly<Record<ConversationFormat, readonly Case[]>> = {
  'openai-chat': chatCases,
  'openai-responses': responsesCases,
  anthropic: messagesCases,
  gemini: geminiCases,
}

for (const [name, cases] of Object.entries(tables)) {
  const format = name as ConversationFormat
  for (const { what, good, bad, message, code, model: strict = 'sandbox-echo' } of cases) {
    test(`${format} refuses ${what}`, async () => {
      const accepted = await send(format, strict, good)
      assert.equal(accepted.status, 200, accepted.body)
      const refused = await send(format, strict, bad)
      assert.equal(refused.status, 400)
      const { error } = JSON.parse(refused.body) as { error: { message: string; code?: unknown } }
      assert.match(error.message, message)
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
