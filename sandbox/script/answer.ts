/**
 * The sandbox's response, before any format: parts made of pieces, one piece per token. Pure.
 */

import { isObject, type JsonObject, type NormalizedRequest } from '../request/normalized-request.ts'
import type { InputUsage } from './script.ts'

/** `shown` is false where the caller gets the signature of the thinking and not its text. */
export type AnswerPart =
  | { readonly kind: 'thinking'; readonly pieces: readonly string[]; readonly shown: boolean }
  | { readonly kind: 'text'; readonly pieces: readonly string[] }
  | {
      readonly kind: 'call'
      readonly tool: string
      readonly pieces: readonly string[]
      /** Whether it has an ID in the format where that is optional (Gemini). */
      readonly identified: boolean
    }

export type AnswerStop = 'done' | 'length' | 'call'

export interface SandboxAnswer {
  readonly parts: readonly AnswerPart[]
  readonly stop: AnswerStop
  readonly input: InputUsage
  /** Tokens of one choice, reasoning included. */
  readonly outputTokens: number
  readonly reasoningTokens: number
  /** Output tokens in the usage; null: omitted. */
  readonly reportedOutputTokens: number | null
}

/** Identifiers and time of an answer. */
export interface Stamp {
  readonly requestId: string
  /** 22 letters and digits that no other answer of this sandbox has. */
  readonly unique: string
  readonly createdSeconds: number
}

/** Everything a format needs to write an answer. */
export interface WriterInput {
  readonly request: NormalizedRequest
  readonly answer: SandboxAnswer
  readonly stamp: Stamp
}

function made(parts: readonly AnswerPart[]): number {
  return parts.reduce((sum, part) => sum + part.pieces.length, 0)
}

/** The first `limit` pieces of `parts`; parts that are left without a piece are dropped. */
function cutTo(parts: readonly AnswerPart[], limit: number): readonly AnswerPart[] {
  const remaining: AnswerPart[] = []
  let left = limit
  for (const part of parts) {
    const pieces = part.pieces.slice(0, left)
    left -= pieces.length
    if (pieces.length > 0) remaining.push({ ...part, pieces })
  }
  return remaining
}

/** Cuts `parts` to the tokens that `limit` allows, and reports the tokens, per choice. */
export function answerOf(
  parts: readonly AnswerPart[],
  limit: number | null,
  input: InputUsage,
  choices: number,
): SandboxAnswer {
  const remaining = cutTo(parts, limit ?? Number.POSITIVE_INFINITY)
  const outputTokens = made(remaining)
  const whole = outputTokens === made(parts)
  const calls = remaining.some((part) => part.kind === 'call')
  return {
    parts: remaining,
    stop: whole ? (calls ? 'call' : 'done') : 'length',
    input,
    outputTokens,
    reasoningTokens: made(remaining.filter((part) => part.kind === 'thinking')),
    reportedOutputTokens: outputTokens * choices,
  }
}

/** The arguments of a call; undefined where the limit cut them. */
export function argumentsOf(part: AnswerPart): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(part.pieces.join(''))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Input tokens of all classes. */
export function inputTotal(input: InputUsage): number {
  return input.uncached + input.cacheRead + input.cacheWrite5m + input.cacheWrite1h
}

/** The text of the parts of one kind, joined. */
export function textOf(parts: readonly AnswerPart[], kind: AnswerPart['kind']): string {
  return parts.flatMap((part) => (part.kind === kind ? part.pieces : [])).join('')
}
