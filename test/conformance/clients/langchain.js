/** LangChain's chat models for OpenAI (both of its APIs) and Anthropic, on all three families. */
import { checks, equal, families, includes, installed, key, load, origin, versionOf } from './client.js'

const packages = ['@langchain/core', '@langchain/openai', '@langchain/anthropic']
const folder = await installed('langchain', packages)
const { ChatOpenAI } = await load(folder, '@langchain/openai')
const { ChatAnthropic } = await load(folder, '@langchain/anthropic')
const { HumanMessage, ToolMessage } = await load(folder, '@langchain/core/messages')

const configuration = { baseURL: `${origin}/v1` }
const ways = {
  'ChatOpenAI (chat)': (model) =>
    new ChatOpenAI({ model, apiKey: key, configuration, maxRetries: 0, useResponsesApi: false }),
  'ChatOpenAI (Responses)': (model) =>
    new ChatOpenAI({ model, apiKey: key, configuration, maxRetries: 0, useResponsesApi: true }),
  ChatAnthropic: (model) =>
    new ChatAnthropic({
      model,
      apiKey: key,
      anthropicApiUrl: `${origin}/v1/alt`,
      maxRetries: 0,
      maxTokens: 2_000,
    }),
}
const weather = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'The weather in a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}

const list = {}
for (const [way, chat] of Object.entries(ways)) {
  for (const name of Object.values(families)) {
    list[`${way}: text on ${name}`] = async () =>
      includes((await chat(name).invoke('say quince')).text, 'quince', 'the answer')
    list[`${way}: streamed on ${name}`] = async () => {
      let text = ''
      for await (const chunk of await chat(name).stream('say quince')) text += chunk.text
      includes(text, 'quince', 'the answer')
    }
    list[`${way}: a tool round trip on ${name}`] = async () => {
      const model = chat(name).bindTools([weather])
      const asked = [new HumanMessage('use weather {"city":"Paris"}')]
      const first = await model.invoke(asked)
      equal(first.tool_calls?.[0]?.args.city, 'Paris', 'the argument')
      const result = new ToolMessage({ tool_call_id: first.tool_calls[0].id, content: 'sunny in Paris' })
      includes((await model.invoke([...asked, first, result])).text, 'sunny in Paris', 'the answer')
    }
  }
}

await checks(`LangChain ${versionOf(folder, '@langchain/core')}`, list)
