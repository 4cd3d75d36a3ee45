/**
 * Holds and settlements of 1, 2 and 4 processes on one PostgreSQL database, in turns in one run: the requests per second of all
 * together, and the CPU of a request in the processes and in the database. Prints one line each; decides nothing. The server is not
 * synced to disk. Linux only.
 *
 * `node bench/ledger-processes.ts [requests per turn] [accounts]`
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { assert } from '../src/base/assert.ts'
import { systemClock } from '../src/base/clock.ts'
import { runSql, startPostgres } from '../test/support/postgres-server.ts'
import { accountsOn, openPostgres, ownCheckout, type Slice, slice, subjectOn } from './ledger-load.ts'
import { cpuMicros } from './machine.ts'
import { lowerQuartile, median } from './measure.ts'

const here = fileURLToPath(import.meta.url)
const processCounts = [1, 2, 4]
const turns = 8
/** Requests in flight, over all processes. */
const inFlight = 64
/** After it, connections that only asked for something have ended. */
const pauseMs = 200

interface Order {
  readonly count: number
  readonly concurrency: number
}

/** Message of a process: `accounts` once it has opened the ledger, then a slice for each order. */
type Report = { readonly accounts: readonly string[] } | { readonly cpuMicros: number }

interface Turn {
  readonly perSecond: number
  readonly ours: number
  readonly database: number
}

/** A process that waits for orders. The first makes the accounts, which the others are given. */
async function startProcess(
  url: string,
  accounts: string,
): Promise<{ child: ChildProcess; accounts: string }> {
  const child = fork(here, ['--process', url, accounts], { stdio: 'inherit' })
  const [report] = (await once(child, 'message')) as [Report]
  assert('accounts' in report, 'the first report of a process has the accounts')
  return { child, accounts: report.accounts.join() }
}

async function order(child: ChildProcess, given: Order): Promise<number> {
  child.send(given)
  const [report] = (await once(child, 'message')) as [Report]
  assert('cpuMicros' in report, 'a process reports what it was ordered')
  return report.cpuMicros * given.count
}

/** All processes of the server: the parent of the answering one, and its other children. */
async function serverProcesses(url: string): Promise<readonly number[]> {
  const [row] = await runSql(url, "SELECT pg_read_file('postmaster.pid') AS text")
  const parent = Number(String(row?.text).split('\n')[0])
  return [
    parent,
    ...readdirSync('/proc')
      .map(Number)
      .filter((id) => parentOf(id) === parent),
  ]
}

/** 0: the process does not exist or has ended. */
function parentOf(id: number): number {
  const stat = `/proc/${id}/stat`
  return existsSync(stat) ? Number(readFileSync(stat, 'utf8').split(') ')[1]?.split(' ')[1]) : 0
}

async function turn(children: readonly ChildProcess[], url: string, requests: number): Promise<Turn> {
  const found = await serverProcesses(url)
  await setTimeout(pauseMs)
  const server = found.filter((id) => parentOf(id) !== 0)
  const before = { database: cpuMicros(server), ms: systemClock.monoMs() }
  const given = { count: Math.ceil(requests / children.length), concurrency: inFlight / children.length }
  const ours = await Promise.all(children.map((child) => order(child, given)))
  const total = given.count * children.length
  return {
    perSecond: (total * 1_000) / (systemClock.monoMs() - before.ms),
    ours: ours.reduce((sum, micros) => sum + micros, 0) / total,
    database: (cpuMicros(server) - before.database) / total,
  }
}

function line(count: number, of: readonly Turn[], alone: readonly Turn[]): string {
  const ratios = of.map(({ perSecond }, at) => perSecond / (alone[at]?.perSecond ?? Number.NaN))
  const micros = (figure: (turn: Turn) => number): string => lowerQuartile(of.map(figure)).toFixed(1)
  const [rate, ratio] = [median(of.map(({ perSecond }) => perSecond)), median(ratios)]
  return `${count} processes: ${rate.toFixed(0)} requests/s, ${ratio.toFixed(2)} times one (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}), CPU a request ${micros(({ ours }) => ours)} µs here and ${micros(({ database }) => database)} µs in the database`
}

async function main(requests: number, accountCount: number): Promise<void> {
  const server = await startPostgres()
  const url = await server.createDatabase()
  const children: ChildProcess[] = []
  let accounts = `${accountCount}`
  for (let at = 0; at < Math.max(...processCounts); at += 1) {
    const started = await startProcess(url, accounts)
    children.push(started.child)
    accounts = started.accounts
  }
  for (const child of children) await order(child, { count: requests, concurrency: inFlight })
  const taken = new Map<number, Turn[]>(processCounts.map((count) => [count, []]))
  for (let at = 0; at < turns; at += 1)
    for (const count of at % 2 === 0 ? processCounts : processCounts.toReversed())
      taken.get(count)?.push(await turn(children.slice(0, count), url, requests))
  for (const [count, of] of taken) process.stdout.write(`${line(count, of, taken.get(1) ?? [])}\n`)
  for (const child of children) {
    child.send('stop')
    await once(child, 'exit')
  }
  await server.stop()
}

/** Runs one process. `accounts`: how many to create, or the IDs of existing ones. */
async function work(url: string, accounts: string): Promise<void> {
  const subject = await subjectOn('ledger', await openPostgres(ownCheckout, url), async (on) =>
    accounts.length < 10 ? accountsOn(on, Number(accounts)) : accounts.split(',').map(BigInt),
  )
  process.on('message', (given: Order | 'stop') => {
    if (given === 'stop') void subject.close().then(() => process.disconnect())
    else
      void slice(subject, given.concurrency, given.count).then(({ cpuMicros }: Slice) =>
        process.send?.({ cpuMicros }),
      )
  })
  process.send?.({ accounts: subject.accounts.map(String) })
}

const [kind, ...given] = process.argv.slice(2)
if (kind === '--process') await work(given[0] ?? '', given[1] ?? '')
else await main(Number(kind ?? 2_000), Number(given[0] ?? 1_000))
