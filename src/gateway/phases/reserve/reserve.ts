/**
 * Reserves what the request may use, all or nothing: rate, concurrency, the key's budget, the balance. The free input
 * bound is tried first; where it would reserve too large a share of the balance, tokens are counted, so that no request
 * is rejected because of a coarse bound. While other requests of the account are running, it waits before it rejects.
 */
import type { Caller } from '../../../access/types.ts'
import type { Background } from '../../../base/background.ts'
import { TollgateError } from '../../../base/errors.ts'
import type { KeyedSemaphore } from '../../../base/mutex.ts'
import { inTime } from '../../../base/store-wait.ts'
import { divideUp, least, most } from '../../../ledger/rules/money.ts'
import type { BoundAmounts } from '../../../ledger/rules/price.ts'
import type { Admission, AdmissionRequest, Held, InsufficientFunds, Ledger } from '../../../ledger/types.ts'
import { tighter } from '../../../limits/headers.ts'
import type { RequestGate } from '../../../limits/request-gate.ts'
import {
  type BoundInputDeps,
  countedInput,
  freeInput,
  inputWithoutDocuments,
  reportedInput,
} from '../../bounds/input-bound.ts'
import type {
  Hold,
  InputBound,
  ParsedRequest,
  PreparedRequest,
  RequestContext,
  RequestPlan,
  Target,
} from '../../request.ts'
import { accountSuspended, rateLimited } from '../../responses/error-response.ts'
import {
  accountRestricted,
  estimatedAmounts,
  excessCause,
  highestAmounts,
  needsUnrestrictedAccount,
  planAmounts,
  type RiskyWork,
  unknownIn,
} from './fit-to-hold.ts'
import { type FundsRejectionInput, insufficientFundsError } from './insufficient-funds.ts'

export interface ReserveDeps extends BoundInputDeps {
  readonly ledger: Pick<Ledger, 'account' | 'admit' | 'release' | 'whenReleased'>
  readonly background: Background
  readonly gate: Pick<RequestGate, 'requestsLeft'>
  readonly balanceWaits: KeyedSemaphore
  readonly limits: BoundInputDeps['limits'] & {
    readonly holdWaitMs: number
    readonly storeWaitMs: number
    readonly settleRetryMs: number
    readonly settleRetriesMax: number
    readonly serverToolUsesMax: number
  }
  /** The public base URL of this server. */
  readonly address: string
}

/** The request as planned for its first target. */
interface ReservedWork extends RiskyWork {
  readonly plan: RequestPlan
}

/** The request as it was received, and the targets that it is not prepared for yet; the hold covers the most expensive. */
export interface OtherTargets {
  readonly received: ParsedRequest
  readonly targets: readonly Target[]
}

/**
 * Where a coarse bound is too large for the balance, the hold covers the first target alone: others have to fit into it.
 * Throws 402, 403 or 429 with what was required, what is available, and the limit's scope; then nothing is reserved. */
export async function reserve(
  deps: ReserveDeps,
  caller: Caller,
  context: RequestContext,
  { otherTargets, ...prepared }: PreparedRequest & { readonly otherTargets: OtherTargets },
): Promise<Hold> {
  const work = { ...prepared, unknown: unknownIn(prepared, otherTargets) }
  const nowMs = deps.clock.wallMs()
  const freeBound = freeInput(work.plan.inputSize)
  const { received, targets } = otherTargets
  const others = targets.map((target) => estimatedAmounts(target, received, deps.limits))
  const free = admissionRequest(caller, context, { ...work, nowMs, inputTokens: freeBound.tokens, others })
  const first = await admit(deps, { ...free, onShortBalance: 'count', patience: 'none' })
  if (first.kind === 'held') return holdOf(first, free, { caller, work, input: freeBound })
  const rejectionInput: RejectionInput = {
    address: deps.address,
    showBalance: caller.policy.showBalance,
    isBounded: false,
    unknown: work.unknown,
    asked: free,
    context,
    nowMs,
  }
  if (!mayFitWhenCounted(first)) throw rejection(first, rejectionInput)
  const isOwnKey = work.plan.ownKeyFee !== null
  if (isOwnKey && others.length > 0) {
    const held = await admitOwnKey(deps, free, () =>
      admissionRequest(caller, context, { ...work, nowMs, inputTokens: freeBound.tokens }),
    )
    if (held !== null) return holdOf(held.admission, held.asked, { caller, work, input: freeBound })
  }
  const input =
    ((await shouldAskUpstream(deps, first, caller, { context, ...work }))
      ? await reportedInput(deps, context, caller, work)
      : null) ?? (await countedInput(deps, caller, work))
  const exact = admissionRequest(caller, context, {
    ...work,
    nowMs: deps.clock.wallMs(),
    inputTokens: input.tokens,
  })
  const admission = await admitAnywhere(
    deps,
    exact,
    isOwnKey ? [] : countedForOthers(deps, otherTargets, input),
  )
  if (admission.kind === 'held') return holdOf(admission, exact, { caller, work, input })
  const isInsufficient = admission.kind === 'insufficient_funds'
  throw rejection(isInsufficient ? withAffordableOutput(admission, exact, work) : admission, {
    ...rejectionInput,
    isBounded: input.source === 'bytes' && !work.plan.inputSize.fillsWindow,
    asked: exact,
    nowMs: exact.nowMs,
  })
}

