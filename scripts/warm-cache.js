/**
 * Bundles the server, starts it once and stops it cleanly, so that its compile cache is stored: a server that a test
 * kills stores nothing. Prints nothing and never fails: the tests will.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { prepareServer } from './prepare-server.js'

const source = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const startMsMax = 60_000

/** @param {string} cacheFolder */
export async function warmCache(cacheFolder) {
  const main = (await prepareServer()) ?? source
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-warm-'))
  const server = spawn(process.execPath, [main, 'serve'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: cacheFolder,
      TOLLGATE_DATA: join(folder, 'data'),
      TOLLGATE_PORT: '0',
    },
    timeout: startMsMax,
  })
  server.stdout.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
    if (text.includes('ready at')) server.kill('SIGTERM')
  })
  await once(server, 'close')
  rmSync(folder, { recursive: true })
}
