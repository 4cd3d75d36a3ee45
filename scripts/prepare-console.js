/**
 * Builds the console's pages when their sources have changed, and does nothing otherwise. Runs after
 * `prepare`, so the packages are installed. Writes to stderr only.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isConsoleStale, root } from './console-sources.js'
import { exclusively } from './exclusively.js'
import { forwardedSignals } from './process-ties.js'

const turnFile = join(root, '.tollgate-preparing-console')
const builder = fileURLToPath(new URL('../console/build.js', import.meta.url))

/** @returns {Promise<boolean>} false where the build failed, which is reported then */
export async function prepareConsole() {
  if (!isConsoleStale()) return true
  let isBuilt = true
  await exclusively(turnFile, say, async (nameWorker) => {
    if (!isConsoleStale()) return
    const began = process.hrtime.bigint()
    say('building the console …')
    isBuilt = await build(nameWorker)
    const seconds = (Number(process.hrtime.bigint() - began) / 1e9).toFixed(1)
    say(isBuilt ? `the console is built after ${seconds} s` : 'the console could not be built')
  })
  return isBuilt
}

/** @param {string} text */
function say(text) {
  process.stderr.write(`tollgate: ${text}\n`)
}

/**
 * @param {(pid: number) => void} nameWorker
 * @returns {Promise<boolean>}
 */
async function build(nameWorker) {
  const child = spawn(process.execPath, [builder], { stdio: ['ignore', 2, 2] })
  if (child.pid !== undefined) nameWorker(child.pid)
  const stop = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal)
  for (const signal of forwardedSignals) process.on(signal, stop)
  /** @type {{ code: number | null, signal: NodeJS.Signals | null }} */
  const end = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  for (const signal of forwardedSignals) process.off(signal, stop)
  // The signal that stopped the build stops this process too.
  if (end.signal !== null) process.kill(process.pid, end.signal)
  return end.code === 0
}
