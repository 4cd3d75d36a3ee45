/**
 * Usage → price → close the hold and write the receipt, durably. Who pays for what, for every way in
 * which a request can end, is decided in `billed`; the ledger only moves the money.
 */

import { steadyClock } from '../base/clock.ts'
import type { NextId } from '../base/ids.ts'
import { formatUsd, least, most } from '../ledger/money.ts'
import { type Plausibility, plausibility } from '../ledger/plausible.ts'
import { costOf, type PricedUsage, withoutRequestFee, withRequestFee } from '../ledger/price.ts'
import type {
  Attempt,
  Settled as LedgerSettled,
  ReceiptDraft,
  Settlement,
  UsageSource,
} from '../ledger/types.ts'
import type { Counter } from '../tokens/count.ts'
import type { Bill, Ending, Hold, Line, Plan, Reply } from '../values.ts'
import type { Dialect, Kept, Usage, UsageReport } from '../wire/codec.ts'
import { countedInput, countedOutput } from './settle-count.ts'
import { type Closing, releaseDurably, settleDurably } from './settle-durably.ts'

export interface Settling extends Closing {
  readonly counter: Counter
  readonly nextId: NextId
  readonly limits: Closing['limits'] & { readonly hiddenReasoningTokensPerSecond: number }
}

/** What is settled: the request's plan, its hold and its reply. */
export interface Settled {
  readonly plan: Plan
  readonly held: Hold
  readonly reply: Reply
}

/** Closes the hold exactly once. Resolves when it is durable, or as `late` when that takes too long; never rejects. */
export async function settle(
  settling: Settling,
  line: Line,
  request: Settled,
  ending: Ending,
): Promise<Bill> {
  settling.failpoints.reach('before-settle')
  const dueMonoMs = settling.clock.monoMs() + settling.limits.settleWaitMs
  if (request.reply.attempts.length === 0) {
    return giveBack(settling, request.held)
  }
  const reported = believable(request, ending.report?.usage ?? emptyReport)
  const bill = billed(ending, request.plan.dialect, reported)
  const used = await usageOf(settling, { request, ending, bill, reported })
  const settlement = settlementOf(settling, line, { request, ending, bill, used, reported })
  return settleDurably(settling, {
    settlement,
    dueMonoMs,
    // What ended otherwise is told to the client as it is, whenever it is settled.
    withheld: ending.reason === 'complete' ? () => withheld(settling, request, { settlement, ending }) : null,
    onSettled: (settled, result) => warnOfExcess(settling, line, request, { settled, result }),
  })
}

/**
 * A complete answer whose settlement is late is withheld: its client gets an error. It is charged what was relayed
 * of a stream before its end, and nothing else; what the upstream charges beside that is written off.
 */
