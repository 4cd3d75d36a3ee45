/**
 * The cost of a hold and a settlement: CPU of all threads per request (user and system) and bytes written, in a closed loop
 * at several concurrencies, on the real store with durable commits. Prints one line each; decides nothing.
 *
 * `node bench/ledger.ts [requests per concurrency] [accounts] [--against FOLDER] [--grown FOLDER] [--postgres]`
 *
 * `--against`: the embedded ledger of a second checkout, in the same process in turns of one slice; `--grown`: the same on a
 * data folder, such as one of `bench/grow.ts`. `--postgres`: on a
 * PostgreSQL server of its own, which is not synced to disk, and whose CPU does not count.
 */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { noTokens } from '../contract/meters.ts'
import { assert } from '../src/base/assert.ts'
import { systemClock } from '../src/base/clock.ts'
import type { NextId } from '../src/base/ids.ts'
import { limitDefaults } from '../src/config/config.ts'
import { type LedgerStore, openLedger } from '../src/ledger/ledger.ts'
import { postgresMigrations } from '../src/ledger/postgres/migrations.ts'
import { openPostgresStore, postgresLimits } from '../src/ledger/postgres/store.ts'
import type { AdmissionAsk, Ledger, ReceiptDraft } from '../src/ledger/types.ts'
import { migratePostgres } from '../src/store/postgres/migrate.ts'
import { deriveSums } from '../src/usage/postgres-sums.ts'
import { startPostgres } from '../test/support/postgres-server.ts'
import { lowerQuartile, median } from './measure.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    against: { type: 'string' },
    grown: { type: 'string' },
    postgres: { type: 'boolean', default: false },
  },
})
const requests = Number(positionals[0] ?? 60_000)
const accountCount = Number(positionals[1] ?? 1_000)
const concurrencies = [1, 8, 64, 256]
/** The turns of each ledger at each concurrency. */
const slices = 12
/** One at a time takes long. */
const requestsAloneShare = 0.1
const keysPerAccount = 2
const percent = 100

const none = { requestsPerMinute: null, tokensPerMinute: null, concurrent: null }
const limited = { requestsPerMinute: 1_000_000_000, tokensPerMinute: 1_000_000_000_000, concurrent: 1_000 }

const receipt: ReceiptDraft = {
  provider: 'anthropic',
  upstream: 'anthropic-1',
  upstreamModel: 'a-model-of-some-name-20260101',
  upstreamRequestId: 'req_011CSHoEeqs5C35K2UUqR7Fy',
  status: 200,
  endReason: 'complete',
  usageSource: 'reported',
  errorCode: null,
  ...noTokens,
  inputUncached: 1_200,
  cacheRead: 20_480,
  output: 734,
  fees: {},
  ranAt: [],
  unpricedUsage: false,
  implausible: null,
  inputBound: 'bytes',
  background: false,
  upstreamCost: 20_754_000n,
  outputLimit: 8_192,
  outputLowered: false,
  settledLate: false,
  startedMs: systemClock.wallMs(),
  firstByteMs: systemClock.wallMs(),
  attempts: [
    {
      upstream: 'anthropic-1',
      status: 200,
      failure: null,
      startedMs: systemClock.wallMs(),
      firstByteMs: systemClock.wallMs(),
      endedMs: systemClock.wallMs(),
    },
  ],
  person: null,
  ownKey: false,
  ownKeyFee: null,
}

/** What the receipt costs 20,754,000 nano-USD at, in nano-USD per million tokens. */
const rates = { input: '3000000000', cacheRead: '300000000', output: '15000000000' }
const price = { rates, tiers: [], listRates: rates, listTiers: [], options: {}, fees: {} }

interface Subject {
  readonly name: string
  readonly ledger: Ledger
  readonly nextId: NextId
  readonly accounts: readonly bigint[]
  close(): Promise<void>
}

