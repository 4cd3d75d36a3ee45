/** Cookie names, origins and passkey settings that follow from the public URL. Pure. */
import { isIP } from 'node:net'

const loopbackNames: readonly string[] = ['127.0.0.1', 'localhost', '[::1]']

/** The origin of the public URL; on loopback, every spelling of it. */
export function ownOrigins(address: string): readonly string[] {
  const { protocol, hostname, port, origin } = new URL(address)
  if (!loopbackNames.includes(hostname)) return [origin]
  return loopbackNames.map((name) => `${protocol}//${name}${port === '' ? '' : `:${port}`}`)
}

/** Browsers accept the `__Host-` prefix only over https and only for this exact host. */
export function cookiePrefix(address: string): string {
  return address.startsWith('https:') ? '__Host-tollgate' : 'tollgate'
}

export const sessionCookie = (address: string) => `${cookiePrefix(address)}.session_token`

/** The relying party of passkeys and its origins; on loopback, `localhost`. */
export function passkeyRelyingParty(address: string): {
  readonly name: string
  readonly origins: readonly string[]
} {
  const { hostname, protocol, port, origin } = new URL(address)
  if (!loopbackNames.includes(hostname)) return { name: hostname, origins: [origin] }
  return { name: 'localhost', origins: [`${protocol}//localhost${port === '' ? '' : `:${port}`}`] }
}

/** Why passkeys do not work at this address, for users; null: they work. */
export function passkeysUnavailableReason(address: string): string | null {
  const { hostname, protocol, origin } = new URL(address)
  const relyingParty = passkeyRelyingParty(address)
  if (hostname === 'localhost') return null
  if (loopbackNames.includes(hostname)) {
    return `Passkeys need a host name and do not work with an IP address such as ${hostname}. Open ${relyingParty.origins[0]}/console instead.`
  }
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) {
    return `Passkeys need a host name and do not work with an IP address such as ${hostname}. Set TOLLGATE_PUBLIC_URL to a URL with a host name.`
  }
  if (protocol === 'https:') return null
  return `Passkeys need HTTPS. This server is reached at ${origin}.`
}
