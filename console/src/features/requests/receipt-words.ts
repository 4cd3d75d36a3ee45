/** A receipt in words: how it ended, what its tokens were, where its time went. Pure. */
import {
  inputTokens as inputSum,
  type Meter,
  meterNames,
  meters,
  outputTokens as outputSum,
} from '../../../../contract/meters.ts'
import type { OperationOutput } from '../../../../contract/operations.ts'
import { count } from '../../lib/format.ts'

export type Receipt = OperationOutput<'request.show'>
export type RunningRequest = OperationOutput<'requests.running'>[number]
type EndReason = Receipt['endReason']
type Tone = 'good' | 'neutral' | 'warn' | 'bad'

interface EndWords {
  readonly label: string
  readonly tone: Tone
  readonly sentence: string
}

export const endWords: Readonly<Record<EndReason, EndWords>> = {
  complete: { label: 'Complete', tone: 'good', sentence: 'The answer arrived whole.' },
  client_abort: {
    label: 'Client left',
    tone: 'neutral',
    sentence:
      'The client closed the connection, or somebody stopped the request. What was delivered is charged.',
  },
  upstream_error: {
    label: 'Upstream error',
    tone: 'bad',
    sentence: 'No upstream could answer. What failed before any content costs nothing.',
  },
  upstream_truncated: {
    label: 'Cut short',
    tone: 'bad',
    sentence: 'The upstream ended its answer too early. The client was told so.',
  },
  timeout: { label: 'Timed out', tone: 'bad', sentence: 'The upstream was silent for too long.' },
  interrupted: {
    label: 'Interrupted',
    tone: 'warn',
    sentence:
      'The gateway itself stopped while this ran. What had been recorded of it until then is charged.',
  },
}

export const usageSourceWords: Readonly<Record<Receipt['usageSource'], string>> = {
  reported: 'Tokens as the upstream reported them.',
  counted: 'Tokens as counted here, because the upstream did not report them.',
  estimated: 'Tokens as estimated here, because the upstream did not report them.',
  none: 'Nothing was used.',
}

/** How the hold bounded the input. */
export const inputBoundWords: Readonly<Record<NonNullable<Receipt['inputBound']>, string>> = {
  bytes: 'input bounded by its size',
  counted: 'input text counted by Tollgate',
  pages: 'documents bounded by page count',
  reported: 'input counted by the provider',
}

const dialects: ReadonlyMap<string, string> = new Map([
  ['openai-chat', 'Chat Completions'],
  ['openai-responses', 'Responses'],
  ['anthropic', 'Messages'],
  ['gemini', 'generateContent'],
])
export const dialectName = (dialect: string) => dialects.get(dialect) ?? dialect

const isTokenClass = (name: string): name is Meter => Object.hasOwn(meters, name)

/** Counts by the name of a class of tokens or of a tool, such as `Output 1,000, Web search 7`. */
export function countsText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, number]) => `${isTokenClass(name) ? meters[name].label : feeName(name)} ${count(number)}`)
    .join(', ')
}

export interface TokenLine {
  readonly label: string
  readonly tokens: number
  readonly hint: string | undefined
}

/** The classes that were used, by price; reasoning is a part of output, not one more. */
export function tokenLines({ usage }: Receipt): readonly TokenLine[] {
  return meterNames
    .map((name) => ({
      label: meters[name].label,
      tokens: usage[name],
      hint:
        name === 'output' && usage.reasoning > 0
          ? `of these ${count(usage.reasoning)} for reasoning`
          : undefined,
    }))
    .filter(({ label, tokens }) => tokens > 0 || label === 'Input' || label === 'Output')
}

/** `web_search` → `Web search`. */
export function feeName(fee: string): string {
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
}

/** Each attempt's place in the time that the request took. */
export function spansOf(receipt: Receipt): readonly Span[] {
  const start = Date.parse(receipt.started)
  const wholeMs = Math.max(1, Date.parse(receipt.ended) - start)
  const share = (ms: number) => Math.min(1, Math.max(0, ms / wholeMs))
  return receipt.attempts.map((attempt, index) => {
    const from = Date.parse(attempt.started)
    const to = Date.parse(attempt.ended)
    return {
      number: index + 1,
      label: attempt.upstream,
      start: share(from - start),
      length: share(to - from),
      ms: Math.max(0, to - from),
      firstByteMs: attempt.firstByte === null ? undefined : Math.max(0, Date.parse(attempt.firstByte) - from),
      status: attempt.status ?? undefined,
      failure: attempt.failure ?? undefined,
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
