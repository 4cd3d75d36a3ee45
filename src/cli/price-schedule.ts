/** Scheduled prices as options have them: `Mon-Fri 01:00-04:00, Sat 00:00-24:00 input=0.30 output=1.20`. Pure. */
import { meters } from '../../contract/meters.ts'

/** Names of rates as the other options have them, such as `cache-read`. */
const rates: ReadonlyMap<string, string> = new Map(
  Object.values(meters).map(({ absent, column, rate }) => [
    absent === 'required' ? rate : column.replaceAll('_', '-'),
    rate,
  ]),
)

/** The price at these times, as the contract has it; undefined: it cannot be read. */
export function readSchedule(text: string): Readonly<Record<string, unknown>> | undefined {
  const words = text.split(/\s+/).filter((word) => word !== '')
  const pairs = words.filter((word) => word.includes('=')).map((word) => word.split('='))
  const times = words.filter((word) => !word.includes('='))
  const known = pairs.flatMap(([name = '', amount = '', ...more]) => {
    const rate = more.length === 0 ? rates.get(name) : undefined
    return rate === undefined ? [] : [[rate, amount] as const]
  })
  if (times.length === 0 || known.length === 0 || known.length < pairs.length) return undefined
  const named = times.join(' ').split(',')
  return { times: named.map((time) => time.trim()), ...Object.fromEntries(known) }
}
