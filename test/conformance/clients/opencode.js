/** opencode, set up as *Connect* says, and with its other packages, on all three families. */
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

const folder = await installed('opencode', ['opencode-ai'])
const shownPackage = '@ai-sdk/openai-compatible'

function start(npm, prompt, { model, place, at }) {
  const env = { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' }
  const edited = (script) => script.replace(shownPackage, npm)
  // It quotes an argument that contains spaces.
  const words = ['run', '--format', 'json', ...prompt.split(' ')]
  return followed('opencode', { at, model, place, folder, words, env, edited })
}

const ask = async (...parameters) => (await start(...parameters)).stdout

/** It requests a title as well. */
const withTitle = { 401: { sentMax: 2 }, 402: { sentMax: 2 }, 404: { sentMax: 2 } }

const list = {}
for (const npm of [shownPackage, '@ai-sdk/anthropic', '@ai-sdk/openai']) {
  for (const model of Object.values(families)) {
    list[`${npm}: text on ${model}`] = () =>
      inWorkshop(async (place) =>
        includes(await ask(npm, 'say pomegranate', { model, place }), 'pomegranate', 'the answer'),
      )
    list[`${npm}: a tool round trip on ${model}`] = () =>
      inWorkshop(async (place) => {
        const printed = await ask(npm, `use read ${JSON.stringify({ filePath: place.file })}`, {
          model,
          place,
        })
        const texts = printed
          .split('\n')
          .filter((line) => line.includes('"type":"text"'))
          .join('\n')
        includes(texts, secretWord, 'the answer')
      })
  }
  Object.assign(
    list,
    rejectionChecks(
      npm,
      (at, model) =>
        inWorkshop(async (place) => printedBy(await start(npm, 'say pomegranate', { model, place, at }))),
      withTitle,
    ),
  )
}

await checks(`opencode ${versionOf(folder, 'opencode-ai')}`, list)
