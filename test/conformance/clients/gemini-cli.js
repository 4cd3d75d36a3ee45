/** Gemini CLI on all three families: a text turn, and a file read by its own tool. */
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
  silent,
  versionOf,
  write,
} from './client.js'
import { refusalChecks } from './refusals.js'

const folder = await installed('gemini-cli', ['@google/gemini-cli'])
const program = join(folder, 'node_modules/.bin/gemini')

function start(model, prompt, { home, folder: cwd }, at = { origin, key }) {
  write(join(home, '.gemini/settings.json'), {
    security: { auth: { selectedType: 'gemini-api-key' } },
    telemetry: { enabled: false },
    privacy: { usageStatisticsEnabled: false },
  })
  const env = {
    HOME: home,
    GEMINI_API_KEY: at.key,
    GOOGLE_GEMINI_BASE_URL: at.origin,
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
  }
  return run(program, ['-m', model, '-p', prompt], { cwd, env })
}

const ask = async (...parameters) => (await start(...parameters)).stdout

const list = {}
for (const model of Object.values(families)) {
  list[`text on ${model}`] = () =>
    inWorkshop(async (place) =>
      includes(await ask(model, 'say pomegranate', place), 'pomegranate', 'the answer'),
    )
  list[`a file read by its own tool, with silences, on ${model}`] = () =>
    inWorkshop(async (place) =>
      includes(
        await ask(model, `use read_file ${JSON.stringify({ file_path: place.file })}`, place, silent),
        secretWord,
        'the answer',
      ),
    )
  list[`a tool round trip on ${model}`] = () =>
    inWorkshop(async (place) =>
      includes(
        await ask(model, `use read_file ${JSON.stringify({ file_path: place.file })}`, place),
        secretWord,
        'the answer',
      ),
    )
}

Object.assign(
  list,
  refusalChecks('a text', (at, model) =>
    inWorkshop(async (place) => {
      return printedBy(await start(model, 'say pomegranate', place, at))
    }),
  ),
)

await checks(`Gemini CLI ${versionOf(folder, '@google/gemini-cli')}`, list)
