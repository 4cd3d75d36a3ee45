/**
 * What becomes of an upstream's failure outside the attempt that met it: what the caller is told, without a
 * word that names the operator's account or repeats its credential, and what the operator hears.
 */
import { TollgateError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { withoutAccounts } from '../providers/account-ids.ts'
import type { UpstreamFailure } from '../providers/connector.ts'
import type { Health } from '../providers/health.ts'
import type { Metrics } from './metrics.ts'
import type { Candidate, RequestContext } from './request.ts'

type Upstream = Candidate['upstream']

export interface UpstreamErrorDeps {
  readonly health: Health
  readonly log: Log
  readonly metrics: Pick<Metrics, 'upstreamFailed'>
}

/** The row of the error table that a failure is, in the upstream's words where they are the caller's to read. */
export function publicUpstreamError(
  failure: UpstreamFailure,
  { credential }: Pick<Upstream, 'credential'>,
): TollgateError {
  return new TollgateError(failure.code, {
    message: withoutOperator(failure.message, credential),
    source: 'upstream',
    ...(failure.status === null ? {} : { status: failure.status }),
    ...(failure.retryAfterMs === null ? {} : { retryAfterMs: failure.retryAfterMs }),
  })
}

/** An upstream's own error body: its very bytes, but for what names the operator. */
export function redactUpstreamBody(
  bytes: Uint8Array,
  { credential }: Pick<Upstream, 'credential'>,
): Uint8Array {
  const text = new TextDecoder().decode(bytes)
  const told = withoutOperator(text, credential)
  return told === text ? bytes : new TextEncoder().encode(told)
}

/** An upstream may repeat what it was sent, our credential with it. */
function withoutOperator(text: string, credential: string): string {
  const told = withoutAccounts(text)
  return credential === '' ? told : told.replaceAll(credential, '…')
}

/** Records the failure, and notifies the operator when our own credential or billing is the cause. */
export function recordUpstreamFailure(
  { health, log, metrics }: UpstreamErrorDeps,
  { requestId }: Pick<RequestContext, 'requestId'>,
  of: { readonly upstream: Upstream; readonly failure: UpstreamFailure; readonly status: number | null },
): void {
  const { upstream, failure, status } = of
  health.failed(upstream.name, failure)
  metrics.upstreamFailed(upstream.provider, failure.code)
  log[failure.operator ? 'error' : 'debug'](
    { upstream: upstream.name, status, code: failure.code, request: requestId },
    failure.operator
      ? "an upstream refuses this gateway's own credential, bill or model"
      : 'an attempt failed',
  )
}
