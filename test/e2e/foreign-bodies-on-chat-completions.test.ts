/**
 * Editors send other bodies to the Chat Completions endpoint: whole Responses bodies, blocks and bare tools
 * as in Messages. Each is understood for models of every format, through a loop of tool calls, whole and
 * streamed; and each response is chat, as the official library parses it.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import OpenAI from 'openai'
import { bearer, send } from '../support/bytes-client.ts'
import { testGateway } from '../support/gateway.ts'
import { brokenAnswerRules, brokenStreamRules } from '../support/rules/openai-chat.ts'

const gateway = await testGateway({ limits: { requestsPerMinute: null, tokensPerMinute: null } })
after(() => gateway.close())
const { key, id: account } = await gateway.account('100')

const models = ['chat', 'responses', 'messages', 'gemini'].flatMap((format) => [
  `sandbox-${format}-tools`,
  `sandbox-${format}-thinking-tools`,
])

type Json = Readonly<Record<string, unknown>>
type Message = OpenAI.Chat.ChatCompletionMessage
type Call = OpenAI.Chat.ChatCompletionMessageToolCall

const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
const asked = 'use read_file {"path":"src/ä b.ts"}'
const found = 'line 1: "quoted"\nline 2'

/** How a client writes a conversation: the first turn, and the second with the call of the first one. */
interface Shape {
  readonly name: string
  first(text: string): Json
  second(text: string, answer: Message, results: readonly string[]): Json
}

const called = (call: Call): { readonly id: string; readonly name: string; readonly input: string } =>
  call.type === 'function'
    ? { id: call.id, name: call.function.name, input: call.function.arguments }
    : { id: call.id, name: call.custom.name, input: call.custom.input }

/** Without the fields that only the library knows. */
function said({ content, tool_calls: calls = [] }: Message): Json {
  const written = calls.map((call) => {
    const { id, name, input } = called(call)
    return call.type === 'function'
      ? { id, type: 'function', function: { name, arguments: input } }
      : { id, type: 'custom', custom: { name, input } }
  })
  return { role: 'assistant', content, tool_calls: written }
}

const responsesSettings = {
  store: false,
  truncation: 'auto',
  include: ['reasoning.encrypted_content'],
  reasoning: { effort: 'low', summary: 'auto' },
  prompt_cache_key: 'a-conversation',
  parallel_tool_calls: true,
  tool_choice: 'auto',
  metadata: { editor: 'one' },
  text: { verbosity: 'low' },
  user: 'somebody',
}
const flatTools = [
  { type: 'function', name: 'read_file', description: 'reads', parameters: schema, strict: false },
  {
    type: 'custom',
    name: 'apply_patch',
    description: 'patches',
    format: { type: 'grammar', syntax: 'lark', definition: 'start: /.+/' },
  },
]
const bareTools = [
  { name: 'read_file', description: 'reads', input_schema: schema },
  {
    name: 'apply_patch',
    description: 'patches',
    input_schema: { type: 'object', properties: { input: { type: 'string' } } },
  },
]
const chatTools = [
  { type: 'function', function: { name: 'read_file', description: 'reads', parameters: schema } },
  { type: 'custom', custom: { name: 'apply_patch', description: 'patches' } },
]

const shapes: readonly Shape[] = [
  {
    name: 'a Responses body',
    first: (text) => ({
      ...responsesSettings,
      instructions: 'You are an editor.',
      input: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: [{ type: 'input_text', text }] },
      ],
      tools: flatTools,
    }),
    second: (text, { tool_calls: calls = [] }, results) => ({
      ...responsesSettings,
      instructions: 'You are an editor.',
      input: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: [{ type: 'input_text', text }] },
        ...calls.map((call) => {
          const { id, name, input } = called(call)
          return call.type === 'function'
            ? { type: 'function_call', call_id: id, name, arguments: input }
            : { type: 'custom_tool_call', call_id: id, name, input }
        }),
        ...calls.map((call, index) => ({
          type: call.type === 'function' ? 'function_call_output' : 'custom_tool_call_output',
          call_id: call.id,
          output: results[index],
        })),
      ],
      tools: flatTools,
    }),
  },
  {
    name: 'a Responses body with chat messages in it',
    first: (text) => ({ ...responsesSettings, input: [{ role: 'user', content: text }], tools: flatTools }),
    second: (text, { tool_calls: calls = [] }, results) => ({
      ...responsesSettings,
      input: [
        { role: 'user', content: text },
        ...calls.flatMap((call, index) => {
          const { id, name, input } = called(call)
          return [
            { type: 'function_call', call_id: id, name, arguments: input },
            {
              type: 'function_call_output',
              call_id: id,
              output: [{ type: 'input_text', text: results[index] }],
            },
          ]
        }),
      ],
      tools: flatTools.slice(0, 1),
    }),
  },
  {
    name: 'blocks and tools of Messages',
    first: (text) => ({
      system: [{ type: 'text', text: 'You are an editor.', cache_control: { type: 'ephemeral' } }],
      messages: [{ role: 'user', content: [{ type: 'text', text, cache_control: { type: 'ephemeral' } }] }],
      tools: bareTools,
      tool_choice: { type: 'auto' },
      max_tokens: 4_000,
    }),
    second: (text, { content, tool_calls: calls = [] }, results) => ({
      messages: [
        { role: 'system', content: 'You are an editor.' },
        { role: 'user', content: [{ type: 'text', text }] },
        {
          role: 'assistant',
          content: [
            ...(content ? [{ type: 'text', text: content }] : []),
            ...calls.map((call) => {
              const { id, name, input } = called(call)
              return { type: 'tool_use', id, name, input: JSON.parse(input) as unknown }
            }),
          ],
        },
        {
          role: 'user',
          content: [
            ...calls.map(({ id }, index) => ({
              type: 'tool_result',
              tool_use_id: id,
              content: [{ type: 'text', text: results[index] }],
            })),
            { type: 'text', text: 'go on' },
          ],
        },
      ],
      tools: bareTools,
      max_tokens: 4_000,
    }),
  },
  {
    name: 'chat with tools of Messages',
    first: (text) => ({ messages: [{ role: 'user', content: text }], tools: bareTools, max_tokens: 4_000 }),
    second: (text, answer, results) => ({
      messages: [
        { role: 'user', content: text },
        said(answer),
        ...(answer.tool_calls ?? []).map(({ id }, index) => ({
          role: 'tool',
          tool_call_id: id,
          content: results[index],
        })),
      ],
      tools: bareTools,
      max_tokens: 4_000,
    }),
  },
  {
    name: 'chat itself',
    first: (text) => ({ messages: [{ role: 'user', content: text }], tools: chatTools }),
    second: (text, answer, results) => ({
      messages: [
        { role: 'user', content: text },
        said(answer),
        ...(answer.tool_calls ?? []).map(({ id }, index) => ({
          role: 'tool',
          tool_call_id: id,
          content: results[index],
        })),
      ],
      tools: chatTools,
    }),
  },
]

