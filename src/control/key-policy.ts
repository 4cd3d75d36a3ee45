/** The policy of a key: by default, as asked for, and inherited from a key that others limited. */
import type { OperationInput } from '../../contract/operations.ts'
import type { ManagedField } from '../../contract/values.ts'
import { policyDefaults } from '../access/policy.ts'
import type { KeyPolicy, KeyRow } from '../access/types.ts'
import { TollgateError } from '../base/errors.ts'
import type { Snapshot } from '../catalog/types.ts'
import type { AccountRow } from '../ledger/types.ts'
import { invalidValue, parseAmount } from './values.ts'

type AskedPolicy = Omit<OperationInput<'key.update'>, 'key'>

/** Members of an organization do not see its balance. */
export function defaultPolicy(kind: AccountRow['kind']): KeyPolicy {
  return { ...policyDefaults, showBalance: kind === 'personal' }
}

/** Fields that are left out stay; null takes a limit away. */
export function changePolicy(before: KeyPolicy, { limits = {}, budget, ...asked }: AskedPolicy): KeyPolicy {
  return {
    ...replaceGiven(before, asked),
    rates: replaceGiven(before.rates, limits),
    budget: budget
      ? { ...budget, amount: parseAmount(budget.amount) }
      : budget === null
        ? null
        : before.budget,
  }
}

/** Fields that both have; of what was asked for, undefined is left out. */
function replaceGiven<Values extends object>(
  before: Values,
  asked: { readonly [Name in keyof Values]?: Values[Name] | undefined },
): Values {
  const given = Object.entries(asked).filter(([name, value]) => name in before && value !== undefined)
  return { ...before, ...(Object.fromEntries(given) as Partial<Values>) }
}

/** null: never. Throws `invalid_value` for a time that has come already. */
export function parseExpiry(asked: string | null | undefined, nowMs: number): number | null {
  if (asked === undefined || asked === null) return null
  const expiresMs = Date.parse(asked)
  if (expiresMs > nowMs) return expiresMs
  throw invalidValue('expires', 'must be in the future')
}

/** Throws where a request could never use one of them: each is enabled, and one that the key may use. */
export function assertUsableFallbacks(
  { fallbacks, models }: Pick<KeyPolicy, 'fallbacks' | 'models'>,
  snapshot: Pick<Snapshot, 'models'>,
): void {
  for (const name of fallbacks ?? []) {
    const model = snapshot.models.get(name)
    if (model === undefined) throw unusableFallback(`Unknown model ${JSON.stringify(name)}.`)
    if (models !== null && !models.includes(name) && !models.includes(model.name))
      throw unusableFallback(`${name} is not one of the models that this key may use.`)
  }
}

const unusableFallback = (message: string): TollgateError =>
  new TollgateError('invalid_value', { message, param: 'fallbacks' })

/** Null, false and limits that are all null limit nothing. */
export function isLimit(value: AskedPolicy[ManagedField]): boolean {
  if (value === null || value === undefined || value === false) return false
  if (typeof value !== 'object' || Array.isArray(value)) return true
  return Object.values(value).some((part) => part !== null && part !== undefined)
}

/**
 * A developer's new key takes over these limits, which an owner or admin set on an earlier one: otherwise one more key would
 * be a way around them. When one key expires, or that it is disabled, is about that key alone.
 */
const inheritedFields = [
  'budget',
  'limits',
  'models',
  'requiredTags',
] as const satisfies readonly ManagedField[]

const listInherited = ({ policy }: KeyRow): readonly (typeof inheritedFields)[number][] =>
  inheritedFields.filter((field) => policy.managed.includes(field))

/** The latest key that this person made and others limited: one that is in use, or else the last one of all. */
export function findLimitingKey(
  keys: readonly KeyRow[],
  { person, nowMs }: { readonly person: string | null; readonly nowMs: number },
): KeyRow | undefined {
  if (person === null) return undefined
  const own = keys
    .filter(({ createdBy }) => createdBy === person)
    .toSorted((one, other) => (one.id < other.id ? 1 : -1))
  const isUsable = ({ revokedMs, expiresMs }: KeyRow): boolean =>
    revokedMs === null && (expiresMs === null || expiresMs > nowMs)
  return own.find((key, index) => (index === 0 || isUsable(key)) && listInherited(key).length > 0)
}

/** Throws `not_allowed` where the person asked for limits of their own in place of those. */
export function inheritLimits(
  policy: KeyPolicy,
  limiting: KeyRow,
  asked: OperationInput<'key.create'>,
): KeyPolicy {
  const managed = listInherited(limiting)
  const field = managed.find((name) => isLimit(asked[name]))
  if (field !== undefined) {
    throw new TollgateError('not_allowed', {
      message: `An administrator set ${field} for your keys: leave it out, and the new key gets the same. An owner or admin of the organization can change it.`,
      param: field,
    })
  }
  const { budget, rates, models, requiredTags } = limiting.policy
  return {
    ...policy,
    ...(managed.includes('budget') ? { budget } : {}),
    ...(managed.includes('limits') ? { rates } : {}),
    ...(managed.includes('models') ? { models } : {}),
    ...(managed.includes('requiredTags') ? { requiredTags } : {}),
    managed,
  }
}

/** Whether the key counts on the budget and the rates of the one that it inherited them from. */
export const sharesUsage = ({ managed }: KeyPolicy): boolean =>
  managed.includes('budget') || managed.includes('limits')
