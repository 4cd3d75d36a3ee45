/** OpenAI's Agents SDK for JavaScript by Responses and Chat Completions, on all three families. */
import { checks, families, includes, installed, key, load, origin, versionOf, weather } from './client.js'
import { rejectionChecks } from './rejections.js'

const folder = await installed('openai-agents-javascript', ['@openai/agents', 'openai', 'zod'])
const agents = await load(folder, '@openai/agents')
const { default: OpenAI } = await load(folder, 'openai')
// Traces would be sent to OpenAI.
agents.setTracingDisabled(true)

const here = { origin, key }
const clientFor = (at) => new OpenAI({ apiKey: at.key, baseURL: `${at.origin}/v1` })
const ways = {
  Responses: (model, at = here) => new agents.OpenAIResponsesModel(clientFor(at), model),
  'Chat Completions': (model, at = here) => new agents.OpenAIChatCompletionsModel(clientFor(at), model),
}
const weatherTool = agents.tool({
  name: 'weather',
  description: 'Tells the weather of a city.',
  parameters: { ...weather.parameters, additionalProperties: false },
  strict: true,
  execute: async ({ city }) => `sunny in ${city}`,
})
const agentOf = (model, tools = []) => new agents.Agent({ name: 'a', instructions: 'Answer.', model, tools })

const list = {}
for (const [way, modelOf] of Object.entries(ways)) {
  for (const name of Object.values(families)) {
    list[`${way}: text on ${name}`] = async () =>
      includes((await agents.run(agentOf(modelOf(name)), 'say quince')).finalOutput, 'quince', 'the answer')
    list[`${way}: streamed on ${name}`] = async () => {
      const result = await agents.run(agentOf(modelOf(name)), 'say quince', { stream: true })
      let text = ''
      for await (const piece of result.toTextStream()) text += piece
      await result.completed
      includes(text, 'quince', 'the answer')
    }
    list[`${way}: a tool round trip on ${name}`] = async () => {
      const agent = agentOf(modelOf(name), [weatherTool])
      includes((await agents.run(agent, weather.prompt)).finalOutput, weather.answer, 'the answer')
    }
  }
  Object.assign(
    list,
    rejectionChecks(way, (at, name) => agents.run(agentOf(modelOf(name, at)), 'say quince')),
  )
}
await checks(`@openai/agents ${versionOf(folder, '@openai/agents')}`, list)