function admissionRequest(
  caller: Caller,
  context: RequestContext,
  request: ReservedWork & { inputTokens: number; nowMs: number; others?: readonly BoundAmounts[] },
): AdmissionRequest {
  const { plan, parsed } = request
  const own = planAmounts(plan, parsed.facts, { tokens: request.inputTokens })
  const amounts = highestAmounts(own, request.others ?? [])
  return {
    id: context.id,
    account: caller.account,
    key: caller.key,
    // Not the time of the request head: reading the body may take minutes.
    nowMs: request.nowMs,
    inputAmount: amounts.input,
    inputTokens: request.inputTokens,
    outputTokenAmount: amounts.perOutputToken,
    outputWanted: plan.outputWanted,
    outputFloor: plan.outputFloor,
    onShortBalance: caller.policy.onShortBalance,
    patience: 'none',
    needsUnrestrictedAccount: needsUnrestrictedAccount(request),
    accountLimits: caller.accountRates,
    keyLimits: caller.policy.rates,
    keyBudget: caller.policy.budget,
    priceVersion: plan.price.id,
    model: plan.model.name,
    format: context.format.name,
    streamed: parsed.facts.stream,
  }
}

function holdOf(
  admission: Extract<Admission, { kind: 'held' }>,
  asked: AdmissionRequest,
  { caller, work, input }: { caller: Caller; work: ReservedWork; input: InputBound },
): Hold {
  return {
    ...admission,
    account: asked.account,
    admittedMs: asked.nowMs,
    input,
    lowered: admission.outputLimit < asked.outputWanted || work.plan.exceedsFallback,
    streamed: asked.streamed,
    excessCausedBy: excessCause(work, input),
    hasUnknown: work.unknown.length > 0,
    person: caller.person,
  }
}

/** The most input tokens that a client adds by setting an output limit. */
const limitFieldTokens = 48
/** The most that a translation adds to keep room for an answer within a smaller limit. */
const thinkingFieldTokens = 32

/** The output limit that an error suggests: affordable including its own input tokens, and valid at the provider; else 0. */
function withAffordableOutput(
  rejected: InsufficientFunds,
  asked: AdmissionRequest,
  { parsed: { facts }, plan }: { parsed: ParsedRequest; plan: RequestPlan },
): InsufficientFunds {
  const ofLimit = facts.outputLimit === null ? limitFieldTokens : 0
  const ofThinking = plan.translation === null ? 0 : thinkingFieldTokens
  const lost = divideUp(
    BigInt(ofLimit + ofThinking) * asked.inputAmount,
    most(1n, BigInt(asked.inputTokens) * asked.outputTokenAmount),
  )
  const left = rejected.affordableOutput - Number(lost)
  const takes = Math.max(plan.format.outputLimitMin, (facts.thinkingBudget ?? 0) + 1)
  return { ...rejected, affordableOutput: left >= takes ? left : 0 }
}

/**
 * A provider's count uses the operator's credential and takes time, so it is requested only for documents, and only if
 * the balance covers the request without them.
 */
async function shouldAskUpstream(
  { ledger, clock }: ReserveDeps,
  rejected: Admission,
  caller: Caller,
  { context, ...work }: ReservedWork & { context: RequestContext },
): Promise<boolean> {
  const { inputSize } = work.plan
  if (inputSize.sizedTokens === 0) return false
  const inputTokens = inputWithoutDocuments(inputSize).tokens
  const smallest = admissionRequest(caller, context, { ...work, nowMs: clock.wallMs(), inputTokens })
  const output = BigInt(Math.min(smallest.outputFloor, smallest.outputWanted)) * smallest.outputTokenAmount
  const needed = smallest.inputAmount + output
  if (rejected.kind === 'insufficient_funds') return rejected.available + rejected.held >= needed
  const account = await ledger.account(caller.account)
  return account !== undefined && account.posted >= needed
}

function mayFitWhenCounted(admission: Admission): boolean {
  return (
    admission.kind === 'insufficient_funds' || (admission.kind === 'rate' && admission.limitKind === 'tokens')
  )
}

/** The ledger's admission; the remaining requests include those that the gate has rejected. */
async function admit(deps: ReserveDeps, asked: AdmissionRequest): Promise<Admission> {
  const { ledger, gate } = deps
  const admitting = ledger.admit(asked)
  let admission: Admission
  try {
    admission = await inTime(deps, admitting)
  } catch (error) {
    releaseLate(deps, asked.id, admitting)
    throw error
  }
  if (admission.kind !== 'held' && admission.kind !== 'rate') return admission
  const requests = tighter(admission.rates.requests, gate.requestsLeft(asked, asked.nowMs))
  return { ...admission, rates: { ...admission.rates, requests } }
}

