/**
 * Continue's CLI, with the file that *Connect* shows: by its provider for OpenAI on all three
 * families, and by that for Anthropic.
 */
import {
  checks,
  families,
  includes,
  installed,
  inWorkshop,
  printedBy,
  secretWord,
  versionOf,
} from './client.js'
import { followed } from './connect.js'
import { rejectionChecks } from './rejections.js'

const folder = await installed('continue', ['@continuedev/cli'])

function start({ name: model, formats }, prompt, place, at) {
  const env = { CONTINUE_TELEMETRY_ENABLED: '0' }
  const words = ['--print', prompt]
  return followed('continue', { at, model, formats, place, folder, command: ['cn'], words, env })
}

const ask = async (...parameters) => (await start(...parameters)).stdout

const list = {}
const ways = [
  ...Object.values(families).map((name) => ['openai', { name, formats: ['openai-chat'] }]),
  ['anthropic', { name: families.claude, formats: ['anthropic'] }],
]
for (const [provider, model] of ways) {
  list[`provider ${provider}: text on ${model.name}`] = () =>
    inWorkshop(async (place) =>
      includes(await ask(model, 'say pomegranate', place), 'pomegranate', 'the answer'),
    )
  list[`provider ${provider}: a tool round trip on ${model.name}`] = () =>
    inWorkshop(async (place) => {
      const prompt = `use Read ${JSON.stringify({ filepath: place.file })}`
      includes(await ask(model, prompt, place), secretWord, 'the answer')
    })
}

for (const [provider, format] of [
  ['openai', 'openai-chat'],
  ['anthropic', 'anthropic'],
]) {
  Object.assign(
    list,
    rejectionChecks(`provider ${provider}`, (at, name) =>
      inWorkshop(async (place) =>
        printedBy(await start({ name, formats: [format] }, 'say pomegranate', place, at)),
      ),
    ),
  )
}

await checks(`Continue ${versionOf(folder, '@continuedev/cli')}`, list)
