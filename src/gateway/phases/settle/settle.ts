/**
 * Usage → price → settlement: closes the hold and writes the receipt, durably. `billing.ts` decides who pays for what;
 * the ledger only moves the money.
 */
import { noOutput, noTokens, tokensOf } from '../../../../contract/meters.ts'
import { steadyClock } from '../../../base/clock.ts'
import type { NextId } from '../../../base/ids.ts'
import { least, most } from '../../../ledger/rules/money.ts'
import { usageMaxOf } from '../../../ledger/rules/plausibility.ts'
import {
  chargeOf,
  costOf,
  feeText,
  type OfferCost,
  offerCostText,
  type PricedUsage,
  upstreamCostOf,
  withoutRequestFee,
} from '../../../ledger/rules/price.ts'
import type { Attempt, ReceiptDraft, Settlement, UsageSource } from '../../../ledger/types.ts'
import type { Counter } from '../../../tokens/count.ts'
import type { ProviderObject } from '../../../wire/format.ts'
import type { Usage } from '../../../wire/usage.ts'
import { capUsage, countedOutput } from '../../bounds/usage.ts'
import type {
  AnsweredWork,
  Hold,
  RelayOutcome,
  RequestContext,
  SettlementResult,
  UpstreamResponse,
} from '../../request.ts'
import {
  abandonedLoss,
  type BilledUsage,
  type BillingInput,
  type BillingRule,
  billedUsage,
  billingRule,
  emptyReport,
  unbelievedLoss,
  type WastedCost,
  wastedCost,
} from './billing.ts'
import type { ObserveSettlement } from './observers.ts'
import { type DurableSettleDeps, releaseDurably, settleDurably } from './settle-durably.ts'

export interface SettleDeps extends DurableSettleDeps {
  readonly counter: Counter
  readonly nextId: NextId
  readonly observeSettlement: ObserveSettlement
  readonly limits: DurableSettleDeps['limits'] & { readonly hiddenReasoningTokensPerSecond: number }
}

/** Closes the hold exactly once. Resolves when it is durable, or as `late` when that takes too long; never rejects. */
export async function settle(
  deps: SettleDeps,
  context: RequestContext,
  request: AnsweredWork,
  outcome: RelayOutcome,
): Promise<SettlementResult> {
  deps.failpoints.reach('before-settle')
  const dueMonoMs = deps.clock.monoMs() + deps.limits.settleWaitMs
  if (request.upstreamResponse.attempts.length === 0) {
    return releaseHold(deps, request.hold)
  }
  const reported = capUsage(request, outcome.report?.usage ?? emptyReport, outcome.sample)
  const bill = billingRule(outcome, request.plan.format, reported)
  const using = billedUsage(deps.counter, { request, outcome, bill, reported })
  const used = using instanceof Promise ? await using : using
  const wasted = wastedCost(request.upstreamResponse, deps.limits)
  const settlement = settlementOf(deps, context, { request, outcome, bill, used, reported, wasted })
  return await settleDurably(deps, {
    settlement,
    dueMonoMs,
    // Only complete responses wait for their settlement; errors are sent whenever it happens.
    withheld:
      outcome.reason === 'complete' ? () => withheldSettlement(deps, request, { settlement, outcome }) : null,
    onSettled(settled, result) {
      deps.observeSettlement({
        model: request.plan.model.name,
        settlement: settled,
        result,
        held: request.hold.amount,
        // A withheld response writes off its own cost and theirs together.
        wasted: settled === settlement ? wasted.attempts : [],
        served: { context, request, wasted },
      })
    },
  })
}

/**
 * The settlement of a complete response that is withheld because its settlement was late: its client gets an error. The
 * part of a stream that was already relayed is charged; the rest of the upstream cost is written off.
 */
