/**
 * Browsers in which a person has signed in before, each with a signed id for one email address. The cookie does not
 * authenticate; it separates the person's own attempts from those of strangers who guess their password.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { RandomBytes } from '../../base/ids.ts'
import { cookiePrefix } from '../public-address.ts'
import { cookiesOf, hashToken } from '../sessions/session-token.ts'

export interface KnownDevices {
  /** The id of the browser that sends these cookies, when this address has signed in there. */
  find(cookies: string | undefined, email: string): string | undefined
  /** A `set-cookie` value that marks the browser as known. */
  createCookie(email: string): string
}

export interface KnownDevicesDeps {
  readonly secret: string
  readonly random: RandomBytes
  /** The public URL. */
  readonly address: () => string
  readonly daysMax: number
}

const keyBytes = 32
const nameBytes = 16
const daySeconds = 24 * 3_600

/** Known devices, without storage: the cookie is self-contained. */
export function openKnownDevices({ secret, random, address, daysMax }: KnownDevicesDeps): KnownDevices {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'known devices', keyBytes))
  const cookieName = () => `${cookiePrefix(address())}.device`
  const signatureOf = (name: string, email: string) =>
    createHmac('sha256', key)
      .update(`${name} ${hashToken(email.trim().toLowerCase())}`)
      .digest()
  return {
    find(cookies, email) {
      const [name = '', signature = ''] = (cookiesOf(cookies).get(cookieName()) ?? '').split('.', 2)
      const actual = Buffer.from(signature, 'base64url')
      const expected = signatureOf(name, email)
      return actual.length === expected.length && timingSafeEqual(actual, expected) ? name : undefined
    },
    createCookie(email) {
      const name = Buffer.from(random(nameBytes)).toString('base64url')
      const isSecure = address().startsWith('https:')
      const parts = [
        `${cookieName()}=${name}.${signatureOf(name, email).toString('base64url')}`,
        `Max-Age=${daysMax * daySeconds}`,
        'Path=/',
        'HttpOnly',
        ...(isSecure ? ['Secure'] : []),
        'SameSite=Lax',
      ]
      return parts.join('; ')
    },
  }
}
