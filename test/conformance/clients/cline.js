/** Cline, as its program for the terminal, on all three families: a text turn, and a file read by its own tool. */
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
} from './client.js'

const folder = await installed('cline', ['cline'])
const program = join(folder, 'node_modules/.bin/cline')

async function ask(model, prompt, { home, folder: cwd }) {
  // A folder of its own for its state: without one it leaves a process that goes on.
  const state = ['--data-dir', join(home, 'state')]
  const env = { HOME: home, CLINE_NO_AUTO_UPDATE: '1' }
  const place = ['--provider', 'openai', '--baseurl', `${origin}/v1`]
  await run(program, ['auth', ...place, '--apikey', key, '--modelid', model, ...state], { cwd, env })
  const { stdout } = await run(program, [...state, '--json', prompt], { cwd, env })
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

await checks(`Cline ${versionOf(folder, 'cline')}`, list)
