/** Requests and responses below `/api/auth`: errors of our table in its shape, and better-auth's responses unchanged. Pure. */
import { errors } from '../../contract/errors.ts'
import type { ErrorCode } from '../base/errors.ts'

/** Passes the client's address to better-auth; a client's own header of this name is removed first. */
export const clientAddressHeader = 'x-tollgate-client-address'

/** A request below `/api/auth` with its complete body. */
export interface AuthRequest {
  readonly method: string
  /** Below the server's root: `/api/auth/sign-in/email`. */
  readonly path: string
  /** The raw query without its `?`; empty when there is none. */
  readonly query: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Uint8Array
  readonly clientAddress: string
}

export interface AuthResponse {
  readonly status: number
  /** A name may repeat, as `set-cookie` does. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
}

/** A response in the shape of every other error of this server. */
export function errorResponse(
  code: ErrorCode,
  message: string,
  more: { readonly param?: string; readonly retryAfterMs?: number } = {},
): AuthResponse {
  const { param, retryAfterMs } = more
  const seconds = retryAfterMs === undefined ? [] : [String(Math.max(1, Math.ceil(retryAfterMs / 1_000)))]
  return jsonResponse(errors[code].status, { error: { code, message, ...(param && { param }) } }, [
    ...seconds.map((value) => ['retry-after', value] as const),
  ])
}

/** A JSON response that no cache stores. */
export function jsonResponse(
  status: number,
  value: unknown,
  headers: AuthResponse['headers'] = [],
): AuthResponse {
  return {
    status,
    headers: [['content-type', 'application/json'], ['cache-control', 'no-store'], ...headers],
    body: Buffer.from(JSON.stringify(value)),
  }
}

/** Codes that our hooks throw inside better-auth. */
const ownCodes: readonly ErrorCode[] = ['sign_up_closed']

/** Rewrites an error that our own hooks raised inside better-auth; undefined for any other response. */
export function ownErrorResponse(status: number, text: string): AuthResponse | undefined {
  if (status < 400) return undefined
  const { code, message } = parseObject(text) as { code?: unknown; message?: unknown }
  const own = ownCodes.find((known) => known === code)
  if (own === undefined) return undefined
  return errorResponse(own, String(message))
}

/** Paths that end the browser's own session. */
const endsSession = /^\/(?:sign-out|sign-in\/.+)$/
const clearedToken = /^[^=]+\.session_token=;/
const clearedCookie = /^[^=]+\.(?:session_token|session_data|dont_remember)=;/

/**
 * The cookies of a response that reach the browser. better-auth clears the cookie of a session that it does not find, but a
 * concurrent request (a password change) may have replaced that session, and the browser would lose its new cookie.
 */
export function filterCookies(path: string, cookies: readonly string[]): readonly string[] {
  if (endsSession.test(path) || !cookies.some((cookie) => clearedToken.test(cookie))) return cookies
  return cookies.filter((cookie) => !clearedCookie.test(cookie))
}

/** The object in a JSON text; empty for anything else. */
export function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
  } catch {
    return {}
  }
}
