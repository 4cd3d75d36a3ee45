/**
 * The client's address: the peer itself, or the address that a trusted proxy reports. Forwarding
 * headers are read from the right, hop by hop, and only as far as each hop is trusted. Makes no decisions about clients.
 */
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, type Socket } from 'node:net'
import { networkOf, unmapped } from '../base/network.ts'

/** Sources of a request's client address. */
export interface Arrival {
  /** The address of the connection's other end. */
  readonly peer: string | undefined
  readonly forwarded: string | undefined
  readonly xForwardedFor: string | undefined
}

export type ClientAddress = (arrival: Arrival) => string

/** No real deployment has a longer chain of proxies. */
const hopsMax = 32

export function arrivalOf({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): Arrival {
  const forwardedFor = headers['x-forwarded-for']
  return {
    peer: socket.remoteAddress,
    forwarded: headers.forwarded,
    xForwardedFor: Array.isArray(forwardedFor) ? forwardedFor.join(',') : forwardedFor,
  }
}

/** `trustedProxies`: addresses and networks. Without any, the peer is the client. */
export function clientAddressOf(trustedProxies: readonly string[]): ClientAddress {
  const trusted = blockList(trustedProxies)
  const isTrusted = (address: string) => trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

  function behind(proxy: string, hops: readonly string[]): string {
    let client = proxy
    for (const hop of hops.slice(-hopsMax).toReversed()) {
      const address = plain(hop)
      // Anything but an IP address from a trusted proxy ends what can be trusted.
      if (address === undefined) return client
      client = address
      if (!isTrusted(address)) return client
    }
    return client
  }
  return ({ peer, forwarded, xForwardedFor }) => {
    const own = plain(peer ?? '')
    if (own === undefined || !isTrusted(own)) return own ?? ''
    const clients = [
      ...(xForwardedFor === undefined ? [] : [behind(own, xForwardedFor.split(','))]),
      ...(forwarded === undefined ? [] : [behind(own, forwardedHops(forwarded))]),
    ]
    const [client = own, other = client] = clients
    // A proxy appends to one of them; the client may have forged the other, and the two cannot be distinguished.
    return client === other ? client : own
  }
}

/**
 * Whether connections from an address may speak for many clients: those of trusted proxies, and of this machine, where an
 * unlisted proxy often runs.
 */
export function proxyCheck(trustedProxies: readonly string[]): (address: string) => boolean {
  const proxies = blockList([...trustedProxies, '127.0.0.1', '::1'])
  return (address) => {
    const found = plain(address)
    return found !== undefined && proxies.check(found, isIP(found) === 6 ? 'ipv6' : 'ipv4')
  }
}

export type ClientNetwork = (request: IncomingMessage) => string

/** Looked up once for each connection, except where a proxy speaks for others. */
export function clientNetworkOf(clientAddress: (request: IncomingMessage) => string): ClientNetwork {
  const known = new WeakMap<Socket, string>()
  return (request) => {
    const { socket, headers } = request
    if (headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined) {
      return networkOf(clientAddress(request))
    }
    const found = known.get(socket)
    if (found !== undefined) return found
    const network = networkOf(clientAddress(request))
    known.set(socket, network)
    return network
  }
}

/** The `for` of each element (RFC 7239), in order; a missing one becomes an invalid address. */
function forwardedHops(text: string): readonly string[] {
  if (text.trim() === '') return []
  return text.split(',').map((element) => {
    const pair = element.split(';').find((part) => /^\s*for\s*=/i.test(part))
    return pair === undefined
      ? ''
      : pair
          .slice(pair.indexOf('=') + 1)
          .trim()
          .replace(/^"|"$/g, '')
  })
}

/** An address without brackets, port, zone and the IPv4-in-IPv6 form; undefined when it is none. */
function plain(text: string): string | undefined {
  const trimmed = text.trim()
  const bracketed = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(trimmed)?.[1]
  const withPort = /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/.exec(trimmed)?.[1]
  const result = unmapped((bracketed ?? withPort ?? trimmed).replace(/%.*$/, '').toLowerCase())
  return isIP(result) === 0 ? undefined : result
}

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return list
}
