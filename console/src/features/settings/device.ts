/** A browser's name from its user agent. Pure. */

const browsers: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\b(?:Headless)?Chrom(?:e|ium)\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const systems: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
]

/** `Firefox on Linux`, or "Unknown browser". */
export function deviceOf(userAgent: string): { readonly name: string; readonly isPhone: boolean } {
  const browser = first(browsers, userAgent) ?? 'Unknown browser'
  const system = first(systems, userAgent)
  return {
    name: system === undefined ? browser : `${browser} on ${system}`,
    isPhone: /\b(?:iPhone|Android.*Mobile)\b/.test(userAgent),
  }
}

function first(table: typeof browsers, text: string): string | undefined {
  return table.find(([pattern]) => pattern.test(text))?.[1]
}
