/**
 * A batch as one transaction on one connection: its rows are locked in the order of their keys, the machine runs, and each
 * table is written by one statement. Statements are sent together, so that a batch takes two round trips.
 */
import { assert } from '../../base/assert.ts'
import { arrayOf, type ColumnType } from '../../store/postgres/arrays.ts'
import type {
  Parameter,
  PostgresConnection,
  PostgresResult,
  PostgresStatement,
} from '../../store/postgres/connection.ts'
import type { Output } from '../../store/sqlite/connection.ts'
import type { HoldState, ReceiptState, RowChange, RowId, TableName } from '../machine/rows.ts'
import { newObject, removedPerRow } from '../sqlite/provider-objects.ts'
import { keyUsageState } from '../sqlite/rows.ts'
import {
  type BatchChanges,
  FoundRows,
  MissingRows,
  type NamedRows,
  namedRows,
  runSteps,
  type Step,
  type StepResult,
  settledHolds,
} from './batch.ts'
import type { CommitPoints } from './commit-points.ts'
import type { BoundStatement, Derive, RequestPlace } from './derived-rows.ts'
import type { KnownRows } from './known-rows.ts'
import { columnArrays, columnType, keyOf, statements, storedTables, tableNames, valuesOf } from './tables.ts'

/** Names a batch of a lane of a process. */
export interface BatchMark {
  readonly process: number
  readonly startedMs: number
  readonly lane: number
  readonly batch: bigint
}

/** The others take the process for dead: what it has begun must not be written. */
export class LeaseLost extends Error {
  constructor() {
    super('the lease of this process ended, and other processes close its requests')
  }
}

/** The connection was lost during a commit, so its outcome is unknown. */
export class UnknownOutcome extends Error {
  readonly results: readonly StepResult[]

  constructor(results: readonly StepResult[], cause: unknown) {
    super('the connection was lost during a commit', { cause })
    this.results = results
  }
}

const begin: PostgresStatement = { name: 'begin', text: 'BEGIN ISOLATION LEVEL READ COMMITTED' }
const commit: PostgresStatement = { name: 'commit', text: 'COMMIT' }
const rollback: PostgresStatement = { name: 'rollback', text: 'ROLLBACK' }
/** Also proves that this process is not taken for dead, until the transaction ends. */
const mark: PostgresStatement = {
  name: 'mark',
  text: 'UPDATE committed_batch SET batch = $4 WHERE process = $1 AND lane = $2 AND started_ms = $3',
}
export const findMark: PostgresStatement = {
  name: 'find_mark',
  text: 'SELECT batch FROM committed_batch WHERE process = $1 AND lane = $2 AND started_ms = $3 FOR UPDATE',
}

export const markValues = ({ process, lane, startedMs }: BatchMark): readonly Parameter[] => [
  BigInt(process),
  BigInt(lane),
  BigInt(startedMs),
]

/** Results once all have arrived; rejects with the first error, which those after it only follow. */
async function all(sent: readonly Promise<PostgresResult>[]): Promise<readonly PostgresResult[]> {
  const settled = await Promise.allSettled(sent)
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}

export interface BatchContext {
  readonly connection: PostgresConnection
  readonly derive: Derive
  readonly batchMark: BatchMark
  readonly known: KnownRows
  readonly points: CommitPoints | undefined
}

/** Runs the steps and commits what they change. Rejects where nothing has changed, and with UnknownOutcome where it may have. */
export async function transact(
  context: BatchContext,
  steps: readonly Step[],
): Promise<readonly StepResult[]> {
  let extra: readonly RowId[] = []
  for (;;) {
    const found = new FoundRows()
    try {
      return await attempt(context, { steps, extra, found })
    } catch (error) {
      if (!(error instanceof MissingRows)) throw error
      context.known.forget(namedRows(steps, context.known.rows))
      extra = [...extra, ...error.ids]
    }
  }
}

interface Attempt {
  readonly steps: readonly Step[]
  /** Rows that an earlier attempt has missed. */
  readonly extra: readonly RowId[]
  readonly found: FoundRows
}

async function attempt(
  context: BatchContext,
  { steps, extra, found }: Attempt,
): Promise<readonly StepResult[]> {
  const { connection, known } = context
  let named = namedRows(steps, known.rows, extra)
  const unlocated = unlocatedOf(named)
  if (unlocated.length > 0) {
    await locate(context, unlocated, found)
    named = namedRows(steps, known.rows, extra)
  }
  try {
    const early = await lock(context, { named, settled: settledHolds(steps, known.rows), found })
    const { results, changes } = runSteps(steps, found)
    if (changes.isEmpty) {
      await connection.run(rollback)
      return results
    }
    const derived = await derivedOf(context, changes, early)
    await context.points?.before(steps)
    await write(connection, { changes, derived }, results)
    known.learn(changes)
    return results
  } catch (error) {
    // Where the connection is gone, the server rolls back itself.
    if (!(error instanceof UnknownOutcome)) await connection.run(rollback).catch(() => {})
    throw error
  }
}