async function withheldSettlement(
  deps: SettleDeps,
  request: AnsweredWork,
  { settlement, outcome }: { settlement: Settlement; outcome: RelayOutcome },
): Promise<Settlement> {
  const { receipt } = settlement
  const relayed = outcome.relayed ?? null
  const isPart = relayed !== null && relayed.events > 0
  const { outputTokens: tokensMax } = usageMaxOf(request.plan, request.hold.outputLimit)
  const counted = await countedOutput(deps.counter, isPart ? relayed : null, tokensMax)
  const output = Math.min(counted.tokens, receipt.output)
  const part = { ...receipt, ...noOutput, output, reasoning: Math.min(receipt.reasoning, output) }
  const { price, ownKeyFee } = request.plan
  const used = { ...part, servedOptions: receipt.ranAt }
  const cost = isPart ? least(chargeOf(costOf(used, price, 'rates').cost, ownKeyFee), settlement.cost) : 0n
  return {
    ...settlement,
    cost,
    writtenOff: receipt.ownKey ? 0n : most(receipt.upstreamCost - cost, 0n),
    causedWriteOff: 0n,
    providerObjects: [],
    receipt: {
      ...(isPart ? part : withoutRequestFee(receipt)),
      usageSource: isPart ? countedSource(counted) : receipt.usageSource,
      endReason: 'interrupted',
      status: 503,
      errorCode: 'settlement_delayed',
      settledLate: true,
    },
  }
}

/**
 * Releases a hold without a charge or a receipt: nothing was sent, or an internal error left the outcome unknown. Has no
 * effect on a closed hold.
 */
export function releaseHold(deps: DurableSettleDeps, { id }: Pick<Hold, 'id'>): Promise<SettlementResult> {
  return releaseDurably(deps, id)
}

const nothing: PricedUsage = { ...noTokens, fees: {}, servedOptions: [] }

/** Inputs that decide the charge of a request that was sent. */
interface SettlementInput extends BillingInput {
  readonly request: AnsweredWork
  readonly used: BilledUsage
  readonly wasted: WastedCost
}

function settlementOf(deps: SettleDeps, context: RequestContext, input: SettlementInput): Settlement {
  const { request, outcome, bill, reported, wasted } = input
  const { usage } = input.used
  const { price, ownKeyFee } = request.plan
  const isOwnKey = ownKeyFee !== null
  const { cost: priced, unpriced } = costOf(usage, price, 'rates')
  const full = chargeOf(priced, ownKeyFee)
  const upstreamCost = bill.payer === 'none' ? 0n : upstreamCostOf(usage, price, offerCostOf(request))
  const capped =
    bill.output === 'reported' && bill.input !== 'counted' ? full : least(full, request.hold.amount)
  const isLost = outcome.dispatched && outcome.reason === 'client_abort' && bill.output !== 'reported'
  const abandoned = isLost ? abandonedLoss(request, usage) : 0n
  const isHidden = isLost && abandoned === 0n && !isOwnKey
  const hidden = isHidden ? hiddenReasoning(deps, context, request) : abandoned
  const unbelieved = abandoned > 0n ? 0n : unbelievedLoss(request, reported, usage)
  const nowMs = deps.clock.wallMs()
  const unknown = [...unpriced, ...usage.unknown]
  if (unknown.length > 0) {
    const facts = { request: context.requestId, model: request.plan.model.name, meters: unknown }
    deps.log.warn(facts, 'a response reports usage without a price')
  }
  return {
    id: context.id,
    nowMs,
    cost: bill.payer === 'customer' ? capped : 0n,
    excessCausedBy: request.hold.excessCausedBy,
    // The provider charges the account for what ran on its key, also where nothing was delivered.
    writtenOff: (bill.payer === 'platform' && !isOwnKey ? upstreamCost : hidden) + wasted.all + unbelieved,
    causedWriteOff: hidden + wasted.refused + unbelieved,
    writeOffEntryId: deps.nextId(),
    providerObjects: providerObjectsOf(request, outcome),
    receipt: {
      ...draftReceipt(context, request, {
        outcome,
        usage,
        source: sourceOf(bill, input.used),
        upstreamCost: isOwnKey ? upstreamCost : upstreamCost + wasted.all,
        unpriced: unknown.length > 0,
      }),
      implausible: reported.implausible,
      attempts: withEndTime(request.upstreamResponse.attempts, steadyClock(deps.clock, context).wallMs()),
    },
  }
}

