/**
 * Cross-origin requests (CORS) from pages of the origins that the operator allows. Keys are sent in headers, so no
 * credentials of the browser are ever allowed. Knows no path: its caller decides where it applies.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { announcedBytes } from './body.ts'
import type { FlatHeaders } from './downstream.ts'

export interface CrossOriginPolicy {
  readonly origins: ReadonlySet<string>
}

/** Decision for a request. `none`: served as if there were no policy, but caches must tell origins apart. */
export type CrossOriginDecision =
  | { readonly kind: 'none' }
  | { readonly kind: 'allowed'; readonly origin: string }
  | { readonly kind: 'preflight'; readonly headers: FlatHeaders }

const allowedMethods = 'GET, POST, DELETE'
const preflightCacheSeconds = '7200'

/** Names of headers as a browser lists them. */
const headerNames = /^[\w!#$%&'*+.^`|~-]+(?: ?, ?[\w!#$%&'*+.^`|~-]+)*$/

/** Pure. */
export function decideCrossOrigin(
  policy: CrossOriginPolicy,
  method: string | undefined,
  headers: IncomingHttpHeaders,
): CrossOriginDecision {
  const { origin } = headers
  if (origin === undefined || !policy.origins.has(origin)) return { kind: 'none' }
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) {
    return { kind: 'allowed', origin }
  }
  return { kind: 'preflight', headers: preflightHeaders(origin, headers) }
}

function preflightHeaders(origin: string, headers: IncomingHttpHeaders): FlatHeaders {
  const wanted = headers['access-control-request-headers']
  return [
    'access-control-allow-origin',
    origin,
    'access-control-allow-methods',
    allowedMethods,
    // SDKs add headers with every release, and the origin is trusted with a key anyway.
    ...(wanted !== undefined && headerNames.test(wanted) ? ['access-control-allow-headers', wanted] : []),
    'access-control-max-age',
    preflightCacheSeconds,
    'vary',
    'Origin, Access-Control-Request-Headers',
  ]
}

/**
 * Sets the headers of an allowed request, for its response or its error alike, and answers a preflight. True: it was
 * answered, before a request id or a log line is spent on it.
 */
export function answerCrossOrigin(
  policy: CrossOriginPolicy,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const decision = decideCrossOrigin(policy, request.method, request.headers)
  // A preflight with a body is no browser's.
  if (decision.kind === 'preflight' && announcedBytes(request) === 0) {
    response.writeHead(204, decision.headers as string[])
    response.end()
    return true
  }
  response.setHeader('vary', 'Origin')
  if (decision.kind === 'allowed') {
    response.setHeader('access-control-allow-origin', decision.origin)
    // `*` means every header here: browsers block requests with credentials, for which it would not.
    response.setHeader('access-control-expose-headers', '*')
  }
  return false
}

/** undefined where no origin is allowed, so that requests pay nothing. */
export function crossOriginPolicy(origins: readonly string[]): CrossOriginPolicy | undefined {
  return origins.length === 0 ? undefined : { origins: new Set(origins) }
}
