/**
 * The rows of the ledger as values: which columns in which order, and how a row of bigints becomes the
 * words of types.ts. No statement runs here.
 */

import type { SpendMeter } from '../limits/budget.ts'
import type { RateWindow } from '../limits/window.ts'
import type { Input, Output } from '../store/sqlite/connection.ts'
import type { Meter, Payer } from './admission.ts'
import type { InputBoundSource } from './price.ts'
import type { Losses } from './settlement.ts'
import type {
  AccountRow,
  Attempt,
  EndReason,
  ReceiptDraft,
  ReceiptRow,
  RunningRow,
  UsageSource,
} from './types.ts'

/** The part of an account row that admission and settlement read and write. */
export interface AccountState extends Payer {
  readonly entries: number
  readonly losses: Losses
}

export const accountStateColumns =
  'posted, held, open_holds, running, entries, rates, absorbed_day, absorbed, suspended_ms, restricted_ms'

export function toAccountState(row: Output[]): AccountState {
  return {
    posted: row[0] as bigint,
    held: row[1] as bigint,
    openHolds: Number(row[2]),
    running: Number(row[3]),
    entries: Number(row[4]),
    window: toWindow(row[5] as Uint8Array),
    losses: { day: Number(row[6]), amount: row[7] as bigint },
    suspendedMs: numberOrNull(row[8]),
    restrictedMs: numberOrNull(row[9]),
  }
}

/** In the order of `accountStateColumns`. */
export function fromAccountState(state: AccountState): Input[] {
  return [
    state.posted,
    state.held,
    BigInt(state.openHolds),
    BigInt(state.running),
    BigInt(state.entries),
    fromWindow(state.window),
    BigInt(state.losses.day),
    state.losses.amount,
    state.suspendedMs === null ? null : BigInt(state.suspendedMs),
    state.restrictedMs === null ? null : BigInt(state.restrictedMs),
  ]
}

export interface MeterState extends Meter {
  readonly key: bigint
  readonly account: bigint
  /** In which minute since 1970 its last request began or ended. */
  readonly usedMinute: number
  /** What the budget of the last admission allows `spent` and `held` to sum up to; null: it had none. */
  readonly spentMax: bigint | null
}

export const meterColumns =
  'key, account, held, open_holds, running, spent, day, spent_before_day, spent_before_week, spent_before_month, spent_max, minute, rates'

export function toMeterState(row: Output[]): MeterState {
  return {
    key: row[0] as bigint,
    account: row[1] as bigint,
    held: row[2] as bigint,
    openHolds: Number(row[3]),
    running: Number(row[4]),
    spend: toSpend(row, 5),
    spentMax: row[10] as bigint | null,
    usedMinute: Number(row[11]),
    window: toWindow(row[12] as Uint8Array),
  }
}

/** All but `key` and `account`, which never change. */
export function fromMeterState(state: MeterState): Input[] {
  const { spend } = state
  return [
    state.held,
    BigInt(state.openHolds),
    BigInt(state.running),
    spend.spent,
    BigInt(spend.day),
    spend.beforeDay,
    spend.beforeWeek,
    spend.beforeMonth,
    state.spentMax,
    BigInt(state.usedMinute),
    fromWindow(state.window),
  ]
}

function toSpend(row: Output[], from: number): SpendMeter {
  return {
    spent: row[from] as bigint,
    day: Number(row[from + 1]),
    beforeDay: row[from + 2] as bigint,
    beforeWeek: row[from + 3] as bigint,
    beforeMonth: row[from + 4] as bigint,
  }
}

/** As the words stand in the column, in this machine's order. */
function toWindow({ buffer, byteOffset, byteLength }: Uint8Array): RateWindow {
  const words = byteLength / Uint32Array.BYTES_PER_ELEMENT
  return new Uint32Array(buffer, byteOffset, words)
}

function fromWindow({ buffer, byteOffset, byteLength }: RateWindow): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

/** An open hold as closing it needs it. */
export interface HoldState {
  readonly id: bigint
  readonly account: bigint
  readonly key: bigint
  readonly amount: bigint
  readonly tokens: number
  readonly createdMs: number
  readonly isDetached: boolean
  readonly priceVersion: bigint
  readonly model: string
  readonly dialect: string
  readonly streamed: bigint
}

