/**
 * The three rows that a request's money goes through: account, key usage and hold. Accounts and key usages
 * are read once in a batch, changed in memory by its operations, and written once before its commit;
 * nothing is cached across batches.
 */
import { assert } from '../../base/assert.ts'
import { unspent } from '../../limits/budget.ts'
import { emptyWindow } from '../../limits/window.ts'
import type { BatchMemory } from '../../store/sqlite/batch.ts'
import { integerOrNull, rowOf } from '../../store/sqlite/columns.ts'
import { type Database, prepare } from '../../store/sqlite/connection.ts'
import {
  type AccountState,
  accountState,
  type HoldState,
  holdState,
  type KeyUsageState,
  keyUsageChanges,
  keyUsageState,
} from './rows.ts'

export interface StateRows extends BatchMemory {
  account(id: bigint): AccountState | undefined
  /** The row of an account that must exist: the caller has found it before. */
  knownAccount(id: bigint): AccountState
  saveAccount(id: bigint, state: AccountState): void
  /** The usage row of a key (its own or a shared one), inserted when the key is used for the first time. */
  keyUsage(key: bigint, account: bigint): KeyUsageState
  saveKeyUsage(state: KeyUsageState): void
  hold(id: bigint): HoldState | undefined
  removeHold(id: bigint): void
}

interface CachedRow<State> {
  readonly state: State
  readonly isChanged: boolean
}

/** A usage row, and the key whose row it shares; null: its own. */
const sharedKeyUsage = rowOf({ ...keyUsageState.fields, shared: integerOrNull('shared') })

export function stateRows(database: Database): StateRows {
  const selectAccount = prepare(database, `SELECT ${accountState.names} FROM account WHERE id = ?`)
  const updateAccount = prepare(
    database,
    `UPDATE account SET ${accountState.assignments}, overdrawn = min(overdrawn, max(0, ? - ?)) WHERE id = ?`,
  )
  const selectKeyUsage = prepare(database, `SELECT ${sharedKeyUsage.names} FROM key_usage WHERE key = ?`)
  const insertKeyUsage = prepare(database, 'INSERT INTO key_usage (key, account) VALUES (?, ?)')
  const updateKeyUsage = prepare(
    database,
    `UPDATE key_usage SET ${keyUsageChanges.assignments} WHERE key = ?`,
  )
  const selectHold = prepare(database, `SELECT ${holdState.names} FROM hold WHERE id = ?`)
  const deleteHold = prepare(database, 'DELETE FROM hold WHERE id = ?')

  const accounts = new Map<bigint, CachedRow<AccountState>>()
  /** Only those that were changed: each is read where it is changed. */
  const keyUsages = new Map<bigint, KeyUsageState>()

  function account(id: bigint): AccountState | undefined {
    const cached = accounts.get(id)
    if (cached !== undefined) return cached.state
    const row = selectAccount.row(id)
    if (row === undefined) return undefined
    const state = accountState.toRow(row)
    accounts.set(id, { state, isChanged: false })
    return state
  }

  function readKeyUsage(key: bigint, account: bigint): KeyUsageState {
    const row = selectKeyUsage.row(key)
    if (row !== undefined) {
      const shared = row[sharedKeyUsage.index.shared] as bigint | null
      return shared === null
        ? keyUsageState.toRow(row)
        : (keyUsages.get(shared) ?? readKeyUsage(shared, account))
    }
    insertKeyUsage.run(key, account)
    const unused = { held: 0n, openHolds: 0, running: 0, usedMinute: 0, spend: unspent, window: emptyWindow }
    return { key, account, spentMax: null, ...unused }
  }

  return {
    account,
    knownAccount(id) {
      const state = account(id)
      assert(state !== undefined, 'an account that is named exists')
      return state
    },
    saveAccount(id, state) {
      accounts.set(id, { state, isChanged: true })
    },
    keyUsage(key, account) {
      const state = keyUsages.get(key) ?? readKeyUsage(key, account)
      assert(state.account === account, 'a key belongs to one account')
      return state
    },
    saveKeyUsage(state) {
      keyUsages.set(state.key, state)
    },
    hold(id) {
      const row = selectHold.row(id)
      return row === undefined ? undefined : holdState.toRow(row)
    },
    removeHold(id) {
      assert(deleteHold.run(id) === 1, 'a hold is closed once')
    },
    flush() {
      for (const [id, { state, isChanged }] of accounts) {
        if (isChanged) updateAccount.run(...accountState.bind(state), state.held, state.posted, id)
      }
      for (const state of keyUsages.values()) updateKeyUsage.run(...keyUsageChanges.bind(state), state.key)
      accounts.clear()
      keyUsages.clear()
    },
    forget() {
      accounts.clear()
      keyUsages.clear()
    },
  }
}
