/**
 * Ensures one writer for a database even without a file lock: a process that opens it for writing stores a random number in it, and
 * every transaction checks the number. The latest to open it wins.
 */
import { systemRandom } from '../../base/ids.ts'
import { type Database, prepare } from './connection.ts'

export interface Fence {
  /** Inside a transaction: throws FenceLost when another process has opened the database for writing in the meantime. */
  check(): void
  readonly isLost: boolean
}

const readOnlyCode = 8

export class FenceLost extends Error {
  override readonly name = 'FenceLost'
  /** The error code of a read-only database: the caller is not at fault. */
  readonly errcode = readOnlyCode

  constructor() {
    super('another process has taken over this data folder; this process must stop writing')
  }
}

/** Takes the database over from any earlier writer. */
export function takeFence(database: Database): Fence {
  const epoch = Buffer.from(systemRandom(8)).readBigInt64LE()
  database.exec(
    'CREATE TABLE IF NOT EXISTS fence (one INTEGER PRIMARY KEY CHECK (one = 1), epoch INTEGER NOT NULL) STRICT',
  )
  prepare(database, 'INSERT OR REPLACE INTO fence (one, epoch) VALUES (1, ?)').run(epoch)
  const find = prepare(database, 'SELECT epoch FROM fence')
  let isLost = false
  return {
    get isLost() {
      return isLost
    },
    check() {
      isLost ||= find.row()?.[0] !== epoch
      if (isLost) throw new FenceLost()
    },
  }
}
