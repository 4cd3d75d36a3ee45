/** What goes out below `/api/auth`: errors of our own table in its shape, and better-auth's answers as they are. Pure. */
import { errors } from '../../contract/errors.ts'
import type { ErrorCode } from '../base/errors.ts'

/** The header in which better-auth is told the client's address; whatever came under this name is taken away before. */
export const clientAddressHeader = 'x-tollgate-client-address'

/** A request for identity, read whole. */
export interface AuthRequest {
  readonly method: string
  /** Below the server's root: `/api/auth/sign-in/email`. */
  readonly path: string
  /** After the `?`, as it came; empty without one. */
  readonly query: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Uint8Array
  readonly clientAddress: string
}

export interface AuthResponse {
  readonly status: number
  /** A name may come several times: cookies do. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
}

/** An answer of ours, in the shape of every other error of this server. */
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

/** Codes that better-auth was told to answer with by us. */
const ownCodes: readonly ErrorCode[] = ['sign_up_closed']

export function ownErrorResponse(status: number, text: string): AuthResponse | undefined {
  if (status < 400) return undefined
  const { code, message } = parseObject(text) as { code?: unknown; message?: unknown }
  const own = ownCodes.find((known) => known === code)
  if (own === undefined) return undefined
  return errorResponse(own, String(message))
}

/** Requests that end the browser's own session. */
const endsSession = /^\/(?:sign-out|sign-in\/.+)$/
const clearedToken = /^[^=]+\.session_token=;/
const clearedCookie = /^[^=]+\.(?:session_token|session_data|dont_remember)=;/

/**
 * The cookies of an answer that reach the browser. better-auth clears the cookie of a session that it does not find, but
 * meanwhile another request (a changed password) may have replaced the session: the browser would lose the new cookie.
 */
export function filterCookies(path: string, cookies: readonly string[]): readonly string[] {
  if (endsSession.test(path) || !cookies.some((cookie) => clearedToken.test(cookie))) return cookies
  return cookies.filter((cookie) => !clearedCookie.test(cookie))
}

/** The object in a text; empty for anything else. */
export function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
  } catch {
    return {}
  }
}
