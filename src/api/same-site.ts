/**
 * Whether a request that may change something was made by our own page. Browsers send where a request comes from; a
 * request that a browser sends on another site's behalf is rejected, with or without a cookie.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { TollgateError } from '../base/errors.ts'
import type { Actor } from '../control/actor.ts'
import { ownOrigins } from '../identity/public-address.ts'

export interface SiteRequest {
  readonly method: string
  readonly headers: IncomingHttpHeaders
}

/** Methods that change nothing here. */
const readingMethods: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

/**
 * Throws `cross_site`. `address`: the public URL of the server. A management key is not a cookie: no browser adds it to
 * a request automatically.
 */
export function assertSameSite(
  { method, headers }: SiteRequest,
  actor: Actor['kind'],
  address: string,
): void {
  if (readingMethods.includes(method) || actor === 'management_key' || actor === 'local') return
  const { origin } = headers
  const site = headers['sec-fetch-site']
  const isForeign = site !== undefined && site !== 'same-origin'
  if (isForeign || (origin !== undefined && !ownOrigins(address).includes(origin))) {
    throw new TollgateError('cross_site', {
      message: `Cross-site request: it must come from a page at ${address}.`,
    })
  }
  if (actor === 'person' && site === undefined && origin === undefined) {
    throw new TollgateError('cross_site', {
      message:
        'The Origin header is missing, which requests with a session require. Use a management key for programs.',
    })
  }
}
