/**
 * Every sandbox model that fails on purpose, and the error that a client of either format must get:
 * a table that both official libraries are tested against. Knows neither library.
 */
import type { Format } from './paying-client.ts'

/** An error response. */
export interface Rejected {
  readonly kind: 'rejected'
  readonly status: Readonly<Record<Format, number>>
  /** A code of our error table; null: the provider's own message, without a code. */
  readonly code: Readonly<Record<Format, string | null>>
}

/** An error inside a stream that had started. */
interface Broken {
  readonly kind: 'broken'
  readonly code: string
}

interface Answered {
  readonly kind: 'answered'
}

export interface FailingModel {
  /** The behavior, without `sandbox-`. */
  readonly name: string
  /** Parameters, as written in the user's message. */
  readonly says?: string
  readonly whole: Rejected | Answered
  readonly streamed: Rejected | Broken | Answered
}

const answered: Answered = { kind: 'answered' }

function rejected(status: number, code: string | null): Rejected {
  return {
    kind: 'rejected',
    status: { chat: status, messages: status },
    code: { chat: code, messages: code },
  }
}

function broken(code: string): Broken {
  return { kind: 'broken', code }
}

/** The same error whether or not a stream was requested. */
function rejects(name: string, by: Rejected, says?: string): FailingModel {
  return { name, whole: by, streamed: by, ...(says === undefined ? {} : { says }) }
}

const overloaded: Rejected = {
  kind: 'rejected',
  status: { chat: 503, messages: 529 },
  code: { chat: 'upstream_overloaded', messages: 'upstream_overloaded' },
}
/** An event of Chat Completions has no status field for this. */
const overloadedInside: Rejected = {
  kind: 'rejected',
  status: { chat: 502, messages: 529 },
  code: { chat: 'upstream_error', messages: 'upstream_overloaded' },
}
const failed = rejected(502, 'upstream_error')
const noAnswer = rejected(502, 'upstream_invalid')
const truncated = rejected(502, 'upstream_truncated')

const cuts: readonly FailingModel[] = ['fin', 'rst', 'clean', 'short', 'until_close'].map((how) => ({
  name: 'cut-after',
  says: `how=${how} events=3`,
  whole: ['clean', 'until_close'].includes(how) ? failed : truncated,
  streamed: broken('upstream_truncated'),
}))

/** Models that fail immediately. */
export const failingModels: readonly FailingModel[] = [
  rejects('401', rejected(503, 'upstream_unavailable')),
  rejects('402-quota', rejected(503, 'upstream_unavailable')),
  rejects('400-context', rejected(400, null)),
  rejects('429', rejected(429, 'upstream_rate_limited'), 'retry=7'),
  rejects('500', failed),
  rejects('529', overloaded),
  rejects('refuse', failed),
  rejects('error-json', failed),
  rejects('html', noAnswer),
  rejects('empty', failed),
  rejects('redirect', noAnswer),
  { name: 'error-first', whole: overloaded, streamed: overloadedInside },
  { name: 'error-after', says: 'events=0', whole: failed, streamed: failed },
  { name: 'error-after', says: 'events=2', whole: failed, streamed: broken('upstream_error') },
  { name: 'cut-after', says: 'events=0', whole: truncated, streamed: truncated },
  ...cuts,
  { name: 'garbage', whole: failed, streamed: broken('upstream_error') },
  { name: 'long-line', says: 'bytes=200000', whole: failed, streamed: broken('upstream_error') },
  { name: 'no-end', whole: answered, streamed: broken('upstream_truncated') },
  { name: 'after-end', whole: failed, streamed: answered },
]

/** Models that never answer; they need a gateway with short timeouts. */
export const silentModels: readonly FailingModel[] = [
  rejects('hang', rejected(504, 'upstream_timeout')),
  rejects('pings', rejected(504, 'upstream_timeout'), 'delay=20'),
  { name: 'hang-stream', whole: rejected(504, 'upstream_timeout'), streamed: broken('upstream_timeout') },
]

export function titleOf({ name, says }: FailingModel): string {
  return says === undefined ? name : `${name} (${says})`
}
