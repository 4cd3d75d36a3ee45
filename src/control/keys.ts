/** `key.*`: API keys: who may create, change and end one, and as it is shown. Never the secret, except once. */

import type { OperationInput, OperationOutput } from '../../contract/operations.ts'
import { formatUsd } from '../../contract/usd.ts'
import { type ManagedField, managedField } from '../../contract/values.ts'
import type { KeyRow, RotationRejection } from '../access/types.ts'
import { assert } from '../base/assert.ts'
import { TollgateError } from '../base/errors.ts'
import { formatId } from '../base/ids.ts'
import { createMutex } from '../base/mutex.ts'
import type { AccountScope, Actor } from './actor.ts'
import { notFound } from './authorize.ts'
import type { ControlDeps, OperationHandlers } from './control-deps.ts'
import {
  assertUsableFallbacks,
  changePolicy,
  defaultPolicy,
  findLimitingKey,
  inheritLimits,
  isLimit,
  parseExpiry,
  sharesUsage,
} from './key-policy.ts'
import { isoTime, isoTimeOrNull, parseGivenId } from './values.ts'

export const keyHandlers = {
  'key.create': async (deps, asked, { account, actor, role }) => {
    const nowMs = deps.clock.wallMs()
    const expiresMs = parseExpiry(asked.expires, nowMs)
    const createdBy = findCreator(actor)
    const keys = () => deps.access.list(account.id)
    const quota = { keys, max: deps.limits.keysPerAccountMax, nowMs, noun: 'keys' }
    const key = await withinKeyQuota(quota, async () => {
      const limiting =
        role === 'developer' ? findLimitingKey(await keys(), { person: createdBy, nowMs }) : undefined
      const wanted = changePolicy(defaultPolicy(account.kind), asked)
      const policy = limiting === undefined ? wanted : inheritLimits(wanted, limiting, asked)
      assertUsableFallbacks(policy, deps.catalog.snapshot)
      const id = deps.nextId()
      // Before the key exists, so that it never has a separate usage row.
      if (limiting !== undefined && sharesUsage(policy))
        await deps.ledger.shareKeyUsage(id, limiting.id, account.id)
      return deps.access.create({ id, account: account.id, name: asked.name, expiresMs, policy, createdBy })
    })
    deps.changes.publish(account.id, ['keys'])
    return { id: formatId('key', key.id), key: key.secret }
  },

  'key.list': async (deps, _input, { account }) => keyOutputs(deps, await deps.access.list(account.id)),

  /** In force from the next request on; running streams end if they are no longer permitted. */
  'key.update': async (deps, asked, who) => {
    const updated = await deps.access.update(parseGivenId('key', asked.key), (row) => {
      authorizeKeyChange(who, row)
      const { name, expires, disabled } = asked
      const managed = nextManagedFields(who, row, asked)
      const expiresMs = parseExpiry(expires, deps.clock.wallMs())
      const policy = { ...changePolicy(row.policy, asked), managed }
      // A model may have been disabled since it was listed: only a change of the list is rejected.
      if (asked.fallbacks !== undefined || asked.models !== undefined)
        assertUsableFallbacks(policy, deps.catalog.snapshot)
      return {
        ...(name === undefined ? {} : { name }),
        ...(expires === undefined ? {} : { expiresMs }),
        ...(disabled === undefined ? {} : { disabled }),
        policy,
      }
    })
    if (updated.kind === 'not_found') throw notFound('key', asked)
    if (updated.kind === 'revoked')
      throw new TollgateError('conflict', { message: 'A revoked key cannot be changed.', param: 'key' })
    deps.changes.publish(who.account.id, ['keys'])
    const [output] = await keyOutputs(deps, [updated.row])
    assert(output !== undefined, 'one key is shown as one')
    return output
  },

  'key.rotate': async (deps, { key, overlapHours }, who) => {
    const old = await findChangeableKey(deps, key, who)
    const newId = deps.nextId()
    // Before the key exists, so that it never has a separate usage row.
    await deps.ledger.shareKeyUsage(newId, old.id, old.account)
    const rotated = await deps.access.rotate(old.id, {
      newId,
      overlapMs: overlapHours * hourMs,
      createdBy: findCreator(who.actor),
    })
    switch (rotated.kind) {
      case 'not_found':
        throw notFound('key', { key })
      case 'rejected':
        throw new TollgateError('conflict', { message: rotationRejections[rotated.because], param: 'key' })
      case 'rotated':
        deps.changes.publish(old.account, ['keys'])
        return {
          id: formatId('key', newId),
          key: rotated.secret,
          replaces: key,
          expires: isoTime(rotated.expiresMs),
        }
    }
  },

  'key.revoke': async (deps, { key }, who) => {
    const { id, account } = await findChangeableKey(deps, key, who)
    const result = await deps.access.revoke(id)
    if (result === 'not_found') throw notFound('key', { key })
    deps.changes.publish(account, ['keys'])
    return { id: key, revoked: true, already: result === 'already_revoked' }
  },
} satisfies Partial<OperationHandlers>

/**
 * The fields that the developer who made the key cannot change: those that someone else limited, until the limit is
 * removed. Throws `not_allowed` where a developer changes such a field.
 */
