/**
 * What an upstream's refusal means, as tables: rules that recognise it, and what follows from it.
 * The first rule that fits decides. Pure; it never lets a caller's own words, echoed in an error,
 * decide how our credential fares: sentences count only by how they begin.
 */
import type { UpstreamProblem } from '../wire/codec.ts'
import type { Failure } from './connector.ts'
import { retryAfter } from './retry-after.ts'

export type Meaning =
  | 'credential'
  | 'billing'
  | 'model_missing'
  | 'misdirected'
  | 'rate'
  | 'larger_than_rate'
  | 'overloaded'
  | 'server'
  | 'timeout'
  | 'context'
  | 'rejected'
  | 'no_answer'

/** Fits when every part that is given fits. */
export interface Rule {
  readonly statuses?: readonly number[]
  /** The problem's `type` or `code` is one of these. */
  readonly words?: readonly string[]
  /** How the sentence begins, in lower case. */
  readonly begins?: readonly string[]
  readonly meaning: Meaning
}

interface Consequence {
  readonly code: Failure['code']
  readonly retry: Failure['retry']
  /** `theirs`: the provider's own words and status are about the caller's request. */
  readonly told: 'theirs' | string
  readonly cooldownMs: number
  readonly operator: boolean
}

const unavailable = 'This model cannot be served at the moment; the operator was told.'

const consequences: Readonly<Record<Meaning, Consequence>> = {
  credential: fault('upstream_unavailable', unavailable, { cooldownMs: 60_000, operator: true }),
  billing: fault('upstream_unavailable', unavailable, { cooldownMs: 60_000, operator: true }),
  // The catalog sells what this upstream does not have; its other models are not concerned.
  model_missing: fault('upstream_unavailable', unavailable, { cooldownMs: 0, operator: true }),
  misdirected: fault('upstream_invalid', 'The upstream sent the request elsewhere.', {
    cooldownMs: 60_000,
    operator: true,
  }),
  rate: fault('upstream_rate_limited', 'The upstream limits its rate; try again later.', {
    cooldownMs: 5_000,
  }),
  overloaded: fault('upstream_overloaded', 'The upstream is overloaded; try again later.', {
    cooldownMs: 5_000,
  }),
  server: fault('upstream_error', 'The upstream failed.', { cooldownMs: 1_000 }),
  timeout: fault('upstream_timeout', 'The upstream did not answer in time.', { cooldownMs: 1_000 }),
  no_answer: fault('upstream_invalid', 'The upstream sent something that is no answer.', {
    cooldownMs: 1_000,
  }),
  larger_than_rate: callers('upstream_rejected'),
  context: callers('context_too_long'),
  rejected: callers('upstream_rejected'),
}

function fault(
  code: Failure['code'],
  told: string,
  more: { readonly cooldownMs: number; readonly operator?: boolean },
): Consequence {
  return { code, retry: 'elsewhere', told, operator: false, ...more }
}

function callers(code: Failure['code']): Consequence {
  return { code, retry: 'never', told: 'theirs', cooldownMs: 0, operator: false }
}

/** What every provider means by a status; comes after a provider's own rules. */
const commonRules: readonly Rule[] = [
  { statuses: [401, 402, 403], meaning: 'credential' },
  { statuses: [404], meaning: 'model_missing' },
  { statuses: [408, 504], meaning: 'timeout' },
  { statuses: [409], meaning: 'server' },
  { statuses: [429], meaning: 'rate' },
  { statuses: [503, 529], meaning: 'overloaded' },
]

/**
 * The failure that an answer with this status, these headers and this error body is. `status` is what
 * the upstream sent, or what its dialect gives to an error that came inside a 200.
 */
export function classifyAnswer(
  rules: readonly Rule[],
  status: number,
  headers: ReadonlyMap<string, string>,
  problem: UpstreamProblem,
): Failure {
  const meaning = meaningOf(rules, status, problem)
  const consequence = consequences[meaning]
  const retryAfterMs = consequence.retry === 'elsewhere' ? retryAfter(headers) : null
  const isTheirs = consequence.told === 'theirs'
  return {
    code: consequence.code,
    retry: mayGoElsewhere(meaning, headers) ? 'elsewhere' : 'never',
    status: isTheirs ? status : null,
    message: isTheirs ? problem.message || `The upstream refused the request (${status}).` : consequence.told,
    retryAfterMs,
    cooldownMs: Math.max(consequence.cooldownMs, meaning === 'rate' ? (retryAfterMs ?? 0) : 0),
    operator: consequence.operator,
  }
}

function meaningOf(rules: readonly Rule[], status: number, problem: UpstreamProblem): Meaning {
  const sentence = problem.message.slice(0, 200).toLowerCase()
  for (const rule of [...rules, ...commonRules]) {
    if (rule.statuses !== undefined && !rule.statuses.includes(status)) continue
    if (
      rule.words !== undefined &&
      !rule.words.some((word) => problem.type === word || problem.code === word)
    )
      continue
    if (rule.begins !== undefined && !rule.begins.some((start) => sentence.startsWith(start))) continue
    return rule.meaning
  }
  if (status >= 500) return 'server'
  if (status >= 400) return 'rejected'
  return status >= 300 ? 'misdirected' : 'no_answer'
}

/** Two providers say in a header whether the same request can do better; it counts where the status leaves it open. */
function mayGoElsewhere(meaning: Meaning, headers: ReadonlyMap<string, string>): boolean {
  const said = headers.get('x-should-retry')
  if (meaning === 'rejected' && said === 'true') return true
  if (meaning === 'server' && said === 'false') return false
  return consequences[meaning].retry === 'elsewhere'
}
