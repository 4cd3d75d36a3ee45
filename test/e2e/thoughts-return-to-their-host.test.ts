/**
 * Thoughts that a host of Chat Completions sends in readable form come back to it in the next turn, through clients of each
 * format: models that reason between calls of tools are rejected, or do worse, without.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { customHostOf } from '../../contract/custom-hosts.ts'
import { bearer, send } from '../support/bytes-client.ts'
import { testGateway } from '../support/gateway.ts'
import { replayUpstream } from '../support/replay-upstream.ts'

const host = await replayUpstream()
const gate = await testGateway({
  upstreams: [
    {
      ...{ name: 'own', provider: 'own', url: `${host.origin}/v1`, credential: '', weight: 1, models: 'all' },
      custom: customHostOf('custom', { formats: ['openai-chat'] }),
    },
  ],
  models: [{ id: 'own/thinker', context: 10_000, maxOutput: 1_000, prices: [{ input: '1', output: '2' }] }],
})
const { key } = await gate.account('10')
after(async () => {
  await gate.close()
  await host.close()
})

const thought = 'They want the weather, so I call the tool.'
const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }
const reply = {
  ...{ id: 'c', object: 'chat.completion', usage: { prompt_tokens: 10, completion_tokens: 20 } },
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'I look.', reasoning_content: thought, tool_calls: [call] },
      finish_reason: 'tool_calls',
    },
  ],
}
host.play({
  status: 200,
  headers: { 'content-type': 'application/json' },
  bytes: Buffer.from(JSON.stringify(reply)),
})

type Json = Record<string, unknown>
interface Client {
  readonly path: string
  readonly ask: Json
  /** The next request of a conversation that has got `answer`. */
  next(answer: never): Json
}

const schema = { type: 'object', properties: { city: { type: 'string' } } }
const named = { name: 'weather', description: 'Tells the weather.' }
const question = { role: 'user', content: 'What is the weather in Oslo?' }
const chatTools = [{ type: 'function', function: { ...named, parameters: schema } }]
const geminiAsk = {
  contents: [{ role: 'user', parts: [{ text: question.content }] }],
  tools: [{ functionDeclarations: [{ ...named, parametersJsonSchema: schema }] }],
  // Thoughts that a client does not show are not sent, and so they do not return.
  generationConfig: { thinkingConfig: { includeThoughts: true } },
}

const clients: Readonly<Record<string, Client>> = {
  'Chat Completions': {
    path: '/v1/chat/completions',
    ask: { messages: [question], tools: chatTools },
    next: ({ choices: [{ message }] }: { choices: [{ message: { tool_calls: [{ id: string }] } }] }) => ({
      messages: [
        question,
        message,
        { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'rain' },
      ],
      tools: chatTools,
    }),
  },
  Messages: {
    path: '/v1/messages',
    ask: { messages: [question], max_tokens: 500, tools: [{ ...named, input_schema: schema }] },
    next: ({ content }: { content: { type: string; id: string }[] }) => ({
      max_tokens: 500,
      messages: [
        question,
        { role: 'assistant', content },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: content.at(-1)?.id, content: 'rain' }],
        },
      ],
      tools: [{ ...named, input_schema: schema }],
    }),
  },
  Responses: {
    path: '/v1/responses',
    ask: {
      input: [question],
      include: ['reasoning.encrypted_content'],
      tools: [{ type: 'function', ...named, parameters: schema }],
    },
    next: ({ output }: { output: { type: string; call_id: string }[] }) => ({
      input: [
        question,
        ...output,
        { type: 'function_call_output', call_id: output.at(-1)?.call_id, output: 'rain' },
      ],
      tools: [{ type: 'function', ...named, parameters: schema }],
    }),
  },
  Gemini: {
    path: '/v1beta/models/own/thinker:generateContent',
    ask: geminiAsk,
    next: ({ candidates: [{ content }] }: { candidates: [{ content: Json }] }) => ({
      ...geminiAsk,
      contents: [
        ...geminiAsk.contents,
        content,
        {
          role: 'user',
          parts: [{ functionResponse: { name: 'weather', response: { output: 'rain' } } }],
        },
      ],
    }),
  },
}

for (const [name, { path, ask, next }] of Object.entries(clients)) {
  test(`the host gets its thoughts back from a client of ${name}`, async () => {
    const asking = (body: Json) =>
      send(gate.origin, {
        path,
        headers: { ...bearer(key), 'anthropic-version': '2023-06-01' },
        body: JSON.stringify({ model: 'own/thinker', ...body }),
      })
    const first = await asking(ask)
    assert.equal(first.status, 200, first.text)
    const second = await asking(next(JSON.parse(first.text) as never))
    assert.equal(second.status, 200, second.text)
    const { messages } = JSON.parse(host.requests.at(-1)?.body.toString() ?? '') as { messages: Json[] }
    const said = messages.filter(({ role }) => role === 'assistant')
    assert.deepEqual(
      said.map(({ reasoning_content }) => reasoning_content),
      [thought],
    )
  })
}
