/** opencode, by its chat and its Messages package, on all three families. */
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
  write,
} from './client.js'
import { refusalChecks } from './refusals.js'

const folder = await installed('opencode', ['opencode-ai'])
const program = join(folder, 'node_modules/.bin/opencode')

function start(npm, model, prompt, { home, folder: cwd, at = { origin, key } }) {
  const models = { [model]: { name: model } }
  const provider = { gw: { npm, options: { baseURL: `${at.origin}/v1`, apiKey: at.key }, models } }
  const common = { autoupdate: false, share: 'disabled', permission: { read: 'allow' } }
  write(join(cwd, 'opencode.json'), { model: `gw/${model}`, small_model: `gw/${model}`, ...common, provider })
  // It quotes an argument that contains spaces.
  const env = { HOME: home, OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' }
  return run(program, ['run', '--format', 'json', ...prompt.split(' ')], { cwd, env })
}

const ask = async (...parameters) => (await start(...parameters)).stdout

/** It requests a title as well. */
const withTitle = { 401: { sentMax: 2 }, 402: { sentMax: 2 }, 404: { sentMax: 2 } }

const list = {}
for (const npm of ['@ai-sdk/openai-compatible', '@ai-sdk/anthropic', '@ai-sdk/openai']) {
  for (const model of Object.values(families)) {
    list[`${npm}: text on ${model}`] = () =>
      inWorkshop(async (place) =>
        includes(await ask(npm, model, 'say pomegranate', place), 'pomegranate', 'the answer'),
      )
    list[`${npm}: a tool round trip on ${model}`] = () =>
      inWorkshop(async (place) => {
        const printed = await ask(npm, model, `use read ${JSON.stringify({ filePath: place.file })}`, place)
        const texts = printed
          .split('\n')
          .filter((line) => line.includes('"type":"text"'))
          .join('\n')
        includes(texts, secretWord, 'the answer')
      })
  }
  Object.assign(
    list,
    refusalChecks(
      npm,
      (at, model) =>
        inWorkshop(async (place) => printedBy(await start(npm, model, 'say pomegranate', { ...place, at }))),
      withTitle,
    ),
  )
}

await checks(`opencode ${versionOf(folder, 'opencode-ai')}`, list)
