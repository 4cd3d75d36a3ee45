/**
 * What the hot operations are told and answer, as flat tuples: half of the cost of a message between
 * threads is the names in it. Each pair of functions here is the other's inverse.
 */
import type { BudgetWindow, RateLimits, RateState } from '../limits/types.ts'
import type { Fraction } from './money.ts'
import type { Admission, AdmissionAsk, Held } from './types.ts'

/** What admission is told beside the ask. */
export interface AdmitSettings {
  /** The id slot of this process, which owns the hold. */
  readonly process: number
  readonly reserveShare: Fraction
}

export type PackedAsk = readonly (bigint | number | string | boolean | null)[]

export function packAsk(ask: AdmissionAsk, settings: AdmitSettings): PackedAsk {
  return [
    ask.id,
    ask.account,
    ask.key,
    ask.nowMs,
    ask.inputAmount,
    ask.inputTokens,
    ask.outputTokenAmount,
    ask.outputWanted,
    ask.outputFloor,
    ask.onShortBalance,
    ask.patience,
    ask.usesRestricted,
    ask.accountLimits.requestsPerMinute,
    ask.accountLimits.tokensPerMinute,
    ask.accountLimits.concurrent,
    ask.keyLimits.requestsPerMinute,
    ask.keyLimits.tokensPerMinute,
    ask.keyLimits.concurrent,
    ask.keyBudget === null ? null : ask.keyBudget.amount,
    ask.keyBudget === null ? null : ask.keyBudget.window,
    ask.priceVersion,
    ask.model,
    ask.dialect,
    ask.streamed,
    settings.process,
    settings.reserveShare.numerator,
    settings.reserveShare.denominator,
  ]
}

export function unpackAsk(packed: PackedAsk): { ask: AdmissionAsk; settings: AdmitSettings } {
  const amount = (place: number): bigint => packed[place] as bigint
  const count = (place: number): number => packed[place] as number
  const ask: AdmissionAsk = {
    id: amount(0),
    account: amount(1),
    key: amount(2),
    nowMs: count(3),
    inputAmount: amount(4),
    inputTokens: count(5),
    outputTokenAmount: amount(6),
    outputWanted: count(7),
    outputFloor: count(8),
    onShortBalance: packed[9] as AdmissionAsk['onShortBalance'],
    patience: packed[10] as AdmissionAsk['patience'],
    usesRestricted: packed[11] as boolean,
    accountLimits: unpackLimits(packed, 12),
    keyLimits: unpackLimits(packed, 15),
    keyBudget: packed[18] === null ? null : { amount: amount(18), window: packed[19] as BudgetWindow },
    priceVersion: amount(20),
    model: packed[21] as string,
    dialect: packed[22] as string,
    streamed: packed[23] as boolean,
  }
  const reserveShare = { numerator: amount(25), denominator: amount(26) }
  return { ask, settings: { process: count(24), reserveShare } }
}

function unpackLimits(packed: PackedAsk, from: number): RateLimits {
  return {
    requestsPerMinute: packed[from] as number | null,
    tokensPerMinute: packed[from + 1] as number | null,
    concurrent: packed[from + 2] as number | null,
  }
}

/** A hold as a tuple; every other answer is rare and goes as it is. */
export type PackedAdmission = readonly (bigint | number | boolean | null)[] | Exclude<Admission, Held>

export function packHeld(held: Held): PackedAdmission {
  const { requests, tokens } = held.rates
  return [
    held.id,
    held.amount,
    held.outputLimit,
    held.available,
    held.restricted,
    ...packRate(requests),
    ...packRate(tokens),
  ]
}

export function unpackAdmission(packed: PackedAdmission): Admission {
  if (!Array.isArray(packed)) return packed as Exclude<Admission, Held>
  return {
    kind: 'held',
    id: packed[0] as bigint,
    amount: packed[1] as bigint,
    outputLimit: packed[2] as number,
    available: packed[3] as bigint,
    restricted: packed[4] as boolean,
    rates: { requests: unpackRate(packed, 5), tokens: unpackRate(packed, 8) },
  }
}

function packRate(rate: RateState | null): readonly (number | null)[] {
  return rate === null ? [null, null, null] : [rate.limit, rate.remaining, rate.resetMs]
}

function unpackRate(packed: readonly unknown[], from: number): RateState | null {
  const [limit, remaining, resetMs] = packed.slice(from, from + 3) as (number | null)[]
  if (typeof limit !== 'number' || typeof remaining !== 'number' || typeof resetMs !== 'number') return null
  return { limit, remaining, resetMs }
}
