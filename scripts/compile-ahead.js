/**
 * Fills a fresh cache with what the server's sources compile to, in a process of its own: it can run while the console is
 * built, and the memory that the compiler takes ends with it. Does nothing where this Node has a cache already.
 */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { forwardedSignals } from './process-ties.js'

const compileMsMax = 60_000

/** @param {string} folder */
export async function compileAhead(folder) {
  // Each version of Node keeps a folder of its own in there.
  if (existsSync(folder) && readdirSync(folder).some((name) => name.startsWith(process.version))) return
  const script = fileURLToPath(new URL('compile-server.js', import.meta.url))
  const child = spawn(process.execPath, [script, folder], {
    stdio: 'ignore',
    timeout: compileMsMax,
    killSignal: 'SIGKILL',
  })
  const stop = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal)
  for (const signal of forwardedSignals) process.on(signal, stop)
  /** @type {NodeJS.Signals | null} */
  const endedBy = await new Promise((resolve) => {
    // A server whose sources could not be compiled ahead compiles them itself, and says what is wrong with them.
    child.once('error', () => resolve(null))
    child.once('exit', (_code, signal) => resolve(signal))
  })
  for (const signal of forwardedSignals) process.off(signal, stop)
  if (endedBy !== null && forwardedSignals.includes(endedBy)) process.kill(process.pid, endedBy)
}
