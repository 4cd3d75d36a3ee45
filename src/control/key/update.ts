/** `key.update`: the permissions of a key from the next request on; running streams end if they are no longer permitted. */
import type { OperationInput } from '../../../contract/operations.ts'
import {
  type KeyChange,
  type KeyPolicy,
  type KeyRow,
  type ManagedField,
  managedFields,
} from '../../access/types.ts'
import { TollgateError } from '../../base/errors.ts'
import { parseId } from '../../base/ids.ts'
import type { AccountScope } from '../actor.ts'
import { nanoOf } from '../amount.ts'
import { accountOperationHandler } from '../handle-operation.ts'
import { authorizeKeyChange, creatorOf, keyNotFound } from './authorize-change.ts'
import { expiryOf } from './expiry.ts'
import { assertUsableFallbacks } from './fallbacks.ts'
import { isLimit } from './is-limit.ts'
import { keyOutput } from './output.ts'

type KeyUpdateInput = OperationInput<'key.update'>

export const updateKey = accountOperationHandler('key.update', async (deps, asked, who) => {
  const id = parseId('key', asked.key)
  if (id === undefined) throw keyNotFound(asked.key)
  const updated = await deps.access.update(id, (row) => {
    authorizeKeyChange(who, row)
    const managed = nextManagedFields(who, row, asked)
    const change = keyChangeOf(asked, { ...row.policy, managed }, deps.clock.wallMs())
    // What was allowed before may have been disabled since: only a change of the list is refused.
    if (asked.fallbacks !== undefined || asked.models !== undefined)
      assertUsableFallbacks(change.policy ?? row.policy, deps.catalog.snapshot)
    return change
  })
  switch (updated.kind) {
    case 'updated':
      deps.changes.publish(who.account.id, ['keys'])
      return keyOutput(deps, updated.row)
    case 'revoked':
      throw new TollgateError('conflict', { message: 'A revoked key cannot be changed.', param: 'key' })
    case 'not_found':
      throw keyNotFound(asked.key)
  }
})

function keyChangeOf(asked: KeyUpdateInput, policy: KeyPolicy, nowMs: number): KeyChange {
  return {
    ...(asked.name === undefined ? {} : { name: asked.name }),
    ...(asked.expires === undefined ? {} : { expiresMs: expiryOf(asked.expires, nowMs) }),
    ...(asked.disabled === undefined ? {} : { disabled: asked.disabled }),
    policy: changedPolicy(asked, policy),
  }
}

/** What is left out stays; null takes a limit away. */
function changedPolicy(asked: KeyUpdateInput, before: KeyPolicy): KeyPolicy {
  const { limits = {}, budget, models, requiredTags, fallbacks } = asked
  const { rates } = before
  const or = <Value>(given: Value | undefined, otherwise: Value): Value =>
    given === undefined ? otherwise : given
  return {
    rates: {
      requestsPerMinute: or(limits.requestsPerMinute, rates.requestsPerMinute),
      tokensPerMinute: or(limits.tokensPerMinute, rates.tokensPerMinute),
      concurrent: or(limits.concurrent, rates.concurrent),
    },
    budget: budget ? { amount: nanoOf(budget.amount), window: budget.window } : or(budget, before.budget),
    models: or(models, before.models),
    requiredTags: or(requiredTags, before.requiredTags ?? null),
    fallbacks: or(fallbacks, before.fallbacks ?? null),
    onShortBalance: asked.onShortBalance ?? before.onShortBalance,
    showBalance: asked.showBalance ?? before.showBalance,
    showCost: asked.showCost ?? before.showCost,
    automaticCaching: asked.automaticCaching ?? before.automaticCaching ?? 'conversations',
    ...(before.managed === undefined ? {} : { managed: before.managed }),
  }
}

/**
 * The fields that the developer who made the key cannot change: those that someone else limited, until the limit is
 * removed. Throws `not_allowed` where a developer changes such a field.
 */
function nextManagedFields(
  { actor, role }: AccountScope,
  { policy, createdBy }: KeyRow,
  asked: KeyUpdateInput,
): readonly ManagedField[] {
  const before = policy.managed ?? []
  const changed = managedFields.filter((field) => asked[field] !== undefined)
  if (role === 'developer') {
    const field = changed.find((name) => before.includes(name))
    if (field === undefined) return before
    throw new TollgateError('not_allowed', {
      message: `An administrator set ${field} for this key; an owner or admin of the organization can change it.`,
      param: field,
    })
  }
  if (createdBy === creatorOf(actor)) return before
  return managedFields.filter((field) => {
    if (isLimit(asked[field])) return true
    if (!before.includes(field) || !changed.includes(field)) return before.includes(field)
    // Where one rate is no longer limited, the others may be.
    return field === 'limits' && isLimit(changedPolicy(asked, policy).rates)
  })
}
