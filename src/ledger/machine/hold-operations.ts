/**
 * Operations on open holds: admit, release, shrink, release concurrency, checkpoint, set model, confirm. Each keeps the
 * sums on the account and on the key's usage row equal to what the hold rows say.
 */
import { assert } from '../../base/assert.ts'
import { rollSpend } from '../../limits/budget.ts'
import { minuteOf } from '../../limits/calendar.ts'
import { correctTokens, newestMs, type RateWindow, rollWindow } from '../../limits/window.ts'
import { decide, type Take } from '../rules/admission.ts'
import { assertAmount, type Fraction, least } from '../rules/money.ts'
import type { Admission, AdmissionRequest } from '../types.ts'
import {
  holdRows,
  keyUsageOf,
  knownAccount,
  payerRows,
  saveAccount,
  saveKeyUsage,
  withoutHold,
} from './key-usage.ts'
import { type LedgerOperation, type Outcome, unchanged } from './operation.ts'
import {
  type AccountState,
  type HoldState,
  insert,
  type KeyUsageState,
  type RowChange,
  type Rows,
  remove,
  type StoredDraft,
  update,
} from './rows.ts'

/** Settings that admission needs in addition to the request. */
export interface AdmitSettings {
  /** The ID slot of the process that owns the hold. */
  readonly process: number
  readonly reserveShare: Fraction
}

export interface AdmitInput {
  readonly request: AdmissionRequest
  readonly settings: AdmitSettings
}

/** Takes everything that a request may use, or nothing. */
export const admit: LedgerOperation<AdmitInput, Admission> = {
  durable: false,
  deferral: 'later',
  rows: ({ request }, found) => payerRows(request.account, request.key, found),
  apply(rows, { request, settings }) {
    assertRequest(request)
    const account = knownAccount(rows, request.account)
    const keyUsage = keyUsageOf(rows, request.key, request.account)
    const taken = decide(account, keyUsage, request, settings.reserveShare)
    if (taken.kind !== 'take')
      return { answer: taken, changes: followClock(rows, request, { account, keyUsage }) }
    const { amount, outputLimit } = taken
    const held = account.held + amount
    return {
      answer: {
        kind: 'held',
        id: request.id,
        amount,
        outputLimit,
        available: account.posted - held,
        rates: taken.rates,
        restricted: account.restrictedMs !== null,
      },
      changes: [
        saveAccount({
          ...account,
          held,
          openHolds: account.openHolds + 1,
          running: account.running + 1,
          window: taken.accountWindow,
        }),
        saveKeyUsage(rows, {
          ...keyUsage,
          held: keyUsage.held + amount,
          openHolds: keyUsage.openHolds + 1,
          running: keyUsage.running + 1,
          usedMinute: minuteOf(request.nowMs),
          spend: taken.spend,
          spentMax: taken.spentMax,
          window: taken.keyWindow,
        }),
        insert('hold', request.id, newHold(request, taken, settings.process)),
      ],
    }
  },
}

function assertRequest(request: AdmissionRequest): void {
  assertAmount(request.inputAmount, 'the bound of the input')
  assertAmount(request.outputTokenAmount, 'the price of a token of output')
  for (const count of [request.inputTokens, request.outputWanted, request.outputFloor]) {
    assert(Number.isSafeInteger(count) && count >= 0, 'tokens are counted in whole numbers')
  }
}

const newHold = (
  request: AdmissionRequest,
  { amount, tokens, outputLimit }: Take,
  process: number,
): HoldState => ({
  id: request.id,
  account: request.account,
  key: request.key,
  process,
  amount,
  tokens,
  isConcurrencyReleased: false,
  outputLimit,
  outputLowered: outputLimit < request.outputWanted,
  priceVersion: request.priceVersion,
  model: request.model,
  format: request.format,
  streamed: request.streamed,
  createdMs: request.nowMs,
  checkpoint: null,
})

/**
 * A clock that was set far back moves the windows and their marks with it. Saved for rejected requests too: they would be
 * rejected until the clock reaches its earlier time.
 */
function followClock(
  rows: Rows,
  { nowMs }: AdmissionRequest,
  { account, keyUsage }: { readonly account: AccountState; readonly keyUsage: KeyUsageState },
): readonly RowChange[] {
  const changes: RowChange[] = []
  const payerWindow = rollWindow(account.window, nowMs)
  if (isSetBack(account.window, payerWindow)) changes.push(saveAccount({ ...account, window: payerWindow }))
  const window = rollWindow(keyUsage.window, nowMs)
  const spend = rollSpend(keyUsage.spend, nowMs)
  if (isSetBack(keyUsage.window, window) || spend.day < keyUsage.spend.day)
    changes.push(saveKeyUsage(rows, { ...keyUsage, window, spend }))
  return changes
}

