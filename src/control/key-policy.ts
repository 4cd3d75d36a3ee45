/** What a key permits: as requested, by default, changed, and inherited from a key that others limited. */
import type { OperationInput } from '../../contract/operations.ts'
import type { KeyPolicy, KeyRow, ManagedField } from '../access/types.ts'
import { TollgateError } from '../base/errors.ts'
import type { Snapshot } from '../catalog/types.ts'
import type { AccountRow } from '../ledger/types.ts'
import { nanoOf } from './values.ts'

/** Nothing limited beyond what limits the account. Members of an organization do not see its balance. */
export function defaultPolicy(kind: AccountRow['kind']): KeyPolicy {
  return {
    rates: { requestsPerMinute: null, tokensPerMinute: null, concurrent: null },
    budget: null,
    models: null,
    onShortBalance: 'lower',
    showBalance: kind === 'personal',
    showCost: false,
  }
}

export function policyOf(asked: OperationInput<'key.create'>, kind: AccountRow['kind']): KeyPolicy {
  const defaults = defaultPolicy(kind)
  return {
    rates: {
      requestsPerMinute: asked.limits?.requestsPerMinute ?? null,
      tokensPerMinute: asked.limits?.tokensPerMinute ?? null,
      concurrent: asked.limits?.concurrent ?? null,
    },
    budget:
      asked.budget === undefined || asked.budget === null
        ? null
        : { amount: nanoOf(asked.budget.amount), window: asked.budget.window },
    models: asked.models ?? null,
    requiredTags: asked.requiredTags ?? null,
    fallbacks: asked.fallbacks ?? null,
    onShortBalance: asked.onShortBalance,
    showBalance: asked.showBalance ?? defaults.showBalance,
    showCost: asked.showCost ?? defaults.showCost,
    automaticCaching: asked.automaticCaching ?? 'conversations',
  }
}

/** null: never. Throws `invalid_value` for a time that has come already. */
export function expiryOf(asked: string | null | undefined, nowMs: number): number | null {
  if (asked === undefined || asked === null) return null
  const expiresMs = Date.parse(asked)
  if (expiresMs > nowMs) return expiresMs
  throw new TollgateError('invalid_value', { message: 'expires: must be in the future.', param: 'expires' })
}

/** Throws where a request could never use one of them. */
export function assertUsableFallbacks(
  { fallbacks, models }: Pick<KeyPolicy, 'fallbacks' | 'models'>,
  snapshot: Pick<Snapshot, 'models'>,
): void {
  for (const name of fallbacks ?? []) {
    const model = snapshot.models.get(name)
    if (model === undefined) throw refusal(`Unknown model ${JSON.stringify(name)}.`)
    if (models !== null && !models.includes(name) && !models.includes(model.name))
      throw refusal(`${name} is not one of the models that this key may use.`)
  }
}

const refusal = (message: string): TollgateError =>
  new TollgateError('invalid_value', { message, param: 'fallbacks' })

/** Null, false and limits that are all null limit nothing. */
export function isLimit(value: OperationInput<'key.update'>[ManagedField]): boolean {
  if (value === null || value === undefined || value === false) return false
  if (typeof value !== 'object' || Array.isArray(value)) return true
  return Object.values(value).some((part) => part !== null && part !== undefined)
}

/** What is about the person who spends. When one key expires, or that it is disabled, is about that key. */
const inheritedFields = [
  'budget',
  'limits',
  'models',
  'requiredTags',
] as const satisfies readonly ManagedField[]

const inheritedOf = ({ policy }: KeyRow): readonly (typeof inheritedFields)[number][] =>
  inheritedFields.filter((field) => policy.managed?.includes(field))

/** The latest key that this person made and others limited: one that is in use, or else the last one of all. */
export function limitingKeyOf(
  keys: readonly KeyRow[],
  { person, nowMs }: { readonly person: string | null; readonly nowMs: number },
): KeyRow | undefined {
  if (person === null) return undefined
  const own = keys
    .filter(({ createdBy }) => createdBy === person)
    .toSorted((one, other) => (one.id < other.id ? 1 : -1))
  const isUsable = ({ revokedMs, expiresMs }: KeyRow): boolean =>
    revokedMs === null && (expiresMs === null || expiresMs > nowMs)
  return own.find((key, index) => (index === 0 || isUsable(key)) && inheritedOf(key).length > 0)
}

/** Throws `not_allowed` where the person asked for limits of their own in place of those. */
export function withInheritedLimits(
  policy: KeyPolicy,
  limiting: KeyRow,
  asked: OperationInput<'key.create'>,
): KeyPolicy {
  const managed = inheritedOf(limiting)
  const field = managed.find((name) => isLimit(asked[name]))
  if (field !== undefined) {
    throw new TollgateError('not_allowed', {
      message: `An administrator set ${field} for your keys: leave it out, and the new key gets the same. An owner or admin of the organization can change it.`,
      param: field,
    })
  }
  const { budget, rates, models, requiredTags = null } = limiting.policy
  return {
    ...policy,
    ...(managed.includes('budget') ? { budget } : {}),
    ...(managed.includes('limits') ? { rates } : {}),
    ...(managed.includes('models') ? { models } : {}),
    ...(managed.includes('requiredTags') ? { requiredTags } : {}),
    managed,
  }
}

/** Whether both keys count on one budget and one rate. */
export const sharesUsage = (policy: KeyPolicy): boolean =>
  policy.managed?.some((field) => field === 'budget' || field === 'limits') === true
