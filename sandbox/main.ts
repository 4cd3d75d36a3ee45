/**
 * The sandbox as a separate program: `node scripts/run.js sandbox/main.ts [port]`. Prints its URL and serves on
 * loopback until a signal ends it. Reads no file and no environment.
 */
import { parseArgs } from 'node:util'
import { systemClock } from '../src/base/clock.ts'
import { startSandbox } from './sandbox.ts'

const { positionals } = parseArgs({ allowPositionals: true })
const [port = '0'] = positionals
if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
  process.stderr.write(`sandbox: ${JSON.stringify(port)} is not a port from 0 to 65535\n`)
  process.exit(1)
}

const sandbox = await startSandbox({ clock: systemClock, port: Number(port) })
process.stdout.write(`${sandbox.origin}\n`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void sandbox.close())
