/**
 * Recomputes everything that the ledger says from its rows and reports each contradiction as one line.
 * Only reads, and must not import the code that it checks.
 */
import type { Database, Output } from '../../store/sqlite/connection.ts'
import { prepare } from '../../store/sqlite/connection.ts'
import type { VerifyReport } from '../types.ts'
import { paymentChecks } from './payment-checks.ts'
import { checkDurations, usageChecks } from './usage-checks.ts'

/** A query whose every row is a contradiction, and the words for it. */
export interface Check {
  readonly sql: string
  readonly tell: (row: Output[]) => string
}

/** Bounds the report: more lines than this are counted, not told. */
export function verify(database: Database, driftLinesMax: number): VerifyReport {
  const count = (table: string): number =>
    Number(prepare(database, `SELECT count(*) FROM ${table}`).row()?.[0])
  const drift: string[] = []
  let untold = 0
  const tell = (line: string): void => {
    if (drift.length < driftLinesMax) drift.push(line)
    else untold += 1
  }
  for (const { sql, tell: words } of [...checks, ...paymentChecks, ...usageChecks]) {
    for (const row of prepare(database, sql).each()) tell(words(row))
  }
  checkChains(database, tell)
  checkDurations(database, tell)
  checkIntegrity(database, tell)
  if (untold > 0) drift.push(`… and ${untold} more`)
  return {
    ok: drift.length === 0,
    accounts: count('account'),
    entries: count('entry'),
    openHolds: count('hold'),
    drift,
  }
}

