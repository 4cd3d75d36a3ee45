/**
 * The three rows that a request's money goes through: account, key meter and hold. Accounts and meters
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
  type MeterState,
  meterChanges,
  meterState,
} from './rows.ts'

export interface StateRows extends BatchMemory {
  account(id: bigint): AccountState | undefined
  /** The row of an account that must be there: whoever names it has found it before. */
  knownAccount(id: bigint): AccountState
  saveAccount(id: bigint, state: AccountState): void
  /** The meter that a key counts on, made when the key is used for the first time. */
  meter(key: bigint, account: bigint): MeterState
  saveMeter(state: MeterState): void
  hold(id: bigint): HoldState | undefined
  removeHold(id: bigint): void
}

interface CachedRow<State> {
  readonly state: State
  readonly isChanged: boolean
}

/** A meter, and the one that it counts on instead; null: its own. */
const sharedMeter = rowOf({ ...meterState.fields, shared: integerOrNull('shared') })

export function stateRows(database: Database): StateRows {
  const selectAccount = prepare(database, `SELECT ${accountState.names} FROM account WHERE id = ?`)
  const updateAccount = prepare(
    database,
    `UPDATE account SET ${accountState.assignments}, overdrawn = min(overdrawn, max(0, ? - ?)) WHERE id = ?`,
  )
  const selectMeter = prepare(database, `SELECT ${sharedMeter.names} FROM key_meter WHERE key = ?`)
  const insertMeter = prepare(database, 'INSERT INTO key_meter (key, account) VALUES (?, ?)')
  const updateMeter = prepare(database, `UPDATE key_meter SET ${meterChanges.assignments} WHERE key = ?`)
  const selectHold = prepare(database, `SELECT ${holdState.names} FROM hold WHERE id = ?`)
  const deleteHold = prepare(database, 'DELETE FROM hold WHERE id = ?')

  const accounts = new Map<bigint, CachedRow<AccountState>>()
  /** Only those that were changed: each is read where it is changed. */
  const meters = new Map<bigint, MeterState>()

  function account(id: bigint): AccountState | undefined {
    const cached = accounts.get(id)
    if (cached !== undefined) return cached.state
    const row = selectAccount.row(id)
    if (row === undefined) return undefined
    const state = accountState.toRow(row)
    accounts.set(id, { state, isChanged: false })
    return state
  }

  function readMeter(key: bigint, account: bigint): MeterState {
    const row = selectMeter.row(key)
    if (row !== undefined) {
      const { shared, ...state } = sharedMeter.toRow(row)
      return shared === null ? state : (meters.get(shared) ?? readMeter(shared, account))
    }
    insertMeter.run(key, account)
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
    meter(key, account) {
      const state = meters.get(key) ?? readMeter(key, account)
      assert(state.account === account, 'a key belongs to one account')
      return state
    },
    saveMeter(state) {
      meters.set(state.key, state)
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
      for (const state of meters.values()) updateMeter.run(...meterChanges.bind(state), state.key)
      accounts.clear()
      meters.clear()
    },
    forget() {
      accounts.clear()
      meters.clear()
    },
  }
}
