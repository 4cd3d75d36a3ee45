/**
 * Read-only endpoints for API keys: models, balance, the key's own limits, and the receipt of a request. Free.
 */
import { meterNames, meters } from '../../../contract/meters.ts'
import type { Caller } from '../../access/types.ts'
import { TollgateError } from '../../base/errors.ts'
import { formatId, parseId } from '../../base/ids.ts'
import { shownUpstreams } from '../../catalog/customer-view.ts'
import { only, showModel } from '../../catalog/listing.ts'
import { answerEarly } from '../../http/early-response.ts'
import { formatUsd } from '../../ledger/rules/money.ts'
import type { ReceiptRow, RunningRow } from '../../ledger/types.ts'
import type { GatewayDeps } from '../deps.ts'
import type { CallerOf } from '../phases/authenticate.ts'
import { modelNotFound } from '../phases/route.ts'
import type { GatewayOperation, RequestContext } from '../request.ts'
import { identityHeaders, wholeHead } from '../responses/response-headers.ts'
import { writtenModelList } from './model-lists.ts'

type Lookup = (deps: GatewayDeps, context: RequestContext, caller: Caller) => Promise<unknown> | unknown

type MetadataOperation = Extract<
  GatewayOperation,
  'list_models' | `show_${'model' | 'credits' | 'key' | 'generation'}`
>

const lookups: Readonly<Record<MetadataOperation, Lookup>> = {
  list_models: writtenModelList,
  show_model: (deps, context, { policy }) => {
    const snapshot = only(deps.snapshot, policy.models)
    const model = showModel(snapshot, context.format.name, context.subject, {
      nowMs: context.startedMs,
      view: context.customerView,
    })
    if (model === undefined) throw modelNotFound(snapshot, context.subject)
    return model
  },
  show_credits: async (deps, _line, caller) => {
    if (!caller.policy.showBalance) {
      throw new TollgateError('model_not_allowed', { message: 'This API key cannot read the balance.' })
    }
    const account = await deps.ledger.account(caller.account)
    if (account === undefined)
      throw new TollgateError('account_not_found', { message: 'This account no longer exists.' })
    const balance = formatUsd(account.posted)
    return {
      balance,
      held: formatUsd(account.held),
      available: formatUsd(account.posted - account.held),
      currency: 'USD',
    }
  },
  show_key: async (deps, _line, caller) => ({ data: await describeKey(deps, caller) }),
  show_generation: (deps, context, caller) => generation(deps, context.subject, caller),
}

/** Serves a GET; throws TollgateError. A probe of a base URL needs no key. */
export async function serveMetadata(
  deps: GatewayDeps,
  context: RequestContext,
  callerOf: CallerOf,
): Promise<void> {
  if (!isLookup(context.operation)) {
    answer(deps, context, { status: 'ok' })
    return
  }
  const caller = await callerOf(context)
  deps.inFlight.identify(context.id, caller)
  answer(deps, context, await lookups[context.operation](deps, context, caller))
}

function isLookup(operation: GatewayOperation): operation is MetadataOperation {
  return Object.hasOwn(lookups, operation)
}

/** Responds without waiting for a request body; bytes are JSON. */
function answer(deps: GatewayDeps, context: RequestContext, body: unknown): void {
  answerEarly(deps, context.request, context.client, {
    status: 200,
    headers: ['content-type', 'application/json', ...wholeHead, ...identityHeaders(context)],
    body: body instanceof Uint8Array ? body : JSON.stringify(body),
  })
}

async function describeKey(deps: GatewayDeps, caller: Caller): Promise<Readonly<Record<string, unknown>>> {
  const { policy } = caller
  const spend =
    policy.budget === null
      ? null
      : await deps.ledger.keySpend(caller.key, policy.budget.window, deps.clock.wallMs())
  return {
    label: caller.label,
    limit: policy.budget === null ? null : formatUsd(policy.budget.amount),
    limit_window: policy.budget?.window ?? null,
    usage: spend === null ? null : formatUsd(spend.spent),
    limit_remaining:
      policy.budget === null || spend === null
        ? null
        : formatUsd(policy.budget.amount - spend.spent - spend.held),
    models: policy.models,
    on_short_balance: policy.onShortBalance,
    rate_limits: {
      requests_per_minute: policy.rates.requestsPerMinute ?? caller.accountRates.requestsPerMinute,
      tokens_per_minute: policy.rates.tokensPerMinute ?? caller.accountRates.tokensPerMinute,
      concurrent: policy.rates.concurrent ?? caller.accountRates.concurrent,
    },
  }
}

/** The receipt of a request of the same account; others are answered like missing ones. */
async function generation(deps: GatewayDeps, subject: string, caller: Caller): Promise<unknown> {
  const id = parseId('req', subject)
  // In this order, so that a request that ends between the two reads is found by the second one.
  const running = id === undefined ? undefined : await deps.ledger.running(id)
  if (running?.account === caller.account) return { data: describeRunning(running) }
  const receipt = id === undefined ? undefined : await deps.ledger.receipt(id)
  if (receipt?.account === caller.account) return { data: describeReceipt(deps, receipt) }
  throw new TollgateError('generation_not_found', { message: 'This account has no request with this ID.' })
}

function describeRunning(running: RunningRow): Readonly<Record<string, unknown>> {
  return {
    id: formatId('req', running.id),
    status: 'running',
    model: running.model,
    format: running.format,
    streamed: running.streamed,
    hold: formatUsd(running.hold),
  }
}

function describeReceipt(
  { customerView }: Pick<GatewayDeps, 'customerView'>,
  receipt: ReceiptRow,
): Readonly<Record<string, unknown>> {
  const shown = shownUpstreams(customerView, receipt)
  return {
    id: formatId('req', receipt.id),
    status: receipt.endReason,
    settled: receipt.settledLate ? 'late' : 'in_time',
    model: receipt.model,
    format: receipt.format,
    streamed: receipt.streamed,
    provider: shown.provider,
    upstream_id: shown.upstreamRequestId,
    http_status: receipt.status,
    error: receipt.errorCode,
    created_at: new Date(receipt.startedMs).toISOString(),
    ended_at: new Date(receipt.endedMs).toISOString(),
    first_byte_ms: receipt.firstByteMs === null ? null : receipt.firstByteMs - receipt.startedMs,
    usage: {
      source: receipt.usageSource,
      ...Object.fromEntries(meterNames.map((name) => [meters[name].column, receipt[name]])),
      reasoning: receipt.reasoning,
      fees: receipt.fees,
      ran_at: receipt.ranAt,
      unpriced: receipt.unpricedUsage,
      implausible: receipt.implausible,
    },
    cost: formatUsd(receipt.charged),
    hold: formatUsd(receipt.hold),
    input_bound: receipt.inputBound,
    background: receipt.background,
    upstream_cost: shown.upstreamCost === null ? null : formatUsd(shown.upstreamCost),
    own_key: receipt.ownKey,
    price_version: formatId('prc', receipt.priceVersion),
    max_output: receipt.outputLimit,
    max_output_lowered: receipt.outputLowered,
    attempts: shown.attempts.map((attempt) => ({
      upstream: attempt.upstream,
      status: attempt.status,
      failure: attempt.failure,
      ms: attempt.endedMs - attempt.startedMs,
    })),
  }
}
