/**
 * Claude Code, set up as *Connect* says, and the SDK that starts it, on all three families: a text turn, and a file read by its
 * own tool.
 */
import { join } from 'node:path'
import {
  checks,
  families,
  includes,
  installed,
  inWorkshop,
  key,
  load,
  origin,
  printedBy,
  run,
  secretWord,
  versionOf,
} from './client.js'
import { followed } from './connect.js'
import { rejectionChecks } from './rejections.js'

const folder = await installed('claude-code', ['@anthropic-ai/claude-code'])
const sdkFolder = await installed('claude-agent-sdk', ['@anthropic-ai/claude-agent-sdk'])
const { query } = await load(sdkFolder, '@anthropic-ai/claude-agent-sdk')
const program = join(folder, 'node_modules/.bin/claude')
const quiet = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' }

function ask(model, prompt, place, at) {
  const words = ['-p', prompt, '--output-format', 'json', '--allowedTools', 'Read']
  return followed('claude-code', { at, model, place, folder, words, env: quiet })
}

/** The result of a conversation by the SDK. */
async function askSdk(model, prompt, { home, folder: cwd }) {
  const address = { ANTHROPIC_BASE_URL: `${origin}/v1/alt`, ANTHROPIC_AUTH_TOKEN: key }
  const env = { ...process.env, ...address, ...quiet, HOME: home, ANTHROPIC_DEFAULT_HAIKU_MODEL: model }
  let answer = ''
  for await (const message of query({ prompt, options: { model, cwd, env, allowedTools: ['Read'] } }))
    if (message.type === 'result') answer = message.result
  return answer
}

const list = {}
for (const model of Object.values(families)) {
  list[`text on ${model}`] = () =>
    inWorkshop(async (place) => {
      const { stdout } = await ask(model, 'say pomegranate', place)
      includes(JSON.parse(stdout).result, 'pomegranate', 'the answer')
    })
  list[`a tool round trip on ${model}`] = () =>
    inWorkshop(async (place) => {
      const { stdout } = await ask(model, `use Read ${JSON.stringify({ file_path: place.file })}`, place)
      const { result, num_turns: turns } = JSON.parse(stdout)
      includes(result, secretWord, 'the answer')
      return `${turns} turns`
    })
  list[`its SDK, text on ${model}`] = () =>
    inWorkshop(async (place) =>
      includes(await askSdk(model, 'say pomegranate', place), 'pomegranate', 'the answer'),
    )
  list[`its SDK, a tool round trip on ${model}`] = () =>
    inWorkshop(async (place) => {
      const prompt = `use Read ${JSON.stringify({ file_path: place.file })}`
      includes(await askSdk(model, prompt, place), secretWord, 'the answer')
    })
}
list['an API key, and the root as base address'] = () =>
  inWorkshop(async (place) => {
    const env = { ...quiet, HOME: place.home, ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: origin }
    const parameters = ['-p', 'say quince', '--output-format', 'json', '--model', families.claude]
    const { stdout } = await run(program, parameters, { cwd: place.folder, env })
    includes(JSON.parse(stdout).result, 'quince', 'the answer')
  })

Object.assign(
  list,
  rejectionChecks(
    'a text',
    (at, model) =>
      inWorkshop(async (place) => {
        return printedBy(await ask(model, 'say pomegranate', place, at))
      }),
    {
      402: { says: 'Credit balance is too low' },
      // After a streamed request that got 404 it tries once without a stream.
      404: { says: 'an issue with the selected model (gpt-nobody)', sentMax: 2 },
    },
  ),
)

const sdk = `@anthropic-ai/claude-agent-sdk ${versionOf(sdkFolder, '@anthropic-ai/claude-agent-sdk')}`
await checks(`Claude Code ${versionOf(folder, '@anthropic-ai/claude-code')}, ${sdk}`, list)
