/** Gemini CLI, set up as *Connect* says, on all three families: a text turn, and a file read by its own tool. */
import {
  checks,
  families,
  includes,
  installed,
  inWorkshop,
  printedBy,
  secretWord,
  silent,
  versionOf,
} from './client.js'
import { followed } from './connect.js'
import { rejectionChecks } from './rejections.js'

const folder = await installed('gemini-cli', ['@google/gemini-cli'])

function start(model, prompt, place, at) {
  const env = { GEMINI_CLI_TRUST_WORKSPACE: 'true' }
  return followed('gemini-cli', { at, model, place, folder, words: ['-p', prompt], env })
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
  rejectionChecks('a text', (at, model) =>
    inWorkshop(async (place) => {
      return printedBy(await start(model, 'say pomegranate', place, at))
    }),
  ),
)

await checks(`Gemini CLI ${versionOf(folder, '@google/gemini-cli')}`, list)
