/** Billing labels: top-up states, entry kinds and sources, runway. Pure. */
import type { OperationOutput } from '../../../../contract/operations.ts'

export type Billing = OperationOutput<'billing.show'>
export type TopUp = OperationOutput<'top-up.show'>
export type Entry = OperationOutput<'entries.list'>[number]
export type Invoice = OperationOutput<'invoice.show'>
type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'info'

interface StateWords {
  readonly label: string
  readonly tone: Tone
  readonly sentence: string
}

export const topUpWords: Readonly<Record<TopUp['state'], StateWords>> = {
  open: {
    label: 'Awaiting payment',
    tone: 'info',
    sentence: 'The payment page stays open until it expires.',
  },
  processing: {
    label: 'Processing',
    tone: 'info',
    sentence: 'The bank is still processing it. Some methods take days.',
  },
  action_required: {
    label: 'Action required',
    tone: 'warn',
    sentence: 'Your bank requires you to confirm this payment.',
  },
  paid: { label: 'Paid', tone: 'good', sentence: 'Added to the balance.' },
  failed: { label: 'Failed', tone: 'bad', sentence: 'You were not charged.' },
  expired: { label: 'Expired', tone: 'neutral', sentence: "It wasn't paid in time. You were not charged." },
  refunded: { label: 'Refunded', tone: 'neutral', sentence: 'The full amount was refunded.' },
  partly_refunded: {
    label: 'Partially refunded',
    tone: 'neutral',
    sentence: 'Part of the amount was refunded.',
  },
  disputed: {
    label: 'Disputed',
    tone: 'bad',
    sentence: 'The bank reversed the payment. The account is frozen until the dispute is settled.',
  },
}

/** Whether it may still change without an action. */
export function isUnderWay(state: TopUp['state']): boolean {
  return state === 'open' || state === 'processing' || state === 'action_required'
}

export const entryKinds = [
  'usage',
  'credit',
  'refund',
  'write_off',
] as const satisfies readonly Entry['kind'][]
export const entryKindLabels: Readonly<Record<Entry['kind'], string>> = {
  usage: 'Usage',
  credit: 'Credit',
  refund: 'Refund',
  write_off: 'Written off',
}

const sources: ReadonlyMap<string, string> = new Map([
  ['signup', 'Starting credit'],
  ['payment', 'Payment'],
  ['code', 'Redeemed code'],
  ['manual', 'Admin credit'],
  ['refund', 'Payment refund'],
  ['dispute', 'Payment dispute'],
])

/** Short description of an entry. */
export function entryWords(entry: Entry): string {
  if (entry.kind === 'usage') return 'Request'
  if (entry.source === null) return entryKindLabels[entry.kind]
  return sources.get(entry.source) ?? entry.source
}

/** The entry's note; else its reference, where that helps to find it. */
export function noteOf({ note, source, reference }: Pick<Entry, 'note' | 'source' | 'reference'>): string {
  const isFindable =
    source === 'payment' || source === 'manual' || source === 'refund' || source === 'dispute'
  return [note, isFindable ? reference : null].filter((part) => part !== null && part !== '').join(' · ')
}

/** `0.4` → `less than a day`, `12.7` → `about 12 days`. */
export function daysLeftWords(days: number): string {
  if (days < 1) return 'less than a day'
  if (days < 2) return 'about a day'
  if (days > 3_650) return 'more than ten years'
  if (days >= 730) return `about ${Math.floor(days / 365)} years`
  return `about ${Math.floor(days).toLocaleString('en-US')} days`
}

/** `1` → `1 day`. */
export function daysWords(days: number): string {
  return days === 1 ? '1 day' : `${days} days`
}

/** Basis of the runway estimate. */
export function runwayHint(days: number | null): string {
  return days === null ? 'Not enough history' : 'at your 7-day average'
}

/** The same for narrow places: `–`, `<1 day`, `~12 days`, `~3 years`, `>10 years`. */
export function daysLeftShort(days: number | null): string {
  if (days === null) return '–'
  if (days < 1) return '<1 day'
  if (days < 2) return '~1 day'
  if (days > 3_650) return '>10 years'
  if (days >= 730) return `~${Math.floor(days / 365)} years`
  return `~${Math.floor(days).toLocaleString('en-US')} days`
}

/** Preset amounts within the allowed range. */
export function amountPresets(minimum: string, maximum: string): readonly string[] {
  const whole = (text: string) => Number(text.split('.')[0])
  const least = minimum.replace(/\.0*$/, '').includes('.') ? whole(minimum) + 1 : whole(minimum)
  return [5, 10, 25, 50, 100, 250].filter((amount) => amount >= least && amount <= whole(maximum)).map(String)
}

/** `2026-11` → `Statement for November 2026`; a top-up’s ID → `Payment receipt`; a credit’s → `Credit receipt`. */
export function invoiceName(id: string): string {
  if (id.startsWith('ent_')) return 'Credit receipt'
  const month = /^(\d{4})-(\d{2})$/.exec(id)
  if (month === null) return 'Payment receipt'
  const at = new Date(Date.UTC(Number(month[1]), Number(month[2]) - 1, 1))
  const name = at.toLocaleDateString('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' })
  return `Statement for ${name}`
}
