/** OpenAI's own library: chat, responses, embeddings, models, on all three families. */
import { checks, equal, families, includes, installed, key, load, origin, versionOf } from './client.js'
import { rejectionChecks } from './rejections.js'

const folder = await installed('openai-sdk', ['openai'])
const { default: OpenAI } = await load(folder, 'openai')
const client = new OpenAI({ apiKey: key, baseURL: `${origin}/v1`, maxRetries: 0 })

const parameters = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const toolPrompt = 'use weather {"city":"Paris"}'

async function chatTools(model) {
  const tools = [{ type: 'function', function: { name: 'weather', parameters } }]
  const messages = [{ role: 'user', content: toolPrompt }]
  const first = await client.chat.completions.create({ model, messages, tools })
  const { message, finish_reason: reason } = first.choices[0]
  equal(reason, 'tool_calls', 'why it ended')
  equal(JSON.parse(message.tool_calls[0].function.arguments).city, 'Paris', 'the argument')
  messages.push(message, { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'sunny in Paris' })
  const last = await client.chat.completions.create({ model, messages, tools })
  includes(last.choices[0].message.content, 'sunny in Paris', 'the answer')
}

async function responsesTools(model) {
  const tools = [{ type: 'function', name: 'weather', parameters, strict: true }]
  const input = [{ role: 'user', content: toolPrompt }]
  const stream = client.responses.stream({ model, input, tools, store: false })
  const first = await stream.finalResponse()
  const call = first.output.find(({ type }) => type === 'function_call')
  equal(JSON.parse(call.arguments).city, 'Paris', 'the argument')
  // Fields that the library adds while parsing are not part of the format.
  input.push(...first.output.map(({ parsed_arguments: _parsed, ...item }) => item))
  input.push({ type: 'function_call_output', call_id: call.call_id, output: 'sunny in Paris' })
  const last = await client.responses.create({ model, input, tools, store: false })
  includes(last.output_text, 'sunny in Paris', 'the answer')
}

const list = {}
for (const model of Object.values(families)) {
  list[`chat on ${model}`] = async () => {
    const answer = await client.chat.completions.create({
      model,
      messages: [{ role: 'user', content: 'say quince' }],
    })
    includes(answer.choices[0].message.content, 'quince', 'the answer')
    return `${answer.usage.total_tokens} tokens`
  }
  list[`chat streamed on ${model}`] = async () => {
    const stream = client.chat.completions.stream({
      model,
      messages: [{ role: 'user', content: 'say quince' }],
      stream_options: { include_usage: true },
    })
    includes(await stream.finalContent(), 'quince', 'the answer')
    equal((await stream.totalUsage()).completion_tokens > 0, true, 'usage')
  }
  list[`chat with a tool on ${model}`] = () => chatTools(model)
  list[`responses on ${model}`] = async () =>
    includes(
      (await client.responses.create({ model, input: 'say quince' })).output_text,
      'quince',
      'the answer',
    )
  list[`responses with a tool, streamed, on ${model}`] = () => responsesTools(model)
  list[`tokens counted on ${model}`] = async () => {
    const counted = await client.responses.inputTokens.count({ model, input: 'say quince' })
    equal(counted.input_tokens > 0, true, 'the count')
  }
}
list['models'] = async () => {
  const found = []
  for await (const model of client.models.list()) found.push(model.id)
  for (const model of Object.values(families)) equal(found.includes(model), true, model)
  equal((await client.models.retrieve(families.claude)).id, families.claude, 'one model')
}
list["an error is the library's"] = async () => {
  const error = await client.chat.completions
    .create({ model: 'gpt-nobody', messages: [] })
    .catch((thrown) => thrown)
  equal(error instanceof OpenAI.NotFoundError, true, 'what was thrown')
  equal(error.code, 'model_not_found', 'its code')
}
/** With the library's own retries. */
const retrying = (at) => new OpenAI({ apiKey: at.key, baseURL: `${at.origin}/v1` })
Object.assign(
  list,
  rejectionChecks('chat', (at, model) =>
    retrying(at).chat.completions.create({ model, messages: [{ role: 'user', content: 'say quince' }] }),
  ),
  rejectionChecks('responses', (at, model) => retrying(at).responses.create({ model, input: 'say quince' })),
)

await checks(`openai ${versionOf(folder, 'openai')}`, list)
