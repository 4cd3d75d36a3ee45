/** Runs the script of one library for Python, whose name is given, with the versions that are pinned for it. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checksOf, installedPython } from './client.js'
import { pythonLibraries } from './python-libraries.js'

const { name, packages } = pythonLibraries.find((library) => library.name === process.argv[2])
const folder = await installedPython(name, packages)
const script = fileURLToPath(new URL(`python/use_${name.replaceAll('-', '_')}.py`, import.meta.url))
Object.assign(process.env, { LITELLM_LOCAL_MODEL_COST_MAP: 'True', PYTHONDONTWRITEBYTECODE: '1' })
await checksOf(join(folder, 'bin/python'), [script])
