/**
 * Takes all that the request may use, or nothing: rate, concurrency, the key's budget, the balance.
 * The free bound is tried first; where it would take more than a share of what there is, tokens are
 * counted, so that nobody is refused or crowded out on a guess; and while other requests of the account
 * run, waiting comes before refusing.
 */
import type { Caller } from '../access/types.ts'
import { TollgateError } from '../base/errors.ts'
import type { Places } from '../base/places.ts'
import { divideUp, formatUsd, most } from '../ledger/money.ts'
import { boundAmounts } from '../ledger/price.ts'
import type { Admission, AdmissionAsk, ExcessCause, Ledger, ShortRefusal } from '../ledger/types.ts'
import { tighter } from '../limits/headers.ts'
import type { RequestGate } from '../limits/request-gate.ts'
import { canExceedItsSize } from '../providers/media-size.ts'
import { rateLimited, suspended } from '../refusal.ts'
import type { Call, Hold, InputBound, Line, Plan } from '../values.ts'
import type { DialectName, Media } from '../wire/codec.ts'
import {
  type BoundingInput,
  countedInput,
  freeInput,
  inputWithoutDocuments,
  reportedInput,
} from './hold-input.ts'

export interface Holding extends BoundingInput {
  readonly ledger: Pick<Ledger, 'account' | 'admit' | 'whenReleased'>
  readonly gate: Pick<RequestGate, 'requestsLeft'>
  readonly waiting: Places
  readonly limits: BoundingInput['limits'] & { readonly holdWaitMs: number }
  /** Where callers reach this server. */
  readonly address: string
}

/** Throws 402, 403 or 429 with what was needed, what there is, and whose limit it is; then nothing was taken. */
export async function hold(
  holding: Holding,
  caller: Caller,
  line: Line,
  work: { call: Call; plan: Plan },
): Promise<Hold> {
  const nowMs = holding.clock.wallMs()
  const freely = freeInput(work.plan.bound)
  const free = ask(caller, line, { ...work, nowMs, inputTokens: freely.tokens })
  const first = await admit(holding, { ...free, onShortBalance: 'count', patience: 'none' })
  if (first.kind === 'held') return held(first, free, { caller, call: work.call, input: freely })
  const told: Told = {
    address: holding.address,
    showBalance: caller.policy.showBalance,
    isBounded: false,
    line,
    nowMs,
  }
  if (!mayFitWhenCounted(first)) throw refusal(first, told)
  const input =
    ((await isWorthAsking(holding, first, caller, { line, ...work }))
      ? await reportedInput(holding, line, caller, work)
      : null) ?? (await countedInput(holding, caller, work))
  const exact = ask(caller, line, { ...work, nowMs: holding.clock.wallMs(), inputTokens: input.tokens })
  const admission = await admitPatiently(holding, exact)
  if (admission.kind === 'held') return held(admission, exact, { caller, call: work.call, input })
  const isShort = admission.kind === 'short'
  throw refusal(isShort ? namingWhatPasses(admission, exact, work) : admission, {
    ...told,
    isBounded: input.source === 'bytes' && !work.plan.bound.fillsWindow,
    nowMs: exact.nowMs,
  })
}

function ask(
  caller: Caller,
  line: Line,
  of: { call: Call; plan: Plan; inputTokens: number; nowMs: number },
): AdmissionAsk {
  const { plan, call } = of
  const amounts = boundAmounts(plan.price, {
    inputTokens: of.inputTokens,
    inputAudioTokens: Math.min(plan.bound.audioTokens * (plan.bound.toolUses + 1), of.inputTokens),
    outputAudio: plan.outputAudio,
    cacheWrites: call.facts.cacheWrites,
    options: call.facts.options.map((option) => option.name),
    fees: plan.serverTools.fees,
    choices: call.facts.choices,
  })
  return {
    id: line.id,
    account: caller.account,
    key: caller.key,
    // Not the time of the head: a body may take minutes, and a rate is of the present one.
    nowMs: of.nowMs,
    inputAmount: amounts.input,
    inputTokens: of.inputTokens,
    outputTokenAmount: amounts.perOutputToken,
    outputWanted: plan.outputWanted,
    outputFloor: plan.outputFloor,
    onShortBalance: caller.policy.onShortBalance,
    patience: 'none',
    usesRestricted: call.facts.serverTools.length > 0 || call.facts.media.some(canExceedItsSize),
    accountLimits: caller.accountRates,
    keyLimits: caller.policy.rates,
    keyBudget: caller.policy.budget,
    priceVersion: plan.price.id,
    model: plan.model.name,
    dialect: line.dialect.name,
    streamed: call.facts.stream,
  }
}

