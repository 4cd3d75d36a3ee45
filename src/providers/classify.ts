/**
 * The meaning of upstream errors, as tables: rules that recognize an error, and their consequences. The first matching rule decides.
 * Pure; a caller's own words, echoed in an error, never affect our credential's health: rules that affect it match only the beginning
 * of a message.
 */
import type { UpstreamProblem } from '../wire/format.ts'
import type { UpstreamFailure } from './connector.ts'
import { isContextOverflow } from './context-overflow.ts'
import { believedMs, retryAfter, waitInWords } from './retry-after.ts'

export type ErrorKind =
  | 'credential'
  | 'billing'
  | 'model_missing'
  | 'misdirected'
  | 'rate'
  | 'quota'
  | 'larger_than_rate'
  | 'overloaded'
  | 'server'
  | 'timeout'
  | 'context'
  | 'rejected'
  | 'unreadable'
  | 'usage_option'
  | 'content'
  | 'no_answer'
  | 'loop'

/** Fits when every part that is given fits. */
export interface ErrorRule {
  readonly statuses?: readonly number[]
  /** The problem's `type`, `code` or `reason` is one of these. */
  readonly words?: readonly string[]
  /** How the sentence begins, in lower case. */
  readonly begins?: readonly string[]
  /** The sentence has this; only for what does not affect the health of an upstream, as callers may be quoted. */
  readonly mentions?: string
  /** The header of the response, up to a colon, is one of these. */
  readonly header?: { readonly name: string; readonly values: readonly string[] }
  /** Whether the response states how long to wait. */
  readonly tellsWait?: boolean
  readonly meaning: ErrorKind
}

interface Consequence {
  readonly code: UpstreamFailure['code']
  readonly retry: UpstreamFailure['retry']
  /**
   * The source of the caller's message and status. `upstream`: both are the provider's, because they concern the caller's request.
   * `gateway`: our own, because the provider's may name the operator's account, plan or limits.
   */
  readonly messageFrom: 'upstream' | 'gateway'
  /** The status for the caller, in place of the upstream's. */
  readonly status?: number
  /** Our sentence; also where the provider gave none. */
  readonly sentence: string
  readonly cooldownMs: number
  readonly concerns: UpstreamFailure['concerns']
  readonly operator: boolean
}

const limitsItsRate = "The upstream's rate limit was exceeded. Try again later."
const leadsBack =
  'The upstream of this model leads back to this gateway. Only an administrator can correct this.'
/** For failures that only the operator can mend. */
export const unavailable =
  'This model is currently unavailable. If this continues, contact the administrator of this server.'

const consequences: Readonly<Record<ErrorKind, Consequence>> = {
  credential: operators('upstream_unavailable', unavailable, 60_000),
  billing: operators('upstream_unavailable', unavailable, 60_000),
  // The catalog sells what this upstream does not have; its other models are not concerned.
  model_missing: { ...operators('upstream_unavailable', unavailable, 60_000), concerns: 'model' },
  misdirected: operators(
    'upstream_invalid',
    'The upstream returned a redirect, which is not followed.',
    60_000,
  ),
  rate: { ...upstreams('upstream_rate_limited', limitsItsRate, 5_000), concerns: 'model' },
  // A rate limit on our account, which the provider words as a plan and billing problem.
  quota: { ...upstreams('upstream_rate_limited', limitsItsRate, 5_000), concerns: 'model' },
  overloaded: upstreams('upstream_overloaded', 'The upstream is overloaded. Try again later.', 5_000),
  server: upstreams('upstream_error', 'The upstream failed.', 1_000),
  timeout: upstreams('upstream_timeout', 'The upstream did not respond in time.', 1_000),
  no_answer: upstreams(
    'upstream_invalid',
    'The upstream sent a response that is not valid in its API format.',
    1_000,
  ),
  // Another gateway is behind this upstream, and sends the request back to this one.
  loop: { ...operators('gateway_loop', leadsBack, 60_000), concerns: 'model' },
  larger_than_rate: callers('upstream_rejected'),
  // The same status for every host: agents and libraries look for 400.
  context: { ...callers('context_too_long'), status: 400 },
  rejected: callers('upstream_rejected'),
  unreadable: callers('upstream_rejected'),
  usage_option: callers('upstream_rejected'),
  // A rejection of what the caller wrote, under a status that elsewhere concerns our credential.
  content: { ...callers('upstream_rejected'), status: 400 },
}

