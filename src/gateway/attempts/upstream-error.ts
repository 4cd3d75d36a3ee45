/**
 * Upstream failures as callers and the operator see them: the caller's error never names the operator's account or
 * credential; the operator gets a log line and a metric.
 */
import { type ErrorCode, errors, TollgateError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { withoutSecrets } from '../../base/redact-secrets.ts'
import type { Upstream } from '../../catalog/types.ts'
import type { Attempt, AttemptEvidence } from '../../ledger/types.ts'
import type { ProviderKeys } from '../../provider-keys/types.ts'
import { withoutAccounts } from '../../providers/classify.ts'
import type { UpstreamFailure } from '../../providers/connector.ts'
import { type Health, isUpstreamFault } from '../../providers/health.ts'
import type { ObjectFailure } from '../../providers/object-requests.ts'
import type { UpstreamRequest } from '../../providers/send-types.ts'
import type { OfferStatistics } from '../../usage/offer-statistics.ts'
import type { Metrics } from '../observation/metrics.ts'
import type { RequestContext } from '../request.ts'

export interface UpstreamErrorDeps {
  readonly health: Health
  readonly offerStatistics: Pick<OfferStatistics, 'attempted'>
  readonly providerKeys: Pick<ProviderKeys, 'health'>
  readonly log: Log
  readonly metrics: Pick<Metrics, 'upstreamFailed'>
}

/**
 * The error for the caller, with the upstream's message where it concerns the caller's request. What only an administrator
 * can mend is final for libraries, which would repeat a 5xx for minutes.
 */
export function publicUpstreamError(
  failure: UpstreamFailure,
  upstream: Pick<Upstream, 'credential' | 'custom' | 'ownKey'>,
  status: number | null = null,
): TollgateError {
  const { ownKey } = upstream
  if (ownKey !== undefined && failure.operator) return providerKeyFailed(ownKey, failure, status)
  // With an account's own key, the provider's message may describe the account.
  const message = (ownKey === undefined ? '' : failure.providerMessage) || failure.message
  return new TollgateError(failure.code, {
    message: withoutOperator(message, upstream),
    source: 'upstream',
    ...(failure.status === null ? {} : { status: failure.status }),
    ...(failure.retryAfterMs === null ? {} : { retryAfterMs: failure.retryAfterMs }),
    ...(isFinal(failure) ? { headers: { 'x-should-retry': 'false' } } : {}),
  })
}

/** The error for the caller where a file or a stored response was not received. */
export function objectFailureError(failure: ObjectFailure, what: 'file' | 'response'): TollgateError {
  const detail = failure.kind === 'failed' ? failure.failure.detail : failure.kind
  const error = (code: ErrorCode, message: string) =>
    new TollgateError(code, { message, source: 'upstream', detail })
  switch (failure.kind) {
    case 'failed':
      return error('upstream_error', 'The connection to the provider failed. Try again.')
    case 'late':
      return error('upstream_timeout', 'The upstream did not respond in time.')
    case 'no_room':
      return error('overloaded', `This server is out of memory for ${what}s. Try again.`)
    case 'too_large':
      return error('upstream_invalid', `The ${what} is larger than this server can relay.`)
  }
}

/** An error that is never retried by its row says so anyway. */
function isFinal({ operator, retryAfterMs, code }: UpstreamFailure): boolean {
  return operator && retryAfterMs === null && errors[code].retry === 'later'
}

/** The error for a failure that only the holder of the provider key can fix: an invalid key, billing, or access to the model. */
function providerKeyFailed(
  { displayName }: NonNullable<Upstream['ownKey']>,
  { concerns }: UpstreamFailure,
  status: number | null,
): TollgateError {
  const what =
    concerns === 'model'
      ? `${displayName} does not have this model for the provider key of this account`
      : status === 402 || status === 429
        ? `${displayName} rejected the provider key of this account because of its billing`
        : `${displayName} rejected the provider key of this account`
  const said = status === null ? '' : ` (HTTP ${status})`
  return new TollgateError('provider_key_failed', {
    message: `${what}${said}. Check it in the console under Settings, Provider keys.`,
    source: 'upstream',
  })
}

/** An upstream's error body, unchanged except for what identifies the operator. */
export function redactUpstreamBody(
  bytes: Uint8Array,
  upstream: Pick<Upstream, 'credential' | 'custom'>,
): Uint8Array {
  const text = new TextDecoder().decode(bytes)
  const redacted = withoutOperator(text, upstream)
  return redacted === text ? bytes : new TextEncoder().encode(redacted)
}

/** Shorter values of headers are words such as `true`, which many messages contain. */
const secretHeaderCharactersMin = 8

/** Upstreams may echo the request, including our credential and the headers that the operator configured. */
export function withoutOperator(
  text: string,
  { credential, custom }: Pick<Upstream, 'credential' | 'custom'>,
): string {
  const values = Object.values(custom?.headers ?? {})
  const others = values.filter(({ length }) => length >= secretHeaderCharactersMin)
  // A key may contain what looks like an account, and would not be found once that is cut.
  return withoutAccounts(withoutSecrets(text, credential, others))
}

/** The upstream answered as it should, for this model. */
export function recordUpstreamSuccess(
  {
    health,
    providerKeys,
    offerStatistics,
  }: Pick<UpstreamErrorDeps, 'health' | 'providerKeys' | 'offerStatistics'>,
  upstream: Upstream,
  upstreamModel: string,
): void {
  if (upstream.ownKey !== undefined) return providerKeys.health.served(upstream, upstreamModel)
  health.served(upstream.name, upstreamModel)
  offerStatistics.attempted(upstream.name, upstreamModel, false)
}

/** Records the failure, and notifies the operator when our own credential or billing is the cause. */
export function recordUpstreamFailure(
  { health, offerStatistics, providerKeys, log, metrics }: UpstreamErrorDeps,
  { requestId }: Pick<RequestContext, 'requestId'>,
  attempt: {
    readonly upstream: Upstream
    /** The model that was requested there; left out: none. */
    readonly upstreamModel?: string
    readonly failure: UpstreamFailure
    readonly status: number | null
    readonly evidence?: AttemptEvidence | undefined
  },
): void {
  const { upstream, upstreamModel, failure, status, evidence } = attempt
  if (upstream.ownKey !== undefined) {
    const { message } = publicUpstreamError(failure, upstream, status).details
    providerKeys.health.failed(upstream, upstreamModel ?? '', { ...failure, message }, status)
    log.debug(
      { upstream: upstream.name, status, code: failure.code, request: requestId },
      'an attempt failed',
    )
    return
  }
  health.failed(upstream.name, { ...failure, answer: { status, ...evidence } }, upstreamModel)
  if (upstreamModel !== undefined)
    offerStatistics.attempted(upstream.name, upstreamModel, isUpstreamFault(failure))
  metrics.upstreamFailed(upstream.provider, failure.code)
  log[failure.operator ? 'error' : 'debug'](
    {
      ...{ upstream: upstream.name, status, code: failure.code, request: requestId, detail: failure.detail },
      ...(evidence === undefined ? {} : { sent: evidence.request }),
    },
    failure.operator ? operatorWords(failure) : 'an attempt failed',
  )
}

/** Describes, for the log, a failure that only the operator can fix. */
function operatorWords({ concerns, code }: UpstreamFailure): string {
  if (code === 'gateway_loop') return 'an upstream leads back to this gateway'
  if (code === 'upstream_invalid') return 'an upstream returned a redirect'
  return concerns === 'model'
    ? 'an upstream does not have the model or the path'
    : "an upstream rejected this gateway's API key or its billing"
}

/** The error where no candidate was left; `last`: the attempt before, if there was one. */
export function noUpstreamLeft(last: Attempt | undefined): TollgateError {
  return new TollgateError('upstream_unavailable', {
    message: 'No upstream for this model is available right now. Try again later.',
    retryAfterMs: 1_000,
    detail:
      last === undefined
        ? 'no candidate could take the request'
        : `the last attempt ended with ${last.failure}`,
  })
}

const messageCharactersMax = 300
/** In a larger body nothing is looked for, so nothing of the message is stored. */
const bodyBytesMax = 256 * 1_024

interface FailedAttempt {
  readonly failure: UpstreamFailure
  readonly upstream: Upstream
  readonly upstreamModel: string
  readonly request: UpstreamRequest
}

/**
 * The evidence that administrators see of a failed attempt: what was sent where, and the provider's message. Stored, so it contains
 * no credentials and nothing that the caller wrote. Undefined if the caller caused the failure, or if it happened on an account's
 * own key.
 */
export function evidenceOf({
  failure,
  upstream,
  upstreamModel,
  request,
}: FailedAttempt): AttemptEvidence | undefined {
  if (!isUpstreamFault(failure) || upstream.ownKey !== undefined) return undefined
  const { method, origin, path, body } = request
  const said = withoutOperator(failure.providerMessage || failure.detail || '', upstream)
  const message = withoutEcho(said, body, upstreamModel).slice(0, messageCharactersMax)
  return { request: `${method} ${origin}${path.split('?', 1)[0]}`, message: message === '' ? null : message }
}

const wordsInARow = 4

/**
 * The message without what repeats the request: words in the same order, and single words other than everyday ones. The name of the
 * model stays. Empty where the request is too large to compare.
 */
export function withoutEcho(message: string, body: readonly Uint8Array[], model: string): string {
  if (body.reduce((sum, { length }) => sum + length, 0) > bodyBytesMax) return ''
  const sent = Buffer.concat(body).toString()
  const words = message.split(/\s+/).filter((word) => word !== '')
  const isHidden = words.map((word) => repeats(word, sent, model))
  for (let at = 0; at + wordsInARow <= words.length; at += 1) {
    if (sent.includes(words.slice(at, at + wordsInARow).join(' '))) isHidden.fill(true, at, at + wordsInARow)
  }
  const shown = words.map((word, index) => (isHidden[index] === true ? '…' : word)).join(' ')
  return shown.replace(/…(?: …)+/g, '…')
}

const everydayCharactersMax = 11

/** Letters beyond ASCII may be escaped in the body, where they are not found. */
function repeats(word: string, sent: string, model: string): boolean {
  const parts = word.match(/[\p{L}\p{N}_-]+/gu) ?? []
  return parts.some((part) => {
    if (model.includes(part)) return false
    if (/[^ -~]/.test(part)) return true
    const isEveryday = part.length <= everydayCharactersMax && /^[A-Za-z]+$/.test(part)
    return !isEveryday && sent.includes(part)
  })
}