function unlocatedOf(named: NamedRows): readonly RowId[] {
  const unlocated: RowId[] = []
  for (const rows of named.values())
    for (const row of rows.values()) if (keyOf(row) === undefined) unlocated.push(row)
  return unlocated
}

/** Finds out whose rows these are. A receipt is missing for certain only where its hold was missing before. */
async function locate(
  { connection, known }: BatchContext,
  ids: readonly RowId[],
  found: FoundRows,
): Promise<void> {
  const idsOf = (name: TableName): readonly bigint[] =>
    ids.flatMap(({ table, id }) => (table === name ? [id as bigint] : []))
  const [holds, receipts] = [idsOf('hold'), idsOf('receipt')]
  const [openHolds, settled] = await all([
    connection.run(statements.hold.locate, [arrayOf('bigint', holds)]),
    connection.run(statements.receipt.locate, [arrayOf('bigint', receipts)]),
  ])
  const open = new Map((openHolds?.rows ?? []).map((row) => [row[0] as bigint, row]))
  for (const id of holds) {
    const row = open.get(id)
    if (row === undefined) found.set('hold', id, undefined)
    else known.found(readHold(row))
  }
  for (const id of receipts) if (!open.has(id)) found.set('receipt', id, undefined)
  for (const row of settled?.rows ?? []) store(found, 'receipt', row)
}

const readHold = (row: Output[]): HoldState => {
  const { read } = storedTables.hold
  assert(read !== undefined, 'holds are read')
  return read(row)
}

/** Rows that receipts change, as far as they were looked for. */
interface Derived {
  readonly names: ReadonlySet<string>
  readonly rows: readonly Output[][]
}

interface Locking {
  readonly named: NamedRows
  /** Requests that will be settled, as far as they are known. */
  readonly settled: readonly RequestPlace[]
  readonly found: FoundRows
}

/**
 * Locks the rows, table by table, each in the order of its keys: of two batches one waits, and none for the other. Then reads
 * the rows that the receipts will change, as far as they are known.
 */
async function lock(
  { connection, batchMark, known, derive }: BatchContext,
  { named, settled, found }: Locking,
): Promise<Derived> {
  const tables: TableName[] = []
  const finding: BoundStatement[] = []
  for (const table of tableNames) {
    const { read, key } = storedTables[table]
    const own: (readonly Parameter[])[] = []
    for (const row of named.get(table)?.values() ?? []) {
      const values = found.has(row) ? undefined : keyOf(row)
      if (values === undefined) continue
      found.set(table, row.id, undefined)
      own.push(values)
    }
    if (own.length === 0 || read === undefined) continue
    tables.push(table)
    finding.push({ statement: statements[table].find, values: columnArrays(key, own) })
  }
  const requests = new Map(settled.map((request) => [derive.nameOf(request), request]))
  if (requests.size > 0) finding.push(derive.find([...requests.values()]))
  const [, marked, ...results] = await all([
    connection.run(begin),
    connection.run(mark, [...markValues(batchMark), batchMark.batch]),
    ...finding.map(({ statement, values }) => connection.run(statement, values)),
  ])
  if (marked?.count !== 1) throw new LeaseLost()
  for (const [index, table] of tables.entries()) {
    const rows = results[index]?.rows ?? []
    for (const row of rows) store(found, table, row)
    if (table === 'keyUsage') for (const row of rows) known.seen(keyUsageState.toRow(row))
  }
  return { names: new Set(requests.keys()), rows: results[tables.length]?.rows ?? [] }
}

function store(found: FoundRows, table: TableName, values: Output[]): void {
  const { read, key, columns } = storedTables[table]
  const id = values[columns.indexOf(key.at(-1) ?? '')] as bigint | string
  found.set(table, id, read?.(values))
}

/** Statements for the rows that the batch's receipts change in other tables; reads the rows that were not read early. */
async function derivedOf(
  { connection, derive }: BatchContext,
  changes: BatchChanges,
  early: Derived,
): Promise<readonly BoundStatement[]> {
  const receipts = changes.of('receipt', 'insert').map(({ row }) => row as ReceiptState)
  if (receipts.length === 0) return []
  const missing = new Map(receipts.map((receipt) => [derive.nameOf(receipt), receipt]))
  for (const name of early.names) missing.delete(name)
  const rows = [...early.rows]
  if (missing.size > 0) {
    const { statement, values } = derive.find([...missing.values()])
    rows.push(...(await connection.run(statement, values)).rows)
  }
  return [...derive.write(receipts, rows), ...objectStatements(receipts)]
}

