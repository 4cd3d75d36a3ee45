/**
 * Hourly sums and refusals, written with each settlement. A request belongs to the hour in which it began, which its
 * id tells, so that a range of time is a range of ids.
 */
import { bucketOf, count, type Histogram, toBytes } from '../../base/histogram.ts'
import { hourOf } from '../../base/ids.ts'
import { type Database, type Output, prepare } from '../sqlite/connection.ts'
import type { Migration } from './migration.ts'

const usageHour = `
CREATE TABLE usage_hour (
  account INTEGER NOT NULL,
  -- Hours since 1970.
  hour INTEGER NOT NULL,
  key INTEGER NOT NULL,
  -- '' for what was refused before its model was known to be one.
  model TEXT NOT NULL,
  requests INTEGER NOT NULL CHECK (requests >= 0),
  -- Of these, those that did not end complete, and those through which the house lost something.
  errors INTEGER NOT NULL CHECK (errors BETWEEN 0 AND requests),
  lossy INTEGER NOT NULL CHECK (lossy BETWEEN 0 AND requests),
  refused INTEGER NOT NULL CHECK (refused >= 0),
  -- Audio counts with the tokens of its direction.
  input_uncached INTEGER NOT NULL,
  cache_read INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  output INTEGER NOT NULL,
  reasoning INTEGER NOT NULL,
  charged INTEGER NOT NULL CHECK (charged >= 0),
  absorbed INTEGER NOT NULL CHECK (absorbed >= 0),
  -- How many requests took how long, as base/histogram.ts writes it; interrupted ones are left out of the first.
  latency BLOB NOT NULL,
  first_byte BLOB NOT NULL,
  PRIMARY KEY (account, hour, key, model)
) STRICT, WITHOUT ROWID`

const refusalHour = `
CREATE TABLE refusal_hour (
  account INTEGER NOT NULL,
  hour INTEGER NOT NULL,
  key INTEGER NOT NULL,
  -- Of the error table.
  code TEXT NOT NULL,
  count INTEGER NOT NULL CHECK (count > 0),
  PRIMARY KEY (account, hour, key, code)
) STRICT, WITHOUT ROWID`

/** Only the latest of each key are kept. */
const refusal = `
CREATE TABLE refusal (
  key INTEGER NOT NULL,
  -- The request's.
  id INTEGER NOT NULL,
  account INTEGER NOT NULL,
  code TEXT NOT NULL,
  status INTEGER NOT NULL,
  model TEXT,
  message TEXT NOT NULL,
  PRIMARY KEY (key, id)
) STRICT, WITHOUT ROWID`

interface Sum {
  readonly counts: number[]
  readonly amounts: [charged: bigint, absorbed: bigint]
  readonly latency: Histogram
  readonly firstByte: Histogram
}

/** Sums the receipts that are there already; those of one account and hour stand together in the index. */
function fillFromReceipts(database: Database): void {
  const receipts = prepare(
    database,
    `SELECT account, id, key, model, end_reason <> 'complete', absorbed > 0, input_uncached + input_audio, cache_read,
      cache_write_5m + cache_write_1h, output + output_audio, reasoning, charged, absorbed,
      CASE WHEN end_reason = 'interrupted' THEN NULL ELSE max(0, ended_ms - started_ms) END,
      max(0, first_byte_ms - started_ms) FROM receipt ORDER BY account, id`,
  )
  const insert = prepare(
    database,
    'INSERT INTO usage_hour VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const sums = new Map<string, { readonly key: bigint; readonly model: string; readonly sum: Sum }>()
  let [account, hour] = [0n, 0]
  const write = (): void => {
    for (const { key, model, sum } of sums.values()) {
      const histograms = [toBytes(sum.latency), toBytes(sum.firstByte)] as const
      insert.run(account, BigInt(hour), key, model, ...sum.counts.map(BigInt), ...sum.amounts, ...histograms)
    }
    sums.clear()
  }
  for (const row of receipts.each()) {
    const [rowAccount, id, key, model] = row as [bigint, bigint, bigint, string]
    if (rowAccount !== account || hourOf(id) !== hour) {
      write()
      account = rowAccount
      hour = hourOf(id)
    }
    const name = `${key} ${model}`
    const found = sums.get(name) ?? { key, model, sum: noSum() }
    sums.set(name, found)
    addReceipt(found.sum, row.slice(4))
  }
  write()
}

/** Counts: requests, errors, lossy, then the five classes of tokens. */
const noSum = (): Sum => ({ counts: Array(8).fill(0), amounts: [0n, 0n], latency: [], firstByte: [] })

function addReceipt({ counts, amounts, latency, firstByte }: Sum, row: readonly Output[]): void {
  for (const [place, value] of [1, ...row.slice(0, 7)].entries())
    counts[place] = (counts[place] ?? 0) + Number(value)
  amounts[0] += row[7] as bigint
  amounts[1] += row[8] as bigint
  if (typeof row[9] === 'bigint') count(latency, bucketOf(Number(row[9])))
  if (typeof row[10] === 'bigint') count(firstByte, bucketOf(Number(row[10])))
}

export const usage: Migration = {
  number: 4,
  name: 'usage',
  sqlite: [
    usageHour,
    // For what the house bore, over all accounts.
    'CREATE INDEX usage_hour_lossy ON usage_hour (hour, account) WHERE lossy > 0',
    // For what one key did, whoever pays for it; a row's place in it never changes.
    'CREATE INDEX usage_hour_key ON usage_hour (key, hour)',
    refusalHour,
    refusal,
    'CREATE INDEX refusal_account ON refusal (account, id)',
  ],
  fill: fillFromReceipts,
}
