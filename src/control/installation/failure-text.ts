/** The last failure of an upstream, as administrators read it: what failed, what was sent, and what the provider said. */
import { errors } from '../../../contract/errors.ts'
import type { UpstreamReport } from '../../providers/health.ts'

type Failure = NonNullable<UpstreamReport['lastFailure']>

/** null: there is none. */
export function failureText(failure: Failure | null): string | null {
  if (failure === null) return null
  const { status, request, message } = failure
  const what = failure.operator ? operatorsText(failure) : errors[failure.code].title
  if (request === undefined) return `${what}${status === null ? '' : ` (HTTP ${status})`}.`
  const answered = status === null ? 'got no response' : `returned HTTP ${status}`
  const words = message === undefined || message === null ? '' : ` The provider says: “${message}”`
  return `${what}. ${request} ${answered}.${words}`
}

/** A missing path, a missing model and a rejected key are corrected in different places. */
function operatorsText({ code, concerns, status }: Failure): string {
  if (code === 'gateway_loop') return 'The upstream leads back to this gateway'
  if (code === 'upstream_invalid') return 'The upstream returned a redirect, which is not followed'
  if (concerns === 'model') return 'The upstream does not have this path or model'
  if (status === 402 || status === 429) return 'The provider rejected a request because of its billing'
  return 'The provider rejected the API key'
}
