/** A load of holds and settlements for benches of the ledger, and the stores that take it: with durable commits, as in the server. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { noTokens } from '../contract/meters.ts'
import { assert } from '../src/base/assert.ts'
import { systemClock } from '../src/base/clock.ts'
import type { NextId } from '../src/base/ids.ts'
import { limitDefaults } from '../src/config/config.ts'
import type { LedgerStore, openLedger } from '../src/ledger/ledger.ts'
import type { AdmissionRequest, Ledger, ReceiptDraft } from '../src/ledger/types.ts'

const keysPerAccount = 2

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
  offerCost: null,
}

/** Rates in nano-USD per million tokens, at which the receipt costs 20,754,000 nano-USD. */
const rates = { input: '3000000000', cacheRead: '300000000', output: '15000000000' }
const price = { rates, tiers: [], listRates: rates, listTiers: [], options: {}, fees: {} }

export interface Subject {
  readonly name: string
  readonly ledger: Ledger
  readonly nextId: NextId
  readonly accounts: readonly bigint[]
  close(): Promise<void>
}

function ask(id: bigint, account: bigint, number: number): AdmissionRequest {
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
    needsUnrestrictedAccount: false,
    accountLimits: limited,
    keyLimits: none,
    keyBudget: { amount: 1_000_000_000_000_000n, window: 'month' },
    priceVersion: 1n,
    model: 'a-model-of-some-name',
    format: 'anthropic',
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

export interface Slice {
  readonly cpuMicros: number
  readonly kilobytes: number
  readonly perSecond: number
  readonly latencies: readonly number[]
}

/** Bytes that this process has written so far, mostly to the database and its log. */
const bytesWritten = (): number =>
  Number(/wchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1] ?? Number.NaN)

/** Runs `count` requests, `concurrency` at a time. */
export async function slice(subject: Subject, concurrency: number, count: number): Promise<Slice> {
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

export interface OpenStore {
  readonly store: LedgerStore
  readonly openLedger: typeof openLedger
  close(): Promise<void>
}

const fail = (error: unknown): never => {
  throw error
}

/** A module of a checkout, with that checkout's code and its own defaults. */
const moduleOf = <Module>(checkout: string, path: string): Promise<Module> =>
  import(pathToFileURL(join(checkout, path)).href) as Promise<Module>

const ledgerOf = (checkout: string) =>
  moduleOf<typeof import('../src/ledger/ledger.ts')>(checkout, 'src/ledger/ledger.ts')
const configOf = (checkout: string) =>
  moduleOf<typeof import('../src/config/config.ts')>(checkout, 'src/config/config.ts')

/** The embedded store of a checkout. */
export async function openEmbedded(checkout: string, folder?: string): Promise<OpenStore> {
  const { openStore } = await moduleOf<typeof import('../src/store/store.ts')>(checkout, 'src/store/store.ts')
  const { threadEntries } = await moduleOf<typeof import('../src/server/thread-entries.ts')>(
    checkout,
    'src/server/thread-entries.ts',
  )
  const ledger = await ledgerOf(checkout)
  const config = await configOf(checkout)
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

/** The store of a checkout on a database, as any number of processes may open it. */
export async function openPostgres(checkout: string, url: string): Promise<OpenStore> {
  const { postgresMigrations } = await moduleOf<typeof import('../src/ledger/postgres/migrations.ts')>(
    checkout,
    'src/ledger/postgres/migrations.ts',
  )
  const { migratePostgres } = await moduleOf<typeof import('../src/store/postgres/migrate.ts')>(
    checkout,
    'src/store/postgres/migrate.ts',
  )
  const { openPostgresStore, postgresLimits } = await moduleOf<
    typeof import('../src/ledger/postgres/store.ts')
  >(checkout, 'src/ledger/postgres/store.ts')
  const { deriveSums } = await moduleOf<typeof import('../src/usage/postgres-sums.ts')>(
    checkout,
    'src/usage/postgres-sums.ts',
  )
  const ledger = await ledgerOf(checkout)
  const { limitDefaults: limits } = await configOf(checkout)
  const connectMsMax = limits.databaseConnectMs
  await migratePostgres({ url, table: 'migration', steps: postgresMigrations, nowMs: 0, connectMsMax })
  const options = { clock: systemClock, limits: postgresLimits(limits), derive: deriveSums, onTrouble: fail }
  const store = openPostgresStore(url, options)
  return { store, openLedger: ledger.openLedger, close: store.close }
}

/** The checkout that this bench is part of. */
export const ownCheckout = fileURLToPath(new URL('..', import.meta.url))

/** A ledger for accounts that have credit; closing it verifies it. */
export async function subjectOn(
  name: string,
  on: OpenStore,
  accountsOf: (opened: Pick<Subject, 'ledger' | 'nextId'>) => Promise<readonly bigint[]>,
): Promise<Subject> {
  const opened = await on.openLedger(on.store, {
    clock: systemClock,
    limits: limitDefaults,
    onTrouble: fail,
  })
  const { ledger, nextId } = opened
  const accounts = await accountsOf(opened)
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

/** Creates accounts with more credit than any bench spends. */
export async function accountsOn(
  { ledger, nextId }: Pick<Subject, 'ledger' | 'nextId'>,
  count: number,
): Promise<readonly bigint[]> {
  const account = async (): Promise<bigint> => {
    const id = nextId()
    const nowMs = systemClock.wallMs()
    await ledger.createAccount({ id, kind: 'personal', email: null, name: 'bench', nowMs })
    const credit = { entryId: nextId(), account: id, amount: 1_000_000_000_000_000n, nowMs, note: null }
    await ledger.credit({ ...credit, source: 'manual', reference: id.toString() })
    return id
  }
  return Promise.all(Array.from({ length: count }, account))
}
