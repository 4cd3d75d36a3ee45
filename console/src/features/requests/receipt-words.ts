/** A receipt as labels: status, usage, timing. Pure. */
import {
  inputTokens as inputSum,
  type Meter,
  meterNames,
  meters,
  outputTokens as outputSum,
} from '../../../../contract/meters.ts'
import type { OperationOutput } from '../../../../contract/operations.ts'
import { count } from '../../lib/format.ts'
import { compareUsd, isZero, sumUsd, tokensUsd } from '../../lib/usd.ts'

export type Receipt = OperationOutput<'requests.list'>[number]
export type ReceiptWithRates = OperationOutput<'request.show'>
export type RunningRequest = OperationOutput<'requests.running'>[number]
type EndReason = Receipt['endReason']
type Tone = 'good' | 'neutral' | 'warn' | 'bad'

interface EndWords {
  readonly label: string
  readonly tone: Tone
  /** undefined: the label says it all. */
  readonly sentence?: string
}

export const endWords: Readonly<Record<EndReason, EndWords>> = {
  complete: { label: 'Succeeded', tone: 'good' },
  client_abort: {
    label: 'Canceled',
    tone: 'neutral',
    sentence: 'The client disconnected or the request was stopped. Delivered output was charged.',
  },
  upstream_error: {
    label: 'Failed',
    tone: 'bad',
    sentence: 'No provider could answer. Attempts that fail before any content cost nothing.',
  },
  upstream_truncated: {
    label: 'Truncated',
    tone: 'bad',
    sentence: 'The provider ended its response early. An error was returned to the client.',
  },
  timeout: { label: 'Timed out', tone: 'bad', sentence: 'The provider sent nothing for too long.' },
  interrupted: {
    label: 'Interrupted',
    tone: 'warn',
    sentence: 'The gateway stopped while this request ran. What was recorded until then was charged.',
  },
}

const usageSourceWords: Readonly<Record<Receipt['usageSource'], string>> = {
  reported: 'Token counts reported by the provider.',
  counted: "Token counts from Tollgate, because the provider didn't report them.",
  estimated: "Token counts estimated by Tollgate, because the provider didn't report them.",
  none: 'No usage.',
}

/** How the input of the reservation was bounded. */
export const inputBoundWords: Readonly<Record<NonNullable<Receipt['inputBound']>, string>> = {
  bytes: 'maximum input for the request size',
  counted: 'input text counted by Tollgate',
  pages: 'documents bounded by page count',
  reported: 'input counted by the provider',
}

const formats: ReadonlyMap<string, string> = new Map([
  ['openai-chat', 'Chat Completions'],
  ['openai-responses', 'Responses'],
  ['anthropic', 'Messages'],
  ['gemini', 'generateContent'],
])
export const formatName = (format: string) => formats.get(format) ?? format

const isTokenClass = (name: string): name is Meter => Object.hasOwn(meters, name)

/** Counts by token class or tool, such as `Output 1,000, Web search 7`. */
export function countsText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, number]) => `${isTokenClass(name) ? meters[name].label : feeName(name)} ${count(number)}`)
    .join(', ')
}

interface TokenLine {
  readonly meter: Meter
  readonly label: string
  readonly tokens: number
  readonly hint: string | undefined
}

/** The used classes, by price; reasoning is part of output. */
function tokenLines({ usage }: Pick<Receipt, 'usage'>): readonly TokenLine[] {
  return meterNames
    .map((name) => ({
      meter: name,
      label: meters[name].label,
      tokens: usage[name],
      hint:
        name === 'output' && usage.reasoning > 0
          ? `including ${count(usage.reasoning)} reasoning`
          : undefined,
    }))
    .filter(({ label, tokens }) => tokens > 0 || label === 'Input' || label === 'Output')
}

export interface UsageLine {
  readonly label: string
  readonly hint: string | undefined
  readonly quantity: number
  /** USD per unit; undefined: the rate is not known. */
  readonly rate: string | undefined
  readonly unit: string
  /** USD; undefined also where a factor changes the rates. */
  readonly amount: string | undefined
}

/** The used classes and fees with their rates and costs. */
export function usageLines({
  usage,
  rates,
  ranAt,
}: Pick<ReceiptWithRates, 'usage' | 'rates' | 'ranAt'>): readonly UsageLine[] {
  const hasFactor = ranAt.length > 0
  const tokens = tokenLines({ usage }).map(({ meter, label, tokens: quantity, hint }) => {
    const rate = rates?.tokens[meter]
    const amount = rate === undefined || hasFactor ? undefined : tokensUsd(quantity, rate)
    return { label, hint, quantity, rate, unit: '/ 1M', amount }
  })
  const fees = Object.entries(usage.fees).map(([fee, quantity]) => {
    const rate = rates?.fees[fee]
    const amount = rate === undefined ? undefined : tokensUsd(quantity * 1_000_000, rate)
    return { label: feeName(fee), hint: undefined, quantity, rate, unit: 'each', amount }
  })
  return [...tokens, ...fees]
}

