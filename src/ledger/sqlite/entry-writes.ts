/** The columns of `entry`, and the writing of its rows, which nothing changes afterwards. */
import {
  type Field,
  integer,
  integerOrNull,
  number,
  oneOf,
  rowOf,
  textOrNull,
} from '../../store/sqlite/columns.ts'
import { type Database, prepare } from '../../store/sqlite/connection.ts'
import type { EntryState } from '../machine/rows.ts'

const newEntry = rowOf({
  id: integer('id'),
  account: integer('account'),
  position: number('position'),
  counter: oneOf<EntryState['counter']>('counter'),
  kind: oneOf<EntryState['kind']>('kind'),
  amount: integer('amount'),
  balanceAfter: integer('balance_after'),
  source: textOrNull('source'),
  reference: textOrNull('reference'),
  request: integerOrNull('request'),
  note: textOrNull('note'),
  createdMs: number('created_ms'),
}) satisfies Field<EntryState>

/** The caller keeps the account's sums in step. */
export function insertEntry(database: Database): (entry: EntryState) => void {
  const insert = prepare(database, `INSERT INTO entry (${newEntry.names}) VALUES (${newEntry.placeholders})`)
  return (entry) => void insert.run(...newEntry.bind(entry))
}
