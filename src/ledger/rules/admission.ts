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
import type { AdmissionAsk, InsufficientFunds, RateRefusal, Refusal, Wait } from '../types.ts'
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

export type Decision = Take | Wait | Refusal

/** How soon a request that met the limit on concurrency may try again. */
const concurrencyRetryMs = 1_000

/** The first cap that fails is the answer: suspended, restricted, rates, concurrency, key budget, balance. */
export function decide(
  payer: Payer,
  keyUsage: KeyUsage,
  ask: AdmissionAsk,
  reserveShare: Fraction,
): Decision {
  if (payer.suspendedMs !== null) return { kind: 'suspended' }
  if (ask.usesRestricted && payer.restrictedMs !== null) return { kind: 'restricted' }
  const tokens = tokensOf(ask)
  const before = {
    account: rollWindow(payer.window, ask.nowMs),
    key: rollWindow(keyUsage.window, ask.nowMs),
  }
  const rateRefusal = firstRateRefusal(before, { payer, keyUsage: keyUsage, ask, tokens })
  if (rateRefusal !== undefined) return rateRefusal
  const spend = rollSpend(keyUsage.spend, ask.nowMs)
  const output = decideOutput(capsOf(payer, keyUsage, spend, ask), ask, reserveShare)
  if (typeof output !== 'number') return output
  const after = {
    account: takeFrom(before.account, tokens, ask.nowMs),
    key: takeFrom(before.key, tokens, ask.nowMs),
  }
  return {
    kind: 'take',
    amount: ask.inputAmount + BigInt(output) * ask.outputTokenAmount,
    outputLimit: output,
    tokens,
    accountWindow: after.account,
    keyWindow: after.key,
    spend,
    spentMax: spentMaxOf(keyUsage, spend, ask),
    rates: ratesOf(after, ask),
  }
}

/** A budget that was lowered below what is spent and held allows nothing more; it cannot undo what was. */
function spentMaxOf(keyUsage: KeyUsage, spend: SpendTotals, { keyBudget }: AdmissionAsk): bigint | null {
  if (keyBudget === null) return null
  const spentBefore = spend.spent - spentIn(spend, keyBudget.window)
  return most(spentBefore + keyBudget.amount, spend.spent + keyUsage.held)
}

/** Output comes over time: only what the answer needs at least is taken from a rate per minute in advance. */
const tokensOf = (ask: AdmissionAsk): number => ask.inputTokens + Math.min(ask.outputFloor, ask.outputWanted)

interface Windows {
  readonly account: RateWindow
  readonly key: RateWindow
}

interface RateQuestion {
  readonly payer: Payer
  readonly keyUsage: KeyUsage
  readonly ask: AdmissionAsk
  readonly tokens: number
}

function firstRateRefusal(windows: Windows, question: RateQuestion): RateRefusal | undefined {
  const { payer, keyUsage, ask, tokens } = question
  const scopes = [
    { scope: 'account', limits: ask.accountLimits, window: windows.account, running: payer.running },
    { scope: 'key', limits: ask.keyLimits, window: windows.key, running: keyUsage.running },
  ] as const
  const perMinute = [
    { limitKind: 'requests', amount: 1, limit: 'requestsPerMinute' },
    { limitKind: 'tokens', amount: tokens, limit: 'tokensPerMinute' },
  ] as const
  const rates = (): RateStates => ratesOf(windows, ask)
  for (const { limitKind, amount, limit: name } of perMinute) {
    for (const { scope, limits, window } of scopes) {
      const limit = limits[name]
      if (limit === null) continue
      if (fits(window, limitKind, amount, limit)) continue
      const retryAfterMs = waitMs(window, limitKind, { amount, limit, nowMs: ask.nowMs })
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
function ratesOf(windows: Windows, ask: AdmissionAsk): RateStates {
  const { nowMs } = ask
  const tighterOf = (name: 'requestsPerMinute' | 'tokensPerMinute', kind: RateKind) => {
    const state = (window: RateWindow, limit: number | null): RateState | null =>
      limit === null ? null : rateState(window, kind, limit, nowMs)
    return tighter(state(windows.account, ask.accountLimits[name]), state(windows.key, ask.keyLimits[name]))
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
  readonly hoped: bigint
  readonly held: bigint
  readonly openHolds: number
}

/** In the order in which they are named when they fail. */
function capsOf(payer: Payer, keyUsage: KeyUsage, spend: SpendTotals, ask: AdmissionAsk): readonly Cap[] {
  const account: Cap = {
    scope: 'account',
    available: payer.posted - payer.held,
    hoped: payer.posted,
    held: payer.held,
    openHolds: payer.openHolds,
  }
  if (ask.keyBudget === null) return [account]
  const unspent = ask.keyBudget.amount - spentIn(spend, ask.keyBudget.window)
  const key: Cap = {
    scope: 'key',
    available: most(unspent - keyUsage.held, 0n),
    hoped: most(unspent, 0n),
    held: keyUsage.held,
    openHolds: keyUsage.openHolds,
  }
  return [key, account]
}

function decideOutput(
  caps: readonly Cap[],
  ask: AdmissionAsk,
  share: Fraction,
): number | Wait | InsufficientFunds {
  const output = outputFor(caps.map((cap) => cap.available).reduce(least), ask, share)
  if (output === ask.outputWanted) return output
  if (ask.patience === 'wait') {
    const hoped = outputFor(caps.map((cap) => cap.hoped).reduce(least), ask, share)
    if (hoped !== undefined && (output === undefined || hoped > output)) return { kind: 'wait' }
  }
  return output ?? insufficientFunds(caps, ask, share)
}

/** The output limit that `available` pays for; undefined when that is less than the request accepts. */
function outputFor(available: bigint, ask: AdmissionAsk, share: Fraction): number | undefined {
  const spare = available - ask.inputAmount
  if (spare < 0n) return undefined
  const { outputWanted: wanted, outputTokenAmount: rate } = ask
  if (ask.onShortBalance === 'reject') return affordable(spare, rate, wanted) < wanted ? undefined : wanted
  if (ask.onShortBalance === 'count') {
    const whole = ask.inputAmount + BigInt(wanted) * rate
    return whole * share.denominator <= available * share.numerator ? wanted : undefined
  }
  const shared = affordable((spare * share.numerator) / share.denominator, rate, wanted)
  const output = Math.max(Math.min(ask.outputFloor, wanted), shared)
  return output <= affordable(spare, rate, wanted) ? output : undefined
}

/** How many tokens of output `amount` pays for, at most `wanted`. */
function affordable(amount: bigint, rate: bigint, wanted: number): number {
  return rate === 0n ? wanted : Number(least(amount / rate, BigInt(wanted)))
}

/** Reports the first cap that is too small on its own. */
function insufficientFunds(caps: readonly Cap[], ask: AdmissionAsk, share: Fraction): InsufficientFunds {
  const [first = caps[0]!] = caps.filter(({ available }) => outputFor(available, ask, share) === undefined)
  const needed =
    ask.onShortBalance === 'lower' ? Math.min(ask.outputFloor, ask.outputWanted) : ask.outputWanted
  const spare = caps.map((cap) => cap.available).reduce(least) - ask.inputAmount
  return {
    kind: 'insufficient_funds',
    scope: first.scope,
    required: ask.inputAmount + BigInt(needed) * ask.outputTokenAmount,
    available: first.available,
    held: first.held,
    openHolds: first.openHolds,
    affordableOutput: spare < 0n ? 0 : affordable(spare, ask.outputTokenAmount, ask.outputWanted),
  }
}
