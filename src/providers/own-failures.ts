/** Failures of attempts that no upstream reported, as values. Pure. */
import { unavailable } from './classify.ts'
import type { UpstreamFailure } from './connector.ts'
import type { SendFailure } from './send-types.ts'

export function ownFailure(code: UpstreamFailure['code'], message: string): UpstreamFailure {
  return {
    code,
    retry: 'elsewhere',
    status: null,
    message,
    retryAfterMs: null,
    cooldownMs: 1_000,
    concerns: 'host',
    otherModelMay: null,
    operator: false,
  }
}

/** No token could be obtained: the operator's affair, unless its server comes back; another upstream may have one. */
export function withoutToken({ detail }: SendFailure): UpstreamFailure {
  return {
    ...ownFailure('upstream_unavailable', unavailable),
    ...{ retryAfterMs: 5_000, cooldownMs: 5_000, concerns: 'credential', operator: true, detail },
  }
}

/** Something answered, so that the provider was reached; what is wrong with it is for the operator to see. */
export function unreadableResponse({ detail }: SendFailure): UpstreamFailure {
  return { ...ownFailure('upstream_invalid', 'The provider sent a response that cannot be read.'), detail }
}

/** Before a response began, nothing was delivered that could be charged. */
export function connectionWords(isLate: boolean, hasBegun: boolean): string {
  if (hasBegun) return 'The connection to the provider was lost before the response was complete.'
  const what = isLate
    ? 'The provider did not accept a connection in time'
    : 'The provider could not be reached'
  return `${what}. Nothing was charged. Try again, or use another model.`
}
