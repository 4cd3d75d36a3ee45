/**
 * Whether a request may run, and the size of its hold: a decision over two rows and a request, in the
 * order in which the caps are checked. Pure: moves nothing itself, and a rejection costs nothing.
 */
import { rollSpend, type SpendTotals, spentIn } from '../../limits/budget.ts'
import { tighter } from '../../limits/headers.ts'
import type { RateState, RateStates } from '../../limits/types.ts'
import {
  fits,
  type RateKind,
  type RateWindow,
  rateState,
  rollWindow,
  takeFrom,
  waitMs,
} from '../../limits/window.ts'
import type { AdmissionRequest, InsufficientFunds, RateRejection, Rejection, Wait } from '../types.ts'
import { type Fraction, least, most } from './money.ts'

/** The account fields that admission reads. */
export interface Payer {
  readonly posted: bigint
  readonly held: bigint
  readonly openHolds: number
  readonly running: number
  readonly suspendedMs: number | null
  readonly restrictedMs: number | null
  readonly window: RateWindow
}

/** The fields of a key's usage that admission reads. */
export interface KeyUsage {
  readonly held: bigint
  readonly openHolds: number
  readonly running: number
  readonly spend: SpendTotals
  readonly window: RateWindow
}

/** The amounts to reserve. The windows are the next ones of the rows. */
export interface Take {
  readonly kind: 'take'
  readonly amount: bigint
  readonly outputLimit: number
  /** Tokens reserved from the token rates. */
  readonly tokens: number
  readonly accountWindow: RateWindow
  readonly keyWindow: RateWindow
  readonly spend: SpendTotals
  /** The new maximum of the key's `spent` plus `held`; null: it has no budget. */
  readonly spentMax: bigint | null
  readonly rates: RateStates
}

export type Decision = Take | Wait | Rejection

/** How soon a request that met the limit on concurrency may try again. */
const concurrencyRetryMs = 1_000

/** The first cap that fails is the answer: suspended, restricted, rates, concurrency, key budget, balance. */
export function decide(
  payer: Payer,
  keyUsage: KeyUsage,
  input: AdmissionRequest,
  reserveShare: Fraction,
): Decision {
  if (payer.suspendedMs !== null) return { kind: 'suspended' }
  if (input.needsUnrestrictedAccount && payer.restrictedMs !== null) return { kind: 'restricted' }
  const tokens = tokensOf(input)
  const before = {
    account: rollWindow(payer.window, input.nowMs),
    key: rollWindow(keyUsage.window, input.nowMs),
  }
  const rateRejection = firstRateRejection(before, { payer, keyUsage: keyUsage, input, tokens })
  if (rateRejection !== undefined) return rateRejection
  const spend = rollSpend(keyUsage.spend, input.nowMs)
  const output = decideOutput(capsOf(payer, keyUsage, spend, input), input, reserveShare)
  if (typeof output !== 'number') return output
  const after = {
    account: takeFrom(before.account, tokens, input.nowMs),
    key: takeFrom(before.key, tokens, input.nowMs),
  }
  return {
    kind: 'take',
    amount: input.inputAmount + BigInt(output) * input.outputTokenAmount,
    outputLimit: output,
    tokens,
    accountWindow: after.account,
    keyWindow: after.key,
    spend,
    spentMax: spentMaxOf(keyUsage, spend, input),
    rates: ratesOf(after, input),
  }
}

/** A budget that was lowered below what is spent and held allows nothing more; it cannot undo what was. */
function spentMaxOf(keyUsage: KeyUsage, spend: SpendTotals, { keyBudget }: AdmissionRequest): bigint | null {
  if (keyBudget === null) return null
  const spentBefore = spend.spent - spentIn(spend, keyBudget.window)
  return most(spentBefore + keyBudget.amount, spend.spent + keyUsage.held)
}

/** Output comes over time: only what the answer needs at least is taken from a rate per minute in advance. */
const tokensOf = (input: AdmissionRequest): number =>
  input.inputTokens + Math.min(input.outputFloor, input.outputWanted)

interface Windows {
  readonly account: RateWindow
  readonly key: RateWindow
}

interface RateQuestion {
  readonly payer: Payer
  readonly keyUsage: KeyUsage
  readonly input: AdmissionRequest
  readonly tokens: number
}

function firstRateRejection(windows: Windows, question: RateQuestion): RateRejection | undefined {
  const { payer, keyUsage, input, tokens } = question
  const scopes = [
    { scope: 'account', limits: input.accountLimits, window: windows.account, running: payer.running },
    { scope: 'key', limits: input.keyLimits, window: windows.key, running: keyUsage.running },
  ] as const
  const perMinute = [
    { limitKind: 'requests', amount: 1, limit: 'requestsPerMinute' },
    { limitKind: 'tokens', amount: tokens, limit: 'tokensPerMinute' },
  ] as const
  const rates = (): RateStates => ratesOf(windows, input)
  for (const { limitKind, amount, limit: name } of perMinute) {
    for (const { scope, limits, window } of scopes) {
      const limit = limits[name]
      if (limit === null) continue
      if (fits(window, limitKind, amount, limit)) continue
      const retryAfterMs = waitMs(window, limitKind, { amount, limit, nowMs: input.nowMs })
      return { kind: 'rate', limitKind, scope, limit, retryAfterMs, rates: rates() }
    }
  }
  for (const { scope, limits, running } of scopes) {
    const limit = limits.concurrent
    if (limit === null || running < limit) continue
    return {
      kind: 'rate',
      limitKind: 'concurrent',
      scope,
      limit,
      retryAfterMs: concurrencyRetryMs,
      rates: rates(),
    }
  }
  return undefined
}

