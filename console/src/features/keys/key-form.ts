/**
 * What somebody enters to make or change a key, as the texts of the form, and what the control plane is asked for it.
 * Pure. The server decides what is allowed; here only what cannot be read is told at its field.
 */
import type { OperationRawInput } from '../../../../contract/operations.ts'
import { typedAmount } from '../usage/amount.ts'
import type { Key } from './key-state.ts'

export const expiries = ['never', '7', '30', '90', '365', 'date'] as const
export type Expiry = (typeof expiries)[number]
export const expiryLabels: Readonly<Record<Expiry, string>> = {
  never: 'Never',
  '7': 'In 7 days',
  '30': 'In 30 days',
  '90': 'In 90 days',
  '365': 'In a year',
  date: 'On a date…',
}

export interface KeyForm {
  readonly name: string
  readonly expiry: Expiry
  /** `2026-11-20` in the viewer's zone; the key ends with that day. */
  readonly date: string
  /** Empty: no budget. */
  readonly budget: string
  readonly window: 'day' | 'week' | 'month' | 'total'
  /** Empty: every model. */
  readonly models: readonly string[]
  readonly requestsPerMinute: string
  readonly tokensPerMinute: string
  readonly concurrent: string
  readonly onShortBalance: 'lower' | 'reject'
  readonly showBalance: boolean
  readonly showCost: boolean
  readonly automaticCaching: Key['automaticCaching']
}

export type KeyField = keyof KeyForm

/** When a translated prompt is marked for Claude's cache, whose writes cost more than plain input. */
export const cachingWords: Readonly<Record<Key['automaticCaching'], string>> = {
  conversations: 'From the second turn',
  always: 'Always',
  never: 'Never',
}
export type KeyProblems = Readonly<Partial<Record<KeyField, string>>>
type Asked = Required<Omit<OperationRawInput<'key.create'>, 'account'>>
export type KeyWishes = { [Field in keyof Asked]: Exclude<Asked[Field], undefined> }
export type KeyFormResult =
  | { readonly kind: 'wishes'; readonly wishes: KeyWishes }
  | { readonly kind: 'problems'; readonly problems: KeyProblems }

export function emptyKeyForm(accountKind: 'personal' | 'organization'): KeyForm {
  return {
    name: '',
    expiry: 'never',
    date: '',
    budget: '',
    window: 'month',
    models: [],
    requestsPerMinute: '',
    tokensPerMinute: '',
    concurrent: '',
    onShortBalance: 'lower',
    showBalance: accountKind === 'personal',
    showCost: false,
    automaticCaching: 'conversations',
  }
}

const numberText = (limit: number | null) => (limit === null ? '' : String(limit))

export function formOfKey(key: Key): KeyForm {
  return {
    name: key.name,
    expiry: key.expires === null ? 'never' : 'date',
    date: key.expires === null ? '' : localDay(Date.parse(key.expires)),
    budget: key.budget?.amount ?? '',
    window: key.budget?.window ?? 'month',
    models: key.models ?? [],
    requestsPerMinute: numberText(key.limits.requestsPerMinute),
    tokensPerMinute: numberText(key.limits.tokensPerMinute),
    concurrent: numberText(key.limits.concurrent),
    onShortBalance: key.onShortBalance,
    showBalance: key.showBalance,
    showCost: key.showCost,
    automaticCaching: key.automaticCaching,
  }
}

function localDay(ms: number): string {
  const at = new Date(ms)
  const two = (part: number) => String(part).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}

/** `before`: the key that is changed; its expiry stays to the second where its day was left alone. */
export function readKeyForm(form: KeyForm, nowMs: number, before: Key | undefined): KeyFormResult {
  const problems: Partial<Record<KeyField, string>> = {}
  const name = form.name.trim()
  if (name === '') problems.name = 'Give it a name, for example the program that will use it.'
  else if (name.length > 100) problems.name = `At most 100 characters; this has ${name.length}.`
  const expires = expiresOf(form, nowMs, before)
  if (expires === undefined) problems.date = 'Choose a day that is not over yet.'
  const amount = typedAmount(form.budget)
  if (form.budget.trim() !== '' && (amount === undefined || !/[1-9]/.test(amount))) {
    problems.budget = 'An amount in USD below 10,000,000, such as 10 or 2.50; empty for none.'
  }
  const limits = {
    requestsPerMinute: limitOf(form.requestsPerMinute),
    tokensPerMinute: limitOf(form.tokensPerMinute),
    concurrent: limitOf(form.concurrent),
  }
  for (const field of ['requestsPerMinute', 'tokensPerMinute', 'concurrent'] as const) {
    if (limits[field] === undefined)
      problems[field] = 'A whole number from 1 to 1,000,000,000; empty for none.'
  }
  if (Object.keys(problems).length > 0) return { kind: 'problems', problems }
  return {
    kind: 'wishes',
    wishes: {
      name,
      expires: expires ?? null,
      budget: amount === undefined ? null : { amount, window: form.window },
      models: form.models.length === 0 ? null : [...form.models],
      limits: {
        requestsPerMinute: limits.requestsPerMinute ?? null,
        tokensPerMinute: limits.tokensPerMinute ?? null,
        concurrent: limits.concurrent ?? null,
      },
      onShortBalance: form.onShortBalance,
      showBalance: form.showBalance,
      showCost: form.showCost,
      automaticCaching: form.automaticCaching,
    },
  }
}

/** What of a key is to change: the rest is left out, and stays as another window may have made it meanwhile. */
export function changesTo(key: Key, { limits, ...wishes }: KeyWishes): Partial<KeyWishes> {
  const changed = differing(key.limits, limits)
  return {
    ...differing(key, wishes),
    ...(Object.keys(changed).length === 0 ? {} : { limits: changed }),
  }
}

/** The fields of `after` that are not as they were. */
function differing<Fields extends object>(
  before: Readonly<Record<keyof Fields, unknown>>,
  after: Fields,
): Partial<Fields> {
  const names = Object.keys(after) as (keyof Fields)[]
  const changed = names.filter((name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]))
  return Object.fromEntries(changed.map((name) => [name, after[name]])) as Partial<Fields>
}

/** null: never; undefined: unreadable or over. */
function expiresOf(form: KeyForm, nowMs: number, before: Key | undefined): string | null | undefined {
  if (form.expiry === 'never') return null
  if (form.expiry !== 'date') return new Date(nowMs + Number(form.expiry) * 86_400_000).toISOString()
  if (before?.expires != null && localDay(Date.parse(before.expires)) === form.date) return before.expires
  const endMs = Date.parse(`${form.date}T23:59:59.999`)
  return Number.isNaN(endMs) || endMs <= nowMs ? undefined : new Date(endMs).toISOString()
}

/** null: no limit; undefined: no number. */
function limitOf(text: string): number | null | undefined {
  const plain = text.replaceAll(/[\s,_]/g, '')
  if (plain === '') return null
  if (!/^\d{1,10}$/.test(plain)) return undefined
  const limit = Number(plain)
  return limit >= 1 && limit <= 1_000_000_000 ? limit : undefined
}
