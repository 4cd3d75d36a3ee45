/**
 * `npm run soak`: a server in its own process under a mixed load for an hour, one request in a hundred to an upstream
 * that fails, with one attack after another running concurrently. Prints memory, handles, event-loop delay, the results
 * of the paying clients and of `ledger verify`; exits with 1 when a request failed or the ledger does not verify.
 *
 * `--minutes N` (60), `--requests-per-second N` (20), `--without-attacks`, `--attack TEXT`: only attacks with this text in their
 * name, `--memory MiB`: the server runs in a control group that has so much memory. A server that ends is reported.
 */
import { parseArgs } from 'node:util'
import { startSandbox } from '../../sandbox/sandbox.ts'
import { systemClock } from '../../src/base/clock.ts'
import { type Attack, startAttack } from '../support/attacks.ts'
import { type GatewayProcess, type Installation, makeInstallation } from '../support/gateway-process.ts'
import { type MemoryGroup, memoryGroup, programInGroup } from '../support/memory-group.ts'
import { type AttackerAccounts, attacksOf } from './attackers.ts'
import {
  megabytes,
  metricIn,
  type Outcome,
  rank,
  readProcess,
  type Sample,
  slopePerHour,
  table,
} from './samples.ts'
import { askOne, behaviors, type Dice, upstreams } from './workload.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    'requests-per-second': { type: 'string', default: '20' },
    'without-attacks': { type: 'boolean', default: false },
    attack: { type: 'string', default: '' },
    memory: { type: 'string' },
  },
})
const durationMs = Number(values.minutes) * 60_000
const everyMs = 1_000 / Number(values['requests-per-second'])
const sampleMs = 10_000
/** The duration of each attack, and of the pause after it. */
const attackMs = 45_000
const sliceMs = Math.max(60_000, durationMs / 6)
/** Maximum number of requests in flight; a slow server reduces the load instead of exhausting the machine. */
const underWayMax = 400
const payers = 8
const metricsToken = 'metrics-of-the-soak'
const seed = 20_261_122