/** Whether the newest mark moved back. Dropping old marks leaves the newest one, or none. */
const isSetBack = (before: RateWindow, after: RateWindow): boolean =>
  after.length > 0 && newestMs(after) < newestMs(before)

export interface OfHold {
  readonly id: bigint
}

/** The account whose hold changed; null: nothing changed. */
type ChangedAccount = bigint | null

/** An operation on a hold that has nothing to do where the hold is closed. */
function onOpenHold<Input extends OfHold>(
  change: (rows: Rows, hold: HoldState, input: Input) => readonly RowChange[],
): LedgerOperation<Input, ChangedAccount> {
  return {
    durable: false,
    deferral: 'later',
    rows: ({ id }, found) => holdRows(id, found),
    apply(rows, input): Outcome<ChangedAccount> {
      const hold = rows.hold.get(input.id)
      if (hold === undefined) return unchanged(null)
      const changes = change(rows, hold, input)
      return { answer: changes.length === 0 ? null : hold.account, changes }
    },
  }
}

/** Releases a full hold, with no charge and no receipt. */
export const release = onOpenHold<OfHold>((rows, hold) => {
  const returned = { reservedMs: hold.createdMs, reserved: hold.tokens, input: 0, output: 0 }
  // By the window's own time: if the clock was set back since, the hold's creation is later than every mark.
  const inTime = (window: RateWindow): RateWindow => correctTokens(window, returned, newestMs(window))
  const account = knownAccount(rows, hold.account)
  const keyUsage = keyUsageOf(rows, hold.key, hold.account)
  return [
    saveAccount({
      ...withoutHold(account, hold),
      window: inTime(account.window),
    }),
    saveKeyUsage(rows, {
      ...withoutHold(keyUsage, hold),
      window: inTime(keyUsage.window),
    }),
    remove('hold', hold.id),
  ]
})

/** Releases `amount` of a hold, at most all of it. */
export const shrink = onOpenHold<OfHold & { readonly amount: bigint }>((rows, hold, { amount }) => {
  assert(amount >= 0n, 'a hold only shrinks')
  const given = least(amount, hold.amount)
  const account = knownAccount(rows, hold.account)
  const keyUsage = keyUsageOf(rows, hold.key, hold.account)
  return [
    saveAccount({ ...account, held: account.held - given }),
    saveKeyUsage(rows, { ...keyUsage, held: keyUsage.held - given }),
    update('hold', hold.id, { ...hold, amount: hold.amount - given }),
  ]
})

/** Frees the concurrency of a request; its hold stays. */
export const releaseConcurrency = onOpenHold<OfHold>((rows, hold) => {
  if (hold.isConcurrencyReleased) return []
  const account = knownAccount(rows, hold.account)
  const keyUsage = keyUsageOf(rows, hold.key, hold.account)
  return [
    saveAccount({ ...account, running: account.running - 1 }),
    saveKeyUsage(rows, { ...keyUsage, running: keyUsage.running - 1 }),
    update('hold', hold.id, { ...hold, isConcurrencyReleased: true }),
  ]
})

interface CheckpointInput extends OfHold {
  readonly cost: bigint
  readonly draft: StoredDraft
}

/** Records what was delivered. A hold that was closed in the meantime needs no checkpoint. */
export const checkpoint: LedgerOperation<CheckpointInput, null> = {
  durable: true,
  rows: ({ id }, found) => [{ table: 'hold', id, account: found.hold.get(id)?.account }],
  apply(rows, { id, cost, draft }) {
    assert(cost >= 0n, 'a checkpoint costs something or nothing')
    const hold = rows.hold.get(id)
    if (hold === undefined) return unchanged(null)
    return { answer: null, changes: [update('hold', id, { ...hold, checkpoint: { cost, draft } })] }
  },
}

interface ModelInput extends OfHold {
  readonly model: string
  readonly priceVersion: bigint
}

/** Records the model and price version when another model serves the request; the amount stays. Answers whether the hold exists. */
export const setModel: LedgerOperation<ModelInput, boolean> = {
  durable: false,
  deferral: 'later',
  rows: ({ id }, found) => [{ table: 'hold', id, account: found.hold.get(id)?.account }],
  apply(rows, { id, model, priceVersion }) {
    const hold = rows.hold.get(id)
    if (hold === undefined) return unchanged(false)
    return { answer: true, changes: [update('hold', id, { ...hold, model, priceVersion })] }
  },
}

/** Whether the hold is in the database: an admission that was answered earlier may be lost until then. */
export const confirm: LedgerOperation<OfHold, boolean> = {
  durable: false,
  deferral: 'after',
  rows: ({ id }, found) => [{ table: 'hold', id, account: found.hold.get(id)?.account }],
  apply: (rows, { id }) => unchanged(rows.hold.get(id) !== undefined),
}
