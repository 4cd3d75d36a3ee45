/**
 * The tables that are written behind as a connection that reads has to see them: with the rows that are still in the journal.
 * The connection has views with the names of the tables, so that no statement has to know of the journal.
 */
import { assert } from '../../base/assert.ts'
import { type Database, type Output, prepare, type Statement } from './connection.ts'
import { readRecord } from './journal-codec.ts'
import { type JournaledName, journaledTables, journalTable } from './journaled-tables.ts'

/** The numbers of the first and the last record. */
interface Ends {
  readonly first: Output | null
  readonly last: Output | null
}

/** No record has this number or a higher one. */
const afterAll = 2n ** 63n - 1n

const nothing: Ends = { first: null, last: null }

export interface JournalOverlay {
  /** To be called at the beginning of each transaction: takes what the journal has in its state of the database. */
  refresh(): void
  /** The transaction was rolled back, and with it what `refresh` took. */
  reset(): void
}

/** Makes the views, on which the connection's other statements are to be prepared afterwards. */
export function overlayJournal(database: Database): JournalOverlay {
  // `query_only` would also prevent changes to temporary tables; the connection cannot write to the database in any case.
  database.exec('PRAGMA query_only = OFF')
  const names = Object.keys(journaledTables) as JournaledName[]
  const tables = new Map<string, OverlayTable>(names.map((name) => [name, overlayTable(database, name)]))
  database.exec(receiptsByAccount)
  const ends = prepare(
    database,
    `SELECT (SELECT min(seq) FROM ${journalTable}), (SELECT max(seq) FROM ${journalTable})`,
  )
  const next = prepare(database, `SELECT seq, rows FROM ${journalTable} WHERE seq > ? ORDER BY seq`)
  let known: Ends = nothing

  /** Forgets rows of removed records: the tables have them, unless a later record does. */
  function forgetBefore(first: Output): void {
    for (const table of tables.values()) table.forgetBefore.run(first)
  }

  return {
    refresh() {
      const [first = null, last = null] = ends.row() ?? []
      if (first === known.first && last === known.last) return
      if (first !== known.first) forgetBefore(first ?? afterAll)
      for (const [seq = null, record] of next.rows(known.last ?? 0n)) {
        for (const { table, columns, rows } of readRecord(record as Uint8Array))
          for (const row of rows) putOf(tables.get(table), columns).run(seq, ...row)
      }
      known = { first, last }
    },
    reset() {
      forgetBefore(afterAll)
      known = nothing
    },
  }
}

const listedIn = (list: string): string =>
  `SELECT l.account, l.id, r.* FROM ${list} l CROSS JOIN main.receipt r ON r.id = l.id`

/** Whether the table does not have a row of the journal yet. */
const isMissing = (name: JournaledName, row: string): string => {
  const isSame = journaledTables[name].key.map((column) => `m.${column} = ${row}.${column}`)
  return `NOT EXISTS (SELECT 1 FROM main.${name} m WHERE ${isSame.join(' AND ')})`
}

/** The view of the schema, as one whose two parts are each in the order of the list. */
const receiptsByAccount = `CREATE TEMP VIEW receipt_by_account AS
  ${listedIn('main.receipt_list')}
  UNION ALL ${listedIn('temp.receipt_list_journaled')} WHERE ${isMissing('receipt_list', 'l')}`

interface OverlayTable {
  put: Statement | null
  readonly insert: (columns: readonly string[]) => Statement
  /** Removes the rows of the records before this one. */
  readonly forgetBefore: Statement
}

function putOf(table: OverlayTable | undefined, columns: readonly string[]): Statement {
  assert(table !== undefined, 'the journal has rows of these tables')
  table.put ??= table.insert(columns)
  return table.put
}

function overlayTable(database: Database, name: JournaledName): OverlayTable {
  const { key, current, isList } = journaledTables[name]
  const columns = prepare(database, `SELECT name, type FROM pragma_table_info('${name}', 'main')`).rows()
  const journaled = `${name}_journaled`
  const isSame = key.map((column) => `j.${column} = m.${column}`).join(' AND ')
  // The indexes of the table serve the columns that are taken from it alone.
  const stored = new Set<unknown>([...key, ...current])
  const valid = columns.map(([column]) =>
    stored.has(column)
      ? `m.${column} AS ${column}`
      : `CASE WHEN j.${key[0]} IS NULL THEN m.${column} ELSE j.${column} END AS ${column}`,
  )
  database.exec(`
    CREATE TEMP TABLE ${journaled}
      (${columns.map(([column, type]) => `${column} ${type}, `).join('')}journal_seq INTEGER, PRIMARY KEY (${key.join(', ')})) WITHOUT ROWID;
    CREATE TEMP VIEW ${name} AS ${
      isList
        ? `SELECT * FROM main.${name} UNION ALL
            SELECT ${key.join(', ')} FROM temp.${journaled} j WHERE ${isMissing(name, 'j')}`
        : `SELECT ${valid.join(', ')} FROM main.${name} m LEFT JOIN temp.${journaled} j ON ${isSame}`
    };`)
  return {
    put: null,
    insert: (given) =>
      prepare(
        database,
        `INSERT OR REPLACE INTO temp.${journaled} (journal_seq, ${given.join(', ')})
          VALUES (?, ${given.map(() => '?').join(', ')})`,
      ),
    forgetBefore: prepare(database, `DELETE FROM temp.${journaled} WHERE journal_seq < ?`),
  }
}
