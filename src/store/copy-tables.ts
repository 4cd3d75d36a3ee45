/**
 * Copies tables of an embedded database into those of the same names on PostgreSQL, in pieces of bounded size, and compares
 * what arrived. The caller has a transaction open on both sides. Knows no table.
 */
import { assert } from '../base/assert.ts'
import { idsPerMs } from '../base/ids.ts'
import { type ArrayParameter, arrayOf, type ColumnType } from './postgres/arrays.ts'
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
  await insertRows(sides.target, { name: table, columns }, piecesOf(all, limits))
  await continueCounters(sides.target, table, columns)
  return compared(sides, table, columns)
}

/**
 * Copies what a table has while others write to the source: rows whose `id` is the primary key, and which its triggers keep from
 * being changed. Each piece is read on its own, so that no read lasts, and compared. Resolves with the number of rows.
 */
export async function copyAhead(sides: CopySides, table: string, limits: CopyLimits): Promise<number> {
  const columns = await columnsOf(sides, table)
  const at = columns.findIndex(({ name }) => name === 'id')
  const next = prepare(
    sides.source,
    `SELECT ${namesOf(columns)} FROM "${table}" WHERE id > ? ORDER BY id LIMIT ?`,
  )
  let count = 0
  for (let last = -1n; ; ) {
    const rows = next.rows(last, BigInt(limits.rowsMax))
    const final = rows.at(-1)
    if (final === undefined) return count
    await insertCompared(sides.target, { name: table, columns }, piecesOf(rows, limits))
    count += rows.length
    last = final[at] as bigint
  }
}

/**
 * The same as `copyTable` for a table that was copied ahead: what was added and removed since, in whatever order of IDs. The other
 * rows were compared when they were copied, and cannot have changed.
 */
export async function completeTable(sides: CopySides, table: string, limits: CopyLimits): Promise<number> {
  const { source, target } = sides
  const columns = await columnsOf(sides, table)
  const idsHere = prepare(source, `SELECT id FROM "${table}" WHERE id >= ? AND id < ?`)
  const row = prepare(source, `SELECT ${namesOf(columns)} FROM "${table}" WHERE id = ?`)
  for (const ranges of groupsOf(await differentRanges(sides, table), rangesTogether)) {
    const there = new Set(await idsOn(target, table, ranges))
    const here = new Set(
      ranges.flatMap((range) =>
        idsHere.rows(range * idsPerRange, (range + 1n) * idsPerRange).map(([id]) => id as bigint),
      ),
    )
    const removed = arrayOf(
      'bigint',
      [...there].filter((id) => !here.has(id)),
    )
    const added = [...here].filter((id) => !there.has(id)).map((id) => row.row(id) ?? [])
    await target.run({ name: '', text: `DELETE FROM "${table}" WHERE id = ANY($1::bigint[])` }, [removed])
    await insertCompared(target, { name: table, columns }, piecesOf(added, limits))
  }
  const [text, all] = [
    `SELECT ${idSums} FROM "${table}"`,
    prepare(source, `SELECT ${idSums} FROM "${table}"`),
  ]
  const here = all.row() ?? []
  assertSame(table, here, (await target.run({ name: '', text })).rows[0] ?? [])
  return Number(here[0])
}

/** IDs of about a minute, as they begin with a time. */
const idsPerRange = 60_000n * idsPerMs
/** Of these a table is read once: it has no index of IDs alone. */
const rangesTogether = 200

/** Sums of these fit in 64 bits, whatever the values are. */
const modulus = 2_147_483_647
const idSums = `count(*), coalesce(sum(id % ${modulus}), 0)`

/** Almost all changes are later than a day before the last row that was copied. */
const recentIds = 86_400_000n * idsPerMs

