/** Numbers of tokens as people write them. Pure. */

const written = /^(\d{1,9}|\d{1,3}(?:,\d{3}){1,2})(?:\.(\d{1,6}))?\s*([km])?$/i
const factors: Readonly<Record<string, number>> = { '': 1, k: 1_000, m: 1_000_000 }
const tokensMax = 1_000_000_000

/** `128k`, `1M`, `1.5M`, `128,000` and `128000`; undefined: not a positive whole number. */
export function tokenCount(text: string): number | undefined {
  const [matched, whole = '', fraction = '', unit = ''] = written.exec(text.trim()) ?? []
  if (matched === undefined) return undefined
  const factor = factors[unit.toLowerCase()] ?? 1
  const count = Number(`${whole.replaceAll(',', '')}.${fraction}`) * factor
  const tokens = Math.round(count)
  return Math.abs(count - tokens) < 1e-6 && tokens > 0 && tokens < tokensMax ? tokens : undefined
}

export const tokenCountError = 'Enter a number of tokens, like 128000, 128k or 1M.'
