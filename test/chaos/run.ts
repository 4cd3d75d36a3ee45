/**
 * `npm run chaos`: four servers as processes on one PostgreSQL database. First a thousand requests for what ten may have, then
 * mixed traffic while servers are killed, the database crashes and connections are cut, delayed, rejected and silent. Prints what was
 * done and what the books say afterwards; exits with 1 where they are wrong.
 *
 * `--minutes N` (2), `--requests-per-second N` (10), `--seed N`.
 */
import { parseArgs } from 'node:util'
import { startSandbox } from '../../sandbox/sandbox.ts'
import { systemClock } from '../../src/base/clock.ts'
import { runSql, startPostgres } from '../support/postgres-server.ts'
import { audit, receiptsIn } from './audit.ts'
import { capsHold, isExact } from './caps.ts'
import { dice, faultsUntil } from './faults.ts'
import { type ChaosServer, chaosServer, wait } from './servers.ts'
import { behaviors, formats, trafficUntil } from './traffic.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    'requests-per-second': { type: 'string', default: '10' },
    seed: { type: 'string', default: '20261126' },
  },
})
const durationMs = Number(values.minutes) * 60_000
const perSecond = Number(values['requests-per-second'])
const seed = Number(values.seed)
const serverCount = 4
const payers = 8
/** The lease of a dead process, and the next two looks for what it left. */
const closedWithinMs = 180_000

const say = (text: string): void => void process.stdout.write(`${text}\n`)

function settings(origin: string): string {
  const model = (format: string, behavior: string): string =>
    `  - { id: ${format}-${behavior}, provider: sandbox, upstreamId: sandbox-${behavior}, formats: [${format}], context: 1000000, maxOutput: 200000, prices: [{ input: 3, output: 15 }] }`
  return [
    'sandbox: off',
    'upstreams:',
    `  - { name: trial, provider: sandbox, url: '${origin}', credential: any, models: all }`,
    'models:',
    ...formats.flatMap((format) => behaviors.map((behavior) => model(format, behavior))),
    'limits: { requestsPerMinute: none, tokensPerMinute: none, concurrent: none, holdWaitMs: 1 }',
    '',
  ].join('\n')
}

const database = await startPostgres()
const sandbox = await startSandbox({ clock: systemClock })
const url = await database.createDatabase()
const servers: ChaosServer[] = []
let isWell = false
try {
  for (let at = 0; at < serverCount; at += 1) {
    const server = await chaosServer(settings(sandbox.origin), url)
    servers.push(server)
    await server.start()
  }
  say(
    `chaos: ${serverCount} servers on PostgreSQL, ${values.minutes} minutes, ${perSecond} requests a second, seed ${seed}, Node ${process.version}`,
  )
  isWell = await chaos()
} finally {
  for (const server of servers) await server.close()
  await sandbox.close()
  await database.stop()
}
process.exitCode = isWell ? 0 : 1

async function chaos(): Promise<boolean> {
  const caps = await capsHold(servers, url)
  for (const { name, served, statuses } of caps)
    say(`a thousand requests for ten, by ${name}: ${served} served, ${JSON.stringify(statuses)}`)
  const keys: string[] = []
  for (let at = 0; at < payers; at += 1) {
    const given = { email: `payer-${at}@example.org`, credit: '1000' }
    keys.push((await servers[0]!.installation.ask('account.create', given)).key)
  }
  const endMs = systemClock.monoMs() + durationMs
  const over = (): boolean => systemClock.monoMs() >= endMs
  const [traffic, faults] = await Promise.all([
    trafficUntil({ servers, keys, roll: dice(seed) }, perSecond, over),
    faultsUntil({ servers, database, roll: dice(seed + 1) }, over),
  ])
  say(`faults: ${JSON.stringify(Object.fromEntries(faults))}`)
  say(`requests: ${traffic.sent}, ${JSON.stringify(Object.fromEntries(traffic.outcomes))}`)
  const closedMs = await untilClosed()
  say(`open holds: ${await openHolds()}, ${Math.round(closedMs / 1_000)} s after the traffic`)
  const found = audit(await receiptsIn(url), sandbox.requestLog(), traffic.completed)
  say(`dispatched requests: ${found.dispatched}, receipts: ${found.receipts}`)
  for (const [end, sums] of found.byEnd) {
    const { requests, metered, charged, writtenOff } = sums
    const lost = metered - charged - writtenOff
    say(
      `${end}: ${requests} requests, metered ${metered}, charged ${charged}, written off ${writtenOff}, neither ${lost} nano-USD`,
    )
  }
  for (const mistake of found.mistakes.slice(0, 20)) say(`WRONG: ${mistake}`)
  const verified = await servers[0]!.installation.ask('ledger.verify', {})
  say(`ledger verify: ${JSON.stringify(verified)}`)
  const codes = await Promise.all(servers.map((server) => server.stop()))
  say(`exit codes: ${codes.join(', ')}`)
  return (
    caps.every(isExact) &&
    found.mistakes.length === 0 &&
    verified.ok &&
    verified.openHolds === 0 &&
    codes.every((code) => code === 0)
  )
}

async function openHolds(): Promise<number> {
  return Number((await runSql(url, 'SELECT count(*)::int AS count FROM hold'))[0]?.count)
}

/** Waits until no hold is open; resolves with how long that took. */
async function untilClosed(): Promise<number> {
  const startedMs = systemClock.monoMs()
  while (systemClock.monoMs() - startedMs < closedWithinMs && (await openHolds()) > 0) await wait(1_000)
  return systemClock.monoMs() - startedMs
}
