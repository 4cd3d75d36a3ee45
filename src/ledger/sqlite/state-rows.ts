/**
 * The rows of the machine for operations that still run statements of their own: read by ID when they are asked for,
 * changed in the same memory as the machine's.
 */
import { assert } from '../../base/assert.ts'
import { keyUsageOf, payerRows, saveAccount, saveKeyUsage } from '../machine/key-usage.ts'
import { type AccountState, type HoldState, type KeyUsageState, type Rows, update } from '../machine/rows.ts'
import type { SqliteEngine } from './engine.ts'

export interface StateRows {
  /** The row of an account that must exist: the caller has found it before. */
  knownAccount(id: bigint): AccountState
  saveAccount(state: AccountState): void
  /** The usage row of a key (its own or a shared one); a new one when the key is used for the first time. */
  keyUsage(key: bigint, account: bigint): KeyUsageState
  saveKeyUsage(state: KeyUsageState): void
  hold(id: bigint): HoldState | undefined
  saveHold(state: HoldState): void
  /** Writes what has changed, before a statement that reads more than a row by its ID. */
  flush(): void
}

export function stateRows(engine: SqliteEngine): StateRows {
  const { tables } = engine
  const found: Rows = tables
  return {
    knownAccount(id) {
      const state = tables.account.find(id)
      assert(state !== undefined, 'an account that is named exists')
      return state
    },
    saveAccount: (state) => engine.change([saveAccount(state)]),
    keyUsage(key, account) {
      tables.keyUsage.load(key)
      for (const { table, id } of payerRows(account, key, found)) tables[table].load(id)
      return keyUsageOf(found, key, account)
    },
    saveKeyUsage: (state) => engine.change([saveKeyUsage(found, state)]),
    hold: (id) => tables.hold.find(id),
    saveHold: (state) => engine.change([update('hold', state.id, state)]),
    flush: engine.flush,
  }
}
