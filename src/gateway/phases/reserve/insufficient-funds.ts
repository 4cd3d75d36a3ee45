/** The error for a request that the balance or the budget of its key does not cover: what it needs, what is left, what to do. */
import { consoleUrl, keyUrl } from '../../../base/console-url.ts'
import { TollgateError } from '../../../base/errors.ts'
import { formatUsd } from '../../../ledger/rules/money.ts'
import type { AdmissionRequest, InsufficientFunds } from '../../../ledger/types.ts'
import { budgetReset } from '../../responses/error-response.ts'

export interface FundsRejectionInput {
  /** The public base URL of this server. */
  readonly address: string
  readonly showBalance: boolean
  /** Counting ran out of time or memory, so that the input may have fewer tokens than the bound. */
  readonly isBounded: boolean
  /** The rejected reservation; with `onShortBalance: 'lower'` it was rejected even at `outputFloor`. */
  readonly asked: Pick<
    AdmissionRequest,
    'account' | 'key' | 'onShortBalance' | 'outputFloor' | 'outputWanted' | 'keyBudget'
  >
  /** When it was rejected. */
  readonly nowMs: number
  /** The name of the output limit in the client's format. */
  readonly outputLimitField: string
}

export function insufficientFundsError(
  rejected: InsufficientFunds,
  input: FundsRejectionInput,
): TollgateError {
  const { scope, affordableOutput } = rejected
  const heldElsewhere = rejected.held > 0n && rejected.openHolds > 0
  const passesLater = heldElsewhere && rejected.available + rejected.held >= rejected.required
  const code = passesLater
    ? 'balance_held'
    : scope === 'key'
      ? 'key_budget_exhausted'
      : 'insufficient_balance'
  const topUpUrl = consoleUrl(input.address, '/billing', input.asked.account)
  const bounded = input.isBounded ? ' Input tokens were bounded by size because counting took too long.' : ''
  const lower = affordableOutput > 0 ? `, or lower ${input.outputLimitField} to ${affordableOutput}` : ''
  const advice = passesLater
    ? 'Wait until running requests have ended'
    : scope === 'key'
      ? budgetAdvice(rejected, input)
      : `Add credit at ${topUpUrl}`
  return new TollgateError(code, {
    message: `${needOf(rejected, input)}.${bounded} ${advice}${lower}.`,
    facts: {
      ...(bounded === '' ? {} : { input_tokens: 'bounded' }),
      ...(input.showBalance
        ? {
            required: formatUsd(rejected.required),
            available: formatUsd(rejected.available),
            held: formatUsd(rejected.held),
          }
        : {}),
      affordable_max_tokens: affordableOutput,
      scope,
      // Credit does not raise the budget of a key.
      ...(scope === 'key' ? {} : { topup_url: topUpUrl }),
    },
    ...(passesLater ? { retryAfterMs: 1_000 } : {}),
  })
}

function needOf(rejected: InsufficientFunds, { asked, showBalance }: FundsRejectionInput): string {
  const { scope, held, openHolds, required, available } = rejected
  const whose = scope === 'key' ? "this API key's budget" : 'the balance'
  if (!showBalance) return `${whose.charAt(0).toUpperCase()}${whose.slice(1)} does not cover this request`
  // A limit that may be lowered was lowered first, so that less is not possible.
  const isLeast = asked.onShortBalance === 'lower' && asked.outputFloor < asked.outputWanted
  const isHeld = held > 0n && openHolds > 0
  const waiting = isHeld
    ? ` ($${shownUsd(held, 'down')} is reserved by ${openHolds} request${openHolds === 1 ? '' : 's'} still running)`
    : ''
  const left = `only $${shownUsd(available, 'down')} of ${whose} is available${waiting}`
  return `Before it is sent, this request reserves ${isLeast ? 'at least' : 'up to'} $${shownUsd(required, 'up')}, but ${left}`
}

/** A budget that is smaller than one request stays too small in the next window. */
function budgetAdvice(
  { required }: InsufficientFunds,
  { address, asked, nowMs }: FundsRejectionInput,
): string {
  const { keyBudget } = asked
  const neverFits = keyBudget !== null && keyBudget.amount < required
  const why = neverFits ? 'The whole budget is smaller than this request. ' : budgetReset(keyBudget, nowMs)
  return `${why}Raise the budget at ${keyUrl(address, asked)}, or use another key`
}

const digitsMax = 9
const digitsShown = 4

/** To four decimals, below one cent to four significant digits; what is needed is rounded up, so that it suffices. */
function shownUsd(nano: bigint, towards: 'up' | 'down'): string {
  const fraction = nano.toString().padStart(digitsMax, '0').slice(-digitsMax)
  const isSmall = nano < 10_000_000n
  const decimals = isSmall
    ? Math.min(digitsMax, Math.max(0, fraction.search(/[1-9]/)) + digitsShown)
    : digitsShown
  const unit = 10n ** BigInt(digitsMax - decimals)
  const units = (nano + (towards === 'up' ? unit - 1n : 0n)) / unit
  return formatUsd(units * unit)
}
