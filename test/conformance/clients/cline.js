/** Cline's CLI on all three families: a text turn, and a file read by its own tool. */
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
} from './client.js'
import { refusalChecks } from './refusals.js'

const folder = await installed('cline', ['cline'])
const program = join(folder, 'node_modules/.bin/cline')

async function start(model, prompt, { home, folder: cwd }, at = { origin, key }) {
  // A separate folder for its state: without one it leaves a process running.
  const state = ['--data-dir', join(home, 'state')]
  const env = { HOME: home, CLINE_NO_AUTO_UPDATE: '1' }
  const place = ['--provider', 'openai', '--baseurl', `${at.origin}/v1`]
  await run(program, ['auth', ...place, '--apikey', at.key, '--modelid', model, ...state], { cwd, env })
  return run(program, [...state, '--json', prompt], { cwd, env })
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
  refusalChecks('a text', (at, model) =>
    inWorkshop(async (place) => {
      return printedBy(await start(model, 'say pomegranate', place, at))
    }),
  ),
)

await checks(`Cline ${versionOf(folder, 'cline')}`, list)
