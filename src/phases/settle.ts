/**
 * Usage → price → close the hold and write the receipt, durably. Who pays for what, for every way in
 * which a request can end, is decided in `billed`; the ledger only moves the money.
 */

import type { Background } from '../base/background.ts'
import { type Clock, steadyClock } from '../base/clock.ts'
import { asTollgateError } from '../base/errors.ts'
import type { Failpoints } from '../base/failpoint.ts'
import type { NextId } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import { costOf, type PricedUsage } from '../ledger/price.ts'
import type { Attempt, Ledger, ReceiptDraft, Settlement, UsageSource } from '../ledger/types.ts'
import type { Counter } from '../tokens/count.ts'
import type { InputSample } from '../tokens/text.ts'
import type { Bill, Ending, Hold, Line, Plan, Reply } from '../values.ts'
import type { Dialect, Kept, OutputSample, Usage, UsageReport } from '../wire/codec.ts'

export interface Settling {
  readonly ledger: Pick<Ledger, 'settle' | 'release'>
  readonly counter: Counter
  readonly clock: Clock
  readonly nextId: NextId
  readonly background: Background
  readonly failpoints: Failpoints
  readonly log: Log
  readonly limits: {
    readonly settleWaitMs: number
    readonly settleRetryMs: number
    readonly settleRetriesMax: number
    readonly hiddenReasoningTokensPerSecond: number
  }
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
  if (request.reply.attempts.length === 0) {
    return giveBack(settling, request.held)
  }
  const bill = billed(ending, request.plan.dialect)
  const usage = await usageOf(settling, { request, ending, bill })
  return written(settling, settlementOf(settling, line, { request, ending, bill, usage }))
}

/**
 * Gives a hold back whole, with no charge and no receipt: nothing was sent, or something broke in here
 * and nobody can tell any more what was. Harmless where the hold is closed already.
 */
