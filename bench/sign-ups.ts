/**
 * Whether sign-ups slow down requests: the time that holds take while requests are admitted at a fixed rate,
 * alone, with five concurrent sign-ups per second, and with five computations per second that take as much CPU
 * and touch nothing of ours: their effect is the machine's scheduler. Alternately, on the real store and the real
 * identity database. Prints the percentiles, by how much p99 moved from turn to turn, how long the relaying
 * thread was busy (which a loaded machine changes little), and the duration of one disk sync; decides nothing.
 *
 * `node bench/sign-ups.ts [turns] [seconds of each part of a turn] [requests per second]`
 */
import { pbkdf2 } from 'node:crypto'
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from '../src/base/assert.ts'
import { systemClock } from '../src/base/clock.ts'
import { systemRandom } from '../src/base/ids.ts'
import { createLog } from '../src/base/log.ts'
import { readConfig } from '../src/config/config.ts'
import { offlineStatus } from '../src/server/server-status.ts'
import { openServices, type Services } from '../src/server/services.ts'

const [turns = 10, seconds = 4, requestsPerSecond = 400] = process.argv.slice(2).map(Number)
const perSecond = 5
/** CPU time of a sign-up, by `node bench/identity.ts`. */
const signUpMs = 35
const address = 'http://127.0.0.1:1'
const unlimited = { requestsPerMinute: null, tokensPerMinute: null, concurrent: null }

interface Measured {
  /** Milliseconds. */
  readonly admissions: readonly number[]
  /** CPU milliseconds of this thread. */
  readonly busyMs: number
  readonly failed: number
}

/** Runs `work` at a fixed rate per second, whether or not the last run has ended. */
async function atRate(perSecond: number, work: (number: number) => Promise<void>): Promise<void> {
  const all: Promise<void>[] = []
  const stepMs = 1_000 / perSecond
  const startMs = systemClock.monoMs()
  for (let number = 0; number < perSecond * seconds; number += 1) {
    const waitMs = startMs + number * stepMs - systemClock.monoMs()
    if (waitMs > 1) await new Promise<void>((resolve) => void systemClock.after(waitMs, resolve))
    all.push(work(number))
  }
  await Promise.all(all)
}

async function measure(
  services: Services,
  account: bigint,
  during: { readonly what: 'sign-ups' | 'computing' | 'nothing'; readonly round: string },
): Promise<Measured> {
  const admissions: number[] = []
  let failed = 0
  const before = process.threadCpuUsage()
  const requests = atRate(requestsPerSecond, async () => {
    const id = services.nextId()
    const startMs = systemClock.monoMs()
    const admission = await services.ledger.admit({
      id,
      account,
      key: account,
      nowMs: systemClock.wallMs(),
      inputAmount: 1_000n,
      inputTokens: 100,
      outputTokenAmount: 10n,
      outputWanted: 100,
      outputFloor: 1,
      onShortBalance: 'lower',
      patience: 'none',
      needsUnrestrictedAccount: false,
      accountLimits: unlimited,
      keyLimits: unlimited,
      keyBudget: null,
      priceVersion: 1n,
      model: 'm',
      format: 'openai-chat',
      streamed: false,
    })
    admissions.push(systemClock.monoMs() - startMs)
    assert(admission.kind === 'held', `a request is admitted, not ${admission.kind}`)
    await services.ledger.release(id)
  })
  const signUp = async (number: number): Promise<void> => {
    const body = JSON.stringify({
      name: 'somebody',
      email: `s${during.round}-${number}@example.org`,
      password: `a long password ${number}`,
    })
    const response = await services.handleAuth({
      method: 'POST',
      path: '/api/auth/sign-up/email',
      query: '',
      headers: { 'content-type': 'application/json', origin: address },
      body: Buffer.from(body),
      // Each from a separate network, as real users are.
      clientAddress: `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`,
    })
    if (response.status !== 200) failed += 1
  }
  const works = { 'sign-ups': signUp, computing: () => compute(computedTimes), nothing: null }
  const work = works[during.what]
  await Promise.all([requests, work === null ? null : atRate(perSecond, work)])
  const { user, system } = process.threadCpuUsage(before)
  const busyMs = (user + system) / 1_000
  return { admissions, busyMs, failed }
}