const answering = (text: string) => () =>
  Promise.resolve(new Response(text, { status: 200, headers: { 'content-type': 'text/event-stream' } }))

/** Sends a request as the client does, and parses the response as its library does. */
async function ask(model: string, body: Json, stream: boolean): Promise<OpenAI.Chat.ChatCompletion> {
  const streaming = stream ? { stream, stream_options: { include_usage: true } } : {}
  const sent = { path: '/v1/chat/completions', headers: bearer(key), body: { model, ...body, ...streaming } }
  const answer = await send(gateway.origin, sent)
  assert.equal(answer.status, 200, answer.text)
  if (!stream) {
    assert.deepEqual(brokenAnswerRules(JSON.parse(answer.text)), [], answer.text)
    return JSON.parse(answer.text) as OpenAI.Chat.ChatCompletion
  }
  assert.deepEqual(brokenStreamRules(answer.text), [], answer.text)
  assert.match(answer.text, /data: \[DONE\]\s*$/)
  const client = new OpenAI({ apiKey: 'any', maxRetries: 0, logLevel: 'off', fetch: answering(answer.text) })
  const read = client.chat.completions.stream({ model, messages: [{ role: 'user', content: 'any' }] })
  return read.finalChatCompletion()
}

for (const { name, first, second } of shapes) {
  for (const stream of [false, true]) {
    test(`${name}${stream ? ', streamed' : ''}: a tool loop on models of every format`, async () => {
      for (const model of models) {
        const opening = await ask(model, first(asked), stream)
        const choice = opening.choices[0]
        assert.ok(choice !== undefined)
        assert.equal(choice.finish_reason, 'tool_calls', `${model}: ${JSON.stringify(opening)}`)
        const calls = (choice.message.tool_calls ?? []).map(called)
        assert.deepEqual(
          calls.map((call) => [call.name, JSON.parse(call.input)]),
          [['read_file', { path: 'src/ä b.ts' }]],
          model,
        )
        assert.ok(opening.usage !== undefined && opening.usage !== null && opening.usage.prompt_tokens > 0)
        const closing = await ask(model, second(asked, choice.message, [found]), stream)
        const end = closing.choices[0]
        assert.equal(end?.finish_reason, 'stop', `${model}: ${JSON.stringify(closing)}`)
        assert.ok((end?.message.content ?? '').length > 0, model)
      }
      const { held, openHolds } = await gateway.balance(account)
      assert.deepEqual([held, openHolds], [0n, 0])
    })
  }
}

/** Models on which such tools become functions; the sandbox's own formats with such tools do not simulate them. */
const wrapping = models.filter((model) => /messages|gemini/.test(model))

test('a free-text tool is called as a function on models without such tools', async () => {
  const text = 'use apply_patch {"input":"*** Begin\\n+ä\\n*** End"}'
  for (const shape of shapes.filter(({ name }) => name === 'a Responses body' || name === 'chat itself')) {
    for (const model of wrapping) {
      for (const stream of [false, true]) {
        const opening = await ask(model, shape.first(text), stream)
        const message = opening.choices[0]?.message
        const [call] = message?.tool_calls ?? []
        assert.ok(message !== undefined && call !== undefined, JSON.stringify(opening))
        assert.equal(call.type, 'custom', `${model}: ${JSON.stringify(opening)}`)
        assert.equal(called(call).name, 'apply_patch')
        assert.equal(called(call).input, '*** Begin\n+ä\n*** End', model)
        const closing = await ask(model, shape.second(text, message, ['done']), stream)
        assert.equal(closing.choices[0]?.finish_reason, 'stop', JSON.stringify(closing))
      }
    }
  }
})
