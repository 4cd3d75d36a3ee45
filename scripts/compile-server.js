/**
 * Loads the server's sources once, so that what they compile to is in the cache before the server starts: compiling is
 * most of a first start, and a process that compiled TypeScript keeps the memory that it took. Serves nothing and ends by itself.
 */
import { readdirSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './packages.js'

module.enableCompileCache(process.argv[2])
// What the program does when it is loaded, for it is among its sources.
process.argv[2] = '--version'
const sources = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true }).filter(({ name }) =>
  /(?<!\.test|\.d)\.ts$/.test(name),
)
for (const { parentPath, name } of sources) {
  // The entries of threads refuse to run outside of one; they are compiled by then.
  await import(pathToFileURL(join(parentPath, name)).href).catch(() => {})
}
