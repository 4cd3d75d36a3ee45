/** Google's own library, on all three families, under v1beta and v1. */
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

const folder = await installed('google-genai', ['@google/genai'])
const { GoogleGenAI } = await load(folder, '@google/genai')

const functionDeclarations = [{ name: 'weather', parametersJsonSchema: weather.parameters }]
const config = { tools: [{ functionDeclarations }] }

async function streamed(client, model) {
  let text = ''
  for await (const { text: more } of await client.models.generateContentStream({
    model,
    contents: 'say quince',
  }))
    text += more ?? ''
  includes(text, 'quince', 'the answer')
}

async function withTool(client, model) {
  const contents = [{ role: 'user', parts: [{ text: weather.prompt }] }]
  const parts = []
  for await (const chunk of await client.models.generateContentStream({ model, contents, config })) {
    parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []))
  }
  const call = parts.find(({ functionCall }) => functionCall !== undefined)?.functionCall
  equal(call?.args?.city, 'Paris', 'the argument')
  const functionResponse = { id: call.id, name: call.name, response: { output: weather.answer } }
  contents.push({ role: 'model', parts }, { role: 'user', parts: [{ functionResponse }] })
  includes(
    (await client.models.generateContent({ model, contents, config })).text,
    weather.answer,
    'the answer',
  )
}

const list = {}
for (const apiVersion of ['v1beta', 'v1']) {
  const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: origin, apiVersion } })
  for (const model of Object.values(families)) {
    list[`${apiVersion}: text on ${model}`] = async () => {
      const answer = await client.models.generateContent({ model, contents: 'say quince' })
      includes(answer.text, 'quince', 'the answer')
      equal(answer.usageMetadata.totalTokenCount > 0, true, 'usage')
    }
    list[`${apiVersion}: streamed on ${model}`] = () => streamed(client, model)
    list[`${apiVersion}: a tool round trip on ${model}`] = () => withTool(client, model)
    list[`${apiVersion}: tokens counted on ${model}`] = async () => {
      const { totalTokens } = await client.models.countTokens({ model, contents: 'say quince' })
      equal(totalTokens > 0, true, 'the count')
    }
  }
}
Object.assign(
  list,
  rejectionChecks('generateContent', (at, model) => {
    const client = new GoogleGenAI({ apiKey: at.key, httpOptions: { baseUrl: at.origin } })
    return client.models.generateContent({ model, contents: 'say quince' })
  }),
  rejectionChecks('generateContentStream', (at, model) =>
    streamed(new GoogleGenAI({ apiKey: at.key, httpOptions: { baseUrl: at.origin } }), model),
  ),
)
const slow = new GoogleGenAI({ apiKey: silent.key, httpOptions: { baseUrl: silent.origin } })
for (const model of Object.values(families)) {
  list[`streamed with silences on ${model}`] = () => streamed(slow, model)
  list[`a tool round trip with silences on ${model}`] = () => withTool(slow, model)
}
list['models'] = async () => {
  const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: origin, apiVersion: 'v1beta' } })
  const found = []
  for await (const model of await client.models.list()) found.push(model.name)
  for (const model of Object.values(families)) equal(found.includes(`models/${model}`), true, model)
}

await checks(`@google/genai ${versionOf(folder, '@google/genai')}`, list)
