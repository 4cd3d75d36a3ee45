/** Billing in words: states of top-ups, kinds and sources of entries, how long a balance lasts. Pure. */
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
  open: { label: 'Waits for payment', tone: 'info', sentence: 'The payment page is open until it expires.' },
  processing: {
    label: 'Processing',
    tone: 'info',
    sentence: 'The bank is still working on it; this can take days with some methods.',
  },
  action_required: {
    label: 'Confirm with your bank',
    tone: 'warn',
    sentence: 'The bank wants you to confirm this payment yourself.',
  },
  paid: { label: 'Paid', tone: 'good', sentence: 'The amount is in the balance.' },
  failed: { label: 'Failed', tone: 'bad', sentence: 'Nothing was charged.' },
  expired: { label: 'Expired', tone: 'neutral', sentence: 'It was not paid in time. Nothing was charged.' },
  refunded: { label: 'Refunded', tone: 'neutral', sentence: 'The whole amount went back.' },
  partly_refunded: { label: 'Partly refunded', tone: 'neutral', sentence: 'A part of the amount went back.' },
  disputed: {
    label: 'Disputed',
    tone: 'bad',
    sentence: 'The bank took the payment back; the account rests until this is settled.',
  },
}

/** Whether it may still change by itself. */
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
  write_off: 'Borne by the house',
}

const sources: ReadonlyMap<string, string> = new Map([
  ['signup', 'Starting credit'],
  ['payment', 'Payment'],
  ['code', 'Redeemed code'],
  ['manual', 'Credit by an administrator'],
  ['refund', 'Refund of a payment'],
  ['dispute', 'Disputed payment'],
])

/** What an entry is for, in a few words. */
export function entryWords(entry: Entry): string {
  if (entry.kind === 'usage') return 'Request'
  if (entry.source === null) return entryKindLabels[entry.kind]
  return sources.get(entry.source) ?? entry.source
}

/** What was written to it; else what it is called elsewhere, where that helps to find it. */
export function noteOf({ note, source, reference }: Pick<Entry, 'note' | 'source' | 'reference'>): string {
  const isFindable =
    source === 'payment' || source === 'manual' || source === 'refund' || source === 'dispute'
  return note ?? (isFindable ? reference : null) ?? ''
}

/** `0.4` → `less than a day`, `12.7` → `about 12 days`. */
export function daysLeftWords(days: number | null): string {
  if (days === null) return 'nothing spent in 7 days'
  if (days < 1) return 'less than a day'
  if (days < 2) return 'about a day'
  if (days > 3_650) return 'more than ten years'
  if (days >= 730) return `about ${Math.floor(days / 365)} years`
  return `about ${Math.floor(days).toLocaleString('en-US')} days`
}

/** The same where there is little room: `–`, `< 1 day`, `~ 12 days`, `~ 3 years`, `> 10 years`. */
export function daysLeftShort(days: number | null): string {
  if (days === null) return '–'
  if (days < 1) return '< 1 day'
  if (days < 2) return '~ 1 day'
  if (days > 3_650) return '> 10 years'
  if (days >= 730) return `~ ${Math.floor(days / 365)} years`
  return `~ ${Math.floor(days).toLocaleString('en-US')} days`
}

/** The amounts offered at once, within what is allowed. */
export function amountPresets(minimum: string, maximum: string): readonly string[] {
  const whole = (text: string) => Number(text.split('.')[0])
  const least = minimum.replace(/\.0*$/, '').includes('.') ? whole(minimum) + 1 : whole(minimum)
  return [5, 10, 25, 50, 100, 250].filter((amount) => amount >= least && amount <= whole(maximum)).map(String)
}

/** `2026-11` → `Statement for November 2026`; a top-up’s id → `Payment receipt`. */
export function invoiceName(id: string): string {
  const month = /^(\d{4})-(\d{2})$/.exec(id)
  if (month === null) return 'Payment receipt'
  const at = new Date(Date.UTC(Number(month[1]), Number(month[2]) - 1, 1))
  const name = at.toLocaleDateString('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })
  return `Statement for ${name}`
}
