/** Vercel's AI SDK by its OpenAI, OpenAI-compatible, Anthropic and Google packages, on all three families. */
import { checks, equal, families, includes, installed, key, load, origin, versionOf } from './client.js'
import { rejectionChecks } from './rejections.js'

const packages = [
  'ai',
  'zod',
  '@ai-sdk/openai',
  '@ai-sdk/openai-compatible',
  '@ai-sdk/anthropic',
  '@ai-sdk/google',
]
const folder = await installed('ai-sdk', packages)
const { generateText, streamText, tool, stepCountIs, jsonSchema } = await load(folder, 'ai')
const { createOpenAI } = await load(folder, '@ai-sdk/openai')
const { createOpenAICompatible } = await load(folder, '@ai-sdk/openai-compatible')
const { createAnthropic } = await load(folder, '@ai-sdk/anthropic')
const { createGoogleGenerativeAI } = await load(folder, '@ai-sdk/google')

const baseURL = `${origin}/v1`
const here = { origin, key }
const openai = (at) => createOpenAI({ apiKey: at.key, baseURL: `${at.origin}/v1` })

const ways = {
  'openai (Responses)': (model, at = here) => openai(at)(model),
  'openai.chat': (model, at = here) => openai(at).chat(model),
  'openai-compatible': (model, at = here) =>
    createOpenAICompatible({
      name: 'gateway',
      apiKey: at.key,
      baseURL: `${at.origin}/v1`,
      includeUsage: true,
    })(model),
  anthropic: (model, at = here) => createAnthropic({ apiKey: at.key, baseURL: `${at.origin}/v1` })(model),
  google: (model, at = here) =>
    createGoogleGenerativeAI({ apiKey: at.key, baseURL: `${at.origin}/v1beta` })(model),
}

const weather = tool({
  description: 'The weather in a city',
  inputSchema: jsonSchema({
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  }),
  execute: async ({ city }) => `sunny in ${city}`,
})

const list = {}
for (const [way, model] of Object.entries(ways)) {
  for (const name of Object.values(families)) {
    list[`${way}: text on ${name}`] = async () => {
      const { text, usage } = await generateText({ model: model(name), prompt: 'say quince', maxRetries: 0 })
      includes(text, 'quince', 'the answer')
      equal((usage.inputTokens ?? 0) > 0 && (usage.outputTokens ?? 0) > 0, true, 'usage')
    }
    list[`${way}: tools, streamed, on ${name}`] = async () => {
      const prompt = 'use weather {"city":"Paris"}'
      const stopWhen = stepCountIs(4)
      const result = streamText({
        model: model(name),
        prompt,
        tools: { weather },
        stopWhen,
        maxRetries: 0,
        // Models of other makers store nothing, so reasoning returns as it was sent instead of by its id.
        providerOptions: name === families.gpt ? {} : { openai: { store: false } },
        onError: () => undefined,
      })
      includes(await result.text, 'sunny in Paris', 'the answer')
      return `${(await result.steps).length} steps`
    }
  }
  const prompt = 'say quince'
  Object.assign(
    list,
    rejectionChecks(way, (at, name) => generateText({ model: model(name, at), prompt })),
    rejectionChecks(`${way}, streamed`, async (at, name) => {
      const { promise, reject } = Promise.withResolvers()
      const onError = ({ error }) => reject(error)
      const { text } = streamText({ model: model(name, at), prompt, onError })
      // The text rejects with a general error when the stream had one.
      await Promise.race([promise, text.then(undefined, () => promise)])
    }),
  )
}

/** By default the provider lets responses be stored, and sends only the IDs of earlier ones. */
list[`openai (Responses): a conversation that is kept, on ${families.gpt}`] = async () => {
  const sent = []
  const recording = (address, init) => {
    sent.push(JSON.parse(init.body).input.filter(({ type }) => type === 'item_reference').length)
    return fetch(address, init)
  }
  const model = createOpenAI({ apiKey: key, baseURL, fetch: recording })(families.gpt)
  const messages = []
  for (const prompt of ['say quince', 'use weather {"city":"Paris"}', 'say plum']) {
    messages.push({ role: 'user', content: prompt })
    const stopWhen = stepCountIs(4)
    const { text, response } = await generateText({
      model,
      messages,
      tools: { weather },
      stopWhen,
      maxRetries: 0,
    })
    messages.push(...response.messages)
    includes(text, prompt.startsWith('use') ? 'sunny in Paris' : prompt, 'the answer')
  }
  equal(sent[0], 0, 'references in the first request')
  equal(sent.length > 1 && sent.slice(1).every((count) => count > 0), true, 'references in all later ones')
  return `references: ${sent.join(', ')}`
}

await checks(`AI SDK ${versionOf(folder, 'ai')}`, list)
