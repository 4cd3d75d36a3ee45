/** The host to write into a URL that people open, for a server that listens on `host`. Pure. */

/** Names that mean every interface; no browser opens them. */
const wildcards: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': 'localhost' }

export function shownHost(host: string): string {
  const shown = wildcards[host] ?? host
  return shown.includes(':') ? `[${shown}]` : shown
}