/** The ranges of IDs in which the two sides have another number or another sum of them. */
async function differentRanges({ source, target }: CopySides, table: string): Promise<readonly bigint[]> {
  const newest = (await target.run({ name: '', text: `SELECT max(id) FROM "${table}"` })).rows[0]?.[0]
  const recent = typeof newest === 'bigint' ? newest - recentIds : 0n
  const both = async (text: string, values: readonly bigint[]) => {
    const there = await target.run({ name: '', text: text.replace('?', '$1::bigint') }, values)
    return [prepare(source, text).rows(...values), there.rows] as const
  }
  const [older, copied] = await both(`SELECT ${idSums} FROM "${table}" WHERE id < ?`, [recent])
  const from = older.join() === copied.join() ? recent : 0n
  const text = `SELECT id / ${idsPerRange}, ${idSums} FROM "${table}" WHERE id >= ? GROUP BY 1`
  const [here, there] = (await both(text, [from])).map(
    (rows) => new Map(rows.map(([range, ...sums]) => [range as bigint, sums.join()])),
  ) as [Map<bigint, string>, Map<bigint, string>]
  return [...new Set([...here.keys(), ...there.keys()])].filter(
    (range) => here.get(range) !== there.get(range),
  )
}

async function idsOn(
  target: PostgresConnection,
  table: string,
  ranges: readonly bigint[],
): Promise<readonly bigint[]> {
  const text = `SELECT id FROM "${table}" WHERE id / ${idsPerRange} = ANY($1::bigint[])`
  const { rows } = await target.run({ name: '', text }, [arrayOf('bigint', ranges)])
  return rows.map(([id]) => id as bigint)
}

function* groupsOf<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}

interface TargetTable {
  readonly name: string
  readonly columns: readonly Column[]
}

const namesOf = (columns: readonly Column[]): string => columns.map(({ name }) => `"${name}"`).join(', ')

const insertText = ({ name, columns }: TargetTable): string => {
  const arrays = columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ')
  return `INSERT INTO "${name}" (${namesOf(columns)}) SELECT * FROM unnest(${arrays})`
}

const arraysOf = ({ columns }: TargetTable, rows: Output[][]): readonly ArrayParameter[] =>
  columns.map(({ type }, index) =>
    arrayOf(
      type,
      rows.map((row) => (row[index] ?? null) as Input | null),
    ),
  )

async function insertRows(
  target: PostgresConnection,
  table: TargetTable,
  pieces: Iterable<Output[][]>,
): Promise<void> {
  const insert = { name: `copy ${table.name}`, text: insertText(table) }
  let sent: Promise<unknown> = Promise.resolve()
  for (const rows of pieces) {
    // The next piece is read while the server writes this one.
    await sent
    sent = target.run(insert, arraysOf(table, rows))
  }
  await sent
}

/** The same, and the server answers what it has stored: a table is not read again for it. */
async function insertCompared(
  target: PostgresConnection,
  table: TargetTable,
  pieces: Iterable<Output[][]>,
): Promise<void> {
  const { name, columns } = table
  const insert = {
    name: `copy ${name} compared`,
    text: `WITH stored AS (${insertText(table)} RETURNING *) ${sumsText('stored', columns)}`,
  }
  for (const rows of pieces) {
    const stored = await target.run(insert, arraysOf(table, rows))
    assertSame(name, sumsOf(rows, columns), stored.rows[0] ?? [])
  }
}

/** What `sumsText` asks for, of rows that were read. */
function sumsOf(rows: readonly Output[][], columns: readonly Column[]): readonly bigint[] {
  const sums = columns.flatMap((_, index) => {
    const values = rows.map((row) => row[index] ?? null).filter((value) => value !== null)
    return [BigInt(values.length), values.reduce<bigint>((sum, value) => sum + summand(value), 0n)]
  })
  return [BigInt(rows.length), ...sums]
}

function summand(value: Input): bigint {
  if (typeof value === 'bigint') return value % BigInt(modulus)
  return BigInt(typeof value === 'string' ? Buffer.byteLength(value) : (value as Uint8Array).byteLength)
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

/** Rows of at most so many bytes together, or one row. */
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