function operators(code: UpstreamFailure['code'], sentence: string, cooldownMs: number): Consequence {
  const concerns = 'credential'
  return { code, retry: 'elsewhere', messageFrom: 'gateway', sentence, cooldownMs, concerns, operator: true }
}

function upstreams(code: UpstreamFailure['code'], sentence: string, cooldownMs: number): Consequence {
  const concerns = 'host'
  return {
    code,
    retry: 'elsewhere',
    messageFrom: 'gateway',
    sentence,
    cooldownMs,
    concerns,
    operator: false,
  }
}

function callers(code: UpstreamFailure['code']): Consequence {
  const sentence = 'The upstream rejected the request.'
  const concerns = 'model'
  return { code, retry: 'never', messageFrom: 'upstream', sentence, cooldownMs: 0, concerns, operator: false }
}

/** Rejections of a request that another model may accept. */
const otherModelReasons: Readonly<Partial<Record<ErrorKind, UpstreamFailure['otherModelMay']>>> = {
  context: 'context_too_long',
  content: 'content_refused',
}

/** Rejections of a request for a part that can be left out. */
const omissions: Readonly<Partial<Record<ErrorKind, UpstreamFailure['retryWithout']>>> = {
  unreadable: 'reasoning',
  usage_option: 'usage_option',
}

/** Errors after which the upstream gets no requests for as long as it requests. */
const waitsAsAsked: readonly ErrorKind[] = ['rate', 'quota']

/** Longer sentences are cut. */
const messageCharactersMax = 2_000

/** Common meanings of statuses; checked after a provider's own rules. */
const commonRules: readonly ErrorRule[] = [
  { statuses: [508], meaning: 'loop' },
  { words: ['insufficient_system_resource'], meaning: 'overloaded' },
  {
    statuses: [400, 403, 422],
    words: ['content_policy_violation', 'content_filter', 'invalid_prompt'],
    meaning: 'content',
  },
  { statuses: [400], begins: ['output blocked by content filtering policy'], meaning: 'content' },
  // platform.openai.com/docs/guides/reasoning#encrypted-reasoning-items
  { statuses: [400], words: ['invalid_encrypted_content'], meaning: 'unreadable' },
  { statuses: [401, 403], meaning: 'credential' },
  { statuses: [402], meaning: 'billing' },
  { statuses: [404], meaning: 'model_missing' },
  { statuses: [408, 504], meaning: 'timeout' },
  // The bytes of the body, which Anthropic's clients act on by themselves; anywhere else a smaller context is what helps.
  { statuses: [413], words: ['request_too_large'], meaning: 'rejected' },
  { statuses: [413], meaning: 'context' },
  // 424: what the host called failed.
  { statuses: [409, 424], meaning: 'server' },
  { statuses: [429], meaning: 'rate' },
  { statuses: [503, 529], meaning: 'overloaded' },
]

/**
 * The failure that an answer with this status, these headers and this error body is. `status` is what
 * the upstream sent, or what its format gives to an error that came inside a 200.
 */