const checks: readonly Check[] = [
  {
    sql: `SELECT a.id, a.posted, coalesce(e.total, 0), a.entries, coalesce(e.rows, 0) FROM account a
      LEFT JOIN (SELECT account, sum(amount) AS total, count(*) AS rows FROM entry GROUP BY account) e
        ON e.account = a.id
      WHERE a.posted <> coalesce(e.total, 0) OR a.entries <> coalesce(e.rows, 0)`,
    tell: ([id, posted, total, entries, rows]) =>
      `account ${id}: posted is ${posted} with ${entries} entries, its entries sum to ${total} and are ${rows}`,
  },
  {
    sql: `SELECT a.id, a.held, coalesce(h.total, 0), a.open_holds, coalesce(h.rows, 0), a.running, coalesce(h.running, 0)
      FROM account a
      LEFT JOIN (SELECT account, sum(amount) AS total, count(*) AS rows, sum(1 - concurrency_released) AS running FROM hold GROUP BY account) h
        ON h.account = a.id
      WHERE a.held <> coalesce(h.total, 0) OR a.open_holds <> coalesce(h.rows, 0) OR a.running <> coalesce(h.running, 0)`,
    tell: ([id, held, total, openHolds, rows, running, counted]) =>
      `account ${id}: held is ${held} in ${openHolds} holds (${running} running), its holds sum to ${total} and are ${rows} (${counted})`,
  },
  {
    sql: `SELECT k.key, k.held, coalesce(h.total, 0), k.open_holds, coalesce(h.rows, 0), k.running, coalesce(h.running, 0)
      FROM key_usage k
      LEFT JOIN (SELECT coalesce(m.shared, o.key) AS key, sum(amount) AS total, count(*) AS rows,
          sum(1 - concurrency_released) AS running FROM hold o LEFT JOIN key_usage m ON m.key = o.key GROUP BY 1) h
        ON h.key = k.key
      WHERE k.held <> coalesce(h.total, 0) OR k.open_holds <> coalesce(h.rows, 0) OR k.running <> coalesce(h.running, 0)`,
    tell: ([key, held, total, openHolds, rows, running, counted]) =>
      `key ${key}: held is ${held} in ${openHolds} holds (${running} running), its holds sum to ${total} and are ${rows} (${counted})`,
  },
  {
    sql: `SELECT k.key, k.spent, coalesce(r.total, 0) FROM key_usage k
      LEFT JOIN (SELECT coalesce(m.shared, o.key) AS key, sum(charged) AS total FROM receipt o
          LEFT JOIN key_usage m ON m.key = o.key GROUP BY 1) r ON r.key = k.key
      WHERE k.spent <> coalesce(r.total, 0)`,
    tell: ([key, spent, total]) => `key ${key}: spent is ${spent}, its receipts sum to ${total}`,
  },
  {
    sql: `SELECT k.key FROM key_usage k
      WHERE NOT (k.spent_before_day BETWEEN 0 AND k.spent AND k.spent_before_week BETWEEN 0 AND k.spent_before_day
        AND k.spent_before_month BETWEEN 0 AND k.spent_before_day)`,
    tell: ([key]) => `key ${key}: its windows contradict what it spent`,
  },
  {
    sql: `SELECT x.kind, x.id, x.key, x.account FROM (
        SELECT 'hold' AS kind, id, key, account FROM hold UNION ALL SELECT 'receipt', id, key, account FROM receipt
      ) x LEFT JOIN key_usage k ON k.key = x.key WHERE k.key IS NULL OR k.account <> x.account`,
    tell: ([kind, id, key, account]) => `${kind} ${id}: key ${key} has no usage under account ${account}`,
  },
  {
    sql: `SELECT k.key, k.spent, k.held, k.spent_max FROM key_usage k WHERE k.spent + k.held > k.spent_max`,
    tell: ([key, spent, held, max]) =>
      `key ${key}: has spent ${spent} and holds ${held}, its budget allowed ${max}`,
  },
  {
    sql: `SELECT r.id, r.charged, r.hold FROM receipt r WHERE r.charged > r.hold`,
    tell: ([id, charged, hold]) => `receipt ${id}: charges ${charged}, its hold was ${hold}`,
  },
  {
    sql: `SELECT h.id FROM hold h WHERE EXISTS (SELECT 1 FROM receipt r WHERE r.id = h.id)`,
    tell: ([id]) => `hold ${id}: is open although its request has a receipt`,
  },
  {
    sql: `SELECT r.id, r.account, r.charged + r.written_off, coalesce(-e.amount, 0) FROM receipt r
      LEFT JOIN entry e ON e.id = r.id AND e.kind = 'usage' AND e.account = r.account
      WHERE r.charged + r.written_off <> coalesce(-e.amount, 0)`,
    tell: ([id, account, told, moved]) =>
      `receipt ${id}: tells account ${account} of ${told}, its usage entry moved ${moved}`,
  },
  {
    sql: `SELECT r.id, r.written_off, coalesce(e.total, 0) FROM receipt r
      LEFT JOIN (SELECT request, sum(amount) AS total FROM entry WHERE kind = 'write_off' GROUP BY request) e
        ON e.request = r.id
      WHERE r.written_off <> coalesce(e.total, 0)`,
    tell: ([id, told, moved]) =>
      `receipt ${id}: says ${told} was written off, its entries wrote off ${moved}`,
  },
  {
    sql: `SELECT e.id, e.kind, e.request FROM entry e LEFT JOIN receipt r ON r.id = e.request AND r.account = e.account
      WHERE e.kind IN ('usage', 'write_off') AND r.id IS NULL`,
    tell: ([id, kind, request]) => `entry ${id} (${kind}): request ${request} has no receipt`,
  },
  {
    sql: `SELECT e.id, e.kind, e.counter, e.amount FROM entry e WHERE NOT CASE kind
      WHEN 'usage' THEN counter = 'revenue' AND amount < 0 AND request = id
        AND (balance_after >= 0 OR EXISTS (SELECT 1 FROM entry c WHERE c.id = CAST(e.reference AS INTEGER)
          AND c.kind = 'write_off' AND c.account = e.account AND c.request = e.id AND c.amount = -e.amount
          AND c.position = e.position - 1))
      WHEN 'write_off' THEN counter = 'write_offs' AND amount > 0 AND request IS NOT NULL
      WHEN 'credit' THEN amount > 0 AND source IS NOT NULL
        AND counter = CASE WHEN source IN ('payment', 'refund', 'dispute') THEN 'clearing' ELSE 'promo' END
      WHEN 'refund' THEN counter = 'clearing' AND amount < 0 AND source IS NOT NULL
      ELSE 0 END`,
    tell: ([id, kind, counter, amount]) => `entry ${id}: ${amount} against ${counter} is no ${kind}`,
  },
  {
    sql: `SELECT source, reference, count(*) FROM entry WHERE source IS NOT NULL GROUP BY source, reference HAVING count(*) > 1`,
    tell: ([source, reference, rows]) => `reference ${source} ${reference}: was used ${rows} times`,
  },
  {
    sql: `SELECT a.id, a.posted FROM account a WHERE a.posted < 0
      AND NOT EXISTS (SELECT 1 FROM entry e WHERE e.account = a.id AND e.kind = 'refund')`,
    tell: ([id, posted]) => `account ${id}: is at ${posted} without a refund`,
  },
  {
    sql: `SELECT a.id, a.posted, a.held FROM account a WHERE a.held > a.posted + a.overdrawn`,
    tell: ([id, posted, held]) => `account ${id}: holds ${held}, more than its ${posted}`,
  },
  {
    sql: `SELECT a.id, a.overdrawn FROM account a WHERE a.overdrawn > max(0, a.held - a.posted)
      OR a.overdrawn > 0 AND NOT EXISTS (SELECT 1 FROM entry e WHERE e.account = a.id AND e.kind = 'refund')`,
    tell: ([id, overdrawn]) =>
      `account ${id}: may hold ${overdrawn} more than it has, more than a refund took`,
  },
  {
    sql: `SELECT k.id, k.account, k.receipt FROM provider_object k LEFT JOIN receipt r ON r.id = k.receipt AND r.account = k.account
      WHERE r.id IS NULL`,
    tell: ([id, account, receipt]) => `provider object ${id}: account ${account} has no receipt ${receipt}`,
  },
  {
    sql: `SELECT x.kind, x.id, x.account FROM (
        SELECT 'entry' AS kind, id, account FROM entry UNION ALL SELECT 'receipt', id, account FROM receipt
        UNION ALL SELECT 'hold', id, account FROM hold
      ) x LEFT JOIN account a ON a.id = x.account WHERE a.id IS NULL`,
    tell: ([kind, id, account]) => `${kind} ${id}: account ${account} does not exist`,
  },
]

