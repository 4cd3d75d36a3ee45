/**
 * Runs npm in a folder of this checkout. Plain JavaScript without a dependency, for any Node since 18; writes to
 * stderr only.
 */
import { spawn } from 'node:child_process'
import { delimiter, dirname } from 'node:path'
import { forwardedSignals } from './process-ties.js'

/** An error that an operator can fix: reported in one line, without a stack. */
export class CannotPrepare extends Error {}

/**
 * Runs the npm that started us, else the one on PATH.
 * @param {string[]} command
 * @param {string} folder
 * @param {{ node: string, nameWorker: (pid: number) => void }} run `node`: what npm runs on
 */
export async function npm(command, folder, { node, nameWorker }) {
  const script = process.env.npm_execpath
  const [program, before] = script?.endsWith('npm-cli.js') ? [node, [script]] : ['npm', []]
  // Without npm's own progress bar, which would break up our lines.
  const child = spawn(program, [...before, ...command, '--include=optional', '--no-progress'], {
    cwd: folder,
    env: cleanEnvironment(node),
    stdio: ['ignore', 2, 2],
  })
  if (child.pid !== undefined) nameWorker(child.pid)
  const stop = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal)
  for (const signal of forwardedSignals) process.on(signal, stop)
  /** @type {{ code: number | null, signal: NodeJS.Signals | null }} */
  const end = await new Promise((resolve, reject) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
    child.once('error', (error) => reject(new CannotPrepare(`npm cannot be run: ${error.message}`)))
  })
  for (const signal of forwardedSignals) process.off(signal, stop)
  if (end.signal !== null) throw new CannotPrepare(`npm was stopped by ${end.signal}`)
  if (end.code !== 0) throw new CannotPrepare(`npm ${command[0]} failed in ${folder} (exit code ${end.code})`)
}

/**
 * The child npm must take neither the folder nor the package of the npm above us for its own.
 * @param {string} node
 */
function cleanEnvironment(node) {
  const entries = Object.entries(process.env).filter(
    ([name]) => !/^npm_(package_|lifecycle_|config_local_prefix$|command$)/.test(name),
  )
  const path = `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`
  return { ...Object.fromEntries(entries), PATH: path }
}
