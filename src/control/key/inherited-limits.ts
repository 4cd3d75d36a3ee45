/**
 * What a developer's new key takes over from the limits that an owner or admin set on an earlier one: otherwise one more
 * key would be a way around them.
 */
import type { OperationInput } from '../../../contract/operations.ts'
import type { KeyPolicy, KeyRow, ManagedField } from '../../access/types.ts'
import { TollgateError } from '../../base/errors.ts'
import { isLimit } from './is-limit.ts'

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