/** Keeps one thread of the pool busy. */
function compute(times: number): Promise<void> {
  return new Promise((resolve) => pbkdf2('x', 'y', times, 32, 'sha256', () => resolve()))
}

/** How many times it takes for as long as a sign-up. */
async function timesOfASignUp(): Promise<number> {
  const sample = 20_000
  await compute(sample)
  const startMs = systemClock.monoMs()
  await compute(sample)
  return Math.round((sample * signUpMs) / (systemClock.monoMs() - startMs))
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

function syncMs(folder: string): number {
  const file = openSync(join(folder, 'sync'), 'w')
  const times = Array.from({ length: 200 }, () => {
    writeSync(file, 'a line\n')
    const startMs = systemClock.monoMs()
    fsyncSync(file)
    return systemClock.monoMs() - startMs
  })
  closeSync(file)
  return percentile(times, 0.5)
}

function line(name: string, parts: readonly Measured[]): string {
  const admissions = parts.flatMap((part) => part.admissions)
  const total = (of: (part: Measured) => number) => parts.reduce((sum, part) => sum + of(part), 0)
  const at = (share: number) => percentile(admissions, share).toFixed(2)
  const busy = total(({ busyMs }) => busyMs) / (seconds * parts.length)
  return [
    `${name}: ${admissions.length} holds, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms; busy ${busy.toFixed(1)} ms a second`,
    `${total(({ failed }) => failed)} failed`,
  ].join('; ')
}

/** How much higher p99 was during sign-ups, turn by turn: the median, and the middle half. */
function movement(alone: readonly Measured[], during: readonly Measured[]): string {
  const worst = ({ admissions }: Measured) => percentile(admissions, 0.99)
  const moved = during.map((part, turn) => worst(part) - worst(alone[turn] ?? part))
  const at = (share: number) => percentile(moved, share).toFixed(2)
  return `p99 moved by ${at(0.5)} ms (half of the turns: ${at(0.25)} to ${at(0.75)} ms)`
}

const computedTimes = await timesOfASignUp()
const folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-'))
const config = readConfig({ TOLLGATE_DATA: folder }, folder)
assert(config.kind === 'config', 'the defaults are a configuration')
const opened = await openServices(config.config, {
  clock: systemClock,
  random: systemRandom,
  log: createLog({ level: 'silent' }),
  sandboxOrigin: null,
  onLost: (error) => {
    throw error
  },
})
assert(opened.kind === 'open', 'the parts open')
const { services } = opened
services.control(address, offlineStatus(systemClock))
const account = services.nextId()
const nowMs = systemClock.wallMs()
await services.ledger.createAccount({ id: account, kind: 'personal', email: null, name: 'bench', nowMs })
const amount = 1_000_000_000_000n
await services.ledger.credit({
  ...{ entryId: services.nextId(), account, amount, source: 'manual', reference: 'bench', nowMs, note: null },
})
// Once before it counts, so that code and pages are warm.
await measure(services, account, { what: 'sign-ups', round: 'warm' })
const kinds = ['nothing', 'sign-ups', 'computing'] as const
const measured = { nothing: [] as Measured[], 'sign-ups': [] as Measured[], computing: [] as Measured[] }
for (let turn = 0; turn < turns; turn += 1) {
  for (const what of kinds) measured[what].push(await measure(services, account, { what, round: `${turn}` }))
}
const report = [
  line('alone', measured.nothing),
  line(`beside ${perSecond} sign-ups a second`, measured['sign-ups']),
  `  ${movement(measured.nothing, measured['sign-ups'])}`,
  line(`beside ${perSecond} computations a second`, measured.computing),
  `  ${movement(measured.nothing, measured.computing)}`,
  `one sync of the disk: ${syncMs(folder).toFixed(2)} ms`,
]
process.stdout.write(`${report.join('\n')}\n`)
await services.close()
rmSync(folder, { recursive: true })
