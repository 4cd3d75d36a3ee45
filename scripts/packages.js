/**
 * Which packages the lock files of this checkout require, and which of them are missing on disk. Installs nothing and
 * needs no package; runs on any Node since 18.
 */
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = realpathSync(fileURLToPath(new URL('..', import.meta.url)))

/**
 * A folder with its own lock file.
 * @typedef {object} PackageSet
 * @property {string} folder
 * @property {string} name as shown to the operator
 * @property {boolean} withTools whether its devDependencies are wanted
 * @property {boolean} needsNode whether npm must run under a Node that is new enough, to choose the right binaries
 */

/** Packages for serving and the command line. @type {PackageSet} */
export const serverPackages = { folder: root, name: 'packages', withTools: false, needsNode: false }
/** The same with the tools that check, test and measure. @type {PackageSet} */
export const developerPackages = { ...serverPackages, withTools: true }
/** Packages to build the console. @type {PackageSet} */
export const consolePackages = {
  folder: join(root, 'console'),
  name: 'packages of the console',
  withTools: false,
  needsNode: true,
}

/**
 * @param {string} path
 * @returns {any} the value of a JSON file, undefined where it cannot be read or is cut short
 */
export function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

/** npm writes this file last. @param {PackageSet} set */
export function endMark({ folder }) {
  return join(folder, 'node_modules', '.package-lock.json')
}

/**
 * @param {PackageSet} set
 * @returns {[path: string, version: string][]} what the lock promises on every platform
 */
export function wantedPackages({ folder, withTools }) {
  const packages = readJson(join(folder, 'package-lock.json'))?.packages ?? {}
  return Object.entries(packages)
    .filter(([path, entry]) => path !== '' && !entry.optional && !entry.link && (withTools || !entry.dev))
    .map(([path, entry]) => [path, entry.version])
}

/**
 * @param {PackageSet} set
 * @returns {string[]} names of the packages that are absent or have another version than the lock says
 */
export function missingPackages(set) {
  const wanted = wantedPackages(set)
  const names = wanted
    .filter(([path, version]) => readJson(join(set.folder, path, 'package.json'))?.version !== version)
    .map(([path]) => path.replace(/^.*node_modules\//, ''))
  const isWhole = names.length > 0 || wanted.length === 0 || existsSync(endMark(set))
  return isWhole ? names : ['an interrupted installation']
}

/**
 * Whether this folder has devDependencies on disk: npm would remove them if it were asked to complete the others only.
 * @param {PackageSet} set
 */
export function hasTools(set) {
  const served = new Set(wantedPackages(set).map(([path]) => path))
  return wantedPackages({ ...set, withTools: true }).some(
    ([path]) => !served.has(path) && existsSync(join(set.folder, path)),
  )
}
