/** The other JavaScript libraries that support Google's format, with and without idle periods in the stream. */
import {
  checks,
  equal,
  families,
  includes,
  installed,
  key,
  load,
  origin,
  silent,
  versionOf,
  weather,
} from './client.js'
import { rejectionChecks } from './rejections.js'

const packages = [
  '@google/generative-ai',
  '@langchain/google-genai',
  '@langchain/core',
  'genkit',
  '@genkit-ai/google-genai',
]
const folder = await installed('google-javascript', packages)
const { GoogleGenerativeAI } = await load(folder, '@google/generative-ai')
const { ChatGoogleGenerativeAI } = await load(folder, '@langchain/google-genai')
const { genkit, z } = await load(folder, 'genkit')
const { googleAI } = await load(folder, '@genkit-ai/google-genai')

const say = 'say quince and pear'
const functionDeclarations = [{ name: 'weather', parameters: weather.parameters }]
const tools = [{ functionDeclarations }]

const clients = {
  '@google/generative-ai': {
    async text(at, model) {
      const generative = new GoogleGenerativeAI(at.key).getGenerativeModel({ model }, { baseUrl: at.origin })
      let text = ''
      for await (const chunk of (await generative.generateContentStream(say)).stream) text += chunk.text()
      return text
    },
    async tool(at, model) {
      const generative = new GoogleGenerativeAI(at.key).getGenerativeModel(
        { model, tools },
        { baseUrl: at.origin },
      )
      const contents = [{ role: 'user', parts: [{ text: weather.prompt }] }]
      const { stream } = await generative.generateContentStream({ contents })
      const calls = []
      // The library's final message has lost the signatures.
      const parts = []
      for await (const chunk of stream) {
        calls.push(...(chunk.functionCalls() ?? []))
        parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []))
      }
      equal(calls[0]?.args.city, 'Paris', 'the argument')
      const { id } = calls[0]
      const functionResponse = { id, name: 'weather', response: { output: weather.answer } }
      contents.push({ role: 'model', parts })
      contents.push({ role: 'function', parts: [{ functionResponse }] })
      const answered = await generative.generateContent({ contents })
      return answered.response.text()
    },
  },
  '@langchain/google-genai': {
    async text(at, model) {
      const chat = new ChatGoogleGenerativeAI({ model, apiKey: at.key, baseUrl: at.origin, streaming: true })
      let text = ''
      for await (const chunk of await chat.stream(say)) text += chunk.text
      return text
    },
    async tool(at, model) {
      const chat = new ChatGoogleGenerativeAI({ model, apiKey: at.key, baseUrl: at.origin, streaming: true })
      const bound = chat.bindTools(tools)
      let said
      for await (const chunk of await bound.stream(weather.prompt))
        said = said === undefined ? chunk : said.concat(chunk)
      const [call] = said.tool_calls
      equal(call?.args.city, 'Paris', 'the argument')
      const result = { role: 'tool', tool_call_id: call.id, name: 'weather', content: weather.answer }
      return (await bound.invoke([{ role: 'user', content: weather.prompt }, said, result])).text
    },
  },
  genkit: {
    text: (at, model) => withGenkit(at, model, say, () => []),
    tool: (at, model) =>
      withGenkit(at, model, weather.prompt, (ai) => [
        ai.defineTool(
          {
            name: 'weather',
            description: 'Tells the weather of a city.',
            inputSchema: z.object({ city: z.string() }),
            outputSchema: z.string(),
          },
          async ({ city }) => `sunny in ${city}`,
        ),
      ]),
  },
}

async function withGenkit(at, model, prompt, toolsOf) {
  const ai = genkit({ plugins: [googleAI({ apiKey: at.key, baseUrl: at.origin })] })
  const { stream, response } = ai.generateStream({
    model: googleAI.model(model),
    prompt,
    tools: toolsOf(ai),
  })
  let text = ''
  for await (const chunk of stream) text += chunk.text
  await response
  return text
}

const places = { '': { origin, key }, ' after silences': silent }
const list = {}
for (const [name, client] of Object.entries(clients)) {
  for (const model of Object.values(families)) {
    for (const [when, at] of Object.entries(places)) {
      list[`${name}: streamed${when} on ${model}`] = async () =>
        includes(await client.text(at, model), 'quince', 'the answer')
      list[`${name}: a tool round trip${when} on ${model}`] = async () =>
        includes(await client.tool(at, model), weather.answer, 'the answer')
    }
  }
  Object.assign(list, rejectionChecks(name, client.text))
}
const named = ['@google/generative-ai', '@langchain/google-genai', 'genkit']
await checks(named.map((name) => `${name} ${versionOf(folder, name)}`).join(', '), list)