export function classifyAnswer(
  rules: readonly ErrorRule[],
  status: number,
  headers: ReadonlyMap<string, string>,
  problem: UpstreamProblem,
): UpstreamFailure {
  const tellsWait = retryAfter(headers) !== null
  const meaning = meaningOf(rules, { status, headers, problem, tellsWait })
  const consequence = consequences[meaning]
  const retryWithout = omissions[meaning]
  // Where only the operator can mend it, waiting is of no use.
  const waits = consequence.retry === 'elsewhere' && !consequence.operator
  const said = problem.message.slice(0, messageCharactersMax)
  const toldMs = retryAfter(headers) ?? believedMs(problem.retryAfterMs ?? waitInWords(said))
  const usualMs = waitsAsAsked.includes(meaning) ? consequence.cooldownMs : null
  const retryAfterMs = waits ? (toldMs ?? usualMs) : null
  const isTheirs = consequence.messageFrom === 'upstream'
  const providerMessage = withoutAccounts(said)
  return {
    code: consequence.code,
    retry: mayGoElsewhere(meaning, headers) ? 'elsewhere' : 'never',
    status: isTheirs ? (consequence.status ?? status) : null,
    message: (isTheirs ? providerMessage : '') || withWait(consequence.sentence, retryAfterMs),
    providerMessage,
    retryAfterMs,
    cooldownMs: Math.max(consequence.cooldownMs, waitsAsAsked.includes(meaning) ? (retryAfterMs ?? 0) : 0),
    concerns: consequence.concerns,
    otherModelMay: otherModelReasons[meaning] ?? null,
    operator: consequence.operator,
    ...(retryWithout === undefined ? {} : { retryWithout }),
  }
}

/** The words in which Codex and others look for the wait, as in OpenAI's own sentence. */
function withWait(sentence: string, waitMs: number | null): string {
  return waitMs === null
    ? sentence
    : sentence.replace(/Try again later\.$/, `Try again in ${Math.ceil(waitMs / 1_000)}s.`)
}

/** Whether the rejection is about the caller's own request, so that its words and its status are the caller's. */
export function isCallersFault({ retry, status, operator }: UpstreamFailure): boolean {
  return retry === 'never' && status !== null && !operator
}

interface Rejection {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly problem: UpstreamProblem
  readonly tellsWait: boolean
}

function meaningOf(rules: readonly ErrorRule[], rejection: Rejection): ErrorKind {
  const { status, problem } = rejection
  if (isContextOverflow(status, problem)) return 'context'
  const rule = [...rules, ...commonRules].find((one) => fits(one, rejection))
  if (rule !== undefined) return rule.meaning
  if (status >= 500) return 'server'
  if (status >= 400) return 'rejected'
  return status >= 300 ? 'misdirected' : 'no_answer'
}

function fits(rule: ErrorRule, { status, headers, problem, tellsWait }: Rejection): boolean {
  if (rule.statuses !== undefined && !rule.statuses.includes(status)) return false
  const said = [problem.type, problem.code, problem.reason]
  if (rule.words !== undefined && !rule.words.some((word) => said.includes(word))) return false
  const sentence = problem.message.slice(0, 200).toLowerCase()
  if (rule.begins !== undefined && !rule.begins.some((start) => sentence.startsWith(start))) return false
  if (rule.mentions !== undefined && !problem.message.includes(rule.mentions)) return false
  const [value = ''] = rule.header === undefined ? [] : (headers.get(rule.header.name) ?? '').split(':')
  if (rule.header !== undefined && !rule.header.values.includes(value)) return false
  return rule.tellsWait === undefined || rule.tellsWait === tellsWait
}

/** Two providers say in a header whether the same request can do better; it counts where the status leaves it open. */
function mayGoElsewhere(meaning: ErrorKind, headers: ReadonlyMap<string, string>): boolean {
  const advice = headers.get('x-should-retry')
  if (meaning === 'rejected' && advice === 'true') return true
  if (meaning === 'server' && advice === 'false') return false
  return consequences[meaning].retry === 'elsewhere'
}

/**
 * Account ids as OpenAI (`org-…`, `proj_…`), Google (`projects/…`), Anthropic (`org: <uuid>`) and AWS (`arn:…:<account>:`) write
 * them.
 */
const accountIds =
  /\b(org-|proj_|projects?\/|project_number:)(?=[a-z-]{0,60}[A-Z\d])[A-Za-z\d-]+|\b(org(?:anization)?: ?)[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\b(arn:aws[\w-]*:[\w-]*:[\w-]*:)\d{12}/g

/** The text with each id cut down to its kind. */
export function withoutAccounts(text: string): string {
  return text.replace(
    accountIds,
    (_, kind?: string, label?: string, resource?: string) => `${kind ?? label ?? resource ?? ''}…`,
  )
}
