/**
 * Browsers in which somebody has signed in: each has a signed name of its own, for one address. It signs nobody in; it
 * tells a person at home from all those far away who try passwords for them.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { RandomBytes } from '../../base/ids.ts'
import { cookiePrefix } from '../public-address.ts'
import { cookiesOf, hashToken } from '../sessions/session-token.ts'

export interface KnownDevices {
  /** The name of the browser that sends these cookies, when this address signed in in it. */
  find(cookies: string | undefined, email: string): string | undefined
  /** The cookie that makes it one, as a header says it. */
  createCookie(email: string): string
}

export interface KnownDevicesDeps {
  readonly secret: string
  readonly random: RandomBytes
  /** Where people reach the server. */
  readonly address: () => string
  readonly daysMax: number
}

const keyBytes = 32
const nameBytes = 16
const daySeconds = 24 * 3_600

export function openKnownDevices({ secret, random, address, daysMax }: KnownDevicesDeps): KnownDevices {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'known devices', keyBytes))
  const cookieName = () => `${cookiePrefix(address())}.device`
  const signatureOf = (name: string, email: string) =>
    createHmac('sha256', key)
      .update(`${name} ${hashToken(email.trim().toLowerCase())}`)
      .digest()
  return {
    find(cookies, email) {
      const [name = '', seal = ''] = (cookiesOf(cookies).get(cookieName()) ?? '').split('.', 2)
      const given = Buffer.from(seal, 'base64url')
      const right = signatureOf(name, email)
      return given.length === right.length && timingSafeEqual(given, right) ? name : undefined
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
