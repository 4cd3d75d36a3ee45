/**
 * Fills the embedded database of a new data folder with what a year of traffic leaves: receipts with their entries and hourly
 * sums, and keys. Written in bulk, as sums that agree. Prints how long it took; decides nothing.
 *
 * `node bench/grow.ts FOLDER [receipts] [keys]`: 5,000,000 and 100,000; one receipt in ten is of the first account.
 */
import { mkdirSync } from 'node:fs'
import { policyToText } from '../src/access/policy.ts'
import { bucketOf, count, type Histogram, toBytes } from '../src/base/histogram.ts'
import { firstIdAt, hourOf } from '../src/base/ids.ts'
import { defaultPolicy } from '../src/control/key-policy.ts'
import { migrate } from '../src/store/migrate.ts'
import { type Database, openForWriting, prepare } from '../src/store/sqlite/connection.ts'
import { databasePath } from '../src/store/store.ts'

const [folder = '', receiptsGiven = '5000000', keysGiven = '100000'] = process.argv.slice(2)
const receiptCount = Number(receiptsGiven)
const keyCount = Number(keysGiven)
const accountCount = 1_000
const yearMs = 365 * 86_400_000
const hourMs = 3_600_000
const cost = 20_754_000n
const credit = 1_000_000_000_000_000n
const model = 'a-model-of-some-name'
const [latencyMs, firstByteMs] = [1_400, 300]
/** Requests of one account and one hour follow each other, as a program sends them. */
const burst = 12
const shareOfFirst = 10
const statementsPerCommit = 200_000

const rates = { input: '3000000000', cacheRead: '300000000', output: '15000000000' }
const price = { rates, tiers: [], listRates: rates, listTiers: [], options: {}, fees: {} }

interface Account {
  readonly id: bigint
  readonly keys: readonly bigint[]
  readonly spent: Map<bigint, bigint>
  entries: number
  posted: bigint
}

const endMs = Math.floor(Date.now() / hourMs) * hourMs
const beginMs = endMs - yearMs
const accounts = makeAccounts()

function makeAccounts(): readonly Account[] {
  const keysEach = Math.floor(keyCount / accountCount)
  return Array.from({ length: accountCount }, (_, at) => {
    const id = firstIdAt(beginMs - hourMs) + BigInt(at * 4_096)
    const keys = Array.from({ length: keysEach }, (_, key) => id + BigInt(key + 1))
    return { id, keys, spent: new Map(), entries: 1, posted: credit }
  })
}

function writeAll(database: Database): void {
  let statements = 0
  database.exec('BEGIN')
  const inserter = (table: string, columns: readonly string[]) => {
    const statement = prepare(
      database,
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    )
    return (...values: Parameters<typeof statement.run>): void => {
      statement.run(...values)
      statements += 1
      if (statements % statementsPerCommit === 0) database.exec('COMMIT; BEGIN')
    }
  }
  writeAccounts(inserter)
  writeReceipts(inserter)
  writeUsage(inserter)
  database.exec('COMMIT')
  database.exec(`
    CREATE UNIQUE INDEX entry_source_reference ON entry (source, reference) WHERE source IS NOT NULL;
    CREATE INDEX entry_account_other ON entry (account, id) WHERE kind <> 'usage';
    INSERT INTO receipt_list SELECT account, id FROM receipt ORDER BY account, id;
    PRAGMA wal_checkpoint(TRUNCATE);
  `)
}

type Inserter = (
  table: string,
  columns: readonly string[],
) => (...values: (bigint | string | null | Uint8Array)[]) => void

function writeAccounts(inserter: Inserter): void {
  const profile = inserter('account_profile', ['id', 'kind', 'email', 'name', 'created_ms', 'credit_decided'])
  const apiKey = inserter('api_key', ['id', 'account', 'name', 'label', 'hash', 'created_ms', 'policy'])
  const entry = inserter('entry', [
    ...[
      'id',
      'account',
      'position',
      'counter',
      'kind',
      'amount',
      'balance_after',
      'source',
      'reference',
      'created_ms',
    ],
  ])
  inserter('price_version', ['id', 'model', 'effective_from_ms', 'body', 'source'])(
    1n,
    'm',
    0n,
    JSON.stringify(price),
    'bench',
  )
  const atMs = BigInt(beginMs - hourMs)
  const policy = policyToText(defaultPolicy('personal'))
  for (const [at, { id, keys }] of accounts.entries()) {
    profile(id, 'personal', `user-${at}@example.org`, `User ${at}`, atMs, 1n)
    entry(id + 4_000n, id, 1n, 'promo', 'credit', credit, credit, 'manual', `start ${at}`, atMs)
    for (const [place, key] of keys.entries()) {
      const hash = new Uint8Array(32)
      new DataView(hash.buffer).setBigUint64(0, key)
      apiKey(key, id, `Key ${place}`, `sk-tg-${at}-${place}`, hash, atMs, policy)
    }
  }
}