/** The tighter of account and key for each kind. */
function ratesOf(windows: Windows, input: AdmissionRequest): RateStates {
  const { nowMs } = input
  const tighterOf = (name: 'requestsPerMinute' | 'tokensPerMinute', kind: RateKind) => {
    const state = (window: RateWindow, limit: number | null): RateState | null =>
      limit === null ? null : rateState(window, kind, limit, nowMs)
    return tighter(
      state(windows.account, input.accountLimits[name]),
      state(windows.key, input.keyLimits[name]),
    )
  }
  return {
    requests: tighterOf('requestsPerMinute', 'requests'),
    tokens: tighterOf('tokensPerMinute', 'tokens'),
  }
}

/** A source of funds: the available amount, and the amount that running requests may release. */
interface Cap {
  readonly scope: 'account' | 'key'
  readonly available: bigint
  /** Available if every running request released all of its hold. */
  readonly availableIfAllReleased: bigint
  readonly held: bigint
  readonly openHolds: number
}

/** In the order in which they are named when they fail. */
function capsOf(
  payer: Payer,
  keyUsage: KeyUsage,
  spend: SpendTotals,
  input: AdmissionRequest,
): readonly Cap[] {
  const account: Cap = {
    scope: 'account',
    available: payer.posted - payer.held,
    availableIfAllReleased: payer.posted,
    held: payer.held,
    openHolds: payer.openHolds,
  }
  if (input.keyBudget === null) return [account]
  const unspent = input.keyBudget.amount - spentIn(spend, input.keyBudget.window)
  const key: Cap = {
    scope: 'key',
    available: most(unspent - keyUsage.held, 0n),
    availableIfAllReleased: most(unspent, 0n),
    held: keyUsage.held,
    openHolds: keyUsage.openHolds,
  }
  return [key, account]
}

function decideOutput(
  caps: readonly Cap[],
  input: AdmissionRequest,
  share: Fraction,
): number | Wait | InsufficientFunds {
  const output = outputFor(caps.map((cap) => cap.available).reduce(least), input, share)
  if (output === input.outputWanted) return output
  if (input.patience === 'wait') {
    const released = caps.map((cap) => cap.availableIfAllReleased).reduce(least)
    const later = outputFor(released, input, share)
    if (later !== undefined && (output === undefined || later > output)) return { kind: 'wait' }
  }
  return output ?? insufficientFunds(caps, input, share)
}

/** The output limit that `available` pays for; undefined when that is less than the request accepts. */
function outputFor(available: bigint, input: AdmissionRequest, share: Fraction): number | undefined {
  const spare = available - input.inputAmount
  if (spare < 0n) return undefined
  const { outputWanted: wanted, outputTokenAmount: rate } = input
  if (input.onShortBalance === 'reject') return affordable(spare, rate, wanted) < wanted ? undefined : wanted
  if (input.onShortBalance === 'count') {
    const whole = input.inputAmount + BigInt(wanted) * rate
    return whole * share.denominator <= available * share.numerator ? wanted : undefined
  }
  const shared = affordable((spare * share.numerator) / share.denominator, rate, wanted)
  const output = Math.max(Math.min(input.outputFloor, wanted), shared)
  return output <= affordable(spare, rate, wanted) ? output : undefined
}

/** How many tokens of output `amount` pays for, at most `wanted`. */
function affordable(amount: bigint, rate: bigint, wanted: number): number {
  return rate === 0n ? wanted : Number(least(amount / rate, BigInt(wanted)))
}

/** Reports the first cap that is too small on its own. */
function insufficientFunds(
  caps: readonly Cap[],
  input: AdmissionRequest,
  share: Fraction,
): InsufficientFunds {
  const [first = caps[0]!] = caps.filter(({ available }) => outputFor(available, input, share) === undefined)
  const needed =
    input.onShortBalance === 'lower' ? Math.min(input.outputFloor, input.outputWanted) : input.outputWanted
  const spare = caps.map((cap) => cap.available).reduce(least) - input.inputAmount
  return {
    kind: 'insufficient_funds',
    scope: first.scope,
    required: input.inputAmount + BigInt(needed) * input.outputTokenAmount,
    available: first.available,
    held: first.held,
    openHolds: first.openHolds,
    affordableOutput: spare < 0n ? 0 : affordable(spare, input.outputTokenAmount, input.outputWanted),
  }
}