async function withheld(
  settling: Settling,
  request: Settled,
  { settlement, ending }: { settlement: Settlement; ending: Ending },
): Promise<Settlement> {
  const { receipt } = settlement
  const relayed = ending.relayed ?? null
  const isPart = relayed !== null && relayed.events > 0
  const counted = await countedOutput(settling.counter, isPart ? relayed : null, request)
  const output = Math.min(counted.tokens, receipt.output)
  const part = { ...receipt, output, outputAudio: 0, reasoning: Math.min(receipt.reasoning, output) }
  const cost = isPart ? least(costOf(part, request.plan.price, 'rates').cost, settlement.cost) : 0n
  return {
    ...settlement,
    cost,
    absorbed: most(receipt.upstreamCost - cost, 0n),
    kept: [],
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

/** The hold is the most that a request costs, and what cannot be is not charged: the operator hears whose numbers those are. */
function warnOfExcess(
  { log }: Settling,
  line: Line,
  { plan, reply }: Settled,
  { settled, result }: { settled: Settlement; result: LedgerSettled },
): void {
  const writtenOff = result.absorbed - settled.absorbed
  const { implausible } = settled.receipt
  if (writtenOff === 0n && implausible === null) return
  log.warn(
    {
      request: line.requestId,
      upstream: reply.candidate?.upstream.name ?? '',
      model: plan.model.name,
      writtenOffUsd: formatUsd(writtenOff),
      implausible,
    },
    'an upstream reported more than the request may cost; the excess was not charged',
  )
}

/** What an upstream reports, without counts that cannot be and without uses that the provider does not charge for. */
export function believable({ plan, held }: Pick<Settled, 'plan' | 'held'>, report: UsageReport): Believable {
  const { bound, choices, serverTools, price, dialect } = plan
  return plausibility(withoutWaived(dialect.toUsage(report), serverTools.waived), {
    inputTokens: bound.inputTokensMax,
    outputTokens: held.outputLimit * Math.max(1, choices),
    assumedToolUses: bound.toolUses,
    toolUses: serverTools.usesMax,
    pricedMeters: price.fees,
  })
}

function withoutWaived(usage: Usage, waived: readonly string[]): Usage {
  if (waived.length === 0) return usage
  const fees = Object.entries(usage.fees).filter(([meter]) => !waived.includes(meter))
  return { ...usage, fees: Object.fromEntries(fees) }
}

type Believable = Plausibility<Usage>

/**
 * Gives a hold back whole, with no charge and no receipt: nothing was sent, or something broke in here
 * and nobody can tell any more what was. Harmless where the hold is closed already.
 */
export function giveBack(settling: Closing, { id }: Pick<Hold, 'id'>): Promise<Bill> {
  return releaseDurably(settling, id)
}

/** Whose usage it is, and where the numbers come from. */
interface Billing {
  /** `customer` pays for what was delivered; `house` bears what an upstream reports for nothing; `nobody` was charged anything. */
  readonly payer: 'customer' | 'house' | 'nobody'
  readonly input: 'reported' | 'counted' | 'none'
  readonly output: 'reported' | 'counted' | 'none'
}

const nobodyPays: Billing = { payer: 'nobody', input: 'none', output: 'none' }

/** The table of endings. */
function billed(ending: Ending, dialect: Dialect, reported: Believable): Billing {
  if (!ending.dispatched) return nobodyPays
  const said = dialect.tells(ending.report?.usage ?? emptyReport)
  // A count that cannot be is as good as none.
  const told = { input: said.input && reported.input, output: said.output && reported.output }
  const input = told.input ? 'reported' : 'counted'
  if (isDelivered(ending)) return { payer: 'customer', input, output: told.output ? 'reported' : 'counted' }
  if (ending.reason === 'client_abort') return { payer: 'customer', input, output: 'none' }
  if (!told.input && !told.output) return nobodyPays
  return {
    payer: 'house',
    input: told.input ? 'reported' : 'none',
    output: told.output ? 'reported' : 'none',
  }
}

function isDelivered({ report, sample }: Ending): boolean {
  return report?.kind === 'final' || (sample?.events ?? 0) > 0
}

const noInput = { inputUncached: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, inputAudio: 0 }
const noOutput = { output: 0, outputAudio: 0, reasoning: 0 }
const nothing: PricedUsage = { ...noInput, ...noOutput, fees: {}, ranAt: [] }
const emptyReport: UsageReport = { fields: {}, ranAt: [], unknown: [] }

/** What is charged for, and whether a part of it could not be counted. */
interface Used {
  readonly usage: Usage
  readonly isEstimated: boolean
}

async function usageOf(
  settling: Settling,
  of: { request: Settled; ending: Ending; bill: Billing; reported: Believable },
): Promise<Used> {
  const { ending, bill, request, reported } = of
  const { counter } = settling
  const isInputKnown = reported.input
  const input = bill.input === 'counted' ? await countedInput(counter, request, { isInputKnown }) : null
  const output = bill.output === 'counted' ? await countedOutput(counter, ending.sample, request) : null
  const usage = {
    ...reported.usage,
    ...(bill.input === 'reported' ? {} : noInput),
    ...(input === null ? {} : { inputUncached: input.tokens }),
    ...(bill.output === 'reported' ? {} : noOutput),
    ...(output === null ? {} : { output: output.tokens }),
  }
  const isCharged = bill.payer === 'customer' && isDelivered(ending)
  return {
    usage: isCharged ? withRequestFee(usage, request.plan.price) : usage,
    isEstimated: input?.isEstimated === true || output?.isEstimated === true,
  }
}

function settlementOf(
  settling: Settling,
  line: Line,
  of: { request: Settled; ending: Ending; bill: Billing; used: Used; reported: Believable },
): Settlement {
  const { request, ending, bill, reported } = of
  const { usage } = of.used
  const { price } = request.plan
  const { cost: full, unpriced } = costOf(usage, price, 'rates')
  const listCost = bill.payer === 'nobody' ? 0n : costOf(usage, price, 'list').cost
  const capped =
    bill.output === 'reported' && bill.input !== 'counted' ? full : least(full, request.held.amount)
  const hidden = hiddenReasoning(settling, line, { request, ending, bill })
  const wasted = wastedCost(request)
  const nowMs = settling.clock.wallMs()
  const unknown = [...unpriced, ...usage.unknown]
  if (unknown.length > 0) {
    const facts = { request: line.requestId, model: request.plan.model.name, meters: unknown }
    settling.log.warn(facts, 'an answer reports usage that no price covers')
  }
  return {
    id: line.id,
    nowMs,
    cost: bill.payer === 'customer' ? capped : 0n,
    excessCausedBy: request.held.excessCausedBy,
    absorbed: (bill.payer === 'house' ? listCost : hidden) + wasted,
    absorbedEntryId: settling.nextId(),
    kept: keptBy(request, ending),
    receipt: {
      ...draft(line, request, {
        ending,
        usage,
        source: sourceOf(bill, of.used),
        upstreamCost: listCost + wasted,
        unpriced: unknown.length > 0,
      }),
      implausible: reported.implausible,
      attempts: untilEnd(request.reply.attempts, steadyClock(settling.clock, line).wallMs()),
    },
  }
}

/** The attempt that served was noted when its answer began; it went on as long as the answer did. */
function untilEnd(attempts: readonly Attempt[], endedMs: number): readonly Attempt[] {
  const last = attempts.at(-1)
  if (last === undefined || last.failure !== null) return attempts
  return [...attempts.slice(0, -1), { ...last, endedMs }]
}

/** What a finished answer left at its provider; ids that are not told in the caller's format are no use to it. */
function keptBy({ plan, reply: { body } }: Settled, { report }: Ending): readonly Kept[] {
  if (plan.translation !== null || report?.kind !== 'final') return []
  if (body.kind === 'stream') return body.watch.kept ?? []
  return body.kind === 'answer' ? (body.answer.kept ?? []) : []
}

/** What upstreams charge us for attempts that came to nothing and were made again elsewhere. */
function wastedCost(request: Settled): bigint {
  const { plan, reply } = request
  const told = reply.wasted.filter((report) => plan.dialect.tells(report).input)
  const costs = told.map((report) => costOf(believable(request, report).usage, plan.price, 'list').cost)
  return costs.reduce((sum, cost) => sum + cost, 0n)
}

function sourceOf(bill: Billing, used: Used): UsageSource {
  if (bill.payer === 'nobody') return 'none'
  if (bill.input !== 'counted' && bill.output !== 'counted') return 'reported'
  return countedSource(used)
}

function countedSource({ isEstimated }: { readonly isEstimated: boolean }): UsageSource {
  return isEstimated ? 'estimated' : 'counted'
}

/** Reasoning that the provider charges us for and never shows: not the customer's, so the house bears an estimate by time. */
function hiddenReasoning(
  settling: Settling,
  line: Line,
  of: { request: Settled; ending: Ending; bill: Billing },
): bigint {
  const { request, ending, bill } = of
  const isHidden =
    ending.reason === 'client_abort' &&
    bill.output !== 'reported' &&
    request.plan.model.reasons &&
    !request.plan.dialect.reportsInputEarly
  if (!isHidden) return 0n
  const untilMs = request.reply.firstContentMs ?? steadyClock(settling.clock, line).wallMs()
  const seconds = Math.max(0, untilMs - line.startedMs) / 1_000
  const tokens = Math.min(
    Math.round(seconds * settling.limits.hiddenReasoningTokensPerSecond),
    request.held.outputLimit,
  )
  return costOf({ ...nothing, output: tokens }, request.plan.price, 'list').cost
}

/** The receipt as far as relaying knows it; also what a checkpoint keeps. */
export function draft(
  line: Line,
  request: Settled,
  of: { ending: Ending; usage: Usage; source: UsageSource; upstreamCost: bigint; unpriced: boolean },
): ReceiptDraft {
  const { usage, ending } = of
  const { reply, plan, held } = request
  return {
    provider: plan.model.provider,
    upstream: reply.candidate?.upstream.name ?? '',
    upstreamModel: reply.candidate?.upstreamModel ?? plan.model.upstreamModel,
    upstreamRequestId: upstreamRequestId(reply),
    status: ending.status,
    endReason: ending.reason,
    usageSource: of.source,
    errorCode: ending.error?.code ?? null,
    inputUncached: usage.inputUncached,
    cacheRead: usage.cacheRead,
    cacheWrite5m: usage.cacheWrite5m,
    cacheWrite1h: usage.cacheWrite1h,
    inputAudio: usage.inputAudio,
    output: usage.output,
    outputAudio: usage.outputAudio,
    reasoning: usage.reasoning,
    fees: usage.fees,
    ranAt: usage.ranAt,
    unpricedUsage: of.unpriced,
    implausible: null,
    inputBound: held.input.source,
    upstreamCost: of.upstreamCost,
    outputLimit: held.outputLimit,
    outputLowered: held.lowered,
    settledLate: false,
    startedMs: line.startedMs,
    firstByteMs: reply.firstByteMs,
    attempts: reply.attempts,
    person: held.person,
  }
}

function upstreamRequestId(reply: Reply): string | null {
  const name = reply.candidate?.connector.requestIdHeader
  return name === undefined ? null : (reply.upstreamHeaders.get(name) ?? null)
}