function held(
  admission: Extract<Admission, { kind: 'held' }>,
  asked: AdmissionAsk,
  { caller, call, input }: { caller: Caller; call: Call; input: InputBound },
): Hold {
  return {
    ...admission,
    account: asked.account,
    admittedMs: asked.nowMs,
    input,
    lowered: admission.outputLimit < asked.outputWanted,
    excessCausedBy: excessCause(call, input),
    person: caller.person,
  }
}

/** A provider that counted a file in the body and bills more is not its sender's doing; an address or a tool can bring more. */
function excessCause({ facts: { serverTools, media } }: Call, { reported }: InputBound): ExcessCause {
  const isOpen = (file: Media): boolean => canExceedItsSize(file) && (file.span === null || reported === null)
  return serverTools.length > 0 || media.some(isOpen) ? 'account' : 'upstream'
}

/** The most input tokens that a client adds by writing an output limit where it wrote none. */
const limitFieldTokens = 48

/** What each format calls its output limit, and the least that it takes: below it no request would be served. */
const outputLimits: Readonly<Record<DialectName, { readonly name: string; readonly least: number }>> = {
  'openai-chat': { name: 'max_tokens', least: 1 },
  // https://developers.openai.com/api/reference/resources/responses/methods/create
  'openai-responses': { name: 'max_output_tokens', least: 16 },
  'openai-embeddings': { name: 'max_tokens', least: 1 },
  anthropic: { name: 'max_tokens', least: 1 },
  gemini: { name: 'maxOutputTokens', least: 1 },
}

/** The limit that a refusal names must pass when it is asked for, and be one that the provider takes. */
function namingWhatPasses(
  refused: ShortRefusal,
  asked: AdmissionAsk,
  { call: { facts }, plan }: { call: Call; plan: Plan },
): ShortRefusal {
  const added = facts.outputLimit === null ? BigInt(limitFieldTokens) : 0n
  const lost = divideUp(
    added * asked.inputAmount,
    most(1n, BigInt(asked.inputTokens) * asked.outputTokenAmount),
  )
  const left = refused.affordableOutput - Number(lost)
  const takes = Math.max(outputLimits[plan.dialect.name].least, (facts.thinkingBudget ?? 0) + 1)
  return { ...refused, affordableOutput: left >= takes ? left : 0 }
}

/**
 * A provider's count uses the operator's credential, and takes time: only for documents, and only for who could pay
 * for the request if they were empty.
 */
async function isWorthAsking(
  { ledger, clock }: Holding,
  refused: Admission,
  caller: Caller,
  { line, ...work }: { line: Line; call: Call; plan: Plan },
): Promise<boolean> {
  const { bound } = work.plan
  if (bound.sizedTokens === 0) return false
  const inputTokens = inputWithoutDocuments(bound).tokens
  const least = ask(caller, line, { ...work, nowMs: clock.wallMs(), inputTokens })
  const output = BigInt(Math.min(least.outputFloor, least.outputWanted)) * least.outputTokenAmount
  const needed = least.inputAmount + output
  if (refused.kind === 'short') return refused.available + refused.held >= needed
  const account = await ledger.account(caller.account)
  return account !== undefined && account.posted >= needed
}

function mayFitWhenCounted(admission: Admission): boolean {
  return admission.kind === 'short' || (admission.kind === 'rate' && admission.of === 'tokens')
}

