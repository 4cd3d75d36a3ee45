/**
 * Responses that run in the background at their providers. A row has the id of the request's hold and is open as long as
 * the hold is, so that settling the hold ends it and nothing has to be synchronized. Holds no content; moves no money.
 */
import { type Field, flag, integer, number, rowOf, text } from '../../store/sqlite/columns.ts'
import { type Database, prepare } from '../../store/sqlite/connection.ts'
import { prepareRows } from '../../store/sqlite/row-statement.ts'
import type { OpenResponse, UnrecordedResponse } from '../background-response-types.ts'
import { releaseConcurrency } from '../machine/hold-operations.ts'
import type { SqliteEngine } from './engine.ts'

const responseRow = rowOf({ id: integer('b.id'), account: integer('b.account') })

const openRow = rowOf({
  ...responseRow.fields,
  upstream: text('b.upstream'),
  responseId: text('b.response_id'),
  facts: text('b.facts'),
  createdMs: number('hold.created_ms'),
  isSuspended: flag('a.suspended_ms IS NOT NULL'),
}) satisfies Field<OpenResponse>

const isOpen = 'EXISTS (SELECT 1 FROM hold WHERE hold.id = background_response.id)'

/** A condition on `hold`: only the provider's result or a separate age limit closes it. */
export const isNoBackgroundHold =
  'NOT EXISTS (SELECT 1 FROM background_response b WHERE b.id = hold.id AND b.response_id IS NOT NULL)'

const isOfDeadProcess = 'NOT EXISTS (SELECT 1 FROM process p WHERE p.id = hold.process)'

/** Rows of closed holds that are removed for each one that is written. */
const forgottenPerRow = 4n

export function backgroundOperations(database: Database, engine: SqliteEngine) {
  const remove = prepare(database, 'DELETE FROM provider_object WHERE account = ? AND id = ?')
  return {
    reserveResponse: { durable: false, run: reserveOperation(database, engine) },
    recordResponse: { durable: true, run: recordOperation(database, engine) },
    forgetResponse: {
      durable: true,
      run: (account: bigint, responseId: string): void => void remove.run(account, responseId),
    },
    removeUnrecorded: { durable: true, run: removeUnrecordedOperation(database, engine) },
  } as const
}

function reserveOperation(database: Database, engine: SqliteEngine) {
  // The account's open holds are few, its responses may be many: the sign makes the holds the outer loop.
  const count = prepare(
    database,
    `SELECT count(*) FROM hold JOIN background_response b ON b.id = +hold.id WHERE hold.account = ?`,
  )
  const insert = prepare(database, 'INSERT INTO background_response (id, account) VALUES (?, ?)')
  const forget = prepare(
    database,
    `DELETE FROM background_response WHERE id IN
      (SELECT id FROM background_response WHERE id < ? AND NOT ${isOpen} ORDER BY id LIMIT ?)`,
  )
  return (id: bigint, account: bigint, perAccountMax: number): 'reserved' | 'full' => {
    engine.flush()
    if (Number(count.row(account)?.[0]) >= perAccountMax) return 'full'
    forget.run(id, forgottenPerRow)
    insert.run(id, account)
    return 'reserved'
  }
}

function recordOperation(database: Database, engine: SqliteEngine) {
  const update = prepare(
    database,
    'UPDATE background_response SET upstream = ?, response_id = ?, facts = ? WHERE id = ?',
  )
  return (id: bigint, upstream: string, responseId: string, facts: string): boolean => {
    if (engine.tables.hold.find(id) === undefined) return false
    if (update.run(upstream, responseId, facts, id) !== 1) return false
    engine.run(releaseConcurrency, { id })
    return true
  }
}

function removeUnrecordedOperation(database: Database, engine: SqliteEngine) {
  const select = prepareRows(
    database,
    responseRow,
    `SELECT ${responseRow.names} FROM background_response b
      WHERE response_id IS NULL AND EXISTS (SELECT 1 FROM hold WHERE hold.id = b.id AND ${isOfDeadProcess})`,
  )
  const remove = prepare(
    database,
    `DELETE FROM background_response WHERE response_id IS NULL
      AND NOT EXISTS (SELECT 1 FROM hold WHERE hold.id = background_response.id AND NOT (${isOfDeadProcess}))`,
  )
  return (): readonly UnrecordedResponse[] => {
    engine.flush()
    const unrecorded = select.all()
    remove.run()
    return unrecorded
  }
}

export function backgroundReads(database: Database) {
  const open = `SELECT ${openRow.names}
    FROM background_response b JOIN hold ON hold.id = b.id JOIN account a ON a.id = b.account
    WHERE b.response_id IS NOT NULL`
  const byName = prepareRows(
    database,
    openRow,
    `${open} AND b.account = ? AND b.response_id = ? ORDER BY b.id DESC LIMIT 1`,
  )
  const byId = prepareRows(database, openRow, `${open} AND b.id = ?`)
  const ids = prepareRows(
    database,
    responseRow,
    `SELECT ${responseRow.names} FROM hold JOIN background_response b ON b.id = +hold.id
      WHERE hold.id > ? AND b.response_id IS NOT NULL ORDER BY hold.id LIMIT ?`,
  )
  return {
    openResponse: { run: (account: bigint, responseId: string) => byName.one(account, responseId) },
    openResponseById: { run: (id: bigint) => byId.one(id) },
    openResponses: {
      run: (afterId: bigint, limit: number): readonly Pick<OpenResponse, 'id' | 'account'>[] =>
        ids.all(afterId, BigInt(limit)),
    },
  } as const
}
