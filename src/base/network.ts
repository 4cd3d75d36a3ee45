/**
 * The unit of throttling: an IPv4 address, or the /64 of an IPv6 address, and the surrounding site that
 * one customer of a provider gets. Pure.
 */
import { isIP } from 'node:net'

const groupsOfAddress = 8
const groupsOfNetwork = 4
const groupsOfSite = 3
const bitsOfGroup = 16

export const networkOf = (address: string): string => prefixOf(unmapped(address), groupsOfNetwork)

/** The /48 of an IPv6 address; undefined for IPv4, where one address is all that a customer gets. */
export function siteOf(address: string): string | undefined {
  const plain = unmapped(address)
  return isIP(plain) === 6 ? prefixOf(plain, groupsOfSite) : undefined
}

/** The IPv4 address in `::ffff:192.0.2.7`, as sockets that listen on `::` report it; any other text as it is. */
export function unmapped(address: string): string {
  return /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address)?.[1] ?? address
}

/** Whose shares an unknown caller at an address takes from. */
export interface NetworkScopes {
  readonly network: string
  readonly site: string
}

export function networkScopes(address: string): NetworkScopes {
  const network = networkOf(address)
  return { network, site: siteOf(address) ?? network }
}

function prefixOf(address: string, groups: number): string {
  if (isIP(address) !== 6) return address
  const [head = '', tail] = address.split('::', 2)
  const before = groupsOf(head)
  const after = groupsOf(tail ?? '')
  const missing = groupsOfAddress - before.length - after.length
  const all = [...before, ...Array.from({ length: Math.max(0, missing) }, () => '0'), ...after]
  const prefix = all.slice(0, groups).map((group) => Number.parseInt(group, 16).toString(16))
  return `${prefix.join(':')}::/${groups * bitsOfGroup}`
}

const groupsOf = (text: string) => (text === '' ? [] : text.split(':'))