function dice(from: number): Dice {
  let state = from
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const wait = (ms: number): Promise<void> =>
  new Promise((resolve) => systemClock.after(Math.max(0, ms), resolve))
const say = (text: string): void => void process.stdout.write(`${text}\n`)
const progress = (text: string): void => void process.stderr.write(`${text}\n`)
/** Set when the server no longer answers: load and attacks stop, and what was seen is reported. */
let hasEnded = false

function settings(origin: string): string {
  const names = Object.keys(upstreams) as readonly (keyof typeof upstreams)[]
  const model = (name: keyof typeof upstreams, behavior: string): string => {
    const { provider, format } = upstreams[name]
    return `  - { id: ${name}-${behavior}, provider: ${provider}, offers: [${provider}], upstreamId: sandbox-${behavior}, formats: [${format}], context: 1000000, maxOutput: 10000, prices: [{ input: 3, output: 15 }] }`
  }
  const providers = [...new Set(names.map((name) => upstreams[name].provider))]
  return [
    'sandbox: off',
    'signup: open',
    'limits: { requestsPerMinute: 100000, tokensPerMinute: 1000000000, concurrent: 1000 }',
    'upstreams:',
    ...providers.map((name) => `  - { name: ${name}, provider: ${name}, url: '${origin}', credential: any }`),
    'models:',
    ...names.flatMap((name) => behaviors.map((behavior) => model(name, behavior))),
    '',
  ].join('\n')
}

async function accountOf(installation: Installation, name: string, credit: string) {
  return installation.ask('account.create', { email: `${name}@example.org`, credit } as never)
}

/** Samples the process periodically until stopped. */
async function sampleUntil(
  server: GatewayProcess,
  over: () => boolean,
  startedMs: number,
): Promise<Sample[]> {
  const samples: Sample[] = []
  const elapsedMs = () => systemClock.monoMs() - startedMs
  while (!over()) {
    const text = await metricsOf(server)
    if (text === undefined) {
      hasEnded = true
      break
    }
    samples.push({
      atMs: elapsedMs(),
      ...readProcess(server.pid),
      heapUsedBytes: metricIn(text, 'nodejs_heap_size_used_bytes'),
      activeHandles: metricIn(text, 'nodejs_active_handles_total'),
      loopDelayP99Ms: metricIn(text, 'nodejs_eventloop_lag_p99_seconds') * 1_000,
      loopDelayMaxMs: metricIn(text, 'nodejs_eventloop_lag_max_seconds') * 1_000,
    })
    const { atMs, residentBytes, heapUsedBytes } = samples.at(-1)!
    progress(
      `${Math.round(atMs / 1_000)} s: ${megabytes(residentBytes)} MB, heap ${megabytes(heapUsedBytes)} MB`,
    )
    await wait(sampleMs)
  }
  return samples
}

/** The server's metrics; undefined when it has ended. */
async function metricsOf({ origin }: GatewayProcess): Promise<string | undefined> {
  try {
    const answer = await fetch(`${origin}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })
    return await answer.text()
  } catch {
    return undefined
  }
}

async function loadUntil(
  target: { readonly origin: string; readonly keys: readonly string[] },
  over: () => boolean,
  startedMs: number,
): Promise<Outcome[]> {
  const roll = dice(seed)
  const outcomes: Outcome[] = []
  const underWay = new Set<Promise<void>>()
  let turn = 0
  while (!over()) {
    turn += 1
    await wait(startedMs + turn * everyMs - systemClock.monoMs())
    if (underWay.size >= underWayMax) {
      await Promise.race(underWay)
      continue
    }
    const askedMs = systemClock.monoMs()
    const asking = askOne(target, roll, turn).then((wrong) => {
      const endedMs = systemClock.monoMs()
      outcomes.push({ atMs: askedMs - startedMs, tookMs: endedMs - askedMs, wrong })
      underWay.delete(asking)
    })
    underWay.add(asking)
  }
  await Promise.all(underWay)
  return outcomes
}

/** Runs attacks one after another, with a pause of the same length in between; returns the totals of each attack. */
async function attackUntil(
  server: GatewayProcess,
  accounts: AttackerAccounts,
  over: () => boolean,
): Promise<ReadonlyMap<string, Record<string, number>>> {
  const totals = new Map<string, Record<string, number>>()
  const attacks = attacksOf(Number(new URL(server.origin).port), accounts).filter(({ name }) =>
    name.includes(values.attack),
  )
  for (let round = 0; !over() && attacks.length > 0; round += 1) {
    const { name, module, target } = attacks[round % attacks.length]!
    progress(`attack: ${name}`)
    const running: Attack = await startAttack(module, target)
    await waitUntil(attackMs, over)
    await running.stop()
    const total = totals.get(name) ?? {}
    for (const [what, count] of Object.entries({ ...running.counts(), rounds: 1 })) {
      total[what] = (total[what] ?? 0) + count
    }
    totals.set(name, total)
    await waitUntil(attackMs, over)
  }
  return totals
}

async function waitUntil(ms: number, over: () => boolean): Promise<void> {
  const endMs = systemClock.monoMs() + ms
  while (!over() && systemClock.monoMs() < endMs) await wait(Math.min(500, endMs - systemClock.monoMs()))
}

function report(samples: readonly Sample[], outcomes: readonly Outcome[]): void {
  const failures = outcomes.flatMap(({ wrong }) => wrong ?? [])
  const took = outcomes.map(({ tookMs }) => tookMs)
  const share = (100 * (outcomes.length - failures.length)) / Math.max(1, outcomes.length)
  const second = samples.slice(Math.floor(samples.length / 2))
  say(`\n${table(samples, outcomes, sliceMs)}\n`)
  say(
    `requests: ${outcomes.length}, as they should be: ${share.toFixed(3)} %, median ${rank(took, 0.5).toFixed(1)} ms, p99 ${rank(took, 0.99).toFixed(1)} ms`,
  )
  say(
    `resident memory: first ${megabytes(samples[0]?.residentBytes ?? 0)} MB, last ${megabytes(samples.at(-1)?.residentBytes ?? 0)} MB, most ${megabytes(Math.max(...samples.map(({ residentBytes }) => residentBytes)))} MB, slope of the second half ${megabytes(slopePerHour(second, ({ residentBytes }) => residentBytes))} MB an hour`,
  )
  say(
    `heap: slope of the second half ${megabytes(slopePerHour(second, ({ heapUsedBytes }) => heapUsedBytes))} MB an hour`,
  )
  say(
    `open files: most ${Math.max(...samples.map(({ openFiles }) => openFiles))}, last ${samples.at(-1)?.openFiles}; active handles: last ${samples.at(-1)?.activeHandles}`,
  )
  say(
    `event-loop delay: p99 ${rank(
      samples.map(({ loopDelayP99Ms }) => loopDelayP99Ms),
      0.5,
    ).toFixed(
      1,
    )} ms (median of samples), longest ${Math.max(...samples.map(({ loopDelayMaxMs }) => loopDelayMaxMs)).toFixed(1)} ms`,
  )
  for (const [wrong, count] of countsOf(failures)) say(`  ${count} x ${wrong}`)
}

function countsOf(texts: readonly string[]): readonly (readonly [text: string, count: number])[] {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text.slice(0, 120), (counts.get(text.slice(0, 120)) ?? 0) + 1)
  return [...counts].toSorted(([, a], [, b]) => b - a).slice(0, 20)
}

function groupOf(mebibytes: string | undefined): MemoryGroup | undefined {
  if (mebibytes === undefined) return undefined
  const group = memoryGroup(Number(mebibytes) * 1024 * 1024)
  if (typeof group === 'string') throw new Error(`--memory: ${group}`)
  return group
}

const group = groupOf(values.memory)
const sandbox = await startSandbox({ clock: systemClock })
const installation = makeInstallation(settings(sandbox.origin), group ? { main: programInGroup } : {})
let isWell = false
try {
  const environment = { ...group?.environment, TOLLGATE_METRICS_TOKEN: metricsToken }
  const server = await installation.start({ environment })
  const keys: string[] = []
  for (let at = 0; at < payers; at += 1)
    keys.push((await accountOf(installation, `payer-${at}`, '10000')).key)
  const { account: broke, key: brokeKey } = await accountOf(installation, 'attacker', '0')
  const poorKeys = [
    (await accountOf(installation, 'eve', '0.5')).key,
    (await accountOf(installation, 'mallory', '0.5')).key,
  ]
  say(
    `soak: ${values.minutes} minutes, ${values['requests-per-second']} requests a second, seed ${seed}, Node ${process.version}`,
  )
  const startedMs = systemClock.monoMs()
  const over = () => hasEnded || systemClock.monoMs() - startedMs >= durationMs
  const [samples, outcomes, attacks] = await Promise.all([
    sampleUntil(server, over, startedMs),
    loadUntil({ origin: server.origin, keys }, over, startedMs),
    values['without-attacks']
      ? new Map<string, Record<string, number>>()
      : attackUntil(server, { key: brokeKey, account: broke, poorKeys }, over),
  ])
  report(samples, outcomes)
  for (const [name, counts] of attacks) say(`attack ${name}: ${JSON.stringify(counts)}`)
  if (group !== undefined)
    say(`of ${values.memory} MiB most ${megabytes(group.peakBytes())} MB, killed ${group.kills()} times`)
  if (hasEnded) throw new Error('the server has ended')
  const verified = await installation.ask('ledger.verify', {})
  say(`ledger verify: ${JSON.stringify(verified)}`)
  isWell =
    verified.drift.length === 0 &&
    (group?.kills() ?? 0) === 0 &&
    outcomes.every(({ wrong }) => wrong === undefined)
} finally {
  await installation.remove()
  await sandbox.close()
  group?.remove()
}
process.exitCode = isWell ? 0 : 1
