/**
 * Bundles the server when its sources have changed since the last bundle, and does nothing otherwise. Runs after
 * `prepare`; where the bundler is not installed, or fails, the server runs from its sources, which report what is wrong with them.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { exclusively } from './exclusively.js'
import { forwardedSignals } from './process-ties.js'
import { bundledMain, bundleFolder } from './server-bundle.js'
import { root } from './source-hash.js'

const turnFile = join(root, '.tollgate-preparing-server')
const builder = join(root, 'console', 'bundle-server.js')
const bundler = join(root, 'console', 'node_modules', 'rolldown', 'package.json')
const bundleMsMax = 120_000

/** @returns {Promise<string | undefined>} the file to run instead of `src/main.ts`, where there is one */
export async function prepareServer() {
  const made = bundledMain()
  if (made !== undefined || !existsSync(builder) || !existsSync(bundler)) return made
  await exclusively(
    turnFile,
    () => {},
    async (nameWorker) => {
      if (bundledMain() === undefined) await bundle(nameWorker)
    },
  )
  return bundledMain()
}

/** @param {(pid: number) => void} nameWorker */
async function bundle(nameWorker) {
  const child = spawn(process.execPath, [builder, bundleFolder()], {
    stdio: 'ignore',
    timeout: bundleMsMax,
    killSignal: 'SIGKILL',
  })
  if (child.pid !== undefined) nameWorker(child.pid)
  const stop = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal)
  for (const signal of forwardedSignals) process.on(signal, stop)
  /** @type {NodeJS.Signals | null} */
  const endedBy = await new Promise((resolve) => {
    child.once('error', () => resolve(null))
    child.once('exit', (_code, signal) => resolve(signal))
  })
  for (const signal of forwardedSignals) process.off(signal, stop)
  if (endedBy !== null && forwardedSignals.includes(endedBy)) process.kill(process.pid, endedBy)
}
