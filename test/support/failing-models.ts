/**
 * Every sandbox model that fails on purpose, and the error that a client of either format must get:
 * a table that both official libraries are tested against. Knows neither library.
 */
import type { Format } from './paying-client.ts'

/** An error response. */
export interface Refused {
  readonly kind: 'refused'
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
  readonly whole: Refused | Answered
  readonly streamed: Refused | Broken | Answered
}

const answered: Answered = { kind: 'answered' }

function refused(status: number, code: string | null): Refused {
  return { kind: 'refused', status: { chat: status, messages: status }, code: { chat: code, messages: code } }
}

function broken(code: string): Broken {
  return { kind: 'broken', code }
}

/** The same error whether or not a stream was requested. */
function refuses(name: string, by: Refused, says?: string): FailingModel {
  return { name, whole: by, streamed: by, ...(says === undefined ? {} : { says }) }
}

const overloaded: Refused = {
  kind: 'refused',
  status: { chat: 503, messages: 529 },
  code: { chat: 'upstream_overloaded', messages: 'upstream_overloaded' },
}
/** An event of Chat Completions has no status field for this. */
const overloadedInside: Refused = {
  kind: 'refused',
  status: { chat: 502, messages: 529 },
  code: { chat: 'upstream_error', messages: 'upstream_overloaded' },
}
const failed = refused(502, 'upstream_error')
const noAnswer = refused(502, 'upstream_invalid')
const truncated = refused(502, 'upstream_truncated')

const cuts: readonly FailingModel[] = ['fin', 'rst', 'clean', 'short', 'until_close'].map((how) => ({
  name: 'cut-after',
  says: `how=${how} events=3`,
  whole: ['clean', 'until_close'].includes(how) ? failed : truncated,
  streamed: broken('upstream_truncated'),
}))

/** Models that fail immediately. */
export const failingModels: readonly FailingModel[] = [
  refuses('401', refused(503, 'upstream_unavailable')),
  refuses('402-quota', refused(503, 'upstream_unavailable')),
  refuses('400-context', refused(400, null)),
  refuses('429', refused(429, 'upstream_rate_limited'), 'retry=7'),
  refuses('500', failed),
  refuses('529', overloaded),
  refuses('refuse', failed),
  refuses('error-json', failed),
  refuses('html', noAnswer),
  refuses('empty', failed),
  refuses('redirect', noAnswer),
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
  refuses('hang', refused(504, 'upstream_timeout')),
  refuses('pings', refused(504, 'upstream_timeout'), 'delay=20'),
  { name: 'hang-stream', whole: refused(504, 'upstream_timeout'), streamed: broken('upstream_timeout') },
]

export function titleOf({ name, says }: FailingModel): string {
  return says === undefined ? name : `${name} (${says})`
}
