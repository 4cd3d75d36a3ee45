/**
 * The operation that closes a request: charge, write-off, receipt and the end of the hold, all or
 * nothing. The request's id is the id of its usage entry and of its receipt, so it happens once.
 */
import { rollSpend } from '../../limits/budget.ts'
import { minuteOf } from '../../limits/calendar.ts'
import { correctTokens } from '../../limits/window.ts'
import { type Database, prepare } from '../../store/sqlite/connection.ts'
import { assertAmount } from '../rules/money.ts'
import { addLoss, type Split, split } from '../rules/settlement.ts'
import type { ExcessCause } from '../types.ts'
import { insertEntry } from './entry-writes.ts'
import { withoutHold } from './hold-operations.ts'
import { type PackedProviderObjects, saveProviderObjects } from './provider-objects.ts'
import {
  type AccountState,
  type HoldState,
  type PackedDraft,
  receiptHead,
  receiptRow,
  usedTokens,
  wasAborted,
} from './rows.ts'
import type { StateRows } from './state-rows.ts'

/** What the settle operation takes. */
export type PackedSettlement = readonly [
  id: bigint,
  nowMs: number,
  cost: bigint,
  writtenOff: bigint,
  writeOffEntryId: bigint,
  /** Whether a cost above the hold counts as a loss that the account caused. */
  excessCausedBy: ExcessCause,
  /** More than this on one day restricts the account. */
  writeOffNanoPerDayMax: bigint,
  draft: PackedDraft,
  providerObjects: PackedProviderObjects,
]

export type PackedSettled =
  | readonly [charged: bigint, writtenOff: bigint, available: bigint, account: bigint]
  | 'already_settled'
  | 'unknown_hold'

/** Called with each settlement within its batch, and with its receipt. */
export interface SettlementObserver {
  settled(
    hold: HoldState,
    draft: PackedDraft,
    result: { readonly shares: Split; readonly nowMs: number },
  ): void
}

interface EntryRow {
  readonly id: bigint
  readonly counter: 'revenue' | 'write_offs'
  readonly kind: 'usage' | 'write_off'
  readonly amount: bigint
  /** Of usage that is written off whole: the entry that covered it, so that it may leave a balance below zero. */
  readonly coveredBy: bigint | null
}

/** Appends the rows one after another; answers with the account as they leave it. */
function entryWriter(database: Database) {
  const insert = insertEntry(database)
  return (
    account: AccountState,
    hold: HoldState,
    entries: readonly EntryRow[],
    nowMs: number,
  ): AccountState => {
    let { posted, entries: position } = account
    for (const { id, counter, kind, amount, coveredBy } of entries) {
      posted += amount
      position += 1
      insert({
        id,
        account: hold.account,
        position,
        counter,
        kind,
        amount,
        balanceAfter: posted,
        source: null,
        reference: coveredBy === null ? null : coveredBy.toString(),
        request: hold.id,
        note: null,
        createdMs: nowMs,
      })
    }
    return { ...account, posted, entries: position }
  }
}

export function settleOperation(database: Database, rows: StateRows, observer: SettlementObserver) {
  const findReceipt = prepare(database, 'SELECT 1 FROM receipt WHERE id = ?')
  const insertReceipt = prepare(
    database,
    `INSERT INTO receipt (${receiptRow.names}) VALUES (${receiptRow.placeholders})`,
  )
  const post = entryWriter(database)
  const saveObjects = saveProviderObjects(database)

  return (...settlement: PackedSettlement): PackedSettled => {
    const [
      id,
      nowMs,
      cost,
      writtenOff,
      writeOffEntryId,
      excessCausedBy,
      writeOffNanoPerDayMax,
      draft,
      providerObjects,
    ] = settlement
    assertAmount(cost, 'the cost of a request')
    assertAmount(writtenOff, 'a write-off')
    const hold = rows.hold(id)
    if (hold === undefined) return findReceipt.row(id) === undefined ? 'unknown_hold' : 'already_settled'
    const before = rows.knownAccount(hold.account)
    const keyUsage = rows.keyUsage(hold.key, hold.account)
    const shares = split({ cost, writtenOff, hold: hold.amount, available: before.posted - before.held })
    const used = { reservedMs: hold.createdMs, reserved: hold.tokens, ...usedTokens(draft) }

    const posted = post(before, hold, entriesOf(id, writeOffEntryId, shares), nowMs)
    const caused =
      shares.uncovered +
      (excessCausedBy === 'account' ? shares.aboveHold : 0n) +
      (wasAborted(draft) ? writtenOff : 0n)
    const after = withoutHold(withLoss(posted, caused, nowMs, writeOffNanoPerDayMax), hold)
    rows.saveAccount(hold.account, {
      ...after,
      window: correctTokens(before.window, used, nowMs),
    })
    const spend = rollSpend(keyUsage.spend, nowMs)
    rows.saveKeyUsage({
      ...withoutHold(keyUsage, hold),
      spend: { ...spend, spent: spend.spent + shares.charged },
      usedMinute: minuteOf(nowMs),
      window: correctTokens(keyUsage.window, used, nowMs),
    })
    rows.removeHold(id)
    const { account, key, amount, priceVersion, model, dialect, streamed } = hold
    const { charged } = shares
    insertReceipt.run(
      ...receiptHead.bind({
        id,
        account,
        key,
        hold: amount,
        charged,
        writtenOff: shares.writtenOff,
        priceVersion,
        model,
        dialect,
        streamed,
        endedMs: nowMs,
      }),
      ...draft,
    )
    observer.settled(hold, draft, { shares, nowMs })
    saveObjects({ account: hold.account, receipt: id, nowMs }, providerObjects)
    return [shares.charged, shares.writtenOff, after.posted - after.held, hold.account]
  }
}

/** The loss is credited before the whole usage is charged: revenue stays gross, the balance never passes below zero. */
function entriesOf(id: bigint, writeOffEntryId: bigint, { charged, writtenOff }: Split): readonly EntryRow[] {
  const loss: EntryRow = {
    id: writeOffEntryId,
    counter: 'write_offs',
    kind: 'write_off',
    amount: writtenOff,
    coveredBy: null,
  }
  const usage: EntryRow = {
    id,
    counter: 'revenue',
    kind: 'usage',
    amount: -(charged + writtenOff),
    coveredBy: charged === 0n ? writeOffEntryId : null,
  }
  if (writtenOff > 0n) return [loss, usage]
  return charged > 0n ? [usage] : []
}

function withLoss(account: AccountState, caused: bigint, nowMs: number, perDayMax: bigint): AccountState {
  if (caused === 0n) return account
  const losses = addLoss(account.losses, caused, nowMs)
  const isTooMuch = losses.amount > perDayMax
  return {
    ...account,
    losses,
    restrictedMs: isTooMuch ? (account.restrictedMs ?? nowMs) : account.restrictedMs,
  }
}
