/**
 * Whether people who sign up disturb requests: the time that holds take while requests are admitted at a fixed rate,
 * alone and with five sign-ups a second beside them, in turns, on the real store and the real identity database. Prints
 * the percentiles of both, by how much the 99th differed from turn to turn, how long the thread that relays was busy
 * (which a loaded machine changes little), and what one sync of the disk takes; decides nothing.
 *
 * `node bench/sign-ups.ts [turns] [seconds of each half of a turn] [requests per second]`
 */
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from '../src/base/assert.ts'
import { systemClock } from '../src/base/clock.ts'
import { systemRandom } from '../src/base/ids.ts'
import { createLog } from '../src/base/log.ts'
import { readConfig } from '../src/config.ts'
import { openParts, type Parts } from '../src/parts.ts'
import { noServer } from '../src/server-facts.ts'

const [turns = 10, seconds = 4, requestsPerSecond = 400] = process.argv.slice(2).map(Number)
const signUpsPerSecond = 5
const address = 'http://127.0.0.1:1'
const unlimited = { requestsPerMinute: null, tokensPerMinute: null, concurrent: null }

interface Measured {
  /** Milliseconds. */
  readonly admissions: readonly number[]
  /** CPU milliseconds of this thread. */
  readonly busyMs: number
  readonly signUps: number
  readonly failed: number
}

/** Runs `work` so many times a second, whether or not the last one has ended. */
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
  parts: Parts,
  account: bigint,
  beside: { readonly signUps: number; readonly round: string },
): Promise<Measured> {
  const admissions: number[] = []
  let failed = 0
  const before = process.threadCpuUsage()
  const requests = atRate(requestsPerSecond, async () => {
    const id = parts.nextId()
    const startMs = systemClock.monoMs()
    const admission = await parts.ledger.admit({
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
      usesRestricted: false,
      accountLimits: unlimited,
      keyLimits: unlimited,
      keyBudget: null,
      priceVersion: 1n,
      model: 'm',
      dialect: 'openai-chat',
      streamed: false,
    })
    admissions.push(systemClock.monoMs() - startMs)
    assert(admission.kind === 'held', `a request is admitted, not ${admission.kind}`)
    await parts.ledger.release(id)
  })
  const signUp = async (number: number): Promise<void> => {
    const body = JSON.stringify({
      name: 'somebody',
      email: `s${beside.round}-${number}@example.org`,
      password: `a long password ${number}`,
    })
    const answer = await parts.answerAuth({
      method: 'POST',
      path: '/api/auth/sign-up/email',
      query: '',
      headers: { 'content-type': 'application/json', origin: address },
      body: Buffer.from(body),
      // Each from a network of its own, as people are.
      clientAddress: `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`,
    })
    if (answer.status !== 200) failed += 1
  }
  const signUps = beside.signUps === 0 ? Promise.resolve() : atRate(beside.signUps, signUp)
  await Promise.all([requests, signUps])
  const { user, system } = process.threadCpuUsage(before)
  const busyMs = (user + system) / 1_000
  return { admissions, busyMs, signUps: beside.signUps * seconds, failed }
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
    `${total(({ signUps }) => signUps)} sign-ups, ${total(({ failed }) => failed)} failed`,
  ].join('; ')
}

/** How much later the 99th of 100 was beside sign-ups, turn by turn: the middle one, and the middle half. */
function movement(alone: readonly Measured[], beside: readonly Measured[]): string {
  const worst = ({ admissions }: Measured) => percentile(admissions, 0.99)
  const moved = beside.map((part, turn) => worst(part) - worst(alone[turn] ?? part))
  const at = (share: number) => percentile(moved, share).toFixed(2)
  return `p99 moved by ${at(0.5)} ms (half of the turns: ${at(0.25)} to ${at(0.75)} ms)`
}

const folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-'))
const config = readConfig({ TOLLGATE_DATA: folder }, folder)
assert(config.kind === 'config', 'the defaults are a configuration')
const opened = await openParts(config.config, {
  clock: systemClock,
  random: systemRandom,
  log: createLog({ level: 'silent' }),
  sandboxOrigin: null,
  onLost: (error) => {
    throw error
  },
})
assert(opened.kind === 'open', 'the parts open')
const { parts } = opened
parts.control(address, noServer(systemClock))
const account = parts.nextId()
const nowMs = systemClock.wallMs()
await parts.ledger.createAccount({ id: account, kind: 'personal', email: null, name: 'bench', nowMs })
const amount = 1_000_000_000_000n
await parts.ledger.credit({
  ...{ entryId: parts.nextId(), account, amount, source: 'manual', reference: 'bench', nowMs, note: null },
})
// Once before it counts, so that code and pages are warm.
await measure(parts, account, { signUps: signUpsPerSecond, round: 'w' })
const alone: Measured[] = []
const beside: Measured[] = []
for (let turn = 0; turn < turns; turn += 1) {
  alone.push(await measure(parts, account, { signUps: 0, round: `a${turn}` }))
  beside.push(await measure(parts, account, { signUps: signUpsPerSecond, round: `b${turn}` }))
}
const report = [
  line('alone', alone),
  line(`beside ${signUpsPerSecond} sign-ups a second`, beside),
  movement(alone, beside),
  `one sync of the disk: ${syncMs(folder).toFixed(2)} ms`,
]
process.stdout.write(`${report.join('\n')}\n`)
await parts.close()
rmSync(folder, { recursive: true })
