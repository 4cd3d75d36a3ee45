/**
 * Runs a tool of node_modules/.bin, or a file of this checkout, under the Node and with the packages that the
 * checkout needs: `node scripts/run.js tsc --noEmit`, `node scripts/run.js bench/run.ts`.
 */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { consolePackages, developerPackages } from './packages.js'
import { prepare } from './prepare.js'
import { become } from './process-ties.js'

await prepare(import.meta.url, [developerPackages, consolePackages])

const [name = '', ...rest] = process.argv.slice(2)
const places = [`../node_modules/.bin/${name}`, `../console/node_modules/.bin/${name}`, `../${name}`].map(
  (path) => fileURLToPath(new URL(path, import.meta.url)),
)
const script = places.find((place) => name !== '' && existsSync(place))
if (script === undefined) {
  process.stderr.write(`tollgate: nothing called "${name}" to run\n`)
  process.exit(1)
}
await become(process.execPath, [script, ...rest])
