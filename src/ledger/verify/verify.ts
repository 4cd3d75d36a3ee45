/**
 * Recomputes the ledger's sums from its rows and reports each contradiction as one line. Only reads, and must not import the code
 * that it checks.
 */
import { integer, rowOf } from '../../store/sqlite/columns.ts'
import { type Database, prepare } from '../../store/sqlite/connection.ts'
import { prepareRows } from '../../store/sqlite/row-statement.ts'
import type { VerifyReport } from '../types.ts'
import { chargeChecks } from './charge-checks.ts'
import { type Check, check } from './check.ts'
import { keptFrom, keptFromHour, receiptsFrom, removedHours } from './kept-receipts.ts'
import { paymentChecks } from './payment-checks.ts'
import { checkDurations, usageChecks } from './usage-checks.ts'

/** Reports at most `driftLinesMax` lines, and how many more there are. */
export function verify(database: Database, driftLinesMax: number): VerifyReport {
  const count = (table: string): number =>
    Number(prepare(database, `SELECT count(*) FROM ${table}`).row()?.[0])
  const drift: string[] = []
  let omitted = 0
  const report = (line: string): void => {
    if (drift.length < driftLinesMax) drift.push(line)
    else omitted += 1
  }
  for (const { lines } of [...checks, chargeChecks, ...paymentChecks, ...usageChecks]) {
    for (const line of lines(database)) report(line)
  }
  checkChains(database, report)
  checkDurations(database, report)
  checkIntegrity(database, report)
  if (omitted > 0) drift.push(`… and ${omitted} more`)
  return {
    ok: drift.length === 0,
    accounts: count('account'),
    entries: count('entry'),
    openHolds: count('hold'),
    drift,
    receiptsFrom: receiptsFrom(prepare(database, `SELECT ${keptFrom}`).row()?.[0]),
  }
}