export function giveBack(
  settling: Settling,
  { id, available, amount }: Pick<Hold, 'id' | 'available' | 'amount'>,
): Promise<Bill> {
  return untilDurable(settling, id, async () => {
    await settling.ledger.release(id)
    return { kind: 'settled', charged: 0n, available: available + amount }
  })
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
function billed(ending: Ending, dialect: Dialect): Billing {
  if (!ending.dispatched) return nobodyPays
  const told = dialect.tells(ending.report?.usage ?? emptyReport)
  const input = told.input ? 'reported' : 'counted'
  const isDelivered = ending.report?.kind === 'final' || (ending.sample?.events ?? 0) > 0
  if (isDelivered) return { payer: 'customer', input, output: told.output ? 'reported' : 'counted' }
  if (ending.reason === 'client_abort') return { payer: 'customer', input, output: 'none' }
  if (!told.input && !told.output) return nobodyPays
  return {
    payer: 'house',
    input: told.input ? 'reported' : 'none',
    output: told.output ? 'reported' : 'none',
  }
}

const noInput = { inputUncached: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, inputAudio: 0 }
const noOutput = { output: 0, outputAudio: 0, reasoning: 0 }
const nothing: PricedUsage = { ...noInput, ...noOutput, fees: {}, ranAt: [] }
const emptyReport: UsageReport = { fields: {}, ranAt: [], unknown: [] }

async function usageOf(
  settling: Settling,
  of: { request: Settled; ending: Ending; bill: Billing },
): Promise<Usage> {
  const { ending, bill, request } = of
  const { counter } = settling
  return {
    ...request.plan.dialect.toUsage(ending.report?.usage ?? emptyReport),
    ...(bill.input === 'reported' ? {} : noInput),
    ...(bill.input === 'counted' ? { inputUncached: await countedInput(counter, request) } : {}),
    ...(bill.output === 'reported' ? {} : noOutput),
    ...(bill.output === 'counted' ? { output: await countedOutput(counter, ending.sample, request) } : {}),
  }
}

/**
 * The provider's count where it was asked before, else the stage-2 count of the kept input, stretched to all of it, and never above what was held for. What the
 * provider may add on its own is part of the bound and not of the bill: nobody knows that it was added. Nor is
 * earlier reasoning, which the model reads again only among calls of tools.
 */
async function countedInput(counter: Counter, request: Settled): Promise<number> {
  const sample = request.reply.input
  const { input } = request.held
  if (input.reported !== null) return input.reported
  if (sample === null) return 0
  const counted = await countSample(counter, sample)
  const { mediaTokens, referenced } = request.plan.bound
  const kept = referenced.tokens - referenced.reasoning
  return Math.min(counted + mediaTokens + kept, input.tokens)
}

const decoder = new TextDecoder('utf-8')

export async function countSample(counter: Counter, sample: InputSample): Promise<number> {
  const bytes = sample.bytes.length
  if (bytes === 0) return 0
  const tokens = (await counter.count(decoder.decode(sample.bytes))) ?? Math.floor(bytes / 4)
  return Math.round((tokens * sample.textBytes) / bytes)
}

async function countedOutput(
  counter: Counter,
  sample: OutputSample | null,
  request: Settled,
): Promise<number> {
  if (sample === null || sample.characters === 0) return 0
  const tokens = (await counter.count(sample.text)) ?? Math.floor(sample.text.length / 4)
  const stretched = Math.round((tokens * sample.characters) / Math.max(1, sample.text.length))
  return Math.min(stretched, request.held.outputLimit * Math.max(1, request.plan.choices))
}

function settlementOf(
  settling: Settling,
  line: Line,
  of: { request: Settled; ending: Ending; bill: Billing; usage: Usage },
): Settlement {
  const { request, ending, bill, usage } = of
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
    dueMs: nowMs + settling.limits.settleWaitMs,
    cost: bill.payer === 'customer' ? capped : 0n,
    absorbed: (bill.payer === 'house' ? listCost : hidden) + wasted,
    absorbedEntryId: settling.nextId(),
    kept: keptBy(request, ending),
    receipt: {
      ...draft(line, request, {
        ending,
        usage,
        source: sourceOf(bill, request),
        upstreamCost: listCost + wasted,
        unpriced: unknown.length > 0,
      }),
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
function wastedCost({ reply, plan }: Settled): bigint {
  const { dialect } = plan
  const told = reply.wasted.filter((report) => dialect.tells(report).input)
  return told.reduce((sum, report) => sum + costOf(dialect.toUsage(report), plan.price, 'list').cost, 0n)
}

function sourceOf(bill: Billing, request: Settled): UsageSource {
  if (bill.payer === 'nobody') return 'none'
  if (bill.input !== 'counted' && bill.output !== 'counted') return 'reported'
  const sample = request.reply.input
  return sample !== null && sample.bytes.length < sample.textBytes ? 'estimated' : 'counted'
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

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

async function written(settling: Settling, settlement: Settlement): Promise<Bill> {
  const { ledger, failpoints } = settling
  const late: Settlement = { ...settlement, receipt: { ...settlement.receipt, settledLate: true } }
  return untilDurable(settling, settlement.id, async (isLate) => {
    const result = await ledger.settle(isLate ? late : settlement)
    failpoints.reach('after-settle')
    return result.kind === 'settled' ? result : { kind: 'late' }
  })
}

/**
 * Closes a hold, again and again until that is durable. Waits for it as long as a client can be kept
 * waiting; what takes longer goes on behind it.
 */
function untilDurable(
  settling: Settling,
  id: bigint,
  close: (isLate: boolean) => Promise<Bill>,
): Promise<Bill> {
  const { clock, limits, background, log } = settling
  const bounds = { everyMs: limits.settleRetryMs, timesMax: limits.settleRetriesMax }
  let isLate = false
  let isTold = false
  return new Promise((resolve) => {
    const timer = clock.after(limits.settleWaitMs, () => {
      isLate = true
      resolve({ kind: 'late' })
    })
    const closing = async (): Promise<void> => {
      try {
        resolve(await close(isLate))
        timer.cancel()
      } catch (error) {
        if (!isTold)
          log.error({ err: asTollgateError(error), request: id.toString() }, 'a bill is not durable yet')
        isTold = true
        throw error
      }
    }
    background.retry('settle', closing, bounds)
  })
}
