/** Cline's CLI, set up as *Connect* says, on all three families: a text turn, and a file read by its own tool. */
import { dirname, join } from 'node:path'
import { recipeOf } from '../../../console/src/features/connect/recipes.ts'
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
const bin = join(folder, 'node_modules/.bin')

/** The commands of the recipe as they are shown, each with what a check needs besides. */
async function start(model, prompt, { home, folder: cwd }, at = { origin, key }) {
  const steps = recipeOf('cline').steps({
    address: at.origin,
    model: { name: model, dialects: [] },
    key: null,
  })
  const [login, open] = steps.at(-1).snippet.text.split('\n')
  // A separate folder for its state: without one it leaves a process running.
  const state = `--data-dir ${join(home, 'state')}`
  const env = {
    HOME: home,
    CLINE_NO_AUTO_UPDATE: '1',
    TOLLGATE_KEY: at.key,
    PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`,
  }
  await run('sh', ['-c', `${login} ${state}`], { cwd, env })
  return run('sh', ['-c', `${open} ${state} --json "$1"`, 'sh', prompt], { cwd, env })
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
