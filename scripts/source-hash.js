/**
 * Hashes source contents, so that a build can detect whether it is up to date. Reads the
 * disk, builds nothing, needs no package.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))
const notSources = /^(dist|node_modules)/

/**
 * @param {readonly string[]} paths files and folders of this checkout; tests in them do not count
 * @param {string} [context] what else the build depends on
 * @returns {string}
 */
export function hashOf(paths, context = '') {
  const hash = createHash('sha256').update(context)
  for (const path of paths.flatMap(filesBelow)) {
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