/** A hold that the ledger commits after its request was rejected is released: nothing was sent for it. */
function releaseLate(
  { ledger, background, limits }: ReserveDeps,
  id: bigint,
  admitting: Promise<Admission>,
): void {
  const name = 'release a late hold'
  background.run(name, async () => {
    // The request was already rejected with this error.
    const admission = await admitting.catch(() => null)
    const bounds = { everyMs: limits.settleRetryMs, timesMax: limits.settleRetriesMax }
    if (admission?.kind === 'held') background.retry(name, () => ledger.release(id), bounds)
  })
}

/**
 * A provider key costs little or nothing: it is neither rejected nor given a lower output limit because the operator's offers
 * behind it cost more. They are held for where the whole balance covers them. null: not even the key's own charge is covered.
 */
async function admitOwnKey(
  deps: ReserveDeps,
  withOthers: AdmissionRequest,
  alone: () => AdmissionRequest,
): Promise<{ readonly admission: Held; readonly asked: AdmissionRequest } | null> {
  const asks = [
    { ...withOthers, onShortBalance: 'reject' },
    { ...alone(), onShortBalance: 'count' },
  ] as const
  for (const asked of asks) {
    const admission = await admit(deps, asked)
    if (admission.kind === 'held') return { admission, asked }
  }
  return null
}

/** The maximum cost at the other targets, now that the input is counted for the first one. */
function countedForOthers(
  { limits }: ReserveDeps,
  { received, targets }: OtherTargets,
  input: InputBound,
): readonly BoundAmounts[] {
  return targets.map((target) => estimatedAmounts(target, received, limits, input))
}

/**
 * Reserves for the most expensive target. Where the balance does not cover that, another target neither lowers what the
 * first one may answer nor makes the request wait: the first is reserved for alone if it fits in full.
 */
async function admitAnywhere(
  deps: ReserveDeps,
  asked: AdmissionRequest,
  others: readonly BoundAmounts[],
): Promise<Admission> {
  if (others.length === 0) return admitWaiting(deps, asked)
  const own = { input: asked.inputAmount, perOutputToken: asked.outputTokenAmount }
  const { input, perOutputToken } = highestAmounts(own, others)
  const highest = { ...asked, inputAmount: input, outputTokenAmount: perOutputToken }
  for (const whole of [highest, asked]) {
    const admission = await admit(deps, { ...whole, onShortBalance: 'reject', patience: 'none' })
    if (admission.kind !== 'insufficient_funds') return admission
  }
  if (asked.onShortBalance === 'reject') return admitWaiting(deps, asked)
  const lowered = await admitWaiting(deps, highest)
  if (lowered.kind === 'held') return { ...lowered, outputLimit: outputWithin(lowered.amount, asked) }
  return lowered.kind === 'insufficient_funds' ? admit(deps, asked) : lowered
}

/** The output limit that an amount pays for. */
function outputWithin(
  amount: bigint,
  { inputAmount, outputTokenAmount, outputWanted }: AdmissionRequest,
): number {
  const wanted = BigInt(outputWanted)
  const affordable = outputTokenAmount === 0n ? wanted : (amount - inputAmount) / outputTokenAmount
  return Number(least(affordable, wanted))
}

async function admitWaiting(deps: ReserveDeps, asked: AdmissionRequest): Promise<Admission> {
  const { ledger, clock, balanceWaits, limits } = deps
  if (!balanceWaits.tryAcquire(asked.account)) return admit(deps, { ...asked, patience: 'none' })
  try {
    const startedMs = clock.monoMs()
    for (;;) {
      const leftMs = limits.holdWaitMs - (clock.monoMs() - startedMs)
      if (leftMs <= 0) return admit(deps, { ...asked, patience: 'none' })
      const released = ledger.whenReleased(asked.account, leftMs)
      const admission = await admit(deps, { ...asked, patience: 'wait' })
      if (admission.kind !== 'wait') return admission
      await released
    }
  } finally {
    balanceWaits.release(asked.account)
  }
}

/** Inputs of the error for a rejected reservation. */
interface RejectionInput extends Omit<FundsRejectionInput, 'outputLimitField'> {
  readonly context: RequestContext
  readonly nowMs: number
  readonly unknown: readonly string[]
}

function rejection(admission: Exclude<Admission, { kind: 'held' }>, input: RejectionInput): TollgateError {
  switch (admission.kind) {
    case 'suspended':
      return accountSuspended(input.address, input.asked.account)
    case 'restricted':
      return accountRestricted(input.unknown)
    case 'rate':
      return rateLimited(admission, input.context, input.nowMs)
    case 'insufficient_funds':
      return insufficientFundsError(admission, {
        ...input,
        outputLimitField: input.context.format.outputLimitField,
      })
    case 'wait':
      return new TollgateError('balance_held', {
        message: 'The balance is reserved by running requests.',
        retryAfterMs: 1_000,
      })
  }
}
