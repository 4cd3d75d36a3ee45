/**
 * What the console and the documentation are built from, as one hash over its contents, and what its last build was made from. Reads the
 * disk, builds nothing, needs no package.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))
/** Where a checkout serves the console from. */
export const builtFolder = join(root, 'console', 'dist')
/** The file of a build that says what it was made from. */
export const stampName = 'built-from'

const sources = ['console', 'contract', 'docs', 'src/api']
const notSources = /^(dist|node_modules)/

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
  const hash = createHash('sha256')
  for (const path of sources.flatMap(filesBelow)) {
    hash.update(`${path}\n`)
    hash.update(readFileSync(join(root, path)))
  }
  return hash.digest('hex')
}

/**
 * @param {string} path
 * @returns {string[]}
 */
function filesBelow(path) {
  const place = join(root, path)
  if (!existsSync(place)) return []
  if (!path.includes('.')) {
    return readdirSync(place, { withFileTypes: true })
      .filter(({ name }) => !notSources.test(name) && !/\.test\.tsx?$/.test(name))
      .flatMap((entry) =>
        entry.isDirectory() ? filesBelow(`${path}/${entry.name}`) : [`${path}/${entry.name}`],
      )
      .sort()
  }
  return [path]
}