/** The serving attempt was recorded when its response began; its end is the end of the response. */
function withEndTime(attempts: readonly Attempt[], endedMs: number): readonly Attempt[] {
  const last = attempts.at(-1)
  if (last === undefined || last.failure !== null) return attempts
  return [...attempts.slice(0, -1), { ...last, endedMs }]
}

/** The objects that a complete response created at its provider; after translation their ids are unknown to the client. */
function providerObjectsOf(
  { plan, upstreamResponse: { body } }: AnsweredWork,
  { report }: RelayOutcome,
): readonly ProviderObject[] {
  if (plan.translation !== null || report?.kind !== 'final') return []
  if (body.kind === 'stream') return body.usageTap.providerObjects ?? []
  return body.kind === 'answer' ? (body.answer.providerObjects ?? []) : []
}

function sourceOf(bill: BillingRule, used: BilledUsage): UsageSource {
  if (bill.payer === 'none') return 'none'
  if (bill.input !== 'counted' && bill.output !== 'counted') return 'reported'
  return countedSource(used)
}

function countedSource({ isEstimated }: { readonly isEstimated: boolean }): UsageSource {
  return isEstimated ? 'estimated' : 'counted'
}

/** Unreported reasoning of a disconnected client's request, estimated by time and written off. */
function hiddenReasoning(deps: SettleDeps, context: RequestContext, request: AnsweredWork): bigint {
  const { model, format } = request.plan
  if (!model.reasons || format.reportsInputEarly) return 0n
  const untilMs = request.upstreamResponse.firstContentMs ?? steadyClock(deps.clock, context).wallMs()
  // Failed attempts produced nothing of it.
  const sinceMs = request.upstreamResponse.attempts.at(-1)?.startedMs ?? context.startedMs
  const seconds = Math.max(0, untilMs - sinceMs) / 1_000
  const tokens = Math.min(
    Math.round(seconds * deps.limits.hiddenReasoningTokensPerSecond),
    request.hold.outputLimit,
  )
  return costOf({ ...nothing, output: tokens }, request.plan.price, 'list').cost
}

/** The receipt of a request; also written by checkpoints. */
export function draftReceipt(
  context: RequestContext,
  request: AnsweredWork,
  input: {
    outcome: RelayOutcome
    usage: Usage
    source: UsageSource
    upstreamCost: bigint
    unpriced: boolean
  },
): ReceiptDraft {
  const { usage, outcome } = input
  const { upstreamResponse, plan, hold } = request
  return {
    provider: plan.model.provider,
    upstream: upstreamResponse.candidate?.upstream.name ?? '',
    upstreamModel: upstreamResponse.candidate?.upstreamModel ?? plan.model.upstreamModel,
    upstreamRequestId: upstreamRequestId(upstreamResponse),
    status: outcome.status,
    endReason: outcome.reason,
    usageSource: input.source,
    errorCode: outcome.error?.code ?? null,
    ...tokensOf(usage),
    fees: usage.fees,
    ranAt: usage.servedOptions,
    unpricedUsage: input.unpriced,
    implausible: null,
    inputBound: hold.input.source,
    background: false,
    upstreamCost: input.upstreamCost,
    outputLimit: hold.outputLimit,
    outputLowered: hold.lowered,
    settledLate: false,
    startedMs: context.startedMs,
    firstByteMs: upstreamResponse.firstByteMs,
    attempts: upstreamResponse.attempts,
    person: hold.person,
    ownKey: plan.ownKeyFee !== null,
    ownKeyFee: feeText(plan.ownKeyFee),
    offerCost: offerCostText(offerCostOf(request)),
  }
}

/** The account pays its own provider by that provider's list. */
export function offerCostOf({
  plan,
  upstreamResponse,
}: Pick<AnsweredWork, 'plan' | 'upstreamResponse'>): OfferCost | undefined {
  return plan.ownKeyFee === null ? upstreamResponse.candidate?.offer.cost : undefined
}

function upstreamRequestId(upstreamResponse: UpstreamResponse): string | null {
  const name = upstreamResponse.candidate?.target.connector.requestIdHeader
  return name === undefined ? null : (upstreamResponse.upstreamHeaders.get(name) ?? null)
}
