/**
 * Opens one connection to an embedded database with measured settings, and
 * prepares statements on it. Knows no table. Only this folder names `node:sqlite`.
 */
import { closeSync, openSync, statSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite'
import { pathToFileURL } from 'node:url'

export type Input = SQLInputValue
export type Output = SQLOutputValue

/** The synchronous database connection that this program uses; `DatabaseSync` is one. */
export interface Database {
  prepare(sql: string): PreparedStatement
  exec(sql: string): void
  readonly isTransaction: boolean
  close(): void
}

export interface PreparedStatement {
  get(...values: Input[]): unknown
  all(...values: Input[]): unknown[]
  iterate(...values: Input[]): Iterable<unknown>
  run(...values: Input[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint }
  setReturnArrays(isOn: boolean): void
  setReadBigInts(isOn: boolean): void
  /** Empty: it returns no rows. */
  columns(): readonly unknown[]
}

/** The first SQLite whose write-ahead log cannot be corrupted by a reset under a reader. */
const versionMin = [3, 51, 3] as const
/** Pages in the log before they are moved into the file: 32 MB, so that moving is rare. */
const walPagesMax = 8_000
/** In KiB (negative, as SQLite wants it): 8 MB of pages per connection. The system caches the file as well. */
const cacheSize = -8_192
/** How long a connection waits for another one's lock; only opening and recovery ever meet one. */
const lockWaitMs = 1_000

/** Throws with a sentence for the operator when the SQLite in this Node is too old to be trusted. */
function assertVersion(database: Database): void {
  const { version } = database.prepare('SELECT sqlite_version() AS version').get() as { version: string }
  const parts = version.split('.').map(Number)
  for (const [place, least] of versionMin.entries()) {
    const part = parts[place] ?? 0
    if (part > least) return
    if (part < least) {
      throw new Error(`SQLite ${version} is too old: at least ${versionMin.join('.')} is needed (Node 24.15)`)
    }
  }
}

/** Opens the connection that writes: durable at every commit unless a batch turns that off. */
export function openForWriting(path: string): DatabaseSync {
  createPrivately(path)
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout: lockWaitMs })
  assertVersion(database)
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA wal_autocheckpoint = ${walPagesMax};
    PRAGMA cache_size = ${cacheSize};
    PRAGMA temp_store = MEMORY;
  `)
  return database
}

/** A connection that cannot write; sees what was committed when its statement began. */
export function openForReading(path: string): Database {
  return forReading(new DatabaseSync(path, { readOnly: true, timeout: lockWaitMs }))
}

/**
 * The same without creating or changing a file next to the database. The caller has made sure that no process writes:
 * without a log to read, the file is taken as one that does not change, and no lock is held on it.
 */
export function openWithoutWriting(path: string): Database {
  const url = pathToFileURL(path)
  const logBytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  url.search = logBytes === 0 ? 'immutable=1' : 'readonly_shm=1'
  return forReading(new DatabaseSync(url, { readOnly: true, timeout: lockWaitMs }))
}

function forReading(database: Database): Database {
  // Sorting in memory: a full disk must not prevent reads.
  database.exec(`PRAGMA cache_size = ${cacheSize}; PRAGMA query_only = ON; PRAGMA temp_store = MEMORY;`)
  return database
}

/**
 * Creates the file for its owner alone, unless it is there. Never opens an existing one: closing any
 * descriptor of a file gives up the locks that SQLite holds on it in this process.
 */
export function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** A prepared statement whose rows are arrays and whose integers are bigint. */
export interface Statement {
  row(...values: Input[]): Output[] | undefined
  rows(...values: Input[]): Output[][]
  each(...values: Input[]): Iterable<Output[]>
  /** How many rows it changed. */
  run(...values: Input[]): number
}

/** Prepares for a hot path: no names are made for columns, nothing above 2^53 is lost. */
export function prepare(database: Database, sql: string): Statement {
  const statement = database.prepare(sql)
  statement.setReadBigInts(true)
  statement.setReturnArrays(true)
  return {
    row: (...values) => statement.get(...values) as Output[] | undefined,
    rows: (...values) => statement.all(...values) as Output[][],
    each: (...values) => statement.iterate(...values) as Iterable<Output[]>,
    run: (...values) => Number(statement.run(...values).changes),
  }
}
