/**
 * Sends an error in the caller's format: as a whole response before anything was sent, as an error frame afterwards.
 * Never both, and never after a terminal success event.
 */
import { type ErrorCode, errors } from '../../../contract/errors.ts'
import type { Clock } from '../../base/clock.ts'
import { consoleUrl } from '../../base/console-url.ts'
import { TollgateError } from '../../base/errors.ts'
import { retryAdviceHeaders } from '../../base/retry-advice.ts'
import type { FlatHeaders } from '../../http/downstream.ts'
import { answerEarly, type ErrorResponseDeps } from '../../http/early-response.ts'
import type { RateRejection } from '../../ledger/types.ts'
import { windowBounds } from '../../limits/budget.ts'
import { rateHeaders, retryAfterSeconds } from '../../limits/headers.ts'
import type { RateMeter } from '../../limits/rate-meter.ts'
import type { KeyBudget } from '../../limits/types.ts'
import { type ClientError, WireError } from '../../wire/format.ts'
import type { RequestContext } from '../request.ts'
import { identityHeaders, wholeHead } from './response-headers.ts'

/** Delay of each further 429 response. */
const rejectionPauseMs = 500

/** The client and this server may disagree on where the request ended, so the connection is not reused. */
const endsConnection: readonly ErrorCode[] = [
  'malformed_http',
  'expectation_failed',
  'request_timeout',
  'upgrade_required',
]

export function sendErrorResponse(
  deps: ErrorResponseDeps,
  context: RequestContext,
  error: TollgateError,
): void {
  if (context.client.gone) return
  const problem = problemOf(context, error)
  if (context.client.headersSent) {
    context.client.end(context.envelope?.errorText(problem) ?? errorFrame(context, problem))
    return
  }
  if (endsConnection.includes(error.code)) context.client.endConnection()
  const status = error.details.status ?? context.format.errorStatus(problem)
  answerEarly(deps, context.request, context.client, {
    status,
    headers: [
      'content-type',
      'application/json',
      ...wholeHead,
      ...identityHeaders(context),
      ...adviceHeaders(error),
    ],
    body: context.format.errorBody(problem),
  })
}

/** Continues the event that padding has opened, if there is one. */
function errorFrame({ format, padding }: RequestContext, problem: ClientError): Uint8Array | string {
  const frame = format.errorFrame(problem)
  return padding?.isOpen === true ? padding.resume(frame) : frame
}

interface DelayDeps {
  readonly clock: Clock
  /** Rate limit errors that are sent without delay, by account or network. */
  readonly promptRejections: Pick<RateMeter<bigint | string>, 'take'>
}

/**
 * Delays a rate limit error where its account or network gets more of them than a client that honors Retry-After, which
 * slows each of its connections down. Ends early when the work is interrupted.
 */
export function delayErrorResponse(
  { clock, promptRejections }: DelayDeps,
  context: RequestContext,
  { code }: TollgateError,
  source: bigint | string,
): Promise<void> | undefined {
  if (!rateCodes.includes(code) || context.client.headersSent) return undefined
  if (promptRejections.take(source, clock.wallMs()).kind === 'taken') return undefined
  return new Promise<void>((resolve) => {
    const timer = clock.after(rejectionPauseMs, resolve)
    context.work.listen(() => {
      timer.cancel()
      resolve()
    })
  })
}

/** `address`: the public base URL of this server. */
export function accountSuspended(address: string, account: bigint): TollgateError {
  return new TollgateError('account_suspended', {
    message: `This account is suspended. See ${consoleUrl(address, '', account)} for the reason. An administrator can resume it.`,
  })
}

/** When a key's budget starts again, as a sentence before others; empty if it never does. */
export function budgetReset(budget: KeyBudget | null, nowMs: number): string {
  const bounds = budget === null ? null : windowBounds(budget.window, nowMs)
  return bounds === null ? '' : `It resets on ${new Date(bounds.endMs).toISOString().slice(0, 10)} (UTC). `
}

const rateRows = {
  requests: ['rate_limited', 'requests per minute'],
  tokens: ['token_rate_limited', 'tokens per minute'],
  concurrent: ['concurrency_limited', 'concurrent requests'],
} as const

const rateCodes: readonly ErrorCode[] = Object.values(rateRows).map(([code]) => code)

export function rateLimited(rejected: RateRejection, context: RequestContext, nowMs: number): TollgateError {
  const { limitKind: of, scope, limit, retryAfterMs, rates } = rejected
  const [code, words] = rateRows[of]
  return new TollgateError(code, {
    message: `Rate limit reached: this ${scope} may use ${limit} ${words}. Try again in ${retryAfterSeconds(retryAfterMs)} s.`,
    facts: { scope, limit },
    retryAfterMs,
    headers: rateHeaders(context.format.rateHeaders, rates, nowMs),
  })
}

/** A WireError as a TollgateError; any other error unchanged. */
export function wireError(error: unknown): unknown {
  if (!(error instanceof WireError)) return error
  return new TollgateError(
    error.code,
    error.pointer === undefined
      ? { message: error.message, cause: error }
      : { message: error.message, param: error.pointer, cause: error },
  )
}

/** Runs work on a body, with its WireErrors as TollgateErrors. */
export async function withWireErrors<Made>(work: () => Made | Promise<Made>): Promise<Made> {
  try {
    return await work()
  } catch (error) {
    throw wireError(error)
  }
}

function problemOf(context: RequestContext, error: TollgateError): ClientError {
  const { details, code } = error
  return {
    code,
    category: errors[code].category,
    status: error.status,
    message: details.message,
    param: details.param ?? null,
    details: details.facts ?? {},
    source: details.source ?? (errors[code].fault === 'upstream' ? 'upstream' : 'gateway'),
    requestId: context.requestId,
    ...(details.retryAfterMs === undefined ? {} : { retryAfterMs: details.retryAfterMs }),
  }
}

/** Headers that clients act on without reading the body. */
function adviceHeaders(error: TollgateError): FlatHeaders {
  const { details } = error
  const headers: string[] = []
  for (const [name, value] of Object.entries(details.headers ?? {})) headers.push(name, value)
  if (details.retryAfterMs !== undefined) {
    headers.push('retry-after', String(retryAfterSeconds(details.retryAfterMs)))
    headers.push('retry-after-ms', String(Math.ceil(details.retryAfterMs)))
  }
  for (const [name, value] of Object.entries(retryAdviceHeaders(error))) headers.push(name, value)
  if (errors[error.code].status === 401) headers.push('www-authenticate', 'Bearer')
  return headers
}
