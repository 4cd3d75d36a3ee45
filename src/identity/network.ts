/** What counts as one place for throttling: an IPv4 address, or the /64 of an IPv6 address. Pure. */
import { isIP } from 'node:net'

const groupsOfAddress = 8
const groupsOfNetwork = 4

export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address
  const [head = '', tail] = address.split('::', 2)
  const before = groupsOf(head)
  const after = groupsOf(tail ?? '')
  const missing = groupsOfAddress - before.length - after.length
  const all = [...before, ...Array.from({ length: Math.max(0, missing) }, () => '0'), ...after]
  const network = all.slice(0, groupsOfNetwork).map((group) => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}

const groupsOf = (text: string) => (text === '' ? [] : text.split(':'))
