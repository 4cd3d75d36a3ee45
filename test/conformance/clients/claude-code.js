/** Claude Code on all three families: a text turn, and a file read by its own tool. */
import { join } from 'node:path'
import {
  checks,
  families,
  includes,
  installed,
  inWorkshop,
  key,
  origin,
  printedBy,
  run,
  secretWord,
  versionOf,
} from './client.js'
import { refusalChecks } from './refusals.js'

const folder = await installed('claude-code', ['@anthropic-ai/claude-code'])
const program = join(folder, 'node_modules/.bin/claude')

function ask(model, prompt, { home, folder: cwd }, at = { origin, key }) {
  const parameters = ['-p', prompt, '--output-format', 'json', '--model', model, '--allowedTools', 'Read']
  const env = {
    ANTHROPIC_API_KEY: at.key,
    HOME: home,
    ANTHROPIC_BASE_URL: `${at.origin}/v1/alt`,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  }
  return run(program, parameters, { cwd, env })
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
}
list['a bearer token, and the root as base address'] = () =>
  inWorkshop(async (place) => {
    const auth = { ANTHROPIC_AUTH_TOKEN: key, ANTHROPIC_BASE_URL: origin }
    const env = {
      ...auth,
      HOME: place.home,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    }
    const parameters = ['-p', 'say quince', '--output-format', 'json', '--model', families.claude]
    const { stdout } = await run(program, parameters, { cwd: place.folder, env })
    includes(JSON.parse(stdout).result, 'quince', 'the answer')
  })

Object.assign(
  list,
  refusalChecks(
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

await checks(`Claude Code ${versionOf(folder, '@anthropic-ai/claude-code')}`, list)
