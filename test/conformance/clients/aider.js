/** Aider, set up as *Connect* says, on all three families: a text turn, streamed or not, and a file that it changes as instructed. */
import { readFileSync } from 'node:fs'
import {
  checks,
  families,
  includes,
  installedPython,
  inWorkshop,
  printedBy,
  pythonVersionOf,
} from './client.js'
import { followed } from './connect.js'
import { rejectionChecks } from './rejections.js'

const folder = await installedPython('aider', ['aider-chat'])
const quiet = [
  '--yes-always',
  '--no-check-update',
  '--analytics-disable',
  '--no-show-model-warnings',
  '--no-git',
]

function start(model, prompt, { place, options = [], at }) {
  return followed('aider', { at, model, place, folder, words: ['--message', prompt, ...quiet, ...options] })
}

const ask = async (...parameters) => (await start(...parameters)).stdout

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
      // The instruction is what the sandbox echoes: a whole file, in this edit format.
      await ask(model, 'hello.txt\n```\nthe word is quince\n```\n', { place, options })
      includes(readFileSync(place.file, 'utf8'), 'quince', 'the file')
    })
}

Object.assign(
  list,
  rejectionChecks(
    'a text',
    (at, model) =>
      inWorkshop(async (place) => {
        return printedBy(await start(model, 'say pomegranate', { place, at }))
      }),
    // It handles 402 of one provider only, and otherwise retries for a minute.
    { 402: { sentMax: 9 } },
  ),
)

await checks(`Aider ${await pythonVersionOf(folder, 'aider-chat')}`, list)
