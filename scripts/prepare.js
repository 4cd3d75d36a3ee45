/**
 * Makes a fresh checkout able to run: finds or fetches a Node that is new enough, then the packages.
 * Each step is decided by what is on disk, so that nothing happens where nothing is missing.
 * Plain JavaScript without a dependency, because it runs first and on any Node since 18; writes to stderr only.
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { exclusively } from './exclusively.js'
import { become, endWithLauncher, endWithNpm, forwardedSignals } from './process-ties.js'

const root = realpathSync(fileURLToPath(new URL('..', import.meta.url)))
const turnFile = join(root, '.tollgate-preparing')
const progressEveryMs = 2_000

/** What an operator can mend: told in one line, without a stack. */
class CannotPrepare extends Error {}

/**
 * Returns once this process is a Node that is new enough and every package stands in node_modules.
 * On an older Node it does not return: the same script runs again in a child under the right one.
 * @param {string} script import.meta.url of the script that asks
 */
export async function prepare(script) {
  const isChild = endWithLauncher()
  try {
    const node = await findNode()
    if (node !== process.execPath && isChild) throw new CannotPrepare(`${process.execPath} is too old itself`)
    if (node !== process.execPath)
      return await become(node, [fileURLToPath(script), ...process.argv.slice(2)])
    endWithNpm(() => process.kill(process.pid, 'SIGTERM'))
    await ensurePackages()
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

/**
 * @param {string} path
 * @returns {any} the value of a JSON file, undefined where it cannot be read or is cut short
 */
function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

/** @returns {Promise<string>} path of a Node that is new enough, fetched into runtime/ if need be */
async function findNode() {
  const floor = readJson(join(root, 'package.json')).engines.node.replace('>=', '')
  if (!isOlder(process.versions.node, floor)) return process.execPath

  const folder = join(root, 'runtime')
  const platform = `${process.platform}-${process.arch}`
  const locked = readJson(join(folder, 'package-lock.json')).packages[`node_modules/node-${platform}`]
  if (locked === undefined) {
    throw new CannotPrepare(
      `needs Node ${floor} or newer, this is ${process.versions.node}. npm has none for ${platform} that could be fetched: please install it`,
    )
  }
  const packageFolder = join(folder, 'node_modules', `node-${platform}`)
  const node = join(packageFolder, 'bin', 'node')
  const isMissing = () =>
    !existsSync(node) ||
    !existsSync(join(folder, 'node_modules', '.package-lock.json')) ||
    readJson(join(packageFolder, 'package.json'))?.version !== locked.version
  if (!isMissing()) return node

  await exclusively(turnFile, say, async (nameWorker) => {
    if (!isMissing()) return
    const began = process.hrtime.bigint()
    say(`this machine has Node ${process.versions.node}; fetching Node ${locked.version} into runtime/ …`)
    await npm(['ci'], folder, { nameWorker, progress: () => `still fetching Node, ${secondsSince(began)} s` })
    // npm takes the failed download of an optional package for success.
    if (isMissing())
      throw new CannotPrepare(
        `Node ${locked.version} could not be fetched for ${platform}: is the npm registry within reach?`,
      )
    say(`Node ${locked.version} is there after ${secondsSince(began)} s`)
  })
  return node
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

async function ensurePackages() {
  if (missingPackages().length === 0) return
  await exclusively(turnFile, say, async (nameWorker) => {
    const missing = missingPackages()
    if (missing.length === 0) return
    const began = process.hrtime.bigint()
    const total = wantedPackages().length
    const isFresh = !existsSync(join(root, 'node_modules'))
    say(
      isFresh
        ? `installing ${total} packages …`
        : `completing the installed packages (${missing.join(', ').slice(0, 80)}) …`,
    )
    // npm believes its own record of what it installed, even where the folders say otherwise.
    rmSync(endMark(), { force: true })
    await npm(isFresh ? ['ci'] : ['install', '--no-save'], root, {
      nameWorker,
      progress: () => `${total - missingPackages().length} of ${total} packages`,
    })
    const still = missingPackages()
    if (still.length > 0) {
      throw new CannotPrepare(
        `package-lock.json asks for what is not in node_modules (${still.slice(0, 5).join(', ')}): please run npm install`,
      )
    }
    say(`packages are there after ${secondsSince(began)} s`)
  })
}

/** npm writes this file last. */
function endMark() {
  return join(root, 'node_modules', '.package-lock.json')
}

/** @returns {[path: string, version: string][]} what the lock promises on every platform */
function wantedPackages() {
  const { packages } = readJson(join(root, 'package-lock.json'))
  return Object.entries(packages)
    .filter(([path, entry]) => path !== '' && !entry.optional && !entry.link)
    .map(([path, entry]) => [path, entry.version])
}

/** @returns {string[]} names of the packages that are absent or have another version than the lock says */
function missingPackages() {
  const missing = wantedPackages().filter(
    ([path, version]) => readJson(join(root, path, 'package.json'))?.version !== version,
  )
  const names = missing.map(([path]) => path.replace(/^.*node_modules\//, ''))
  return names.length > 0 || existsSync(endMark()) ? names : ['an interrupted installation']
}

/**
 * Runs the npm that started us, else the one on PATH.
 * @param {string[]} command
 * @param {string} folder
 * @param {{ nameWorker: (pid: number) => void, progress: () => string }} watch
 */
async function npm(command, folder, { nameWorker, progress }) {
  const script = process.env.npm_execpath
  const [program, before] = script?.endsWith('npm-cli.js') ? [process.execPath, [script]] : ['npm', []]
  // Without npm's own sign of progress, which would stand in the midst of our lines.
  const child = spawn(
    program,
    [...before, ...command, '--include=dev', '--include=optional', '--no-progress'],
    {
      cwd: folder,
      env: cleanEnvironment(),
      stdio: ['ignore', 2, 2],
    },
  )
  if (child.pid !== undefined) nameWorker(child.pid)
  const stop = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal)
  for (const signal of forwardedSignals) process.on(signal, stop)
  const ticks = setInterval(() => say(`… ${progress()}`), progressEveryMs)
  /** @type {{ code: number | null, signal: NodeJS.Signals | null }} */
  const end = await new Promise((resolve, reject) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
    child.once('error', (error) => reject(new CannotPrepare(`npm cannot be run: ${error.message}`)))
  })
  clearInterval(ticks)
  for (const signal of forwardedSignals) process.off(signal, stop)
  if (end.signal !== null) throw new CannotPrepare(`npm was stopped by ${end.signal}`)
  if (end.code !== 0) throw new CannotPrepare(`npm ${command[0]} failed in ${folder} (exit code ${end.code})`)
}

/** The child npm must take neither the folder nor the package of the npm above us for its own. */
function cleanEnvironment() {
  const entries = Object.entries(process.env).filter(
    ([name]) => !/^npm_(package_|lifecycle_|config_local_prefix$|command$)/.test(name),
  )
  const path = `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}`
  return { ...Object.fromEntries(entries), PATH: path }
}

/** @param {bigint} began */
function secondsSince(began) {
  return (Number(process.hrtime.bigint() - began) / 1e9).toFixed(1)
}
