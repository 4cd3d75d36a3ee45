/**
 * Continue's CLI, with the file that *Connect* shows: by its provider for OpenAI on all three
 * families, and by that for Anthropic.
 */
import { join } from 'node:path'
import { recipes } from '../../../console/src/features/connect/recipes.ts'
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
  write,
} from './client.js'
import { refusalChecks } from './refusals.js'

const folder = await installed('continue', ['@continuedev/cli'])
const program = join(folder, 'node_modules/.bin/cn')
const recipe = recipes.find(({ id }) => id === 'continue')

function start({ name, dialects }, prompt, { home, folder: cwd }, at = { origin, key }) {
  const steps = recipe.steps({ address: at.origin, model: { name, dialects }, key: at.key })
  const { snippet } = steps.find((step) => step.snippet?.file !== undefined)
  write(join(home, snippet.file.replace('~/', '')), snippet.text)
  const env = { HOME: home, CONTINUE_TELEMETRY_ENABLED: '0' }
  return run(program, ['--print', prompt], { cwd, env })
}

const ask = async (...parameters) => (await start(...parameters)).stdout

const list = {}
const ways = [
  ...Object.values(families).map((name) => ['openai', { name, dialects: ['openai-chat'] }]),
  ['anthropic', { name: families.claude, dialects: ['anthropic'] }],
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

for (const [provider, dialect] of [
  ['openai', 'openai-chat'],
  ['anthropic', 'anthropic'],
]) {
  Object.assign(
    list,
    refusalChecks(`provider ${provider}`, (at, name) =>
      inWorkshop(async (place) =>
        printedBy(await start({ name, dialects: [dialect] }, 'say pomegranate', place, at)),
      ),
    ),
  )
}

await checks(`Continue ${versionOf(folder, '@continuedev/cli')}`, list)