/** What the ledger admits; the requests that are left are fewer where others were refused before it was asked. */
async function admit({ ledger, gate }: Holding, asked: AdmissionAsk): Promise<Admission> {
  const admission = await ledger.admit(asked)
  if (admission.kind !== 'held' && admission.kind !== 'rate') return admission
  const requests = tighter(admission.rates.requests, gate.requestsLeft(asked, asked.nowMs))
  return { ...admission, rates: { ...admission.rates, requests } }
}

async function admitPatiently(holding: Holding, asked: AdmissionAsk): Promise<Admission> {
  const { ledger, clock, waiting, limits } = holding
  if (!waiting.take(asked.account)) return admit(holding, { ...asked, patience: 'none' })
  try {
    const startedMs = clock.monoMs()
    for (;;) {
      const leftMs = limits.holdWaitMs - (clock.monoMs() - startedMs)
      if (leftMs <= 0) return admit(holding, { ...asked, patience: 'none' })
      const released = ledger.whenReleased(asked.account, leftMs)
      const admission = await admit(holding, { ...asked, patience: 'wait' })
      if (admission.kind !== 'wait') return admission
      await released
    }
  } finally {
    waiting.giveBack(asked.account)
  }
}

/** What a refusal may say, and in which dialect its headers are named. */
interface Told {
  /** Where callers reach this server. */
  readonly address: string
  readonly showBalance: boolean
  /** Counting ran out of time or room, so that the input may have fewer tokens. */
  readonly isBounded: boolean
  readonly line: Line
  readonly nowMs: number
}

function refusal(admission: Exclude<Admission, { kind: 'held' }>, told: Told): TollgateError {
  switch (admission.kind) {
    case 'suspended':
      return suspended(told.address)
    case 'restricted':
      return new TollgateError('account_restricted', {
        message:
          'This account may not use files other than text and images, or tools that run at the provider, until an administrator has looked at its losses.',
      })
    case 'rate':
      return rateLimited(admission, told.line, told.nowMs)
    case 'short':
      return shortRefusal(admission, told)
    case 'wait':
      return new TollgateError('balance_held', {
        message: 'Requests that are still running hold the balance.',
        retryAfterMs: 1_000,
      })
  }
}

function shortRefusal(refused: ShortRefusal, told: Told): TollgateError {
  const heldElsewhere = refused.held > 0n && refused.openHolds > 0
  const passesLater = heldElsewhere && refused.available + refused.held >= refused.required
  const code = passesLater
    ? 'balance_held'
    : refused.scope === 'key'
      ? 'key_budget_exhausted'
      : 'insufficient_balance'
  const topUpUrl = `${told.address}/console/billing`
  const remedy =
    refused.scope === 'key'
      ? `Give the key a larger budget at ${told.address}/console/keys, or use another one`
      : `Add credit at ${topUpUrl}`
  const advice = passesLater ? 'Wait for running requests to end' : remedy
  const { name } = outputLimits[told.line.dialect.name]
  const lower = refused.affordableOutput > 0 ? `, or lower ${name} to ${refused.affordableOutput}` : ''
  const amounts = {
    required: formatUsd(refused.required),
    available: formatUsd(refused.available),
    held: formatUsd(refused.held),
  }
  const whose = refused.scope === 'key' ? "API key's budget" : 'balance'
  const waiting = heldElsewhere
    ? ` ($${amounts.held} is held by ${refused.openHolds} request${refused.openHolds === 1 ? '' : 's'} still running)`
    : ''
  const need = told.showBalance
    ? `This request needs up to $${amounts.required} and $${amounts.available} of the ${whose} is available${waiting}`
    : `The ${whose} does not pay for this request`
  const bounded = told.isBounded ? ' Its input was bounded by its size, as counting it took too long.' : ''
  return new TollgateError(code, {
    message: `${need}.${bounded} ${advice}${lower}.`,
    facts: {
      ...(bounded === '' ? {} : { input_tokens: 'bounded' }),
      ...(told.showBalance ? amounts : {}),
      affordable_max_tokens: refused.affordableOutput,
      scope: refused.scope,
      topup_url: topUpUrl,
    },
    ...(passesLater ? { retryAfterMs: 1_000 } : {}),
  })
}
