/**
 * LangChain's chat models for OpenAI (both of its APIs) and Anthropic, on all three families: text, optional tools,
 * forced tools, and objects.
 */
import { checks, equal, families, includes, installed, key, load, origin, versionOf } from './client.js'
import { rejectionChecks } from './rejections.js'

const packages = ['@langchain/core', '@langchain/openai', '@langchain/anthropic']
const folder = await installed('langchain', packages)
const { ChatOpenAI } = await load(folder, '@langchain/openai')
const { ChatAnthropic } = await load(folder, '@langchain/anthropic')
const { HumanMessage, ToolMessage } = await load(folder, '@langchain/core/messages')

const chatOpenAi = (useResponsesApi) => (model, at) =>
  new ChatOpenAI({ model, apiKey: at.key, configuration: { baseURL: `${at.origin}/v1` }, useResponsesApi })

/** With the libraries' own retries. */
const ways = {
  'ChatOpenAI (chat)': { chat: chatOpenAi(false), methods: ['functionCalling', 'jsonSchema'] },
  'ChatOpenAI (Responses)': { chat: chatOpenAi(true), methods: ['functionCalling', 'jsonSchema'] },
  ChatAnthropic: {
    chat: (model, at) =>
      new ChatAnthropic({ model, apiKey: at.key, anthropicApiUrl: `${at.origin}/v1/alt`, maxTokens: 2_000 }),
    methods: ['functionCalling'],
  },
}
const city = {
  title: 'weather',
  description: 'The weather in a city',
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const weather = {
  type: 'function',
  function: { name: 'weather', description: 'The weather in a city', parameters: city },
}
const use = 'use weather {"city":"Paris"}'

/** What each API must do on a model; resolves when it did. */
const turns = {
  async text(model) {
    includes((await model.invoke('say quince')).text, 'quince', 'the answer')
  },
  async streamed(model) {
    let text = ''
    for await (const chunk of await model.stream('say quince')) text += chunk.text
    includes(text, 'quince', 'the answer')
  },
  'a tool round trip': (model) => withTool(model.bindTools([weather]), model.bindTools([weather])),
  'a forced tool': (model) =>
    withTool(model.bindTools([weather], { tool_choice: 'weather' }), model.bindTools([weather])),
  'any tool forced': (model) =>
    withTool(model.bindTools([weather], { tool_choice: 'any' }), model.bindTools([weather])),
}

/** The first request may force the tool; the one with the result leaves the model free. */
async function withTool(first, second) {
  const asked = [new HumanMessage(use)]
  const answer = await first.invoke(asked)
  equal(answer.tool_calls?.[0]?.args.city, 'Paris', 'the argument')
  const result = new ToolMessage({ tool_call_id: answer.tool_calls[0].id, content: 'sunny in Paris' })
  includes((await second.invoke([...asked, answer, result])).text, 'sunny in Paris', 'the answer')
}

const list = {}
for (const [way, { chat, methods }] of Object.entries(ways)) {
  for (const name of Object.values(families)) {
    const model = chat(name, { origin, key })
    for (const [turn, check] of Object.entries(turns)) list[`${way}: ${turn} on ${name}`] = () => check(model)
    for (const method of methods) {
      list[`${way}: an object by ${method} on ${name}`] = async () => {
        const structured = model.withStructuredOutput(city, { name: 'weather', method })
        equal((await structured.invoke(use)).city, 'Paris', 'the field')
      }
    }
  }
  Object.assign(
    list,
    rejectionChecks(way, (at, name) => chat(name, at).invoke('say quince')),
  )
}

await checks(`LangChain ${versionOf(folder, '@langchain/core')}`, list)
