/**
 * Session tokens: the browser holds a signed random token, the database only its hash. Pure.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { sessionCookie } from '../public-address.ts'

/** A handle identifies a session to its owner and cannot authenticate. */
const handleStart = 'session:'

export const handleOf = (hash: string) => `${handleStart}${hash}`

/** The token hash in a handle; undefined when the text is no handle. */
export function hashOfHandle(text: string): string | undefined {
  return text.startsWith(handleStart) ? text.slice(handleStart.length) : undefined
}

/** Tokens have 256 random bits, so a fast unkeyed hash is enough. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

/** Parses a `cookie` header; the first of repeated names counts. */
export function cookiesOf(header: string | undefined): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>()
  for (const part of (header ?? '').split(';')) {
    const cut = part.indexOf('=')
    const name = part.slice(0, cut).trim()
    if (cut > 0 && !cookies.has(name)) cookies.set(name, part.slice(cut + 1).trim())
  }
  return cookies
}

/** The token of the session cookie; undefined when it is missing or its signature is invalid. */
export function sessionTokenOf(
  { cookie }: { readonly cookie?: string | undefined },
  { address, secret }: { readonly address: string; readonly secret: string },
): string | undefined {
  return tokenOf(cookiesOf(cookie).get(sessionCookie(address)), secret)
}

/** The token in a signed cookie value; undefined when the signature is invalid. */
export function tokenOf(value: string | undefined, secret: string): string | undefined {
  const text = decodeCookieValue(value)
  const cut = text.lastIndexOf('.')
  if (cut < 1) return undefined
  const token = text.slice(0, cut)
  const actual = Buffer.from(text.slice(cut + 1), 'base64')
  const expected = createHmac('sha256', secret).update(token).digest()
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return undefined
  return hashOfHandle(token) === undefined ? token : undefined
}

function decodeCookieValue(value: string | undefined): string {
  try {
    return decodeURIComponent(value ?? '')
  } catch {
    return ''
  }
}