export interface UsageSum {
  /** Sum of the lines. */
  readonly total: string
  /** Why less was charged; undefined: all of it was. */
  readonly reason: string | undefined
  readonly uncharged: string
}

/** Less than this is what rounding the lines leaves. */
const roundingUsd = '0.00000001'

/** The lines of a receipt and what was charged for them; undefined where some rate is not known, or a fee was charged. */
export function usageSum(
  { charged, held, writtenOff, endReason, ownKey }: Receipt,
  lines: readonly UsageLine[],
): UsageSum | undefined {
  const amounts = lines.filter(({ quantity }) => quantity > 0).map(({ amount }) => amount)
  if (ownKey || !amounts.every((amount) => amount !== undefined)) return undefined
  const total = sumUsd(amounts)
  const uncharged = sumUsd([total, `-${charged}`])
  if (compareUsd(uncharged, roundingUsd) < 0) return { total: charged, reason: undefined, uncharged: '0.00' }
  return { total, reason: unchargedReason({ charged, held, writtenOff, endReason }), uncharged }
}

function unchargedReason({
  charged,
  held,
  writtenOff,
  endReason,
}: Pick<Receipt, 'charged' | 'held' | 'writtenOff' | 'endReason'>): string {
  if (compareUsd(charged, held) >= 0) return 'Above the reserved maximum, not charged'
  if (!isZero(writtenOff)) return 'Written off, not charged'
  return endReason === 'complete' ? 'Not charged' : 'Not delivered, not charged'
}

/** Whose counts the lines are. */
export function usageSourceText({ usageSource, implausible }: Receipt): string {
  if (implausible === null || usageSource === 'reported') return usageSourceWords[usageSource]
  const verb = usageSource === 'counted' ? 'counted' : 'estimated'
  return `Token counts reported by the provider; Tollgate ${verb} those that were impossible.`
}

/** `web_search` → `Web search`. */
function feeName(fee: string): string {
  const words = fee.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export interface Span {
  /** Counted from 1. */
  readonly number: number
  readonly label: string
  /** Share of the whole time, 0 to 1. */
  readonly start: number
  readonly length: number
  readonly ms: number
  readonly firstByteMs: number | undefined
  readonly status: number | undefined
  readonly failure: string | undefined
  /** The request sent and the provider's message: for failures, shown to administrators. */
  readonly request: string | undefined
  readonly message: string | undefined
}

/** Name prefix of upstreams on provider keys; other names have no colon. */
const ownKeyPrefix = 'own:'

/** null: this installation does not show which upstream it was. */
function attemptLabel(upstream: string | null): string {
  if (upstream === null) return 'Attempt'
  return upstream.startsWith(ownKeyPrefix) ? 'Your own key' : upstream
}

/** Each attempt's share of the request's time. */
export function spansOf(receipt: Receipt): readonly Span[] {
  const start = Date.parse(receipt.started)
  const wholeMs = Math.max(1, Date.parse(receipt.ended) - start)
  const share = (ms: number) => Math.min(1, Math.max(0, ms / wholeMs))
  return receipt.attempts.map((attempt, index) => {
    const from = Date.parse(attempt.started)
    const to = Date.parse(attempt.ended)
    return {
      number: index + 1,
      label: attemptLabel(attempt.upstream),
      start: share(from - start),
      length: share(to - from),
      ms: Math.max(0, to - from),
      firstByteMs: attempt.firstByte === null ? undefined : Math.max(0, Date.parse(attempt.firstByte) - from),
      status: attempt.status ?? undefined,
      failure: attempt.failure ?? undefined,
      request: attempt.request ?? undefined,
      message: attempt.message ?? undefined,
    }
  })
}

export function tookMs(receipt: Pick<Receipt, 'started' | 'ended'>): number {
  return Math.max(0, Date.parse(receipt.ended) - Date.parse(receipt.started))
}

export function inputTokens({ usage }: Pick<Receipt, 'usage'>): number {
  return inputSum(usage)
}

export function outputTokens({ usage }: Pick<Receipt, 'usage'>): number {
  return outputSum(usage)
}
