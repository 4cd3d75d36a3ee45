/** Writes the rows of `entry`, which nothing changes afterwards. The caller keeps the account's sums in step. */
import {
  integer,
  integerOrNull,
  number,
  oneOf,
  rowOf,
  textOrNull,
  type ValueOf,
} from '../../store/sqlite/columns.ts'
import { type Database, prepare } from '../../store/sqlite/connection.ts'
import type { EntryKind } from '../payment-types.ts'

const newEntry = rowOf({
  id: integer('id'),
  account: integer('account'),
  /** Its place among the account's entries, from 1. */
  position: number('position'),
  /** The platform account on the other side. */
  counter: oneOf<'revenue' | 'promo' | 'clearing' | 'write_offs'>('counter'),
  kind: oneOf<EntryKind>('kind'),
  amount: integer('amount'),
  balanceAfter: integer('balance_after'),
  source: textOrNull('source'),
  reference: textOrNull('reference'),
  request: integerOrNull('request'),
  note: textOrNull('note'),
  createdMs: number('created_ms'),
})

export function insertEntry(database: Database): (entry: ValueOf<typeof newEntry>) => void {
  const insert = prepare(database, `INSERT INTO entry (${newEntry.names}) VALUES (${newEntry.placeholders})`)
  return (entry) => void insert.run(...newEntry.bind(entry))
}
