/** Anthropic's own library below `alt`: messages, streams, counting, models, on all three families. */
import { checks, equal, families, includes, installed, key, load, origin, versionOf } from './client.js'
import { rejectionChecks } from './rejections.js'

const folder = await installed('anthropic-sdk', ['@anthropic-ai/sdk'])
const { default: Anthropic } = await load(folder, '@anthropic-ai/sdk')
const client = new Anthropic({ apiKey: key, baseURL: `${origin}/v1/alt`, maxRetries: 0 })

const tools = [
  {
    name: 'weather',
    input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
]
const toolPrompt = 'use weather {"city":"Paris"}'
const limit = { max_tokens: 2_000 }
const textOf = ({ content }) => content.map(({ text }) => text ?? '').join('')

async function withTool(model) {
  const messages = [{ role: 'user', content: toolPrompt }]
  const first = await client.messages.stream({ model, messages, tools, ...limit }).finalMessage()
  equal(first.stop_reason, 'tool_use', 'why it ended')
  const call = first.content.find(({ type }) => type === 'tool_use')
  equal(call.input.city, 'Paris', 'the argument')
  const result = { type: 'tool_result', tool_use_id: call.id, content: 'sunny in Paris' }
  messages.push({ role: 'assistant', content: first.content }, { role: 'user', content: [result] })
  includes(
    textOf(await client.messages.create({ model, messages, tools, ...limit })),
    'sunny in Paris',
    'the answer',
  )
}

const list = {}
for (const model of Object.values(families)) {
  const messages = [{ role: 'user', content: 'say quince' }]
  list[`messages on ${model}`] = async () => {
    const answer = await client.messages.create({ model, messages, ...limit })
    includes(textOf(answer), 'quince', 'the answer')
    equal(answer.usage.input_tokens > 0 && answer.usage.output_tokens > 0, true, 'usage')
  }
  list[`messages streamed on ${model}`] = async () =>
    includes(await client.messages.stream({ model, messages, ...limit }).finalText(), 'quince', 'the answer')
  list[`a tool round trip on ${model}`] = () => withTool(model)
  list[`the library's tool runner, with its defaults, on ${model}`] = async () => {
    const tool = {
      ...tools[0],
      type: 'custom',
      run: ({ city }) => `sunny in ${city}`,
      parse: (input) => input,
    }
    const asked = { model, messages: [{ role: 'user', content: toolPrompt }], tools: [tool], ...limit }
    includes(
      textOf(await client.beta.messages.toolRunner(asked).runUntilDone()),
      'sunny in Paris',
      'the answer',
    )
  }
  list[`tokens counted on ${model}`] = async () => {
    const { input_tokens: few } = await client.messages.countTokens({ model, messages })
    const { input_tokens: many } = await client.messages.countTokens({ model, messages, tools })
    equal(few > 0 && many > few, true, `${few} without and ${many} with a tool`)
    return `${few} and ${many}`
  }
}
list['models below alt'] = async () => {
  const found = []
  for await (const model of client.models.list()) found.push(model.id)
  for (const model of Object.values(families)) equal(found.includes(model), true, model)
}
list["an error is the library's"] = async () => {
  const error = await client.messages
    .create({ model: 'claude-nobody', messages: [{ role: 'user', content: 'x' }], ...limit })
    .catch((thrown) => thrown)
  equal(error instanceof Anthropic.NotFoundError, true, 'what was thrown')
}
/** With the library's own retries. */
const retrying = (at) => new Anthropic({ apiKey: at.key, baseURL: `${at.origin}/v1/alt` })
const asked = { messages: [{ role: 'user', content: 'say quince' }], ...limit }
Object.assign(
  list,
  rejectionChecks('messages', (at, model) => retrying(at).messages.create({ model, ...asked })),
  rejectionChecks('messages streamed', (at, model) =>
    retrying(at)
      .messages.stream({ model, ...asked })
      .finalText(),
  ),
)

await checks(`@anthropic-ai/sdk ${versionOf(folder, '@anthropic-ai/sdk')}`, list)
