/**
 * Operations on open holds: admit, shrink, release concurrency, checkpoint, set model, release. Each keeps the sums on the
 * account and on the key's usage row equal to what the hold rows say.
 */
import { assert } from '../../base/assert.ts'
import { rollSpend } from '../../limits/budget.ts'
import { minuteOf } from '../../limits/calendar.ts'
import { correctTokens, newestMs, type RateWindow, rollWindow } from '../../limits/window.ts'
import { type Database, type Output, prepare } from '../../store/sqlite/connection.ts'
import { decide } from '../rules/admission.ts'
import { assertAmount, least } from '../rules/money.ts'
import type { AdmissionAsk } from '../types.ts'
import { admitMessage, type PackedAdmission, type PackedAsk, packHeld } from './messages.ts'
import {
  type AccountState,
  checkpointText,
  type HoldState,
  type KeyUsageState,
  newHold,
  type PackedDraft,
} from './rows.ts'
import type { StateRows } from './state-rows.ts'

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

export function holdOperations(database: Database, rows: StateRows) {
  return {
    admit: { durable: false, run: admitOperation(database, rows) },
    release: { durable: false, run: releaseOperation(rows) },
    shrink: { durable: false, run: shrinkOperation(database, rows) },
    releaseConcurrency: { durable: false, run: releaseConcurrencyOperation(database, rows) },
    checkpoint: { durable: true, run: checkpointOperation(database) },
    setModel: { durable: false, run: setModelOperation(database) },
  } as const
}

function admitOperation(database: Database, rows: StateRows) {
  const insert = prepare(database, `INSERT INTO hold (${newHold.names}) VALUES (${newHold.placeholders})`)
  return (packed: PackedAsk): PackedAdmission => {
    const { ask, settings } = admitMessage.toRow(packed as Output[])
    assertAmount(ask.inputAmount, 'the bound of the input')
    assertAmount(ask.outputTokenAmount, 'the price of a token of output')
    for (const count of [ask.inputTokens, ask.outputWanted, ask.outputFloor]) {
      assert(Number.isSafeInteger(count) && count >= 0, 'tokens are counted in whole numbers')
    }
    const account = rows.knownAccount(ask.account)
    const keyUsage = rows.keyUsage(ask.key, ask.account)
    const taken = decide(account, keyUsage, ask, settings.reserveShare)
    if (taken.kind !== 'take') {
      followClock(rows, ask, { account, keyUsage })
      return taken
    }
    const { amount, outputLimit } = taken
    const held = account.held + amount
    rows.saveAccount(ask.account, {
      ...account,
      held,
      openHolds: account.openHolds + 1,
      running: account.running + 1,
      window: taken.accountWindow,
    })
    rows.saveKeyUsage({
      ...keyUsage,
      held: keyUsage.held + amount,
      openHolds: keyUsage.openHolds + 1,
      running: keyUsage.running + 1,
      usedMinute: minuteOf(ask.nowMs),
      spend: taken.spend,
      spentMax: taken.spentMax,
      window: taken.keyWindow,
    })
    insert.run(
      ...newHold.bind({
        id: ask.id,
        account: ask.account,
        key: ask.key,
        process: settings.process,
        amount,
        tokens: taken.tokens,
        outputLimit,
        outputLowered: outputLimit < ask.outputWanted,
        priceVersion: ask.priceVersion,
        model: ask.model,
        dialect: ask.dialect,
        streamed: ask.streamed,
        createdMs: ask.nowMs,
      }),
    )
    return packHeld({
      kind: 'held',
      id: ask.id,
      amount,
      outputLimit,
      available: account.posted - held,
      rates: taken.rates,
      restricted: account.restrictedMs !== null,
    })
  }
}

/**
 * A clock that was set far back moves the windows and their marks with it. Saved for refused requests too: they would be
 * refused until the clock reaches its earlier time.
 */
