/**
 * Provider objects: responses and their items that a provider stores under its own IDs. Written with the receipt and
 * found by ID, so that a request that refers to one can be bounded. Moves no money; rows are removed by age.
 */
import { inputMeters, type Meter, meters, outputMeters } from '../../../contract/meters.ts'
import { integer, number, oneOf, rowOf, text } from '../../store/sqlite/columns.ts'
import { type Database, prepare } from '../../store/sqlite/connection.ts'
import type { ProviderObject } from '../../wire/format.ts'
import type { StoredObjects } from '../machine/rows.ts'
import type { ProviderObjectRow, UsageSource } from '../types.ts'

/** Old rows that are removed for each one that is written, so that the table shrinks to what has not expired. */
export const removedPerRow = 2n

export const newObject = rowOf({
  account: integer('account'),
  id: text('id'),
  receipt: integer('receipt'),
  referencedScope: oneOf<ProviderObject['referencedScope']>('referenced_scope'),
  createdMs: number('created_ms'),
})

export interface SettledAnswer {
  readonly account: bigint
  readonly receipt: bigint
  readonly nowMs: number
}

/**
 * Writes the objects of one answer. An ID that a provider uses again belongs to the newer answer of the same account, and
 * never to a second account: what another account's answer repeats cannot be referred to there.
 */
export function saveProviderObjects(database: Database) {
  const replace = prepare(
    database,
    'DELETE FROM provider_object WHERE id = ? AND (account = ? OR created_ms < ?)',
  )
  const insert = prepare(
    database,
    `INSERT INTO provider_object (${newObject.names}) VALUES (${newObject.placeholders}) ON CONFLICT (id) DO NOTHING`,
  )
  const removeExpired = prepare(
    database,
    `DELETE FROM provider_object WHERE position IN
      (SELECT position FROM (SELECT position, created_ms FROM provider_object ORDER BY position LIMIT ?)
        WHERE created_ms < ?)`,
  )
  return ({ account, receipt, nowMs }: SettledAnswer, objects: StoredObjects): void => {
    if (objects === null) return
    const [sinceMs, ids, scopes] = objects
    for (const [index, id] of ids.entries()) {
      const referencedScope = scopes[index] ?? 'window'
      replace.run(id, account, BigInt(sinceMs))
      insert.run(...newObject.bind({ account, id, receipt, referencedScope, createdMs: nowMs }))
    }
    removeExpired.run(BigInt(ids.length) * removedPerRow, BigInt(sinceMs))
  }
}

/** The sum of all classes of one direction. */
const sumOf = (names: readonly Meter[]): string => names.map((name) => `r.${meters[name].column}`).join(' + ')

const objectRow = rowOf({
  id: text('o.id'),
  receipt: integer('o.receipt'),
  referencedScope: oneOf<ProviderObject['referencedScope']>('o.referenced_scope'),
  upstream: text('r.upstream'),
  upstreamModel: text('r.upstream_model'),
  usageSource: oneOf<UsageSource>('r.usage_source'),
  input: number(sumOf(inputMeters)),
  output: number(sumOf(outputMeters)),
  reasoning: number('r.reasoning'),
})

/** Finds an account's provider object by id, created at or after a given time. */
export function findProviderObjects(database: Database) {
  const select = prepare(
    database,
    `SELECT ${objectRow.names}
      FROM provider_object o JOIN receipt r ON r.id = o.receipt AND r.account = o.account
      WHERE o.account = ? AND o.id = ? AND o.created_ms >= ?`,
  )
  return (account: bigint, ids: readonly string[], sinceMs: number): readonly ProviderObjectRow[] =>
    ids.flatMap((id) => {
      const row = select.row(account, id, BigInt(sinceMs))
      return row === undefined ? [] : [objectRow.toRow(row)]
    })
}
