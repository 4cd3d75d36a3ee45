/**
 * The sources of the console and the documentation, as one hash over their contents, and those of the last build. Reads the
 * disk, builds nothing, needs no package.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashOf, root } from './source-hash.js'

export { root } from './source-hash.js'
/** Where a checkout serves the console from. */
export const builtFolder = join(root, 'console', 'dist')
/** The file in which a build records the hash of its sources. */
export const stampName = 'built-from'

const sources = ['console', 'contract', 'docs', 'src/api']

/** Whether this checkout has a console whose build is absent, or was made from something else. */
export function isConsoleStale() {
  if (!existsSync(join(root, 'console', 'vite.config.ts'))) return false
  return readStamp() !== hashOfSources()
}

function readStamp() {
  const path = join(builtFolder, stampName)
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

/** @returns {string} */
export function hashOfSources() {
  return hashOf(sources)
}
