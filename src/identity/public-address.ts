/** What follows for cookies, origins and passkeys from the address under which people reach the server. Pure. */
import { isIP } from 'node:net'

const loopbackNames: readonly string[] = ['127.0.0.1', 'localhost', '[::1]']

/** The origin of the address; on loopback every way to write it. */
export function ownOrigins(address: string): readonly string[] {
  const { protocol, hostname, port, origin } = new URL(address)
  if (!loopbackNames.includes(hostname)) return [origin]
  return loopbackNames.map((name) => `${protocol}//${name}${port === '' ? '' : `:${port}`}`)
}

/** A browser keeps a `__Host-` cookie for this very host, and only over https. */
export function cookiePrefix(address: string): string {
  return address.startsWith('https:') ? '__Host-tollgate' : 'tollgate'
}

export const sessionCookie = (address: string) => `${cookiePrefix(address)}.session_token`

/** For which name, and from which origins, passkeys are made. Those of an installation on loopback belong to `localhost`. */
export function passkeyRelyingParty(address: string): {
  readonly name: string
  readonly origins: readonly string[]
} {
  const { hostname, protocol, port, origin } = new URL(address)
  if (!loopbackNames.includes(hostname)) return { name: hostname, origins: [origin] }
  return { name: 'localhost', origins: [`${protocol}//localhost${port === '' ? '' : `:${port}`}`] }
}

/** Why passkeys cannot work at an address; null: they can. */
export function passkeysUnavailableReason(address: string): string | null {
  const { hostname, protocol, origin } = new URL(address)
  const place = passkeyRelyingParty(address)
  if (hostname === 'localhost') return null
  if (loopbackNames.includes(hostname)) {
    return `Browsers keep passkeys for names, not for IP addresses such as ${hostname}. Open ${place.origins[0]}/console instead.`
  }
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) {
    return `Browsers keep passkeys for names, not for IP addresses such as ${hostname}. Give this installation a name, and set it as TOLLGATE_PUBLIC_URL.`
  }
  if (protocol === 'https:') return null
  return `Browsers allow passkeys over https only. People reach this installation at ${origin}.`
}
