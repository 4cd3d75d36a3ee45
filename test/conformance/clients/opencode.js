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
  run,
  secretWord,
  versionOf,
  write,
} from './client.js'

const folder = await installed('opencode', ['opencode-ai'])
const program = join(folder, 'node_modules/.bin/opencode')

async function ask(npm, model, prompt, { home, folder: cwd }) {
  const models = { [model]: { name: model } }
  const provider = { gw: { npm, options: { baseURL: `${origin}/v1`, apiKey: key }, models } }
  const common = { autoupdate: false, share: 'disabled', permission: { read: 'allow' } }
  write(join(cwd, 'opencode.json'), { model: `gw/${model}`, small_model: `gw/${model}`, ...common, provider })
  // It puts quotes around an argument with spaces in it.
  const env = { HOME: home, OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' }
  return (await run(program, ['run', '--format', 'json', ...prompt.split(' ')], { cwd, env })).stdout
}

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
}

await checks(`opencode ${versionOf(folder, 'opencode-ai')}`, list)
