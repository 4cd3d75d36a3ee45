/**
 * What a key may look up besides generating: models, its balance, its own limits, the receipt of a
 * request. Read-only, free, one small function per operation.
 */
import type { Caller } from './access/types.ts'
import type { App } from './app.ts'
import { TollgateError } from './base/errors.ts'
import { formatId, parseId } from './base/ids.ts'
import { listModels, only, showModel } from './catalog/listing.ts'
import { identityHeaders, wholeHead } from './headers.ts'
import { answerEarly } from './http/early.ts'
import { formatUsd } from './ledger/money.ts'
import type { ReceiptRow, RunningRow } from './ledger/types.ts'
import type { CallerOf } from './phases/authenticate.ts'
import { modelNotFound } from './phases/find.ts'
import type { Line, Operation } from './values.ts'

type LookUp = (app: App, line: Line, caller: Caller) => Promise<unknown> | unknown

type Shown = Extract<Operation, 'list_models' | `show_${'model' | 'credits' | 'key' | 'generation'}`>

const lookUps: Readonly<Record<Shown, LookUp>> = {
  list_models: (app, line, { policy }) =>
    listModels(only(app.snapshot, policy.models), line.dialect.name, new URLSearchParams(line.query), {
      nowMs: line.startedMs,
      limits: app.limits,
    }),
  show_model: (app, line, { policy }) => {
    const snapshot = only(app.snapshot, policy.models)
    const model = showModel(snapshot, line.dialect.name, line.subject, line.startedMs)
    if (model === undefined) throw modelNotFound(snapshot, line.subject)
    return model
  },
  show_credits: async (app, _line, caller) => {
    if (!caller.policy.showBalance) {
      throw new TollgateError('model_not_allowed', { message: 'This API key may not see the balance.' })
    }
    const account = await app.ledger.account(caller.account)
    if (account === undefined)
      throw new TollgateError('account_not_found', { message: 'The account is gone.' })
    const balance = formatUsd(account.posted)
    return {
      balance,
      held: formatUsd(account.held),
      available: formatUsd(account.posted - account.held),
      currency: 'USD',
    }
  },
  show_key: async (app, _line, caller) => ({ data: await describeKey(app, caller) }),
  show_generation: (app, line, caller) => generation(app, line.subject, caller),
}

/** Answers a GET; throws rows of the error table. A probe of a base address needs no key. */
export async function lookUp(app: App, line: Line, callerOf: CallerOf): Promise<void> {
  if (!isShown(line.operation)) {
    answer(app, line, { status: 'ok' })
    return
  }
  const caller = await callerOf(line)
  app.running.identify(line.id, caller)
  answer(app, line, await lookUps[line.operation](app, line, caller))
}

function isShown(operation: Operation): operation is Shown {
  return Object.hasOwn(lookUps, operation)
}

/** Whatever body came along is not waited for. */
function answer(app: App, line: Line, body: unknown): void {
  answerEarly(app, line.request, line.client, {
    status: 200,
    headers: ['content-type', 'application/json', ...wholeHead, ...identityHeaders(line)],
    body: JSON.stringify(body),
  })
}

async function describeKey(app: App, caller: Caller): Promise<Readonly<Record<string, unknown>>> {
  const { policy } = caller
  const spend =
    policy.budget === null
      ? null
      : await app.ledger.keySpend(caller.key, policy.budget.window, app.clock.wallMs())
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

/** The receipt of one request of the same account; anybody else's is not there. */
async function generation(app: App, subject: string, caller: Caller): Promise<unknown> {
  const id = parseId('req', subject)
  // In the order of its life: what ends between the two looks is found by the second one.
  const running = id === undefined ? undefined : await app.ledger.running(id)
  if (running?.account === caller.account) return { data: describeRunning(running) }
  const receipt = id === undefined ? undefined : await app.ledger.receipt(id)
  if (receipt?.account === caller.account) return { data: describeReceipt(receipt) }
  throw new TollgateError('generation_not_found', { message: 'No request of this account has this id.' })
}

function describeRunning(running: RunningRow): Readonly<Record<string, unknown>> {
  return {
    id: formatId('req', running.id),
    status: 'running',
    model: running.model,
    dialect: running.dialect,
    streamed: running.streamed,
    hold: formatUsd(running.hold),
  }
}

function describeReceipt(receipt: ReceiptRow): Readonly<Record<string, unknown>> {
  return {
    id: formatId('req', receipt.id),
    status: receipt.endReason,
    settled: receipt.settledLate ? 'late' : 'in_time',
    model: receipt.model,
    dialect: receipt.dialect,
    streamed: receipt.streamed,
    provider: receipt.provider,
    upstream_id: receipt.upstreamRequestId,
    http_status: receipt.status,
    error: receipt.errorCode,
    created_at: new Date(receipt.startedMs).toISOString(),
    ended_at: new Date(receipt.endedMs).toISOString(),
    first_byte_ms: receipt.firstByteMs === null ? null : receipt.firstByteMs - receipt.startedMs,
    usage: {
      source: receipt.usageSource,
      input_uncached: receipt.inputUncached,
      cache_read: receipt.cacheRead,
      cache_write_5m: receipt.cacheWrite5m,
      cache_write_1h: receipt.cacheWrite1h,
      input_audio: receipt.inputAudio,
      output: receipt.output,
      output_audio: receipt.outputAudio,
      reasoning: receipt.reasoning,
      fees: receipt.fees,
      ran_at: receipt.ranAt,
      unpriced: receipt.unpricedUsage,
      implausible: receipt.implausible,
    },
    cost: formatUsd(receipt.charged),
    hold: formatUsd(receipt.hold),
    input_bound: receipt.inputBound,
    upstream_cost: formatUsd(receipt.upstreamCost),
    price_version: formatId('prc', receipt.priceVersion),
    max_output: receipt.outputLimit,
    max_output_lowered: receipt.outputLowered,
    attempts: receipt.attempts.map((attempt) => ({
      upstream: attempt.upstream,
      status: attempt.status,
      failure: attempt.failure,
      ms: attempt.endedMs - attempt.startedMs,
    })),
  }
}
