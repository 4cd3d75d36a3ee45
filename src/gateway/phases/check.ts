/**
 * Whether a caller may send a request, checked before its body is read: rate and concurrency from memory, then
 * suspension, balance and the key's budget from the cached standing of the account. The ledger is read again before a
 * request is rejected for money, so that new credit applies immediately; reserve decides finally.
 */
import { eachEndpoint } from '../../../contract/endpoints.ts'
import type { Caller } from '../../access/types.ts'
import { consoleUrl, keyUrl } from '../../base/console-url.ts'
import { TollgateError } from '../../base/errors.ts'
import { inTime, type StoreWaitDeps } from '../../base/store-wait.ts'
import type { PriceVersion, Snapshot } from '../../catalog/types.ts'
import { formatUsd } from '../../ledger/rules/money.ts'
import type { BlockedReason } from '../../ledger/standing-types.ts'
import type { Ledger } from '../../ledger/types.ts'
import type { RequestGate } from '../../limits/request-gate.ts'
import type { ProviderKeys } from '../../provider-keys/types.ts'
import type { GatewayOperation, RequestContext } from '../request.ts'
import { accountSuspended, budgetReset, rateLimited } from '../responses/error-response.ts'

export interface CheckDeps extends StoreWaitDeps {
  readonly gate: RequestGate
  readonly ledger: Pick<Ledger, 'blockedReason'>
  readonly snapshot: Snapshot
  readonly providerKeys: Pick<ProviderKeys, 'fee' | 'of'>
  /** The public base URL of this server. */
  readonly address: string
}

/** Throws 429, 403 or 402. Otherwise the request counts toward concurrency until `gate.leave`. */
export async function check(deps: CheckDeps, caller: Caller, context: RequestContext): Promise<void> {
  const nowMs = deps.clock.wallMs()
  const { account, key, accountRates: accountLimits, policy } = caller
  const requester = { account, key, accountLimits, keyLimits: policy.rates }
  const rejection = deps.gate.enter(context.id, requester, nowMs)
  if (rejection !== undefined) throw rateLimited(rejection, context, nowMs)
  const looking = readBlockedReason(deps, caller, nowMs)
  const blockedReason = looking === null ? null : await looking
  if (blockedReason === null) return
  if (blockedReason.kind === 'suspended') throw accountSuspended(deps.address, caller.account)
  if (!isFree[context.operation]?.(deps, caller, blockedReason)) throw unfunded(blockedReason, caller, deps)
}

/** For free operations: throws 403 where the caller's account is suspended. */
export async function checkAccount(
  deps: Pick<CheckDeps, 'ledger' | 'clock' | 'limits' | 'address'>,
  caller: Caller,
): Promise<void> {
  const blockedReason = await readBlockedReason(deps, caller, deps.clock.wallMs())
  if (blockedReason?.kind === 'suspended') throw accountSuspended(deps.address, caller.account)
}

function readBlockedReason(
  deps: StoreWaitDeps & Pick<CheckDeps, 'ledger'>,
  { account, key, policy }: Caller,
  nowMs: number,
): Promise<BlockedReason | null> | null {
  const asked = deps.ledger.blockedReason({ account, key, keyBudget: policy.budget, nowMs })
  return asked === null ? null : inTime(deps, asked)
}

type Unfunded = Extract<BlockedReason, { kind: 'unfunded' }>

type FreeDeps = Pick<CheckDeps, 'snapshot' | 'providerKeys'>

/**
 * Without a balance, but not in debt, a caller may use free models, and its own provider keys where they cost nothing; the
 * requested model is only in the body.
 */
const mayBeFree = ({ snapshot, providerKeys }: FreeDeps, caller: Caller, { available }: Unfunded): boolean =>
  available >= 0n && (sellsForFree(snapshot) || servesForFree(providerKeys, caller))

function servesForFree({ fee, of }: FreeDeps['providerKeys'], { account }: Caller): boolean {
  return fee.numerator === 0n && of(account).length > 0
}

/** Operations that an account without a balance may use. Uploads are free, but require a balance; stored responses were paid for when they were created. */
const isFree: Readonly<Partial<Record<GatewayOperation, typeof mayBeFree>>> = {
  ...eachEndpoint(mayBeFree),
  list_files: () => true,
  show_file: () => true,
  read_file: () => true,
  delete_file: () => true,
  show_response: () => true,
  list_response_items: () => true,
  cancel_response: () => true,
  delete_response: () => true,
}

function unfunded(
  blockedReason: Unfunded,
  { account, key, policy }: Caller,
  { address, clock }: Pick<CheckDeps, 'address' | 'clock'>,
): TollgateError {
  const { scope, available, held } = blockedReason
  const topUpUrl = consoleUrl(address, '/billing', account)
  const [code, need, remedy] =
    scope === 'key'
      ? ([
          'key_budget_exhausted',
          "The API key's budget is exhausted.",
          `${budgetReset(policy.budget, clock.wallMs())}Raise the budget at ${keyUrl(address, { account, key })}, or use another key.`,
        ] as const)
      : ([
          'insufficient_balance',
          policy.showBalance
            ? `The available balance is $${formatUsd(available)}.`
            : 'The balance is exhausted.',
          `Add credit at ${topUpUrl}.`,
        ] as const)
  return new TollgateError(code, {
    message: `${need} ${remedy}`,
    facts: {
      ...(policy.showBalance ? { available: formatUsd(available), held: formatUsd(held) } : {}),
      affordable_max_tokens: 0,
      scope,
      // Credit does not raise the budget of a key.
      ...(scope === 'key' ? {} : { topup_url: topUpUrl }),
    },
  })
}

const known = new WeakMap<Snapshot, boolean>()

/** Whether a free model is available. Looked up once for each snapshot, which never changes. Prices of other times count too: when in doubt, true. */
function sellsForFree(snapshot: Snapshot): boolean {
  const found = known.get(snapshot)
  if (found !== undefined) return found
  const sells = [...snapshot.models.values()].some(({ prices }) => prices.some(isFreePrice))
  known.set(snapshot, sells)
  return sells
}

const isFreePrice = ({ rates }: PriceVersion): boolean => rates.input === 0n && rates.output === 0n
