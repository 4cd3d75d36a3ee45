/** pi, set up as *Connect* says, on all three families: a text turn, and a file read by its own tool. */
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
  write,
} from './client.js'
import { refusalChecks } from './refusals.js'

const name = '@earendil-works/pi-coding-agent'
const folder = await installed('pi', [name])
const bin = join(folder, 'node_modules/.bin')

/** The file of the recipe as it is shown, and its last command with a prompt. */
function start(model, prompt, { home, folder: cwd }, at = { origin, key }) {
  const steps = recipeOf('pi').steps({ address: at.origin, model: { name: model, dialects: [] }, key: null })
  const snippets = steps.flatMap(({ snippet }) => (snippet === undefined ? [] : [snippet]))
  const { file, text } = snippets.find(({ language }) => language === 'json')
  write(file.replace('~', home), text)
  const env = {
    HOME: home,
    TOLLGATE_KEY: at.key,
    PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`,
  }
  return run('sh', ['-c', `${snippets.at(-1).text} -p "$1"`, 'sh', prompt], { cwd, env })
}

const list = {}
for (const model of Object.values(families)) {
  list[`text on ${model}`] = () =>
    inWorkshop(async (place) =>
      includes((await start(model, 'say pomegranate', place)).stdout, 'pomegranate', 'the answer'),
    )
  list[`a tool round trip on ${model}`] = () =>
    inWorkshop(async (place) => {
      const { stdout } = await start(model, `use read ${JSON.stringify({ path: place.file })}`, place)
      includes(stdout, secretWord, 'the answer')
    })
}

Object.assign(
  list,
  refusalChecks('a text', (at, model) =>
    inWorkshop(async (place) => printedBy(await start(model, 'say pomegranate', place, at))),
  ),
)

await checks(`pi ${versionOf(folder, name)}`, list)