function followClock(
  rows: StateRows,
  { account: id, nowMs }: AdmissionAsk,
  { account, keyUsage }: { account: AccountState; keyUsage: KeyUsageState },
): void {
  const payerWindow = rollWindow(account.window, nowMs)
  if (isSetBack(account.window, payerWindow)) rows.saveAccount(id, { ...account, window: payerWindow })
  const window = rollWindow(keyUsage.window, nowMs)
  const spend = rollSpend(keyUsage.spend, nowMs)
  if (isSetBack(keyUsage.window, window) || spend.day < keyUsage.spend.day)
    rows.saveKeyUsage({ ...keyUsage, window, spend })
}

/** What is dropped for its age alone leaves the newest mark where it was, or nothing. */
const isSetBack = (before: RateWindow, after: RateWindow): boolean =>
  after.length > 0 && newestMs(after) < newestMs(before)

/** Answers with the account that got the hold back, or null when there was none: closed already, which is what was wanted. */
function releaseOperation(rows: StateRows) {
  return (id: bigint): bigint | null => {
    const hold = rows.hold(id)
    if (hold === undefined) return null
    const account = rows.knownAccount(hold.account)
    const keyUsage = rows.keyUsage(hold.key, hold.account)
    const returned = { reservedMs: hold.createdMs, reserved: hold.tokens, input: 0, output: 0 }
    rows.saveAccount(hold.account, {
      ...withoutHold(account, hold),
      window: correctTokens(account.window, returned, hold.createdMs),
    })
    rows.saveKeyUsage({
      ...withoutHold(keyUsage, hold),
      window: correctTokens(keyUsage.window, returned, hold.createdMs),
    })
    rows.removeHold(id)
    return hold.account
  }
}

/** Releases `amount` of a hold, or all that is left of it. */
function shrinkOperation(database: Database, rows: StateRows) {
  const update = prepare(database, 'UPDATE hold SET amount = ? WHERE id = ?')
  return (id: bigint, amount: bigint): bigint | null => {
    assert(amount >= 0n, 'a hold only shrinks')
    const hold = rows.hold(id)
    if (hold === undefined) return null
    const given = least(amount, hold.amount)
    const account = rows.knownAccount(hold.account)
    const keyUsage = rows.keyUsage(hold.key, hold.account)
    rows.saveAccount(hold.account, { ...account, held: account.held - given })
    rows.saveKeyUsage({ ...keyUsage, held: keyUsage.held - given })
    update.run(hold.amount - given, id)
    return hold.account
  }
}

function releaseConcurrencyOperation(database: Database, rows: StateRows) {
  const update = prepare(database, 'UPDATE hold SET concurrency_released = 1 WHERE id = ?')
  return (id: bigint): bigint | null => {
    const hold = rows.hold(id)
    if (hold === undefined || hold.isConcurrencyReleased) return null
    const account = rows.knownAccount(hold.account)
    const keyUsage = rows.keyUsage(hold.key, hold.account)
    rows.saveAccount(hold.account, { ...account, running: account.running - 1 })
    rows.saveKeyUsage({ ...keyUsage, running: keyUsage.running - 1 })
    update.run(id)
    return hold.account
  }
}

/** What the request is charged as, once another model serves it; the amount stays. */
function setModelOperation(database: Database) {
  const update = prepare(database, 'UPDATE hold SET model = ?, price_version = ? WHERE id = ?')
  return (id: bigint, model: string, priceVersion: bigint): void => {
    update.run(model, priceVersion, id)
  }
}

/** A hold that was closed in the meantime needs no checkpoint. */
function checkpointOperation(database: Database) {
  const update = prepare(database, 'UPDATE hold SET checkpoint_cost = ?, checkpoint_draft = ? WHERE id = ?')
  return (id: bigint, cost: bigint, draft: PackedDraft): void => {
    assert(cost >= 0n, 'a checkpoint costs something or nothing')
    update.run(cost, checkpointText(draft), id)
  }
}
