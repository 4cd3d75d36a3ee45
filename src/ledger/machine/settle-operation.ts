/**
 * The operation that closes a request: charge, write-off, receipt and the end of the hold, all or nothing. The request's
 * ID is the ID of its usage entry and of its receipt, so it happens once.
 */
import { rollSpend } from '../../limits/budget.ts'
import { minuteOf } from '../../limits/calendar.ts'
import { correctTokens } from '../../limits/window.ts'
import { assertAmount } from '../rules/money.ts'
import { addLoss, type Split, split } from '../rules/settlement.ts'
import type { ExcessCause } from '../types.ts'
import { holdRows, keyUsageOf, knownAccount, saveAccount, saveKeyUsage, withoutHold } from './key-usage.ts'
import { type LedgerOperation, unchanged } from './operation.ts'
import {
  type AccountState,
  type EntryState,
  type HoldState,
  insert,
  type ReceiptState,
  remove,
  type StoredDraft,
  type StoredObjects,
} from './rows.ts'

export interface SettleInput {
  readonly id: bigint
  readonly nowMs: number
  readonly cost: bigint
  readonly writtenOff: bigint
  readonly writeOffEntryId: bigint
  /** Whether a cost above the hold counts as a loss that the account caused. */
  readonly excessCausedBy: ExcessCause
  /** More than this on one day restricts the account. */
  readonly writeOffNanoPerDayMax: bigint
  /** All input and output, for the rates. */
  readonly used: { readonly input: number; readonly output: number }
  /** The part of `writtenOff` that is a loss that the account caused. */
  readonly causedWriteOff: bigint
  readonly draft: StoredDraft
  readonly providerObjects: StoredObjects
}

export type SettleAnswer =
  | {
      readonly kind: 'settled'
      readonly charged: bigint
      readonly writtenOff: bigint
      /** posted − held afterwards. */
      readonly available: bigint
      readonly account: bigint
    }
  | { readonly kind: 'already_settled' }
  | { readonly kind: 'unknown_hold' }

export const settle: LedgerOperation<SettleInput, SettleAnswer> = {
  durable: true,
  rows({ id }, found) {
    if (found.hold.get(id) !== undefined) return holdRows(id, found)
    return [
      { table: 'hold', id },
      { table: 'receipt', id },
    ]
  },
  settles: ({ id }) => id,
  apply(rows, input) {
    const { id, nowMs, cost, writtenOff } = input
    assertAmount(cost, 'the cost of a request')
    assertAmount(writtenOff, 'a write-off')
    const hold = rows.hold.get(id)
    if (hold === undefined) {
      return unchanged({ kind: rows.receipt.get(id) === undefined ? 'unknown_hold' : 'already_settled' })
    }
    const before = knownAccount(rows, hold.account)
    const keyUsage = keyUsageOf(rows, hold.key, hold.account)
    const shares = split({ cost, writtenOff, hold: hold.amount, available: before.posted - before.held })
    const used = { reservedMs: hold.createdMs, reserved: hold.tokens, ...input.used }
    const entries = entriesOf(before, input, shares)
    const after = withoutHold(withLoss(withEntries(before, entries), causedLoss(input, shares), input), hold)
    const spend = rollSpend(keyUsage.spend, nowMs)
    return {
      answer: {
        kind: 'settled',
        charged: shares.charged,
        writtenOff: shares.writtenOff,
        available: after.posted - after.held,
        account: hold.account,
      },
      changes: [
        ...entries.map((entry) => insert('entry', entry.id, entry)),
        saveAccount({ ...after, window: correctTokens(before.window, used, nowMs) }),
        saveKeyUsage(rows, {
          ...withoutHold(keyUsage, hold),
          spend: { ...spend, spent: spend.spent + shares.charged },
          usedMinute: minuteOf(nowMs),
          window: correctTokens(keyUsage.window, used, nowMs),
        }),
        remove('hold', id),
        insert('receipt', id, receiptOf(hold, input, shares)),
      ],
    }
  },
}

/** The loss is credited before all of the usage is charged: revenue stays gross, and the balance never passes below zero. */
function entriesOf(
  { id: account, posted, entries: last }: AccountState,
  { id: request, writeOffEntryId, nowMs }: SettleInput,
  { charged, writtenOff }: Split,
): readonly EntryState[] {
  const shared = { account, source: null, request, note: null, createdMs: nowMs }
  const isCovered = writtenOff > 0n
  const loss: EntryState = {
    ...shared,
    id: writeOffEntryId,
    position: last + 1,
    counter: 'write_offs',
    kind: 'write_off',
    amount: writtenOff,
    balanceAfter: posted + writtenOff,
    reference: null,
  }
  const usage: EntryState = {
    ...shared,
    id: request,
    position: last + (isCovered ? 2 : 1),
    counter: 'revenue',
    kind: 'usage',
    amount: -(charged + writtenOff),
    balanceAfter: posted - charged,
    // Usage that is written off in full names the entry that covers it, so that it may leave a balance below zero.
    reference: charged === 0n ? writeOffEntryId.toString() : null,
  }
  if (isCovered) return [loss, usage]
  return charged > 0n ? [usage] : []
}

function withEntries(account: AccountState, entries: readonly EntryState[]): AccountState {
  const last = entries.at(-1)
  if (last === undefined) return account
  return { ...account, posted: last.balanceAfter, entries: last.position }
}

/** The part of the loss that the account caused. A loss that an upstream caused does not count. */
function causedLoss({ excessCausedBy, causedWriteOff }: SettleInput, shares: Split): bigint {
  return shares.uncovered + (excessCausedBy === 'account' ? shares.aboveHold : 0n) + causedWriteOff
}

function withLoss(
  account: AccountState,
  caused: bigint,
  { nowMs, writeOffNanoPerDayMax }: SettleInput,
): AccountState {
  if (caused === 0n) return account
  const losses = addLoss(account.losses, caused, nowMs)
  const isTooMuch = losses.amount > writeOffNanoPerDayMax
  return {
    ...account,
    losses,
    restrictedMs: isTooMuch ? (account.restrictedMs ?? nowMs) : account.restrictedMs,
  }
}

const receiptOf = (
  { id, account, key, amount, priceVersion, model, format, streamed }: HoldState,
  { nowMs, draft, providerObjects }: SettleInput,
  { charged, writtenOff }: Split,
): ReceiptState => ({
  id,
  account,
  key,
  hold: amount,
  charged,
  writtenOff,
  priceVersion,
  model,
  format,
  streamed,
  endedMs: nowMs,
  draft,
  providerObjects,
})
