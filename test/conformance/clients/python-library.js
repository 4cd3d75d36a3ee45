/** One Python library, by name: the program that *Connect* shows for it, as a user installs it, then its script in python/. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { recipeOf } from '../../../console/src/features/connect/recipes.ts'
import { checks, checksOf, installedPython } from './client.js'
import { programChecks } from './connect.js'
import { pythonLibraries } from './python-libraries.js'

const { name, packages, says } = pythonLibraries.find((library) => library.name === process.argv[2])
if (recipeOf(name) !== undefined) await checks('Connect', programChecks(name, { says }))
const shownCode = process.exitCode ?? 0

const folder = await installedPython(name, packages)
const script = fileURLToPath(new URL(`python/use_${name.replaceAll('-', '_')}.py`, import.meta.url))
Object.assign(process.env, { LITELLM_LOCAL_MODEL_COST_MAP: 'True', PYTHONDONTWRITEBYTECODE: '1' })
await checksOf(join(folder, 'bin/python'), [script])
process.exitCode = Math.max(shownCode, process.exitCode ?? 0)
