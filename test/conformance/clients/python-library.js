/** Runs the script of one Python library, by name, with its pinned versions. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { recipeOf } from '../../../console/src/features/connect/recipes.ts'
import {
  checks,
  checksOf,
  families,
  includes,
  installedPython,
  inWorkshop,
  origin,
  run,
  write,
} from './client.js'
import { pythonLibraries } from './python-libraries.js'

/** The prompt of the programs on *Connect*. */
const hello = 'Say hello in one sentence.'

const { name, packages, says = hello } = pythonLibraries.find((library) => library.name === process.argv[2])
const folder = await installedPython(name, packages)
const script = fileURLToPath(new URL(`python/use_${name.replaceAll('-', '_')}.py`, import.meta.url))
Object.assign(process.env, { LITELLM_LOCAL_MODEL_COST_MAP: 'True', PYTHONDONTWRITEBYTECODE: '1' })
await checksOf(join(folder, 'bin/python'), [script])

if (process.exitCode === 0 && recipeOf(name) !== undefined) {
  await checks(`the program that Connect shows for ${name}`, recipeChecks())
}

function recipeChecks() {
  const list = {}
  for (const model of Object.values(families)) {
    list[`on ${model}`] = () =>
      inWorkshop(async ({ home, folder: cwd }) => {
        const steps = recipeOf(name).steps({
          address: origin,
          model: { name: model, dialects: [] },
          key: null,
        })
        const { text } = steps.find(({ snippet }) => snippet?.language === 'python').snippet
        write(join(cwd, 'ask.py'), text.replace(hello, says))
        const { stdout } = await run(join(folder, 'bin/python'), ['ask.py'], { cwd, env: { HOME: home } })
        includes(stdout, 'hello in one sentence', 'the answer')
      })
  }
  return list
}
