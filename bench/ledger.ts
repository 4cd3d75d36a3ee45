/**
 * The cost of a hold and a settlement: CPU of all threads per request (user and system), in a closed loop
 * at several concurrencies, on the real store with durable commits. Prints one line each; decides nothing.
 *
 * `node bench/ledger.ts [requests per round] [accounts] [postgres]`: with the last on a PostgreSQL server of its own, which
 * is not synced to disk, and whose CPU does not count.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noTokens } from '../contract/meters.ts'
import { assert } from '../src/base/assert.ts'
import { systemClock } from '../src/base/clock.ts'
import type { NextId } from '../src/base/ids.ts'
import { limitDefaults } from '../src/config/config.ts'
import { type LedgerStore, openLedger } from '../src/ledger/ledger.ts'
import { postgresMigrations } from '../src/ledger/postgres/migrations.ts'
import { openPostgresStore, postgresLimits } from '../src/ledger/postgres/store.ts'
import type { AdmissionAsk, Ledger, ReceiptDraft } from '../src/ledger/types.ts'
import { threadEntries } from '../src/server/thread-entries.ts'
import { migratePostgres } from '../src/store/postgres/migrate.ts'
import { openStore } from '../src/store/store.ts'
import { deriveSums } from '../src/usage/postgres-sums.ts'
import { startPostgres } from '../test/support/postgres-server.ts'

const [requestsGiven, accountsGiven, engine = 'sqlite'] = process.argv.slice(2)
const requests = Number(requestsGiven ?? 60_000)
const accountCount = Number(accountsGiven ?? 1_000)
const concurrencies = [1, 8, 64, 256]
const keysPerAccount = 2
const percent = 100

const none = { requestsPerMinute: null, tokensPerMinute: null, concurrent: null }
const limited = { requestsPerMinute: 1_000_000_000, tokensPerMinute: 1_000_000_000, concurrent: 1_000 }

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
}

/** What the receipt costs 20,754,000 nano-USD at, in nano-USD per million tokens. */
const rates = { input: '3000000000', cacheRead: '300000000', output: '15000000000' }
const price = { rates, tiers: [], listRates: rates, listTiers: [], options: {}, fees: {} }

interface Round {
  readonly ledger: Ledger
  readonly nextId: NextId
  readonly accounts: readonly bigint[]
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

async function one({ ledger, nextId, accounts }: Round, number: number): Promise<number> {
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

async function round(setting: Round, concurrency: number, count: number): Promise<string> {
  const latencies: number[] = []
  let next = 0
  const before = process.cpuUsage()
  const startedMs = systemClock.monoMs()
  const worker = async (): Promise<void> => {
    while (next < count) latencies.push(await one(setting, next++))
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  const elapsedMs = systemClock.monoMs() - startedMs
  const { user, system } = process.cpuUsage(before)
  latencies.sort((a, b) => a - b)
  const at = (share: number): string =>
    (latencies[Math.floor((latencies.length * share) / percent)] ?? 0).toFixed(2)
  const cpu = ((user + system) / count).toFixed(1)
  const rate = Math.round((count * 1_000) / elapsedMs)
  return `concurrency ${String(concurrency).padStart(3)}: ${cpu.padStart(6)} µs CPU a request, ${rate} requests/s, hold + settle p50 ${at(50)} ms, p99 ${at(99)} ms`
}

interface OpenStore {
  readonly store: LedgerStore
  close(): Promise<void>
}

const fail = (error: unknown): never => {
  throw error
}

async function openEmbedded(): Promise<OpenStore> {
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-bench-'))
  const opened = await openStore({
    dataDirectory: directory,
    threads: threadEntries,
    clock: systemClock,
    limits: limitDefaults,
    onLost: fail,
  })
  assert(opened.kind === 'open', 'a new directory opens')
  const { store } = opened
  await store.database
    .insertInto('price_version')
    .values({ id: 1n, model: 'm', effective_from_ms: 0, body: JSON.stringify(price), source: 'bench' })
    .execute()
  const close = async (): Promise<void> => {
    await store.close()
    rmSync(directory, { recursive: true })
  }
  return { store, close }
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
  return { store, close }
}

const opened = await (engine === 'postgres' ? openPostgres() : openEmbedded())
const { ledger, nextId, close } = await openLedger(opened.store, {
  clock: systemClock,
  limits: limitDefaults,
  onTrouble: fail,
})
const accounts = await Promise.all(
  Array.from({ length: accountCount }, async () => {
    const id = nextId()
    const nowMs = systemClock.wallMs()
    await ledger.createAccount({ id, kind: 'personal', email: null, name: 'bench', nowMs })
    const reference = id.toString()
    await ledger.credit({
      entryId: nextId(),
      account: id,
      amount: 1_000_000_000_000_000n,
      source: 'manual',
      reference,
      nowMs,
      note: null,
    })
    return id
  }),
)
const setting = { ledger, nextId, accounts }
await round(setting, 64, 20_000)
for (const concurrency of concurrencies) {
  const count = concurrency === 1 ? Math.ceil(requests / 10) : requests
  process.stdout.write(`${await round(setting, concurrency, count)}\n`)
}
const report = await ledger.verify()
process.stdout.write(`${report.entries} entries, ${report.ok ? 'no drift' : report.drift.join('\n')}\n`)
await close()
await opened.close()
