/** Mastra's agents, by base URL. */
import { checks, equal, families, includes, installed, key, load, origin, versionOf } from './client.js'
import { rejectionChecks } from './rejections.js'

const folder = await installed('mastra', ['@mastra/core', 'zod'])
const { Agent } = await load(folder, '@mastra/core/agent')
const { createTool } = await load(folder, '@mastra/core/tools')
const { z } = await load(folder, 'zod')

const ways = {
  'by an address': (model, at = { origin, key }) => ({
    id: `tollgate/${model}`,
    url: `${at.origin}/v1`,
    apiKey: at.key,
  }),
}
const weather = createTool({
  id: 'weather',
  description: 'Tells the weather of a city.',
  inputSchema: z.object({ city: z.string() }),
  execute: async (input) => `sunny in ${input.city ?? input.context?.city}`,
})
const agentOf = (model, tools) =>
  new Agent({ id: 'a', name: 'a', instructions: 'Answer.', model, ...(tools === undefined ? {} : { tools }) })

const list = {}
for (const [way, modelOf] of Object.entries(ways)) {
  for (const model of Object.values(families)) {
    list[`${way}: text on ${model}`] = async () =>
      includes((await agentOf(modelOf(model)).generate('say quince')).text, 'quince', 'the answer')
    list[`${way}: streamed on ${model}`] = async () => {
      let text = ''
      for await (const piece of (await agentOf(modelOf(model)).stream('say quince')).textStream) text += piece
      equal(text.includes('quince'), true, text)
    }
    list[`${way}: a tool round trip on ${model}`] = async () => {
      const answer = await agentOf(modelOf(model), { weather }).generate('use weather {"city":"Paris"}')
      includes(answer.text, 'sunny in Paris', 'the answer')
    }
  }
  Object.assign(
    list,
    rejectionChecks(way, (at, model) => agentOf(modelOf(model, at)).generate('say quince')),
  )
}
await checks(`@mastra/core ${versionOf(folder, '@mastra/core')}`, list)
