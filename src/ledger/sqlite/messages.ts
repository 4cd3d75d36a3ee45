/**
 * The inputs and results of the hot operations as flat tuples: half of the cost of a message between threads is the names
 * in it. One table of fields for each message makes both directions.
 */
import type { BudgetWindow, RateLimits, RateState } from '../../limits/types.ts'
import type { LazyCall } from '../../store/channel.ts'
import { type Field, rowOf, rowOrNull, same } from '../../store/sqlite/columns.ts'
import type { Input, Output } from '../../store/sqlite/connection.ts'
import type { Call } from '../../store/sqlite/messages.ts'
import type { ProviderObject } from '../../wire/format.ts'
import type { AdmitInput, AdmitSettings } from '../machine/hold-operations.ts'
import type { StoredDraft, StoredObjects } from '../machine/rows.ts'
import type { LazySettlement, Settlement } from '../settlement-types.ts'
import type { Admission, AdmissionRequest, ExcessCause, Held } from '../types.ts'
import { packDraft } from './rows.ts'

/** A value that crosses the threads as it is; a tuple has no names. */
const value = <Value extends bigint | number | string | boolean | null>(): Field<Value> => same<Value>('')

const rateLimits: Field<RateLimits> = rowOf({
  requestsPerMinute: value<number | null>(),
  tokensPerMinute: value<number | null>(),
  concurrent: value<number | null>(),
})

const request = rowOf({
  id: value<bigint>(),
  account: value<bigint>(),
  key: value<bigint>(),
  nowMs: value<number>(),
  inputAmount: value<bigint>(),
  inputTokens: value<number>(),
  outputTokenAmount: value<bigint>(),
  outputWanted: value<number>(),
  outputFloor: value<number>(),
  onShortBalance: value<AdmissionRequest['onShortBalance']>(),
  patience: value<AdmissionRequest['patience']>(),
  needsUnrestrictedAccount: value<boolean>(),
  accountLimits: rateLimits,
  keyLimits: rateLimits,
  keyBudget: rowOrNull(rowOf({ amount: value<bigint>(), window: value<BudgetWindow>() })),
  priceVersion: value<bigint>(),
  model: value<string>(),
  format: value<string>(),
  streamed: value<boolean>(),
}) satisfies Field<AdmissionRequest>

const settings = rowOf({
  process: value<number>(),
  reserveShare: rowOf({ numerator: value<bigint>(), denominator: value<bigint>() }),
}) satisfies Field<AdmitSettings>

export const admitMessage = rowOf({ request, settings }) satisfies Field<AdmitInput>
export type PackedRequest = Input[]

const rate: Field<RateState | null> = rowOrNull(
  rowOf({ limit: value<number>(), remaining: value<number>(), resetMs: value<number>() }),
)

const held = rowOf({
  kind: value<'held'>(),
  id: value<bigint>(),
  amount: value<bigint>(),
  outputLimit: value<number>(),
  available: value<bigint>(),
  restricted: value<boolean>(),
  rates: rowOf({ requests: rate, tokens: rate }),
}) satisfies Field<Held>

/** A hold as a tuple; every other answer is rare and goes as it is. */
export type PackedAdmission = Input[] | Exclude<Admission, Held>

export const packHeld: (hold: Held) => PackedAdmission = held.bind

export function unpackAdmission(packed: PackedAdmission): Admission {
  return Array.isArray(packed) ? held.toRow(packed as Output[]) : packed
}

interface SettleLimits {
  readonly writeOffNanoPerDayMax: bigint
  readonly providerObjectRetentionMs: number
}

/** Name of the operation in the table of `machine-operations.ts`. */
const operation = 'settle'

/** Values of a settle message. */
export type PackedSettlement = readonly [
  id: bigint,
  nowMs: number,
  cost: bigint,
  writtenOff: bigint,
  writeOffEntryId: bigint,
  excessCausedBy: ExcessCause,
  causedWriteOff: bigint,
  writeOffNanoPerDayMax: bigint,
  draft: StoredDraft,
  providerObjects: StoredObjects,
]

/** The message of a settlement: a flat tuple, made immediately or when its batch leaves. */
export function settleMessage(
  settlement: Settlement | LazySettlement,
  limits: SettleLimits,
): Call | LazyCall {
  if (!('take' in settlement)) return callOf(settlement, limits)
  const { id, take } = settlement
  return {
    name: operation,
    id,
    make() {
      const taken = take()
      return taken === null ? null : callOf(taken, limits)
    },
  }
}

function callOf(
  {
    id,
    nowMs,
    cost,
    writtenOff,
    writeOffEntryId,
    excessCausedBy = 'upstream',
    causedWriteOff = 0n,
    receipt,
    providerObjects = [],
  }: Settlement,
  { writeOffNanoPerDayMax, providerObjectRetentionMs }: SettleLimits,
): Call {
  const packed: PackedSettlement = [
    id,
    nowMs,
    cost,
    writtenOff,
    writeOffEntryId,
    excessCausedBy,
    causedWriteOff,
    writeOffNanoPerDayMax,
    packDraft(receipt),
    packProviderObjects(providerObjects, nowMs - providerObjectRetentionMs),
  ]
  return [operation, ...packed]
}

function packProviderObjects(objects: readonly ProviderObject[], sinceMs: number): StoredObjects {
  if (objects.length === 0) return null
  return [sinceMs, objects.map(({ id }) => id), objects.map(({ referencedScope }) => referencedScope)]
}
