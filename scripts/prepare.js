/**
 * Makes a fresh checkout able to run: finds or fetches a Node that is new enough, and installs the packages that the
 * caller needs. Each step is decided by what is on disk, so that nothing happens where nothing is missing.
 * Plain JavaScript without a dependency, because it runs first and on any Node since 18; writes to stderr only.
 */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { exclusively } from './exclusively.js'
import { CannotPrepare, npm } from './npm.js'
import { endMark, hasTools, missingPackages, readJson, root, wantedPackages } from './packages.js'
import { become, endWithLauncher, endWithNpm } from './process-ties.js'

/** @typedef {import('./packages.js').PackageSet} PackageSet */
/** @typedef {{ path: string, version: string, isMissing: () => boolean }} UsableNode */

const turnFile = join(root, '.tollgate-preparing')
const progressEveryMs = 2_000

/**
 * Returns once this process is a Node that is new enough and every package of the sets is in its node_modules.
 * On an older Node it does not return: the same script runs again in a child under the right one.
 * @param {string} script import.meta.url of the script that asks
 * @param {readonly PackageSet[]} sets
 */
export async function prepare(script, sets) {
  const isChild = endWithLauncher()
  try {
    const node = findNode()
    const isOwn = node.path === process.execPath
    if (!isOwn && isChild) throw new CannotPrepare(`${process.execPath} is too old itself`)
    const stopWatchingNpm = endWithNpm(() => process.kill(process.pid, 'SIGTERM'))
    // The child checks the packages itself; while its Node is being fetched they are installed in parallel.
    if (isOwn || node.isMissing()) await complete(node, sets)
    if (isOwn) return
    stopWatchingNpm()
    await become(node.path, [...process.execArgv, fileURLToPath(script), ...process.argv.slice(2)])
  } catch (error) {
    if (!(error instanceof CannotPrepare)) throw error
    say(error.message)
    process.exit(1)
  }
}

/** @param {string} text */
function say(text) {
  process.stderr.write(`tollgate: ${text}\n`)
}

/** @returns {UsableNode} the one that runs, or one in runtime/ that may have to be fetched */
function findNode() {
  const own = process.versions.node
  const floor = readJson(join(root, 'package.json')).engines.node.replace('>=', '')
  if (!isOlder(own, floor)) return { path: process.execPath, version: own, isMissing: () => false }

  const folder = join(root, 'runtime')
  const platform = `${process.platform}-${process.arch}`
  const locked = readJson(join(folder, 'package-lock.json')).packages[`node_modules/node-${platform}`]
  if (locked === undefined) {
    throw new CannotPrepare(
      `needs Node ${floor} or newer, this is ${own}. npm has none for ${platform} that could be fetched: please install it`,
    )
  }
  const packageFolder = join(folder, 'node_modules', `node-${platform}`)
  const path = join(packageFolder, 'bin', 'node')
  const isMissing = () =>
    !existsSync(path) ||
    !existsSync(join(folder, 'node_modules', '.package-lock.json')) ||
    readJson(join(packageFolder, 'package.json'))?.version !== locked.version
  return { path, version: locked.version, isMissing }
}

/**
 * @param {string} version
 * @param {string} floor
 */
function isOlder(version, floor) {
  const [own, least] = [version, floor].map((text) => text.split('.').map(Number))
  const place = [0, 1, 2].find((index) => (own?.[index] ?? 0) !== (least?.[index] ?? 0))
  return place !== undefined && (own?.[place] ?? 0) < (least?.[place] ?? 0)
}

/**
 * Fetches and installs missing packages in parallel.
 * @param {UsableNode} node
 * @param {readonly PackageSet[]} sets
 */
async function complete(node, sets) {
  const isComplete = () => !node.isMissing() && sets.every((set) => missingPackages(set).length === 0)
  if (isComplete()) return
  await exclusively(turnFile, say, async (nameWorker) => {
    if (isComplete()) return
    /** @type {Map<unknown, () => string>} */
    const progress = new Map()
    const ticks = setInterval(
      () => say(`… ${[...progress.values()].map((show) => show()).join(', ')}`),
      progressEveryMs,
    )
    const fetched = fetchNode(node, { nameWorker, progress })
    const works = sets.map(async (set) => {
      if (set.needsNode) await fetched
      await install(set, { node: node.isMissing() ? process.execPath : node.path, nameWorker, progress })
    })
    // All of them end before the turn does, also where one failed.
    const results = await Promise.allSettled([fetched, ...works])
    clearInterval(ticks)
    for (const result of results) if (result.status === 'rejected') throw result.reason
  })
}

/**
 * @param {UsableNode} node
 * @param {{ nameWorker: (pid: number) => void, progress: Map<unknown, () => string> }} turn
 */
async function fetchNode(node, { nameWorker, progress }) {
  if (!node.isMissing()) return
  const began = process.hrtime.bigint()
  say(`this machine has Node ${process.versions.node}; fetching Node ${node.version} into runtime/ …`)
  progress.set(node, () => 'fetching Node')
  await npm(['ci'], join(root, 'runtime'), { node: process.execPath, nameWorker })
  progress.delete(node)
  // npm takes the failed download of an optional package for success.
  if (node.isMissing())
    throw new CannotPrepare(
      `Node ${node.version} could not be fetched for ${process.platform}-${process.arch}: is the npm registry within reach?`,
    )
  say(`Node ${node.version} is there after ${secondsSince(began)} s`)
}

/**
 * @param {PackageSet} set
 * @param {{ node: string, nameWorker: (pid: number) => void, progress: Map<unknown, () => string> }} turn
 */
async function install(set, { node, nameWorker, progress }) {
  const missing = missingPackages(set)
  if (missing.length === 0) return
  const began = process.hrtime.bigint()
  const total = wantedPackages(set).length
  const isFresh = !existsSync(join(set.folder, 'node_modules'))
  say(
    isFresh
      ? `installing ${total} ${set.name} …`
      : `completing the installed ${set.name} (${missing.join(', ').slice(0, 80)}) …`,
  )
  const withTools = set.withTools || hasTools(set)
  // npm believes its own record of what it installed, even where the folders say otherwise.
  rmSync(endMark(set), { force: true })
  progress.set(set, () => `${total - missingPackages(set).length} of ${total} ${set.name}`)
  const command = isFresh ? ['ci'] : ['install', '--no-save']
  await npm([...command, withTools ? '--include=dev' : '--omit=dev'], set.folder, { node, nameWorker })
  progress.delete(set)
  const still = missingPackages(set)
  if (still.length > 0) {
    throw new CannotPrepare(
      `package-lock.json asks for what is not in node_modules (${still.slice(0, 5).join(', ')}): please run npm install in ${set.folder}`,
    )
  }
  say(`${set.name} are there after ${secondsSince(began)} s`)
}

/** @param {bigint} began */
function secondsSince(began) {
  return (Number(process.hrtime.bigint() - began) / 1e9).toFixed(1)
}
