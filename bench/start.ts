/**
 * `npm run bench:start`: how long the program takes until it is ready, its CPU time, and its idle memory.
 * With `fresh` as an argument also how long a new checkout takes from `npm start` to its first response,
 * and what that installs. Linux only: it reads /proc.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cpuMicros, residentBytes } from './machine.ts'
import { ownEnvironment } from './programs.ts'

const starts = Number(process.env.BENCH_STARTS ?? 5)
const idleMs = Number(process.env.BENCH_IDLE_MS ?? 30_000)
const askEveryMs = 10
const readyMsMax = 15 * 60_000

const root = fileURLToPath(new URL('..', import.meta.url))
const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

interface Ready {
  readonly child: ChildProcess
  readonly origin: string
  readonly readyMs: number
}

/** Starts a program and polls `path` at the printed address until it answers 200. */
async function startUntil(
  command: readonly string[],
  folder: string,
  environment: NodeJS.ProcessEnv,
): Promise<Ready> {
  const began = performance.now()
  const [program = '', ...rest] = command
  const child = spawn(program, rest, {
    cwd: folder,
    env: { ...ownEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  while (performance.now() - began < readyMsMax) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${said}`)
    const origin = /ready at (http:\S+)/.exec(said)?.[1]
    const ready = origin && (await fetch(`${origin}/readyz`).catch(() => undefined))
    if (origin && ready && ready.status === 200) {
      return { child, origin, readyMs: performance.now() - began }
    }
    await pause(askEveryMs)
  }
  throw new Error(`it was not ready after ${readyMsMax} ms: ${said}`)
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

/** The key of the first start. */
function firstKey(dataFolder: string): string {
  const text = readFileSync(join(dataFolder, 'first-run.txt'), 'utf8')
  const key = /\bsk-\S+/.exec(text)?.[0]
  if (key === undefined) throw new Error('the first start printed no key')
  return key
}

async function askOnce(origin: string, key: string): Promise<void> {
  const answer = await fetch(`${origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox-echo', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  if (answer.status !== 200) throw new Error(`the first request got ${answer.status}: ${await answer.text()}`)
  await answer.text()
}

async function measureStarts(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-start-'))
  const dataFolder = join(folder, 'data')
  const environment = { TOLLGATE_DATA: dataFolder, TOLLGATE_PORT: '0', TOLLGATE_LOG_LEVEL: 'error' }
  const command = [process.execPath, join(root, 'bin', 'tollgate.js'), 'serve']
  try {
    console.log('| start | ready after | CPU until ready |\n|---|---:|---:|')
    for (let count = 1; count <= starts; count += 1) {
      const { child, origin, readyMs } = await startUntil(command, folder, environment)
      const pid = child.pid ?? 0
      const cpuMs = cpuMicros([pid]) / 1_000
      console.log(`| ${count} | ${Math.round(readyMs)} ms | ${Math.round(cpuMs)} ms |`)
      if (count === starts) {
        await pause(idleMs)
        console.log(
          `\nresident after ${idleMs / 1_000} s without a request: ${megabytes(residentBytes([pid]))}`,
        )
        await askOnce(origin, firstKey(dataFolder))
        await pause(idleMs)
        console.log(`resident ${idleMs / 1_000} s after a first request: ${megabytes(residentBytes([pid]))}`)
      }
      await end(child)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Bytes on disk of everything below a folder. */
function diskBytes(folder: string): number {
  if (!existsSync(folder)) return 0
  return Number(spawnSync('du', ['-sk', folder], { encoding: 'utf8' }).stdout.split('\t')[0]) * 1_024
}

/** A clone of the last commit, with a separate npm cache: empty first, then filled by the first. */
async function measureFresh(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-fresh-'))
  const cache = join(folder, 'npm-cache')
  try {
    console.log('\n| fresh checkout, `npm start` | ready after |\n|---|---:|')
    for (const name of ['empty npm cache', 'filled npm cache']) {
      const checkout = join(folder, `checkout-${readdirSync(folder).length}`)
      const cloned = spawnSync('git', ['clone', '--quiet', root, checkout], { stdio: 'inherit' })
      if (cloned.status !== 0) throw new Error('git could not clone the checkout')
      const environment = {
        npm_config_cache: cache,
        TOLLGATE_PORT: '0',
        TOLLGATE_LOG_LEVEL: 'error',
      }
      const { child, readyMs } = await startUntil(['npm', 'start'], checkout, environment)
      console.log(`| ${name} | ${(readyMs / 1_000).toFixed(1)} s |`)
      await end(child)
      if (name.startsWith('empty')) continue
      for (const place of ['node_modules', 'console/node_modules', 'runtime/node_modules'])
        console.log(`\n${place}: ${megabytes(diskBytes(join(checkout, place)))}`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

console.log(`Node ${process.version}, ${availableParallelism()} cores\n`)
await measureStarts()
if (process.argv.includes('fresh')) await measureFresh()