/** Sends all statements and the commit in one round trip: if one fails, the server rolls back instead of committing. */
async function write(
  connection: PostgresConnection,
  { changes, derived }: { readonly changes: BatchChanges; readonly derived: readonly BoundStatement[] },
  results: readonly StepResult[],
): Promise<void> {
  const writing = [...derived, ...changingStatements(changes)]
  const sent = writing.map(({ statement, values }) => connection.run(statement, values))
  const settled = await Promise.allSettled([...sent, connection.run(commit)])
  const end = settled.at(-1)
  // The server has not answered the commit: it may have carried it out.
  if (end?.status !== 'fulfilled') throw new UnknownOutcome(results, end?.reason)
  const failed = settled.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  assert(end.value.command === 'COMMIT', 'a transaction without an error is committed')
}

function changingStatements(changes: BatchChanges): readonly BoundStatement[] {
  const bound: BoundStatement[] = []
  const add = (
    statement: PostgresStatement,
    columns: readonly string[],
    rows: readonly (readonly Parameter[])[],
  ): void => {
    if (rows.length > 0) bound.push({ statement, values: columnArrays(columns, rows) })
  }
  for (const table of tableNames) {
    const { columns, key } = storedTables[table]
    const { insert, update, remove } = statements[table]
    const values = ({ id, row }: RowChange) => valuesOf(table, id, row)
    const keyIndexes = key.map((column) => columns.indexOf(column))
    const keys = (change: RowChange) => {
      const row = values(change)
      return keyIndexes.map((index) => row[index] ?? null)
    }
    add(insert, columns, changes.of(table, 'insert').map(values))
    add(update, columns, changes.of(table, 'update').map(values))
    add(remove, key, changes.of(table, 'remove').map(keys))
  }
  return bound
}

const { columns, names } = newObject

/** The provider's ID is a text. */
const typeOf = (column: string): ColumnType => (column === 'id' ? 'text' : columnType(column))

const given = `unnest(${columns.map((column, index) => `$${index + 1}::${typeOf(column)}[]`).join(', ')})`
const replace: PostgresStatement = {
  name: 'provider_object_replace',
  text: `DELETE FROM provider_object o USING unnest($1::bigint[], $2::text[]) AS given (account, id)
    WHERE o.id = given.id AND (o.account = given.account OR o.created_ms < $3)`,
}
const insert: PostgresStatement = {
  name: 'provider_object_insert',
  text: `INSERT INTO provider_object (${names}) SELECT * FROM ${given} ON CONFLICT (id) DO NOTHING`,
}
/** Skips rows that another process is removing. */
const removeExpired: PostgresStatement = {
  name: 'provider_object_expire',
  text: `DELETE FROM provider_object WHERE position IN (SELECT position FROM (
      SELECT position, created_ms FROM provider_object ORDER BY position LIMIT $1 FOR UPDATE SKIP LOCKED) oldest
    WHERE created_ms < $2)`,
}

/** An ID that a provider uses again belongs to the newer answer of the same account, and never to a second account. */
function objectStatements(receipts: readonly ReceiptState[]): readonly BoundStatement[] {
  const objects = new Map<
    string,
    { readonly account: bigint; readonly row: ReturnType<typeof newObject.bind> }
  >()
  let oldestMs = 0
  for (const { account, id: receipt, endedMs: createdMs, providerObjects } of receipts) {
    if (providerObjects === null) continue
    const [sinceMs, ids, scopes] = providerObjects
    oldestMs = sinceMs
    for (const [index, id] of ids.entries()) {
      const referencedScope = scopes[index] ?? 'window'
      if ((objects.get(id)?.account ?? account) !== account) continue
      objects.set(id, { account, row: newObject.bind({ account, id, receipt, referencedScope, createdMs }) })
    }
  }
  if (objects.size === 0) return []
  const rows = [...objects.values()].map(({ row }) => row)
  const column = (name: string) => rows.map((row) => row[columns.indexOf(name)] ?? null)
  return [
    {
      statement: replace,
      values: [arrayOf('bigint', column('account')), arrayOf('text', column('id')), BigInt(oldestMs)],
    },
    { statement: insert, values: columns.map((name) => arrayOf(typeOf(name), column(name))) },
    { statement: removeExpired, values: [BigInt(rows.length) * removedPerRow, BigInt(oldestMs)] },
  ]
}