export const holdColumns =
  'id, account, key, amount, tokens, created_ms, detached, price_version, model, dialect, streamed'

export function toHoldState(row: Output[]): HoldState {
  return {
    id: row[0] as bigint,
    account: row[1] as bigint,
    key: row[2] as bigint,
    amount: row[3] as bigint,
    tokens: Number(row[4]),
    createdMs: Number(row[5]),
    isDetached: row[6] !== 0n,
    priceVersion: row[7] as bigint,
    model: row[8] as string,
    dialect: row[9] as string,
    streamed: row[10] as bigint,
  }
}

/** A hold whose request will never close it, with what its last checkpoint said. */
export interface Orphan {
  readonly id: bigint
  readonly createdMs: number
  readonly model: string
  readonly outputLimit: number
  readonly outputLowered: boolean
  readonly checkpoint: { readonly cost: bigint; readonly draft: ReceiptDraft } | null
}

export const orphanColumns =
  'id, created_ms, model, output_limit, output_lowered, checkpoint_cost, checkpoint_draft'

export function toOrphan(row: Output[]): Orphan {
  const [cost, draft] = [row[5], row[6]]
  return {
    id: row[0] as bigint,
    createdMs: Number(row[1]),
    model: row[2] as string,
    outputLimit: Number(row[3]),
    outputLowered: row[4] !== 0n,
    checkpoint:
      typeof cost === 'bigint' && typeof draft === 'string'
        ? { cost, draft: unpackDraft(JSON.parse(draft) as Output[]) }
        : null,
  }
}

export const accountColumns =
  'id, kind, email, name, created_ms, suspended_ms, restricted_ms, posted, held, open_holds, absorbed, owner'

export function toAccountRow(row: Output[]): AccountRow {
  return {
    id: row[0] as bigint,
    kind: row[1] as AccountRow['kind'],
    email: row[2] as string | null,
    name: row[3] as string,
    createdMs: Number(row[4]),
    suspendedMs: numberOrNull(row[5]),
    restrictedMs: numberOrNull(row[6]),
    posted: row[7] as bigint,
    held: row[8] as bigint,
    openHolds: Number(row[9]),
    absorbedToday: row[10] as bigint,
    owner: row[11] as string | null,
  }
}

export const runningColumns = 'id, account, key, model, dialect, streamed, amount'

export function toRunningRow(row: Output[]): RunningRow {
  return {
    id: row[0] as bigint,
    account: row[1] as bigint,
    key: row[2] as bigint,
    model: row[3] as string,
    dialect: row[4] as string,
    streamed: row[5] !== 0n,
    hold: row[6] as bigint,
  }
}

/** A draft as values to bind, in the order of `draftColumns`. */
export type PackedDraft = (string | number | bigint | null)[]

const draftColumns =
  'provider, upstream, upstream_model, upstream_request_id, status, end_reason, usage_source, error_code, input_uncached, cache_read, cache_write_5m, cache_write_1h, input_audio, output, output_audio, reasoning, fees, ran_at, unpriced_usage, upstream_cost, output_limit, output_lowered, settled_late, started_ms, first_byte_ms, attempts, person, implausible, input_bound'

const placeOf = (column: string): number => draftColumns.split(', ').indexOf(column)
const endReasonPlace = placeOf('end_reason')
const inputPlace = placeOf('input_uncached')
const outputPlace = placeOf('output')
const startedPlace = placeOf('started_ms')

/** All input and all output of a packed draft, for the rates. */
export function usedTokens(draft: PackedDraft): { readonly input: number; readonly output: number } {
  const sum = (from: number, to: number): number =>
    draft.slice(from, to).reduce<number>((total, count) => total + Number(count), 0)
  return { input: sum(inputPlace, outputPlace), output: sum(outputPlace, outputPlace + 2) }
}

/** What the hourly sums take from a packed draft; audio counts with the tokens of its direction. */
export function usageOfDraft(draft: PackedDraft) {
  const tokens = (place: number): number => Number(draft[place])
  const firstByteMs = draft[startedPlace + 1] ?? null
  return {
    endReason: draft[endReasonPlace],
    inputUncached: tokens(inputPlace) + tokens(inputPlace + 4),
    cacheRead: tokens(inputPlace + 1),
    cacheWrite: tokens(inputPlace + 2) + tokens(inputPlace + 3),
    output: tokens(outputPlace) + tokens(outputPlace + 1),
    reasoning: tokens(outputPlace + 2),
    startedMs: tokens(startedPlace),
    firstByteMs: firstByteMs === null ? null : Number(firstByteMs),
  }
}

