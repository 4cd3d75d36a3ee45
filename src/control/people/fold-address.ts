/** One spelling for all addresses that reach one mailbox, so that it gets one starting credit. Pure. */

/** Hosts whose dots in the name before the @ mean nothing. */
const dotless: ReadonlySet<string> = new Set(['gmail.com', 'googlemail.com'])
const sameHost: Readonly<Record<string, string>> = { 'googlemail.com': 'gmail.com' }

export function foldAddress(email: string): string {
  const folded = email.trim().normalize('NFKC').toLowerCase()
  const at = folded.lastIndexOf('@')
  if (at < 0) return folded
  const host = folded.slice(at + 1)
  const untagged = folded.slice(0, at).replace(/\+.*$/s, '')
  const name = dotless.has(host) ? untagged.replaceAll('.', '') : untagged
  return `${name}@${sameHost[host] ?? host}`
}
