/**
 * The draft of a key's form and the input made from it. Pure. The server decides what is allowed; only unreadable
 * values are reported here.
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
  /** `2026-11-20` in the viewer's zone; the key is valid through that day. */
  readonly date: string
  /** Empty: no budget. */
  readonly budget: string
  readonly window: 'day' | 'week' | 'month' | 'total'
  /** Empty: all models. */
  readonly models: readonly string[]
  readonly requestsPerMinute: string
  readonly tokensPerMinute: string
  readonly concurrent: string
  readonly onShortBalance: 'lower' | 'reject'
  readonly showBalance: boolean
  readonly showCost: boolean
  readonly automaticCaching: Key['automaticCaching']
  /** In the order in which they are tried. */
  readonly fallbacks: readonly string[]
  /** Separated by commas. */
  readonly requiredTags: string
}

export type KeyField = keyof KeyForm

/** When translated prompts are marked for Claude's cache, whose writes cost more than plain input. */
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
    fallbacks: [],
    requiredTags: '',
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
    fallbacks: key.fallbacks ?? [],
    requiredTags: (key.requiredTags ?? []).join(', '),
  }
}

const tagPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

function localDay(ms: number): string {
  const at = new Date(ms)
  const two = (part: number) => String(part).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}

/** `before`: the key being edited; its exact expiry is preserved if the day was not changed. */
export function readKeyForm(form: KeyForm, nowMs: number, before: Key | undefined): KeyFormResult {
  const problems: Partial<Record<KeyField, string>> = {}
  const name = form.name.trim()
  if (name === '') problems.name = 'Enter a name, such as the app that will use it.'
  else if (name.length > 100) problems.name = `Use at most 100 characters. This has ${name.length}.`
  const expires = expiresOf(form, nowMs, before)
  if (expires === undefined) problems.date = 'Choose today or a later date.'
  const amount = typedAmount(form.budget)
  if (form.budget.trim() !== '' && (amount === undefined || !/[1-9]/.test(amount))) {
    problems.budget = 'Enter an amount below 10,000,000, such as 10 or 2.50, or leave it empty.'
  }
  const limits = {
    requestsPerMinute: limitOf(form.requestsPerMinute),
    tokensPerMinute: limitOf(form.tokensPerMinute),
    concurrent: limitOf(form.concurrent),
  }
  for (const field of ['requestsPerMinute', 'tokensPerMinute', 'concurrent'] as const) {
    if (limits[field] === undefined)
      problems[field] = 'Enter a whole number from 1 to 1,000,000,000, or leave it empty.'
  }
  const tags = form.requiredTags.split(',').flatMap((tag) => tag.trim() || [])
  if (tags.length > 20 || !tags.every((tag) => tagPattern.test(tag)))
    problems.requiredTags =
      'Enter up to 20 tags of letters, digits, dots, hyphens and underscores, separated by commas.'
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
      fallbacks: form.fallbacks.length === 0 ? null : [...form.fallbacks],
      requiredTags: tags.length === 0 ? null : tags,
    },
  }
}

/** The changed fields of a key: the rest is left out, so that a concurrent edit is not overwritten. */
export function changesTo(key: Key, { limits, ...wishes }: KeyWishes): Partial<KeyWishes> {
  const changed = differing(key.limits, limits)
  return {
    ...differing(key, wishes),
    ...(Object.keys(changed).length === 0 ? {} : { limits: changed }),
  }
}

/** The fields of `after` that differ. */
function differing<Fields extends object>(
  before: Readonly<Record<keyof Fields, unknown>>,
  after: Fields,
): Partial<Fields> {
  const names = Object.keys(after) as (keyof Fields)[]
  const changed = names.filter((name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]))
  return Object.fromEntries(changed.map((name) => [name, after[name]])) as Partial<Fields>
}

/** null: never; undefined: invalid or past. */
function expiresOf(form: KeyForm, nowMs: number, before: Key | undefined): string | null | undefined {
  if (form.expiry === 'never') return null
  if (form.expiry !== 'date') return new Date(nowMs + Number(form.expiry) * 86_400_000).toISOString()
  if (before?.expires != null && localDay(Date.parse(before.expires)) === form.date) return before.expires
  const endMs = Date.parse(`${form.date}T23:59:59.999`)
  return Number.isNaN(endMs) || endMs <= nowMs ? undefined : new Date(endMs).toISOString()
}

/** null: no limit; undefined: invalid. */
function limitOf(text: string): number | null | undefined {
  const plain = text.replaceAll(/[\s,_]/g, '')
  if (plain === '') return null
  if (!/^\d{1,10}$/.test(plain)) return undefined
  const limit = Number(plain)
  return limit >= 1 && limit <= 1_000_000_000 ? limit : undefined
}
