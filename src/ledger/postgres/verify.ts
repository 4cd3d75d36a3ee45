/**
 * Recomputes the sums of the ledger on PostgreSQL from its rows and reports each contradiction as one line. Only reads, and
 * must not import the code that it checks.
 */
import type { VerifyReport } from '../types.ts'
import { keptFrom, keptFromHour, receiptsFrom, removedHours } from '../verify/kept-receipts.ts'
import type { Query } from './query.ts'

interface Check {
  readonly name: string
  /** Each row is a contradiction: an ID, what is stated, what the rows say. */
  readonly text: string
}

const holdsBy = (column: string, from: string): string =>
  `SELECT ${column} AS id, sum(amount) AS total, count(*) AS rows, sum(1 - concurrency_released) AS running FROM ${from} GROUP BY 1`

const checks: readonly Check[] = [
  {
    name: 'posted of account',
    text: `SELECT a.id, a.posted::text || ' in ' || a.entries, coalesce(e.total, 0)::text || ' in ' || coalesce(e.rows, 0)
      FROM account a LEFT JOIN (SELECT account, sum(amount) AS total, count(*) AS rows FROM entry GROUP BY 1) e
        ON e.account = a.id
      WHERE a.posted <> coalesce(e.total, 0) OR a.entries <> coalesce(e.rows, 0)`,
  },
  {
    name: 'holds of account',
    text: `SELECT a.id, concat_ws(' ', a.held, a.open_holds, a.running), concat_ws(' ', h.total, h.rows, h.running)
      FROM account a LEFT JOIN (${holdsBy('account', 'hold')}) h ON h.id = a.id
      WHERE (a.held, a.open_holds, a.running) <> (coalesce(h.total, 0), coalesce(h.rows, 0), coalesce(h.running, 0))`,
  },
  {
    name: 'holds of key',
    text: `SELECT k.key, concat_ws(' ', k.held, k.open_holds, k.running), concat_ws(' ', h.total, h.rows, h.running)
      FROM key_usage k LEFT JOIN (${holdsBy('coalesce(m.shared, o.key)', 'hold o LEFT JOIN (SELECT key, shared FROM key_usage) m ON m.key = o.key')}) h
        ON h.id = k.key
      WHERE (k.held, k.open_holds, k.running) <> (coalesce(h.total, 0), coalesce(h.rows, 0), coalesce(h.running, 0))`,
  },
  {
    name: 'spent of key',
    text: `SELECT k.key, k.spent::text, coalesce(r.total, 0)::text
      FROM key_usage k LEFT JOIN (SELECT coalesce(m.shared, o.key) AS key, sum(charged) AS total
        FROM (SELECT key, charged FROM receipt WHERE id >= ${keptFrom} UNION ALL
          SELECT key, charged FROM usage_hour WHERE hour < ${keptFromHour}) o LEFT JOIN key_usage m ON m.key = o.key GROUP BY 1) r ON r.key = k.key
      WHERE k.spent <> coalesce(r.total, 0)`,
  },
  {
    name: 'hours before the receipts',
    text: `SELECT account, hour || ': ' || stated, moved::text ${removedHours}`,
  },
  {
    name: 'hold with a receipt',
    text: "SELECT h.id, 'open', 'settled' FROM hold h JOIN receipt r ON r.account = h.account AND r.id = h.id",
  },
  {
    name: 'usage of receipt',
    text: `SELECT r.id, (r.charged + r.written_off)::text, coalesce(-e.amount, 0)::text
      FROM receipt r LEFT JOIN entry e ON e.account = r.account AND e.id = r.id AND e.kind = 'usage'
      WHERE r.charged + r.written_off <> coalesce(-e.amount, 0)`,
  },
  {
    name: 'write-off of receipt',
    text: `SELECT r.id, r.written_off::text, coalesce(e.total, 0)::text
      FROM receipt r LEFT JOIN (SELECT request, sum(amount) AS total FROM entry WHERE kind = 'write_off' GROUP BY 1) e
        ON e.request = r.id
      WHERE r.written_off <> coalesce(e.total, 0)`,
  },
  {
    name: 'receipt of entry',
    text: `SELECT e.id, e.kind, 'none' FROM entry e LEFT JOIN receipt r ON r.account = e.account AND r.id = e.request
      WHERE e.kind IN ('usage', 'write_off') AND r.id IS NULL AND e.request >= ${keptFrom}`,
  },
  {
    name: 'balance after entry',
    text: `SELECT id, position || ': ' || balance_after, place || ': ' || balance FROM (
        SELECT id, position, balance_after, row_number() OVER chain AS place, sum(amount) OVER chain AS balance
          FROM entry WINDOW chain AS (PARTITION BY account ORDER BY position)) e
      WHERE position <> place OR balance_after <> balance`,
  },
  {
    name: 'reference of credit',
    text: `SELECT e.id, e.source || ' ' || e.reference, coalesce(c.entry::text, 'none')
      FROM entry e LEFT JOIN credit_reference c ON c.name = e.source || ' ' || e.reference AND c.account = e.account
      WHERE e.kind = 'credit' AND (c.entry IS DISTINCT FROM e.id OR c.amount <> e.amount)`,
  },
  {
    name: 'profile of account',
    text: `SELECT a.id, 'an account', 'no profile' FROM account a LEFT JOIN account_profile p ON p.id = a.id WHERE p.id IS NULL`,
  },
  {
    name: 'account of rows',
    text: `SELECT x.id, x.kind, 'no account' FROM (
        SELECT id, 'hold' AS kind, account FROM hold UNION ALL SELECT id, 'entry', account FROM entry
        UNION ALL SELECT id, 'receipt', account FROM receipt UNION ALL SELECT key, 'key', account FROM key_usage
        UNION ALL SELECT id, 'profile', id FROM account_profile) x
      LEFT JOIN account a ON a.id = x.account WHERE a.id IS NULL`,
  },
]

/** Reports at most `driftLinesMax` lines, and how many more there are. */
export async function verifyRows(query: Query, driftLinesMax: number): Promise<VerifyReport> {
  const found: string[] = []
  for (const { name, text } of checks) {
    const rows = await query(`verify ${name}`, text)
    found.push(...rows.map(([id, stated, counted]) => `${name} ${id}: ${stated}, its rows say ${counted}`))
  }
  const drift = found.slice(0, driftLinesMax)
  if (found.length > drift.length) drift.push(`… and ${found.length - drift.length} more`)
  const count = async (table: string): Promise<number> =>
    Number((await query(`count ${table}`, `SELECT count(*) FROM ${table}`))[0]?.[0])
  return {
    ok: drift.length === 0,
    accounts: await count('account'),
    entries: await count('entry'),
    openHolds: await count('hold'),
    drift,
    receiptsFrom: receiptsFrom((await query('kept from', `SELECT ${keptFrom}`))[0]?.[0]),
  }
}