/** Each account's entries are numbered without gaps, and each balance is the one before it plus its amount. */
function checkChains(database: Database, tell: (line: string) => void): void {
  const rows = prepare(
    database,
    'SELECT account, position, amount, balance_after, id FROM entry ORDER BY account, position',
  )
  let account: bigint | undefined
  let position = 0n
  let balance = 0n
  for (const row of rows.each()) {
    const [rowAccount, rowPosition, amount, after, id] = row as [bigint, bigint, bigint, bigint, bigint]
    const isFirst = rowAccount !== account
    const due = (isFirst ? 0n : position) + 1n
    const expected = (isFirst ? 0n : balance) + amount
    if (rowPosition !== due) {
      tell(`entry ${id}: is number ${rowPosition} of account ${rowAccount}, number ${due} is due`)
    } else if (after !== expected) {
      tell(`entry ${id}: leaves account ${rowAccount} at ${after}, its amount leaves it at ${expected}`)
    }
    account = rowAccount
    position = rowPosition
    balance = after
  }
}

/** What should stand guard over the rows is there, and the file itself is sound. */
function checkIntegrity(database: Database, tell: (line: string) => void): void {
  const triggers = prepare(database, "SELECT name FROM sqlite_schema WHERE type = 'trigger'")
    .rows()
    .map(([name]) => name)
  for (const name of guards) if (!triggers.includes(name)) tell(`trigger ${name}: is missing`)
  for (const [problem] of prepare(database, 'PRAGMA quick_check(20)').rows()) {
    if (problem !== 'ok') tell(`file: ${problem}`)
  }
}

const guards = ['entry_no_update', 'entry_no_delete', 'receipt_no_update', 'receipt_no_delete'] as const
