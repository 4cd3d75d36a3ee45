/** Cline's CLI, set up as *Connect* says, on all three families: a text turn, and a file read by its own tool. */
import { join } from 'node:path'
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

const folder = await installed('cline', ['cline'])

function start(model, prompt, place, at) {
  // A separate folder for its state: without one it leaves a process running.
  const state = ['--data-dir', join(place.home, 'state')]
  const edited = (script) => script.replace(/^cline auth .*$/m, `$& ${state.join(' ')}`)
  const words = [...state, '--json', prompt]
  return followed('cline', { at, model, place, folder, words, env: { CLINE_NO_AUTO_UPDATE: '1' }, edited })
}

async function ask(model, prompt, place) {
  const { stdout } = await start(model, prompt, place)
  const events = stdout.split('\n').filter((line) => line.startsWith('{'))
  return events.map((line) => JSON.parse(line)).find(({ type }) => type === 'run_result')
}

const list = {}
for (const model of Object.values(families)) {
  list[`text on ${model}`] = () =>
    inWorkshop(async (place) =>
      includes((await ask(model, 'say pomegranate', place)).text, 'pomegranate', 'it'),
    )
  list[`a tool round trip on ${model}`] = () =>
    inWorkshop(async (place) => {
      const prompt = `use read_files ${JSON.stringify({ files: [{ path: place.file }] })}`
      const { text, iterations } = await ask(model, prompt, place)
      includes(text, secretWord, 'the answer')
      return `${iterations} turns`
    })
}

Object.assign(
  list,
  rejectionChecks('a text', (at, model) =>
    inWorkshop(async (place) => {
      return printedBy(await start(model, 'say pomegranate', place, at))
    }),
  ),
)

await checks(`Cline ${versionOf(folder, 'cline')}`, list)