export function wasAborted(draft: PackedDraft): boolean {
  return draft[endReasonPlace] === 'client_abort'
}

export function packDraft(draft: ReceiptDraft): PackedDraft {
  return [
    draft.provider,
    draft.upstream,
    draft.upstreamModel,
    draft.upstreamRequestId,
    draft.status,
    draft.endReason,
    draft.usageSource,
    draft.errorCode,
    draft.inputUncached,
    draft.cacheRead,
    draft.cacheWrite5m,
    draft.cacheWrite1h,
    draft.inputAudio,
    draft.output,
    draft.outputAudio,
    draft.reasoning,
    JSON.stringify(draft.fees),
    JSON.stringify(draft.ranAt),
    draft.unpricedUsage ? 1 : 0,
    draft.upstreamCost,
    draft.outputLimit,
    draft.outputLowered ? 1 : 0,
    draft.settledLate ? 1 : 0,
    draft.startedMs,
    draft.firstByteMs,
    JSON.stringify(draft.attempts),
    draft.person,
    draft.implausible === null ? null : JSON.stringify(draft.implausible),
    draft.inputBound,
  ]
}

function unpackDraft(row: readonly Output[], from = 0): ReceiptDraft {
  const text = (place: number): string => row[from + place] as string
  const count = (place: number): number => Number(row[from + place])
  return {
    provider: text(0),
    upstream: text(1),
    upstreamModel: text(2),
    upstreamRequestId: row[from + 3] as string | null,
    status: count(4),
    endReason: text(5) as EndReason,
    usageSource: text(6) as UsageSource,
    errorCode: row[from + 7] as string | null,
    inputUncached: count(8),
    cacheRead: count(9),
    cacheWrite5m: count(10),
    cacheWrite1h: count(11),
    inputAudio: count(12),
    output: count(13),
    outputAudio: count(14),
    reasoning: count(15),
    fees: JSON.parse(text(16)) as Record<string, number>,
    ranAt: JSON.parse(text(17)) as string[],
    unpricedUsage: count(18) !== 0,
    upstreamCost: BigInt(row[from + 19] as bigint),
    outputLimit: count(20),
    outputLowered: count(21) !== 0,
    settledLate: count(22) !== 0,
    startedMs: count(23),
    firstByteMs: numberOrNull(row[from + 24]),
    attempts: JSON.parse(text(25)) as Attempt[],
    // A checkpoint of an earlier version has none.
    person: (row[from + 26] ?? null) as string | null,
    implausible: countsOrNull(row[from + 27]),
    inputBound: (row[from + 28] ?? null) as InputBoundSource | null,
  }
}

/** The columns that the ledger adds to a draft; before those of the draft in every receipt statement. */
const receiptOwnColumns =
  'id, account, key, hold, charged, absorbed, price_version, model, dialect, streamed, ended_ms'
export const receiptColumns = `${receiptOwnColumns}, ${draftColumns}`
const receiptOwnCount = receiptOwnColumns.split(', ').length

export function toReceiptRow(row: Output[]): ReceiptRow {
  return {
    id: row[0] as bigint,
    account: row[1] as bigint,
    key: row[2] as bigint,
    hold: row[3] as bigint,
    charged: row[4] as bigint,
    absorbed: row[5] as bigint,
    priceVersion: row[6] as bigint,
    model: row[7] as string,
    dialect: row[8] as string,
    streamed: row[9] !== 0n,
    endedMs: Number(row[10]),
    ...unpackDraft(row, receiptOwnCount),
  }
}

/** `?, ?, …` for as many columns as the list names. */
export const places = (columns: string): string =>
  columns
    .split(', ')
    .map(() => '?')
    .join(', ')

function countsOrNull(value: Output | undefined): Readonly<Record<string, number>> | null {
  return typeof value === 'string' ? (JSON.parse(value) as Record<string, number>) : null
}

function numberOrNull(value: Output | undefined): number | null {
  return value === null || value === undefined ? null : Number(value)
}
