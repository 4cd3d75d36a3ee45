/**
 * Copies tables of an embedded database into those of the same names on PostgreSQL, in pieces of bounded size, and compares
 * what arrived. The caller has a transaction open on both sides. Knows no table.
 */
import { assert } from '../base/assert.ts'
import { arrayOf, type ColumnType } from './postgres/arrays.ts'
import type { PostgresConnection } from './postgres/connection.ts'
import { type Database, type Input, type Output, prepare } from './sqlite/connection.ts'

export interface CopyLimits {
  readonly rowsMax: number
  readonly bytesMax: number
}

const typeNames: Readonly<Record<string, ColumnType>> = { bigint: 'bigint', text: 'text', bytea: 'bytea' }

interface Column {
  readonly name: string
  readonly type: ColumnType
  /** Counts up where no value is given. */
  readonly isCounter: boolean
}

/** The tables of an embedded database, those that others refer to first. */
export function tablesOf(source: Database): readonly string[] {
  const named = prepare(
    source,
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY rowid",
  )
  return named.rows().map(([name]) => String(name))
}

/** The tables of the target, with those that are not this program's. */
export async function tablesOn(target: PostgresConnection): Promise<readonly string[]> {
  const { rows } = await target.run({
    name: '',
    text: 'SELECT table_name::text FROM information_schema.tables WHERE table_schema = current_schema() ORDER BY 1',
  })
  return rows.map(([name]) => String(name))
}

export async function isEmptyTable(target: PostgresConnection, table: string): Promise<boolean> {
  const { rows } = await target.run({ name: '', text: `SELECT 1 FROM "${table}" LIMIT 1` })
  return rows.length === 0
}

export interface CopySides {
  readonly source: Database
  readonly target: PostgresConnection
}

/** Resolves with the number of rows; rejects where the target has other rows afterwards than the source. */
export async function copyTable(sides: CopySides, table: string, limits: CopyLimits): Promise<number> {
  const columns = await columnsOf(sides, table)
  const all = prepare(sides.source, `SELECT ${namesOf(columns)} FROM "${table}"`).each()
  await insertRows(sides.target, table, columns, piecesOf(all, limits))
  await continueCounters(sides.target, table, columns)
  return compared(sides, table, columns)
}

const namesOf = (columns: readonly Column[]): string => columns.map(({ name }) => `"${name}"`).join(', ')

async function insertRows(
  target: PostgresConnection,
  table: string,
  columns: readonly Column[],
  pieces: Iterable<Output[][]>,
): Promise<void> {
  const arrays = columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ')
  const text = `INSERT INTO "${table}" (${namesOf(columns)}) SELECT * FROM unnest(${arrays})`
  const insert = { name: `copy ${table}`, text }
  let sent: Promise<unknown> = Promise.resolve()
  for (const rows of pieces) {
    // The next piece is read while the server writes this one.
    await sent
    const values = columns.map(({ type }, index) =>
      arrayOf(
        type,
        rows.map((row) => (row[index] ?? null) as Input | null),
      ),
    )
    sent = target.run(insert, values)
  }
  await sent
}

async function columnsOf({ source, target }: CopySides, table: string): Promise<readonly Column[]> {
  const columns = await columnsOn(target, table)
  assertSameColumns(source, table, columns)
  return columns
}

async function columnsOn(target: PostgresConnection, table: string): Promise<readonly Column[]> {
  const { rows } = await target.run(
    {
      name: '',
      text: `SELECT column_name::text, data_type::text, is_identity = 'YES' FROM information_schema.columns
        WHERE table_schema = current_schema() AND table_name = $1::text ORDER BY ordinal_position`,
    },
    [table],
  )
  return rows.map(([name, typeName, isCounter]) => {
    const type = typeNames[String(typeName)]
    assert(type !== undefined, `${table}.${name} has a type that both databases have`)
    return { name: String(name), type, isCounter: isCounter === 1n }
  })
}

function assertSameColumns(source: Database, table: string, columns: readonly Column[]): void {
  const here = prepare(source, `SELECT name FROM pragma_table_info('${table}')`).rows()
  const named = new Set(here.map(([name]) => name))
  const isSame = named.size === columns.length && columns.every(({ name }) => named.has(name))
  assert(isSame, `table ${table} has the same columns in both databases`)
}

/** Splits rows into pieces of at most `rowsMax` and `bytesMax`, with at least one row each. */
function* piecesOf(rows: Iterable<Output[]>, { rowsMax, bytesMax }: CopyLimits): Generator<Output[][]> {
  let piece: Output[][] = []
  let bytes = 0
  for (const row of rows) {
    piece.push(row)
    for (const value of row) bytes += bytesOf(value)
    if (piece.length < rowsMax && bytes < bytesMax) continue
    yield piece
    piece = []
    bytes = 0
  }
  if (piece.length > 0) yield piece
}

const numberBytes = 8

function bytesOf(value: Output): number {
  if (typeof value === 'string') return value.length
  return value instanceof Uint8Array ? value.byteLength : numberBytes
}

/** After the highest number that was copied. */
async function continueCounters(
  target: PostgresConnection,
  table: string,
  columns: readonly Column[],
): Promise<void> {
  for (const { name } of columns.filter(({ isCounter }) => isCounter)) {
    const sequence = `pg_get_serial_sequence('"${table}"', '${name}')`
    await target.run({
      name: '',
      text: `SELECT setval(${sequence}, max("${name}")) FROM "${table}" HAVING count(*) > 0`,
    })
  }
}

/** Sums of these fit in 64 bits, whatever the values are. */
const modulus = 2_147_483_647

/** The number of rows, and for each column how many have a value and what the values or their lengths sum up to. */
function sumsText(table: string, columns: readonly Column[]): string {
  const sums = columns.flatMap(({ name, type }) => {
    const value = type === 'bigint' ? `"${name}" % ${modulus}` : `octet_length("${name}")`
    return [`count("${name}")`, `coalesce(sum(${value}), 0)`]
  })
  return `SELECT count(*), ${sums.join(', ')} FROM "${table}"`
}

async function compared(
  { source, target }: CopySides,
  table: string,
  columns: readonly Column[],
): Promise<number> {
  const text = sumsText(table, columns)
  const here = prepare(source, text).row() ?? []
  assertSame(table, here, (await target.run({ name: '', text })).rows[0] ?? [])
  return Number(here[0])
}

function assertSame(table: string, here: readonly Output[], there: readonly Output[]): void {
  if (here.join() !== there.join())
    throw new Error(`the rows of ${table} differ after they were copied: ${here.join()} and ${there.join()}`)
}
