/** Aider on all three families: a text turn, streamed or not, and a file that it changes as it was told. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  checks,
  families,
  includes,
  installedPython,
  inWorkshop,
  key,
  origin,
  pythonVersionOf,
  run,
} from './client.js'

const folder = await installedPython('aider', ['aider-chat'])
const quiet = [
  '--yes-always',
  '--no-check-update',
  '--analytics-disable',
  '--no-show-model-warnings',
  '--no-git',
]

async function ask(model, prompt, { place: { home, folder: cwd }, options = [] }) {
  const env = { HOME: home, OPENAI_API_BASE: `${origin}/v1`, OPENAI_API_KEY: key }
  const words = ['--model', `openai/${model}`, '--message', prompt, ...quiet, ...options]
  return (await run(join(folder, 'bin/aider'), words, { cwd, env })).stdout
}

const list = {}
for (const model of Object.values(families)) {
  for (const [how, options] of [
    ['streamed', ['--stream']],
    ['at once', ['--no-stream']],
  ]) {
    list[`text on ${model}, ${how}`] = () =>
      inWorkshop(async (place) => {
        includes(await ask(model, 'say pomegranate', { place, options }), 'pomegranate', 'the answer')
      })
  }
  list[`a file changed by ${model}`] = () =>
    inWorkshop(async (place) => {
      const options = ['--edit-format', 'whole', '--file', 'hello.txt']
      // What it is told is what the sandbox says: a whole file, as this format has it.
      await ask(model, 'hello.txt\n```\nthe word is quince\n```\n', { place, options })
      includes(readFileSync(place.file, 'utf8'), 'quince', 'the file')
    })
}

await checks(`Aider ${await pythonVersionOf(folder, 'aider-chat')}`, list)
