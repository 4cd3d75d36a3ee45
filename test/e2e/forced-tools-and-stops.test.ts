/**
 * What libraries require and a model does not support: a forced tool call, with a Claude model that does not
 * support it, in the bodies that pydantic-ai, instructor, LangChain and smolagents send; and stop strings
 * for Responses. Through OpenAI's official library, over real HTTP.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import OpenAI from 'openai'
import { parseId } from '../../src/base/ids.ts'
import { testGateway } from '../support/gateway.ts'
import { replayUpstream } from '../support/replay-upstream.ts'

const claude = await replayUpstream()
const gateway = await testGateway({ anthropic: claude.origin })
const rejecting = await testGateway({
  anthropic: claude.origin,
  environment: { TOLLGATE_FORCED_TOOLS: 'reject' },
})
after(async () => {
  await gateway.close()
  await rejecting.close()
  await claude.close()
})
const { key } = await gateway.account('50')
const { key: rejectingKey } = await rejecting.account('50')
const client = new OpenAI({ apiKey: key, baseURL: `${gateway.origin}/v1`, maxRetries: 0 })
const model = 'claude-opus-5-5'
const input = '{"city": "Oslo", "country": "Norway"}'

/** Claude's response with this text. */
function says(words: string): void {
  claude.play({
    status: 200,
    headers: { 'content-type': 'application/json' },
    bytes: Buffer.from(
      JSON.stringify({
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model,
        content: [{ type: 'text', text: words }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: { input_tokens: 9, output_tokens: 5 },
      }),
    ),
  })
}

function streams(pieces: readonly string[]): void {
  const usage = { input_tokens: 9, output_tokens: 1 }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model, content: [], usage }
  const events = [
    { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ...pieces.map((text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 5 },
    },
    { type: 'message_stop' },
  ]
  const sse = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
  claude.play({
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    bytes: Buffer.from(sse),
    chunkBytes: 7,
  })
}

function sentBody(): Record<string, unknown> {
  return JSON.parse(claude.requests.at(-1)?.body.toString() ?? '{}') as Record<string, unknown>
}

const parameters = {
  properties: { city: { title: 'City', type: 'string' }, country: { title: 'Country', type: 'string' } },
  required: ['city', 'country'],
  title: 'CityLocation',
  type: 'object',
}
const messages = [{ role: 'user' as const, content: 'Where were the Olympics of 1952 in winter?' }]
const tool = (name: string, description: string) => ({
  type: 'function' as const,
  function: { name, description, parameters },
})

type Shape = Pick<
  OpenAI.ChatCompletionCreateParamsNonStreaming,
  'tools' | 'tool_choice' | 'parallel_tool_calls'
>

/** What each library sends for structured output, from its documentation and source. */
const shapes: Readonly<Record<string, Shape>> = {
  'pydantic-ai': {
    tools: [tool('final_result', 'The final response which ends this conversation')],
    tool_choice: 'required',
  },
  instructor: {
    tools: [tool('CityLocation', 'Correctly extracted `CityLocation` with all the required parameters')],
    tool_choice: { type: 'function', function: { name: 'CityLocation' } },
  },
  'LangChain, function calling': {
    tools: [tool('CityLocation', ''), tool('other', 'Another one.')],
    tool_choice: { type: 'function', function: { name: 'CityLocation' } },
    parallel_tool_calls: false,
  },
}

for (const [library, shape] of Object.entries(shapes)) {
  test(`${library}: the forced tool is called, whole and streamed`, async () => {
    says(input)
    const { data, response } = await client.chat.completions
      .create({ model, messages, ...shape })
      .withResponse()
    assert.match(response.headers.get('x-tollgate-adjusted') ?? '', /adapted=tool_choice/)
    const name = shape.tools?.[0]?.type === 'function' ? shape.tools[0].function.name : ''
    const [choice] = data.choices
    assert.equal(choice?.finish_reason, 'tool_calls')
    const [call] = choice?.message.tool_calls ?? []
    assert.ok(call?.type === 'function')
    assert.deepEqual([call.function.name, JSON.parse(call.function.arguments)], [name, JSON.parse(input)])
    const { tool_choice: sent, output_config: config, tools, thinking } = sentBody()
    assert.deepEqual(sent, { type: 'none' })
    assert.equal((tools as unknown[]).length, shape.tools?.length)
    assert.equal(thinking, undefined)
    const { format } = config as { format: { type: string; schema: Record<string, unknown> } }
    assert.equal(format.type, 'json_schema')
    assert.deepEqual(format.schema.required, ['city', 'country'])
    assert.equal(format.schema.additionalProperties, false)
    streams(['\n', '{"city": "Os', 'lo", "country": "Norway"}'])
    const stream = client.chat.completions.stream({ model, messages, ...shape })
    const [streamed] = (await stream.finalChatCompletion()).choices
    assert.equal(streamed?.finish_reason, 'tool_calls')
    const again = streamed.message.tool_calls?.[0]
    assert.ok(again?.type === 'function')
    assert.deepEqual([again.function.name, JSON.parse(again.function.arguments)], [name, JSON.parse(input)])
  })
}

test('smolagents: among several tools the model chooses, and a header reports it', async () => {
  says('Thinking about it.')
  const { data, response } = await client.chat.completions
    .create({
      model,
      messages,
      tools: [tool('final_answer', 'Provides a final answer.'), tool('web_search', 'Searches.')],
      tool_choice: 'required',
      stop: ['Observation:', 'Calling tools:'],
    })
    .withResponse()
  assert.match(response.headers.get('x-tollgate-adjusted') ?? '', /adapted=tool_choice/)
  assert.equal(data.choices[0]?.message.content, 'Thinking about it.')
  assert.deepEqual(sentBody().tool_choice, { type: 'auto' })
})

test('a model that responds with text anyway has its text relayed', async () => {
  says('I must not.')
  const { choices } = await client.chat.completions.create({ model, messages, ...shapes.instructor })
  assert.deepEqual([choices[0]?.message.content, choices[0]?.finish_reason], ['I must not.', 'stop'])
})

test('forced tools are rejected where the installation or the request requires it', async () => {
  const strict = new OpenAI({ apiKey: rejectingKey, baseURL: `${rejecting.origin}/v1`, maxRetries: 0 })
  const asked = { model, messages, ...shapes.instructor }
  const before = claude.requests.length
  const byHeader = { headers: { 'x-tollgate-forced-tools': 'reject' } }
  const isRejected = (error: unknown) =>
    error instanceof OpenAI.APIError && error.status === 400 && error.code === 'untranslatable'
  await assert.rejects(strict.chat.completions.create(asked), isRejected)
  await assert.rejects(client.chat.completions.create(asked, byHeader), isRejected)
  await assert.rejects(
    client.chat.completions.create(asked, { headers: { 'x-tollgate-forced-tools': 'maybe' } }),
    (error) =>
      error instanceof OpenAI.APIError && error.status === 400 && /adapt or reject/.test(error.message),
  )
  assert.equal(claude.requests.length, before)
  says(input)
  const adapted = { headers: { 'x-tollgate-forced-tools': 'adapt' } }
  const { choices } = await strict.chat.completions.create(asked, adapted)
  assert.equal(choices[0]?.finish_reason, 'tool_calls')
})

test('a response from Responses ends at a stop string, streamed or not, and all of it is charged', async () => {
  const { ledger } = gateway.gateway.services
  const asked = {
    model: 'sandbox-responses-echo',
    messages: [{ role: 'user' as const, content: 'one Observation: two' }],
    stop: ['Observation:'],
  }
  const outputOf = async (response: Response): Promise<number | undefined> => {
    const id = parseId('req', response.headers.get('x-request-id') ?? '')
    assert.ok(id !== undefined)
    return (await ledger.receipt(id))?.output
  }
  const plain = await client.chat.completions.create({ ...asked, stop: null }).withResponse()
  const whole = await client.chat.completions.create(asked).withResponse()
  assert.match(whole.response.headers.get('x-tollgate-adjusted') ?? '', /adapted=stop/)
  const [choice] = whole.data.choices
  assert.deepEqual([choice?.message.content, choice?.finish_reason], ['one ', 'stop'])
  const stream = await client.chat.completions.create({ ...asked, stream: true }).withResponse()
  let words = ''
  let reason: string | null = null
  for await (const { choices } of stream.data) {
    words += choices[0]?.delta.content ?? ''
    reason = choices[0]?.finish_reason ?? reason
  }
  assert.deepEqual([words, reason], ['one ', 'stop'])
  const outputs = await Promise.all([plain, whole, stream].map(({ response }) => outputOf(response)))
  assert.deepEqual(outputs, [outputs[0], outputs[0], outputs[0]])
})