function ask(id: bigint, account: bigint, number: number): AdmissionAsk {
  return {
    id,
    account,
    key: account * BigInt(keysPerAccount) + BigInt(number % keysPerAccount),
    nowMs: systemClock.wallMs(),
    inputAmount: 65_052_000n,
    inputTokens: 21_684,
    outputTokenAmount: 15_000n,
    outputWanted: 8_192,
    outputFloor: 1_024,
    onShortBalance: 'lower',
    patience: 'none',
    usesRestricted: false,
    accountLimits: limited,
    keyLimits: none,
    keyBudget: { amount: 1_000_000_000_000_000n, window: 'month' },
    priceVersion: 1n,
    model: 'a-model-of-some-name',
    dialect: 'anthropic',
    streamed: true,
  }
}

async function one({ ledger, nextId, accounts }: Subject, number: number): Promise<number> {
  const id = nextId()
  const account = accounts[(number * 7_919) % accounts.length]
  assert(account !== undefined, 'there is an account')
  const startedMs = systemClock.monoMs()
  const held = await ledger.admit(ask(id, account, number))
  assert(held.kind === 'held', `the bench has money enough: ${held.kind}`)
  const nowMs = systemClock.wallMs()
  const settled = await ledger.settle({
    id,
    nowMs,
    cost: 20_754_000n,
    writtenOff: 0n,
    writeOffEntryId: nextId(),
    receipt,
  })
  assert(settled.kind === 'settled', 'a hold is settled once')
  return systemClock.monoMs() - startedMs
}

interface Slice {
  readonly cpuMicros: number
  readonly kilobytes: number
  readonly perSecond: number
  readonly latencies: readonly number[]
}

/** What this process has written so far: to the database and its log, above all. */
const bytesWritten = (): number =>
  Number(/wchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1] ?? Number.NaN)