const receiptColumns =
  `id account key hold charged written_off price_version model format streamed ended_ms provider upstream
  upstream_model upstream_request_id status end_reason usage_source input_uncached cache_read cache_write_5m cache_write_1h
  input_audio output output_audio reasoning fees ran_at unpriced_usage upstream_cost output_limit output_lowered settled_late
  started_ms first_byte_ms attempts input_bound background`.split(/\s+/)

/** The values of those columns after the first three. */
function receiptValues(number: number, atMs: number): (bigint | string)[] {
  const [started, first, ended] = [atMs, atMs + firstByteMs, atMs + latencyMs]
  const attempt = {
    upstream: 'anthropic-1',
    status: 200,
    failure: null,
    startedMs: started,
    firstByteMs: first,
  }
  return [
    ...[187_932_000n, cost, 0n, 1n, model, 'anthropic', 1n, BigInt(ended), 'anthropic', 'anthropic-1'],
    ...[
      'a-model-of-some-name-20260101',
      `req_${number}`,
      200n,
      'complete',
      'reported',
      1_200n,
      20_480n,
      0n,
      0n,
    ],
    ...[0n, 734n, 0n, 0n, '{}', '[]', 0n, cost, 8_192n, 0n, 0n],
    ...[BigInt(started), BigInt(first), JSON.stringify([{ ...attempt, endedMs: ended }]), 'bytes', 0n],
  ]
}

function writeReceipts(inserter: Inserter): void {
  const receipt = inserter('receipt', receiptColumns)
  const entry = inserter('entry', [
    ...['id', 'account', 'position', 'counter', 'kind', 'amount', 'balance_after', 'request', 'created_ms'],
  ])
  for (let number = 0; number < receiptCount; number += 1) {
    const turn = Math.floor(number / burst)
    const account = accounts[number % shareOfFirst === 0 ? 0 : 1 + (turn % (accountCount - 1))]
    if (account === undefined) continue
    const key = account.keys[Math.floor(turn / accountCount) % account.keys.length] ?? 0n
    const atMs = beginMs + Math.floor((number / receiptCount) * yearMs)
    const id = firstIdAt(atMs) + BigInt(number % 4_096)
    receipt(id, account.id, key, ...receiptValues(number, atMs))
    account.entries += 1
    account.posted -= cost
    account.spent.set(key, (account.spent.get(key) ?? 0n) + cost)
    const ended = BigInt(atMs + latencyMs)
    entry(id, account.id, BigInt(account.entries), 'revenue', 'usage', -cost, account.posted, id, ended)
    addHour(account.id, id, key)
  }
}

const hours = new Map<string, { readonly values: readonly [bigint, number, bigint]; times: number }>()

function addHour(account: bigint, id: bigint, key: bigint): void {
  const hour = hourOf(id)
  const name = `${account} ${hour} ${key}`
  const found = hours.get(name) ?? { values: [account, hour, key] as const, times: 0 }
  found.times += 1
  hours.set(name, found)
}

function writeUsage(inserter: Inserter): void {
  const account = inserter('account', ['id', 'posted', 'entries'])
  const usage = inserter('key_usage', [
    ...[
      'key',
      'account',
      'spent',
      'day',
      'spent_before_day',
      'spent_before_week',
      'spent_before_month',
      'minute',
    ],
  ])
  const hour = inserter('usage_hour', [
    ...[
      'account',
      'hour',
      'key',
      'model',
      'requests',
      'errors',
      'write_offs',
      'rejected',
      'input_uncached',
      'cache_read',
    ],
    ...['cache_write', 'output', 'reasoning', 'charged', 'written_off', 'latency', 'first_byte'],
  ])
  for (const { id, keys, posted, entries, spent } of accounts) {
    account(id, posted, BigInt(entries))
    for (const key of keys) {
      const total = spent.get(key) ?? 0n
      usage(key, id, total, 0n, 0n, 0n, 0n, BigInt(Math.floor(endMs / 60_000)))
    }
  }
  for (const { values, times } of hours.values()) {
    const [of, at, key] = values
    const counted = BigInt(times)
    hour(
      ...[of, BigInt(at), key, model, counted, 0n, 0n, 0n, 1_200n * counted, 20_480n * counted],
      ...[
        0n,
        734n * counted,
        0n,
        cost * counted,
        0n,
        durations(latencyMs, times),
        durations(firstByteMs, times),
      ],
    )
  }
}

function durations(ms: number, times: number): Uint8Array {
  const histogram: Histogram = []
  count(histogram, bucketOf(ms), times)
  return Uint8Array.from(toBytes(histogram))
}

mkdirSync(folder, { recursive: true, mode: 0o700 })
const database = openForWriting(databasePath(folder))
migrate(database, Date.now())
database.exec('PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF')
// Made again at the end, which is much faster than at each row.
database.exec('DROP INDEX entry_source_reference; DROP INDEX entry_account_other')
const startedMs = performance.now()
writeAll(database)
process.stdout.write(
  `${receiptCount} receipts and ${keyCount} keys in ${Math.round((performance.now() - startedMs) / 1_000)} s\n`,
)
database.close()
