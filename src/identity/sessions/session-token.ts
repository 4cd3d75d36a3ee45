/**
 * What a session is known by: the browser has a random token, signed; the database has only the token's hash. Pure but
 * for the hash itself.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { sessionCookie } from '../public-address.ts'

/** How a session is named towards the one whose it is; never what opens one. */
const handleStart = 'session:'

export const handleOf = (hash: string) => `${handleStart}${hash}`

/** The hash of the session that a handle names; undefined for a token. */
export function hashOfHandle(text: string): string | undefined {
  return text.startsWith(handleStart) ? text.slice(handleStart.length) : undefined
}

/** 256 random bits need no slow hash and no key. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

/** The cookies of a header; of a name that comes twice the first one counts, as everywhere here. */
export function cookiesOf(header: string | undefined): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>()
  for (const part of (header ?? '').split(';')) {
    const cut = part.indexOf('=')
    const name = part.slice(0, cut).trim()
    if (cut > 0 && !cookies.has(name)) cookies.set(name, part.slice(cut + 1).trim())
  }
  return cookies
}

/** The token of the session cookie among these headers; undefined without one that we signed. */
export function sessionTokenOf(
  { cookie }: { readonly cookie?: string | undefined },
  { address, secret }: { readonly address: string; readonly secret: string },
): string | undefined {
  return tokenOf(cookiesOf(cookie).get(sessionCookie(address)), secret)
}

/** The token in a signed cookie value; undefined when we did not sign it. */
export function tokenOf(value: string | undefined, secret: string): string | undefined {
  const text = decodeCookieValue(value)
  const cut = text.lastIndexOf('.')
  if (cut < 1) return undefined
  const token = text.slice(0, cut)
  const given = Buffer.from(text.slice(cut + 1), 'base64')
  const right = createHmac('sha256', secret).update(token).digest()
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined
  return hashOfHandle(token) === undefined ? token : undefined
}

function decodeCookieValue(value: string | undefined): string {
  try {
    return decodeURIComponent(value ?? '')
  } catch {
    return ''
  }
}