async function slice(subject: Subject, concurrency: number, count: number): Promise<Slice> {
  const latencies: number[] = []
  let next = 0
  const before = { cpu: process.cpuUsage(), written: bytesWritten(), ms: systemClock.monoMs() }
  const worker = async (): Promise<void> => {
    while (next < count) latencies.push(await one(subject, next++))
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  const { user, system } = process.cpuUsage(before.cpu)
  return {
    cpuMicros: (user + system) / count,
    kilobytes: (bytesWritten() - before.written) / count / 1_000,
    perSecond: (count * 1_000) / (systemClock.monoMs() - before.ms),
    latencies,
  }
}

function line({ name }: Subject, concurrency: number, turns: readonly Slice[]): string {
  const of = (figure: (turn: Slice) => number): number[] => turns.map(figure)
  const latencies = turns.flatMap((turn) => turn.latencies).sort((a, b) => a - b)
  const at = (share: number): string =>
    (latencies[Math.floor((latencies.length * share) / percent)] ?? 0).toFixed(2)
  const cpu = lowerQuartile(of(({ cpuMicros }) => cpuMicros)).toFixed(1)
  const written = median(of(({ kilobytes }) => kilobytes)).toFixed(1)
  const rate = median(of(({ perSecond }) => perSecond)).toFixed(0)
  return `${name}, concurrency ${String(concurrency).padStart(3)}: ${cpu.padStart(6)} µs CPU and ${written} kB written a request, ${rate} requests/s, hold + settle p50 ${at(50)} ms, p99 ${at(99)} ms`
}

interface OpenStore {
  readonly store: LedgerStore
  readonly openLedger: typeof openLedger
  close(): Promise<void>
}

const fail = (error: unknown): never => {
  throw error
}

/** The embedded store of a checkout, with that checkout's code and its own defaults. */
async function openEmbedded(checkout: string, folder?: string): Promise<OpenStore> {
  const load = (path: string): Promise<unknown> => import(pathToFileURL(join(checkout, path)).href)
  const { openStore } = (await load('src/store/store.ts')) as typeof import('../src/store/store.ts')
  const { threadEntries } = (await load(
    'src/server/thread-entries.ts',
  )) as typeof import('../src/server/thread-entries.ts')
  const ledger = (await load('src/ledger/ledger.ts')) as typeof import('../src/ledger/ledger.ts')
  const config = (await load('src/config/config.ts')) as typeof import('../src/config/config.ts')
  const directory = folder ?? mkdtempSync(join(tmpdir(), 'tollgate-bench-'))
  const opened = await openStore({
    dataDirectory: directory,
    threads: threadEntries,
    clock: systemClock,
    limits: config.limitDefaults,
    onLost: fail,
  })
  assert(opened.kind === 'open', 'a new directory opens')
  const { store } = opened
  await store.database
    .insertInto('price_version')
    .values({ id: 1n, model: 'm', effective_from_ms: 0, body: JSON.stringify(price), source: 'bench' })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const close = async (): Promise<void> => {
    await store.close()
    if (folder === undefined) rmSync(directory, { recursive: true })
  }
  return { store, openLedger: ledger.openLedger, close }
}

async function openPostgres(): Promise<OpenStore> {
  const server = await startPostgres()
  const url = await server.createDatabase()
  const connectMsMax = limitDefaults.databaseConnectMs
  await migratePostgres({ url, table: 'migration', steps: postgresMigrations, nowMs: 0, connectMsMax })
  const options = {
    clock: systemClock,
    limits: postgresLimits(limitDefaults),
    derive: deriveSums,
    onTrouble: fail,
  }
  const store = openPostgresStore(url, options)
  const close = async (): Promise<void> => {
    await store.close()
    await server.stop()
  }
  return { store, openLedger, close }
}

/** A ledger whose accounts have credit. */
async function subjectOn(name: string, on: OpenStore): Promise<Subject> {
  const opened = await on.openLedger(on.store, {
    clock: systemClock,
    limits: limitDefaults,
    onTrouble: fail,
  })
  const { ledger, nextId } = opened
  const account = async (): Promise<bigint> => {
    const id = nextId()
    const nowMs = systemClock.wallMs()
    await ledger.createAccount({ id, kind: 'personal', email: null, name: 'bench', nowMs })
    const credit = { entryId: nextId(), account: id, amount: 1_000_000_000_000_000n, nowMs, note: null }
    await ledger.credit({ ...credit, source: 'manual', reference: id.toString() })
    return id
  }
  const accounts = await Promise.all(Array.from({ length: accountCount }, account))
  const close = async (): Promise<void> => {
    const report = await ledger.verify()
    process.stdout.write(
      `${name}: ${report.entries} entries, ${report.ok ? 'no drift' : report.drift.join('\n')}\n`,
    )
    await opened.close()
    await on.close()
  }
  return { name, ledger, nextId, accounts, close }
}

async function main(): Promise<void> {
  const here = fileURLToPath(new URL('..', import.meta.url))
  const subjects: Subject[] = []
  if (values.against !== undefined)
    subjects.push(await subjectOn('against', await openEmbedded(resolve(values.against))))
  if (values.grown !== undefined)
    subjects.push(await subjectOn('grown', await openEmbedded(here, resolve(values.grown))))
  subjects.push(await subjectOn('tollgate', await (values.postgres ? openPostgres() : openEmbedded(here))))
  for (const subject of subjects) await slice(subject, 64, Math.ceil(requests / 3))
  for (const concurrency of concurrencies) {
    const count = Math.ceil((requests / slices) * (concurrency === 1 ? requestsAloneShare : 1))
    const turns = new Map<Subject, Slice[]>(subjects.map((subject) => [subject, []]))
    for (let turn = 0; turn < slices; turn += 1) {
      for (const subject of turn % 2 === 0 ? subjects : subjects.toReversed())
        turns.get(subject)?.push(await slice(subject, concurrency, count))
    }
    for (const [subject, of] of turns) process.stdout.write(`${line(subject, concurrency, of)}\n`)
  }
  for (const subject of subjects) await subject.close()
}

await main()
