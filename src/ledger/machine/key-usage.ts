/** The usage row of a key, and the parts of an open hold in it and in its account's row. */
import { assert } from '../../base/assert.ts'
import { unspent } from '../../limits/budget.ts'
import { emptyWindow } from '../../limits/window.ts'
import { least, most } from '../rules/money.ts'
import {
  type AccountState,
  type HoldState,
  insert,
  type KeyUsageState,
  type RowChange,
  type RowId,
  type Rows,
  update,
} from './rows.ts'

/** The rows that a request of this key is counted in. */
export function payerRows(account: bigint, key: bigint, found: Rows): readonly RowId[] {
  const shared = found.keyUsage.get(key)?.shared ?? null
  const rows: RowId[] = [
    { table: 'account', id: account },
    { table: 'keyUsage', id: key, account },
  ]
  if (shared !== null) rows.push({ table: 'keyUsage', id: shared, account })
  return rows
}

/** The rows of an open hold and of what it is counted in; the hold alone where it is closed. */
export function holdRows(id: bigint, found: Rows): readonly RowId[] {
  const hold = found.hold.get(id)
  if (hold === undefined) return [{ table: 'hold', id }]
  const { account, key } = hold
  return [{ table: 'hold', id, account }, ...payerRows(account, key, found)]
}

/** The row of an account that must exist: the caller has found it before. */
export function knownAccount(rows: Rows, id: bigint): AccountState {
  const account = rows.account.get(id)
  assert(account !== undefined, 'an account that is named exists')
  return account
}

/** The row in which a key's usage is counted: its own or the shared one; a new one for its first use. */
export function keyUsageOf(rows: Rows, key: bigint, account: bigint): KeyUsageState {
  const own = rows.keyUsage.get(key) ?? unused(key, account)
  const usage = own.shared === null ? own : rows.keyUsage.get(own.shared)
  assert(usage !== undefined && usage.account === account, 'a key belongs to one account')
  return usage
}

/** The usage of a key before its first request. */
export const unused = (key: bigint, account: bigint): KeyUsageState => ({
  key,
  account,
  shared: null,
  held: 0n,
  openHolds: 0,
  running: 0,
  spend: unspent,
  spentMax: null,
  usedMinute: 0,
  window: emptyWindow,
})

export const saveAccount = (account: AccountState): RowChange =>
  update('account', account.id, withinOverdraft(account))

/** Reduces `overdrawn` as running requests end and release what a refund had taken from them. */
function withinOverdraft(account: AccountState): AccountState {
  const { overdrawn, held, posted } = account
  if (overdrawn === 0n) return account
  return { ...account, overdrawn: least(overdrawn, most(held - posted, 0n)) }
}

export function saveKeyUsage(rows: Rows, usage: KeyUsageState): RowChange {
  const isStored = rows.keyUsage.get(usage.key) !== undefined
  return (isStored ? update : insert)('keyUsage', usage.key, usage)
}

/** The sums without one hold. */
export function withoutHold<State extends AccountState | KeyUsageState>(
  state: State,
  hold: HoldState,
): State {
  return {
    ...state,
    held: state.held - hold.amount,
    openHolds: state.openHolds - 1,
    running: state.running - (hold.isConcurrencyReleased ? 0 : 1),
  }
}