const checks: readonly Check[] = [
  check(
    {
      id: 'a.id',
      posted: 'a.posted',
      total: 'coalesce(e.total, 0)',
      entries: 'a.entries',
      rows: 'coalesce(e.rows, 0)',
    },
    `FROM account a
      LEFT JOIN (SELECT account, sum(amount) AS total, count(*) AS rows FROM entry GROUP BY account) e
        ON e.account = a.id
      WHERE a.posted <> coalesce(e.total, 0) OR a.entries <> coalesce(e.rows, 0)`,
    ({ id, posted, total, entries, rows }) =>
      `account ${id}: posted is ${posted} with ${entries} entries, its entries sum to ${total} and are ${rows}`,
  ),
  check(
    {
      id: 'a.id',
      held: 'a.held',
      total: 'coalesce(h.total, 0)',
      openHolds: 'a.open_holds',
      rows: 'coalesce(h.rows, 0)',
      running: 'a.running',
      counted: 'coalesce(h.running, 0)',
    },
    `FROM account a
      LEFT JOIN (SELECT account, sum(amount) AS total, count(*) AS rows, sum(1 - concurrency_released) AS running FROM hold GROUP BY account) h
        ON h.account = a.id
      WHERE a.held <> coalesce(h.total, 0) OR a.open_holds <> coalesce(h.rows, 0) OR a.running <> coalesce(h.running, 0)`,
    ({ id, held, total, openHolds, rows, running, counted }) =>
      `account ${id}: held is ${held} in ${openHolds} holds (${running} running), its holds sum to ${total} and are ${rows} (${counted})`,
  ),
  check(
    {
      key: 'k.key',
      held: 'k.held',
      total: 'coalesce(h.total, 0)',
      openHolds: 'k.open_holds',
      rows: 'coalesce(h.rows, 0)',
      running: 'k.running',
      counted: 'coalesce(h.running, 0)',
    },
    `FROM key_usage k
      LEFT JOIN (SELECT coalesce(m.shared, o.key) AS key, sum(amount) AS total, count(*) AS rows,
          sum(1 - concurrency_released) AS running FROM hold o LEFT JOIN key_usage m ON m.key = o.key GROUP BY 1) h
        ON h.key = k.key
      WHERE k.held <> coalesce(h.total, 0) OR k.open_holds <> coalesce(h.rows, 0) OR k.running <> coalesce(h.running, 0)`,
    ({ key, held, total, openHolds, rows, running, counted }) =>
      `key ${key}: held is ${held} in ${openHolds} holds (${running} running), its holds sum to ${total} and are ${rows} (${counted})`,
  ),
  check(
    { key: 'k.key', spent: 'k.spent', total: 'coalesce(r.total, 0)' },
    `FROM key_usage k
      LEFT JOIN (SELECT coalesce(m.shared, o.key) AS key, sum(charged) AS total FROM (
            SELECT key, charged FROM receipt WHERE id >= ${keptFrom} UNION ALL
            SELECT key, charged FROM usage_hour WHERE hour < ${keptFromHour}) o
          LEFT JOIN key_usage m ON m.key = o.key GROUP BY 1) r ON r.key = k.key
      WHERE k.spent <> coalesce(r.total, 0)`,
    ({ key, spent, total }) => `key ${key}: spent is ${spent}, its receipts and older hours sum to ${total}`,
  ),
  check(
    { id: 'account', hour: 'hour', stated: 'stated', moved: 'moved' },
    removedHours,
    ({ id, hour, stated, moved }) =>
      `usage of account ${id}, hour ${hour}: states ${stated}, its usage entries moved ${moved}`,
  ),
  check(
    { key: 'k.key' },
    `FROM key_usage k
      WHERE NOT (k.spent_before_day BETWEEN 0 AND k.spent AND k.spent_before_week BETWEEN 0 AND k.spent_before_day
        AND k.spent_before_month BETWEEN 0 AND k.spent_before_day)`,
    ({ key }) => `key ${key}: its budget windows contradict its spend`,
  ),
  check(
    { kind: 'x.kind', id: 'x.id', key: 'x.key', account: 'x.account' },
    `FROM (
        SELECT 'hold' AS kind, id, key, account FROM hold UNION ALL SELECT 'receipt', id, key, account FROM receipt
      ) x LEFT JOIN key_usage k ON k.key = x.key WHERE k.key IS NULL OR k.account <> x.account`,
    ({ kind, id, key, account }) => `${kind} ${id}: key ${key} has no usage under account ${account}`,
  ),
  check(
    { key: 'k.key', spent: 'k.spent', held: 'k.held', max: 'k.spent_max' },
    `FROM key_usage k WHERE k.spent + k.held > k.spent_max`,
    ({ key, spent, held, max }) =>
      `key ${key}: has spent ${spent} and holds ${held}, its budget allowed ${max}`,
  ),
  check(
    { id: 'r.id', charged: 'r.charged', hold: 'r.hold' },
    `FROM receipt r WHERE r.charged > r.hold`,
    ({ id, charged, hold }) => `receipt ${id}: charges ${charged}, its hold was ${hold}`,
  ),
  check(
    { id: 'h.id' },
    `FROM hold h WHERE EXISTS (SELECT 1 FROM receipt r WHERE r.id = h.id)`,
    ({ id }) => `hold ${id}: is open although its request has a receipt`,
  ),
  check(
    {
      id: 'r.id',
      account: 'r.account',
      stated: 'r.charged + r.written_off',
      moved: 'coalesce(-e.amount, 0)',
    },
    `FROM receipt r
      LEFT JOIN entry e ON e.id = r.id AND e.kind = 'usage' AND e.account = r.account
      WHERE r.charged + r.written_off <> coalesce(-e.amount, 0)`,
    ({ id, account, stated, moved }) =>
      `receipt ${id}: states ${stated} to account ${account}, its usage entry moved ${moved}`,
  ),
  check(
    { id: 'r.id', stated: 'r.written_off', moved: 'coalesce(e.total, 0)' },
    `FROM receipt r
      LEFT JOIN (SELECT request, sum(amount) AS total FROM entry WHERE kind = 'write_off' GROUP BY request) e
        ON e.request = r.id
      WHERE r.written_off <> coalesce(e.total, 0)`,
    ({ id, stated, moved }) => `receipt ${id}: states ${stated} written off, its entries wrote off ${moved}`,
  ),
  check(
    { id: 'e.id', kind: 'e.kind', request: 'e.request' },
    `FROM entry e LEFT JOIN receipt r ON r.id = e.request AND r.account = e.account
      WHERE e.kind IN ('usage', 'write_off') AND r.id IS NULL AND e.request >= ${keptFrom}`,
    ({ id, kind, request }) => `entry ${id} (${kind}): request ${request} has no receipt`,
  ),
  check(
    { id: 'e.id', kind: 'e.kind', counter: 'e.counter', amount: 'e.amount' },
    `FROM entry e WHERE NOT CASE kind
      WHEN 'usage' THEN counter = 'revenue' AND amount < 0 AND request = id
        AND (balance_after >= 0 OR EXISTS (SELECT 1 FROM entry c WHERE c.id = CAST(e.reference AS INTEGER)
          AND c.kind = 'write_off' AND c.account = e.account AND c.request = e.id AND c.amount = -e.amount
          AND c.position = e.position - 1))
      WHEN 'write_off' THEN counter = 'write_offs' AND amount > 0 AND request IS NOT NULL
      WHEN 'credit' THEN amount > 0 AND source IS NOT NULL
        AND counter = CASE WHEN source IN ('payment', 'refund', 'dispute') THEN 'clearing' ELSE 'promo' END
      WHEN 'refund' THEN counter = 'clearing' AND amount < 0 AND source IS NOT NULL
      ELSE 0 END`,
    ({ id, kind, counter, amount }) => `entry ${id}: ${amount} against ${counter} is no ${kind}`,
  ),
  check(
    { source: 'source', reference: 'reference', rows: 'count(*)' },
    `FROM entry WHERE source IS NOT NULL GROUP BY source, reference HAVING count(*) > 1`,
    ({ source, reference, rows }) => `reference ${source} ${reference}: was used ${rows} times`,
  ),
  check(
    { id: 'a.id', posted: 'a.posted' },
    `FROM account a WHERE a.posted < 0 AND a.id NOT IN (SELECT account FROM entry WHERE kind = 'refund')`,
    ({ id, posted }) => `account ${id}: is at ${posted} without a refund`,
  ),
  check(
    { id: 'a.id', posted: 'a.posted', held: 'a.held' },
    `FROM account a WHERE a.held > a.posted + a.overdrawn`,
    ({ id, posted, held }) => `account ${id}: holds ${held}, more than its ${posted}`,
  ),
  check(
    { id: 'a.id', overdrawn: 'a.overdrawn' },
    `FROM account a WHERE a.overdrawn > max(0, a.held - a.posted)
      OR a.overdrawn > 0 AND NOT EXISTS (SELECT 1 FROM entry e WHERE e.account = a.id AND e.kind = 'refund')`,
    ({ id, overdrawn }) => `account ${id}: may hold ${overdrawn} more than it has, more than a refund took`,
  ),
  check(
    { id: 'k.id', account: 'k.account', receipt: 'k.receipt' },
    `FROM provider_object k LEFT JOIN receipt r ON r.id = k.receipt AND r.account = k.account
      WHERE r.id IS NULL AND k.receipt >= ${keptFrom}`,
    ({ id, account, receipt }) => `provider object ${id}: account ${account} has no receipt ${receipt}`,
  ),
  check(
    { id: 'r.id', account: 'r.account' },
    'FROM receipt r LEFT JOIN receipt_list l ON l.account = r.account AND l.id = r.id WHERE l.id IS NULL',
    ({ id, account }) => `receipt ${id}: is missing from the list of account ${account}`,
  ),
  check(
    { id: 'l.id', account: 'l.account' },
    `FROM receipt_list l LEFT JOIN receipt r ON r.id = l.id AND r.account = l.account
      WHERE r.id IS NULL AND l.id >= ${keptFrom}`,
    ({ id, account }) => `receipt ${id}: is in the list of account ${account}, which has no such receipt`,
  ),
  check(
    { kind: 'x.kind', id: 'x.id', account: 'x.account' },
    `FROM (
        SELECT 'entry' AS kind, id, account FROM entry UNION ALL SELECT 'receipt', id, account FROM receipt
        UNION ALL SELECT 'hold', id, account FROM hold UNION ALL SELECT 'profile', id, id FROM account_profile
      ) x LEFT JOIN account a ON a.id = x.account WHERE a.id IS NULL`,
    ({ kind, id, account }) => `${kind} ${id}: account ${account} does not exist`,
  ),
  check(
    { id: 'a.id' },
    'FROM account a LEFT JOIN account_profile p ON p.id = a.id WHERE p.id IS NULL',
    ({ id }) => `account ${id}: has no profile`,
  ),
]

