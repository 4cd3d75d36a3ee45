/**
 * Ties a program to its parent, so that neither outlives the other: signals go down, exit codes come up,
 * and a process that loses its parent shuts down. Knows nothing of what the program does.
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { delimiter, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** @type {readonly NodeJS.Signals[]} */
export const forwardedSignals = ['SIGINT', 'SIGTERM', 'SIGHUP']

const parentCheckMs = 1_000
const tetherName = 'TOLLGATE_TETHERED'

/**
 * Runs `node` with the arguments in place of this process, as near as a child can come to that, and never returns.
 * On Ctrl-C the terminal signals the child too, so the child may get one signal twice within a moment.
 * @param {string} node
 * @param {string[]} args
 * @returns {Promise<never>}
 */
export function become(node, args) {
  const path = `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`
  const child = spawn(node, args, {
    env: { ...process.env, PATH: path, [tetherName]: '1' },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  for (const signal of forwardedSignals) process.on(signal, () => child.kill(signal))
  endWithNpm(() => child.kill('SIGTERM'))
  return new Promise((_, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      if (signal === null) process.exit(code ?? 1)
      process.removeAllListeners(signal)
      process.kill(process.pid, signal)
    })
  })
}

/**
 * In the child of `become`: ends when the launcher is gone, even where it was killed outright.
 * @returns {boolean} whether this is such a child
 */
export function endWithLauncher() {
  if (process.env[tetherName] === undefined) return false
  delete process.env[tetherName]
  // Killed before this process could listen for it.
  if (!process.channel) process.exit(1)
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  process.channel.unref()
  return true
}

/**
 * Whether npm was gone before this process could look for it: the system's first process took its place.
 * @param {number} parent
 */
function isOrphan(parent) {
  if (parent !== 1) return false
  try {
    return !/npm|yarn|bun|node/.test(readFileSync('/proc/1/cmdline', 'utf8'))
  } catch {
    return false
  }
}

/**
 * An npm process that is killed sends no signal. Where npm runs a script of this checkout, which it does as our parent, `end` is
 * called once it is gone.
 * @param {() => void} end
 * @returns {() => void} stops looking
 */
export function endWithNpm(end) {
  const nothing = () => {}
  const manifest = process.env.npm_package_json
  if (manifest === undefined || !existsSync(manifest)) return nothing
  if (realpathSync(manifest) !== realpathSync(fileURLToPath(new URL('../package.json', import.meta.url))))
    return nothing
  const parent = process.ppid
  if (isOrphan(parent)) {
    end()
    return nothing
  }
  const check = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(check)
    end()
  }, parentCheckMs)
  check.unref()
  return () => clearInterval(check)
}
