/**
 * Models of hosts and clouds: Claude Code on Claude at Bedrock and Vertex, Codex at OpenRouter, and the libraries of OpenAI,
 * Anthropic and Google on names such as `azure/…`. The hosts are imitations in front of the sandbox (`host-front.ts`).
 */
import { join } from 'node:path'
import {
  checks,
  equal,
  includes,
  installed,
  inWorkshop,
  load,
  run,
  secretWord,
  versionOf,
  weather,
  write,
} from './client.js'

const origin = process.env.TOLLGATE_HOSTS_ORIGIN ?? ''
const key = process.env.TOLLGATE_HOSTS_KEY ?? ''

const claudeFolder = await installed('claude-code', ['@anthropic-ai/claude-code'])
const codexFolder = await installed('codex', ['@openai/codex'])
const openaiFolder = await installed('openai-sdk', ['openai'])
const anthropicFolder = await installed('anthropic-sdk', ['@anthropic-ai/sdk'])
const googleFolder = await installed('google-genai', ['@google/genai'])

const models = {
  azure: 'azure/gpt-conformance',
  bedrock: 'bedrock/anthropic.claude-conformance',
  vertexClaude: 'vertex/claude-conformance',
  vertexGemini: 'vertex/gemini-conformance',
  openrouter: 'openrouter/openai/gpt-conformance',
  groq: 'groq/llama-conformance',
}

function claudeCode(model, prompt, { home, folder: cwd }) {
  const parameters = ['-p', prompt, '--output-format', 'json', '--model', model, '--allowedTools', 'Read']
  const env = {
    ANTHROPIC_API_KEY: key,
    HOME: home,
    ANTHROPIC_BASE_URL: origin,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  }
  return run(join(claudeFolder, 'node_modules/.bin/claude'), parameters, { cwd, env })
}

async function codex(model, prompt, { home, folder: cwd }) {
  const settings = [
    `model = "${model}"`,
    'model_provider = "gateway"',
    '[model_providers.gateway]',
    'name = "Gateway"',
    `base_url = "${origin}/v1"`,
    'env_key = "GATEWAY_API_KEY"',
    'wire_api = "responses"',
    '',
  ]
  write(join(home, '.codex/config.toml'), settings.join('\n'))
  const parameters = ['exec', '--skip-git-repo-check', '--ephemeral', '--json']
  const { stdout } = await run(
    join(codexFolder, 'node_modules/.bin/codex'),
    [...parameters, '--sandbox', 'danger-full-access', prompt],
    { cwd, env: { HOME: home, GATEWAY_API_KEY: key } },
  )
  const events = stdout.split('\n').filter((line) => line.startsWith('{'))
  return events.map((line) => JSON.parse(line).item?.text ?? '').join('')
}

const { default: OpenAI } = await load(openaiFolder, 'openai')
const { default: Anthropic } = await load(anthropicFolder, '@anthropic-ai/sdk')
const { GoogleGenAI } = await load(googleFolder, '@google/genai')
const openai = new OpenAI({ apiKey: key, baseURL: `${origin}/v1`, maxRetries: 0 })
const anthropic = new Anthropic({ apiKey: key, baseURL: origin, maxRetries: 0 })
const google = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: origin } })

async function openaiTool(model) {
  const tools = [{ type: 'function', function: { name: 'weather', parameters: weather.parameters } }]
  const messages = [{ role: 'user', content: weather.prompt }]
  const { message } = (await openai.chat.completions.create({ model, messages, tools })).choices[0]
  const [call] = message.tool_calls
  equal(JSON.parse(call.function.arguments).city, 'Paris', 'the argument')
  messages.push(message, { role: 'tool', tool_call_id: call.id, content: weather.answer })
  let text = ''
  for await (const { choices } of await openai.chat.completions.create({
    model,
    messages,
    tools,
    stream: true,
  }))
    text += choices[0]?.delta?.content ?? ''
  includes(text, weather.answer, 'the answer')
}

async function anthropicTool(model) {
  const tools = [{ name: 'weather', input_schema: weather.parameters }]
  const body = { model, tools, max_tokens: 2_000 }
  const messages = [{ role: 'user', content: weather.prompt }]
  const first = await anthropic.messages.create({ ...body, messages })
  const call = first.content.find(({ type }) => type === 'tool_use')
  equal(call.input.city, 'Paris', 'the argument')
  const result = { type: 'tool_result', tool_use_id: call.id, content: weather.answer }
  messages.push({ role: 'assistant', content: first.content }, { role: 'user', content: [result] })
  const last = await anthropic.messages.stream({ ...body, messages }).finalMessage()
  includes(last.content.map(({ text }) => text ?? '').join(''), weather.answer, 'the answer')
}

async function googleTool(model) {
  const functionDeclarations = [{ name: 'weather', parametersJsonSchema: weather.parameters }]
  const config = { tools: [{ functionDeclarations }] }
  const contents = [{ role: 'user', parts: [{ text: weather.prompt }] }]
  const first = await google.models.generateContent({ model, contents, config })
  const { content } = first.candidates[0]
  const call = content.parts.find(({ functionCall }) => functionCall !== undefined)?.functionCall
  equal(call?.args?.city, 'Paris', 'the argument')
  const functionResponse = { id: call.id, name: call.name, response: { output: weather.answer } }
  contents.push(content, { role: 'user', parts: [{ functionResponse }] })
  let text = ''
  for await (const chunk of await google.models.generateContentStream({ model, contents, config }))
    text += chunk.text ?? ''
  includes(text, weather.answer, 'the answer')
}

const list = {}
for (const model of [models.bedrock, models.vertexClaude]) {
  list[`Claude Code, text on ${model}`] = () =>
    inWorkshop(async (place) => {
      const { stdout } = await claudeCode(model, 'say pomegranate', place)
      includes(JSON.parse(stdout).result, 'pomegranate', 'the answer')
    })
  list[`Claude Code, a file read by its tool on ${model}`] = () =>
    inWorkshop(async (place) => {
      const { stdout } = await claudeCode(
        model,
        `use Read ${JSON.stringify({ file_path: place.file })}`,
        place,
      )
      includes(JSON.parse(stdout).result, secretWord, 'the answer')
    })
}
list[`Codex, text on ${models.openrouter}`] = () =>
  inWorkshop(async (place) =>
    includes(await codex(models.openrouter, 'say pomegranate', place), 'pomegranate', 'the answer'),
  )
list[`Codex, a file read by a command on ${models.openrouter}`] = () =>
  inWorkshop(async (place) => {
    const command = JSON.stringify({ cmd: `cat ${place.file}` })
    includes(await codex(models.openrouter, `use exec_command ${command}`, place), secretWord, 'the answer')
  })
for (const model of Object.values(models)) {
  list[`openai, a tool round trip on ${model}`] = () => openaiTool(model)
  list[`@anthropic-ai/sdk, a tool round trip on ${model}`] = () => anthropicTool(model)
  list[`@google/genai, a tool round trip on ${model}`] = () => googleTool(model)
}

const versions = [
  `Claude Code ${versionOf(claudeFolder, '@anthropic-ai/claude-code')}`,
  `Codex ${versionOf(codexFolder, '@openai/codex')}`,
]
await checks(`hosts (${versions.join(', ')})`, list)
