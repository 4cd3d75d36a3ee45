/**
 * The three rows that a request's money goes through (account, key meter, hold), read and written by
 * prepared statements. What is read here is current: only the thread that owns it writes.
 */
import { assert } from '../base/assert.ts'
import { unspent } from '../limits/budget.ts'
import { emptyWindow } from '../limits/window.ts'
import { type Database, prepare } from '../store/sqlite/connection.ts'
import {
  type AccountState,
  accountStateColumns,
  fromAccountState,
  fromMeterState,
  type HoldState,
  holdColumns,
  type MeterState,
  meterColumns,
  toAccountState,
  toHoldState,
  toMeterState,
} from './rows.ts'

export interface StateRows {
  account(id: bigint): AccountState | undefined
  /** The row of an account that must be there: whoever names it has found it before. */
  knownAccount(id: bigint): AccountState
  saveAccount(id: bigint, state: AccountState): void
  /** A key's meter, made when the key is used for the first time. */
  meter(key: bigint, account: bigint): MeterState
  saveMeter(state: MeterState): void
  hold(id: bigint): HoldState | undefined
  removeHold(id: bigint): void
}

export function stateRows(database: Database): StateRows {
  const selectAccount = prepare(database, `SELECT ${accountStateColumns} FROM account WHERE id = ?`)
  const updateAccount = prepare(
    database,
    `UPDATE account SET posted = ?, held = ?, open_holds = ?, running = ?, entries = ?, minute = ?, requests = ?,
      requests_before = ?, tokens = ?, tokens_before = ?, absorbed_day = ?, absorbed = ?, restricted_ms = ?
      WHERE id = ?`,
  )
  const selectMeter = prepare(database, `SELECT ${meterColumns} FROM key_meter WHERE key = ?`)
  const insertMeter = prepare(database, 'INSERT INTO key_meter (key, account) VALUES (?, ?)')
  const updateMeter = prepare(
    database,
    `UPDATE key_meter SET held = ?, open_holds = ?, running = ?, spent = ?, day = ?, spent_before_day = ?,
      spent_before_week = ?, spent_before_month = ?, minute = ?, requests = ?, requests_before = ?, tokens = ?,
      tokens_before = ? WHERE key = ?`,
  )
  const selectHold = prepare(database, `SELECT ${holdColumns} FROM hold WHERE id = ?`)
  const deleteHold = prepare(database, 'DELETE FROM hold WHERE id = ?')

  function account(id: bigint): AccountState | undefined {
    const row = selectAccount.row(id)
    return row === undefined ? undefined : toAccountState(row)
  }

  return {
    account,
    knownAccount(id) {
      const state = account(id)
      assert(state !== undefined, `account ${id} exists`)
      return state
    },
    saveAccount(id, state) {
      assert(updateAccount.run(...fromAccountState(state), id) === 1, `account ${id} is there to be changed`)
    },
    meter(key, account) {
      const row = selectMeter.row(key)
      if (row === undefined) {
        insertMeter.run(key, account)
        return { key, account, held: 0n, openHolds: 0, running: 0, spend: unspent, window: emptyWindow }
      }
      const state = toMeterState(row)
      assert(state.account === account, `key ${key} belongs to account ${account}`)
      return state
    },
    saveMeter(state) {
      assert(
        updateMeter.run(...fromMeterState(state), state.key) === 1,
        `the meter of key ${state.key} is there`,
      )
    },
    hold(id) {
      const row = selectHold.row(id)
      return row === undefined ? undefined : toHoldState(row)
    },
    removeHold(id) {
      assert(deleteHold.run(id) === 1, `hold ${id} is closed once`)
    },
  }
}