function nextManagedFields(
  { actor, role }: AccountScope,
  { policy, createdBy }: KeyRow,
  asked: OperationInput<'key.update'>,
): readonly ManagedField[] {
  const before = policy.managed
  const changed = managedField.options.filter((field) => asked[field] !== undefined)
  if (role === 'developer') {
    const field = changed.find((name) => before.includes(name))
    if (field === undefined) return before
    throw new TollgateError('not_allowed', {
      message: `An administrator set ${field} for this key; an owner or admin of the organization can change it.`,
      param: field,
    })
  }
  if (createdBy === findCreator(actor)) return before
  return managedField.options.filter((field) => {
    if (isLimit(asked[field])) return true
    if (!before.includes(field) || !changed.includes(field)) return before.includes(field)
    // Where one rate is no longer limited, the others may be.
    return field === 'limits' && isLimit(changePolicy(policy, asked).rates)
  })
}

const hourMs = 3_600_000

const rotationRejections: Readonly<Record<RotationRejection, string>> = {
  revoked: 'A revoked key cannot be rotated. Create a new one.',
  expired: 'The key has expired. Set a later expiration date first, or create a new key.',
  disabled: 'The key is disabled. Enable it first.',
  replaced: 'This key was already rotated. Rotate its replacement.',
}

/** Stored with a key when it is created; null: the command line or a management key. */
function findCreator(actor: Actor): string | null {
  return actor.kind === 'person' ? actor.person.id : null
}

/** Owners and admins change every key of the account, developers those that they made. Throws `not_allowed`. */
function authorizeKeyChange({ actor, role }: AccountScope, key: Pick<KeyRow, 'createdBy'>): void {
  if (role !== 'developer' || key.createdBy === findCreator(actor)) return
  throw new TollgateError('not_allowed', {
    message: 'Another member created this key. Only an owner or admin of the organization can change it.',
  })
}

/** The key that an operation names, once its actor was found to be one who may change it. */
async function findChangeableKey(
  { access, builtInKeys }: Pick<ControlDeps, 'access' | 'builtInKeys'>,
  key: string,
  who: AccountScope,
): Promise<KeyRow> {
  const row = await access.key(parseGivenId('key', key))
  if (row === undefined) throw notFound('key', { key })
  authorizeKeyChange(who, row)
  if (!(await builtInKeys.isBuiltIn(row.id))) return row
  throw new TollgateError('conflict', {
    message: 'This is the playground key, which has no secret to rotate or revoke. Disable it instead.',
    param: 'key',
  })
}

interface KeyQuota {
  /** All keys of the account, as they are when it is their turn. */
  readonly keys: () => Promise<
    readonly { readonly revokedMs: number | null; readonly expiresMs: number | null }[]
  >
  readonly max: number
  readonly nowMs: number
  /** How they are called: `management keys`. */
  readonly noun: string
}

/** Two that are made in the same moment would both find the last place. */
const serialize = createMutex()

/** Throws `conflict` when the account has all the keys it can have; revoked and expired ones do not count. */
export function withinKeyQuota<Made>(
  { keys, max, nowMs, noun }: KeyQuota,
  make: () => Promise<Made>,
): Promise<Made> {
  return serialize(async () => {
    const live = (await keys()).filter(
      ({ revokedMs, expiresMs }) => revokedMs === null && (expiresMs === null || expiresMs > nowMs),
    )
    if (live.length < max) return make()
    throw new TollgateError('conflict', {
      message: `An account has at most ${max} ${noun}. Revoke one that is no longer in use.`,
    })
  })
}

type KeyOut = OperationOutput<'key.list'>[number]

/** Keys of one account, as the control plane shows them. */
async function keyOutputs(deps: ControlDeps, rows: readonly KeyRow[]): Promise<KeyOut[]> {
  const [first] = rows
  if (first === undefined) return []
  const builtIn = await deps.builtInKeys.of(first.account)
  const uses = await deps.usage.keyActivity(rows.map(({ id }) => id))
  return Promise.all(
    rows.map(async (row) => {
      const use = uses.get(row.id)
      assert(use !== undefined, 'usage knows every key that it is asked for')
      return {
        ...(await keyFields(deps, row)),
        builtIn: row.id === builtIn,
        lastUsed: isoTimeOrNull(use.lastUsedMs),
        spent: formatUsd(use.spent),
      }
    }),
  )
}

async function keyFields(
  { ledger, clock }: ControlDeps,
  row: KeyRow,
): Promise<Omit<KeyOut, 'builtIn' | 'lastUsed' | 'spent'>> {
  const { budget, models, requiredTags, fallbacks, rates, managed, ...plain } = row.policy
  const inWindow = budget === null ? null : await ledger.keySpend(row.id, budget.window, clock.wallMs())
  return {
    id: formatId('key', row.id),
    account: formatId('acct', row.account),
    name: row.name,
    label: row.label,
    created: isoTime(row.createdMs),
    expires: isoTimeOrNull(row.expiresMs),
    revoked: isoTimeOrNull(row.revokedMs),
    disabled: row.disabled,
    budget: budget === null ? null : { ...budget, amount: formatUsd(budget.amount) },
    models: models && [...models],
    requiredTags: requiredTags && [...requiredTags],
    fallbacks: fallbacks && [...fallbacks],
    limits: rates,
    ...plain,
    managed: [...managed],
    createdBy: row.createdBy,
    spentInWindow: inWindow === null ? null : formatUsd(inWindow.spent),
    replacedBy: row.replacedBy === null ? null : formatId('key', row.replacedBy),
  }
}