const chainRow = rowOf({
  id: integer('id'),
  account: integer('account'),
  position: integer('position'),
  amount: integer('amount'),
  balanceAfter: integer('balance_after'),
})

/** Each account's entries are numbered without gaps, and each balance is the one before it plus its amount. */
function checkChains(database: Database, report: (line: string) => void): void {
  const rows = prepareRows(
    database,
    chainRow,
    `SELECT ${chainRow.names} FROM entry ORDER BY account, position`,
  )
  let account: bigint | undefined
  let position = 0n
  let balance = 0n
  for (const entry of rows.each()) {
    const isFirst = entry.account !== account
    const due = (isFirst ? 0n : position) + 1n
    const expected = (isFirst ? 0n : balance) + entry.amount
    if (entry.position !== due) {
      report(
        `entry ${entry.id}: is number ${entry.position} of account ${entry.account}, number ${due} is due`,
      )
    } else if (entry.balanceAfter !== expected) {
      report(
        `entry ${entry.id}: leaves account ${entry.account} at ${entry.balanceAfter}, its amount leaves it at ${expected}`,
      )
    }
    account = entry.account
    position = entry.position
    balance = entry.balanceAfter
  }
}

/** The triggers that protect the rows exist, and the file itself is intact. */
function checkIntegrity(database: Database, report: (line: string) => void): void {
  const triggers = prepare(database, "SELECT name FROM sqlite_schema WHERE type = 'trigger'")
    .rows()
    .map(([name]) => name)
  for (const name of guards) if (!triggers.includes(name)) report(`trigger ${name}: is missing`)
  for (const [problem] of prepare(database, 'PRAGMA quick_check(20)').rows()) {
    if (problem !== 'ok') report(`file: ${problem}`)
  }
}

const guards = ['entry_no_update', 'entry_no_delete', 'receipt_no_update', 'receipt_no_delete'] as const
