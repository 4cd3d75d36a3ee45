/** `management-key.*`: keys of this API, each for one account and its scopes. */
import type { Role, Scope } from '../../contract/operation.ts'
import { type OperationOutput, operations } from '../../contract/operations.ts'
import type { ManagementKeyRow } from '../access/types.ts'
import { TollgateError } from '../base/errors.ts'
import { formatId } from '../base/ids.ts'
import type { OperationHandlers } from './control-deps.ts'
import { parseExpiry } from './key-policy.ts'
import { withinKeyQuota } from './keys.ts'
import { isoTime, isoTimeOrNull, parseGivenId } from './values.ts'

export const managementKeyHandlers = {
  'management-key.create': async (deps, { name, scopes, expires }, { account, role }) => {
    const nowMs = deps.clock.wallMs()
    const expiresMs = parseExpiry(expires, nowMs)
    const beyond = scopes.find((scope) => !mayGrant(role, scope))
    if (beyond !== undefined) {
      throw new TollgateError('not_allowed', {
        message: `You cannot grant ${beyond}, because you do not have it.`,
      })
    }
    const { managementKeys, limits } = deps
    const keys = () => managementKeys.list(account.id)
    const max = limits.keysPerAccountMax
    const asked = { account: account.id, name, scopes: [...new Set(scopes)], expiresMs }
    const made = await withinKeyQuota({ keys, max, nowMs, noun: 'management keys' }, () =>
      managementKeys.create(asked),
    )
    deps.changes.publish(account.id, ['keys'])
    return { id: formatId('mkey', made.id), key: made.secret }
  },

  'management-key.list': async (deps, _input, { account }) =>
    (await deps.managementKeys.list(account.id)).map(managementKeyOutput),

  'management-key.revoke': async (deps, { managementKey }, { account }) => {
    await deps.managementKeys.revoke(parseGivenId('mkey', managementKey))
    deps.changes.publish(account.id, ['keys'])
    return { id: managementKey, revoked: true }
  },
} satisfies Partial<OperationHandlers>

type ManagementKeyOut = OperationOutput<'management-key.list'>[number]

/** A scope is never wider than the issuer's role: whatever it opens is open to the role. */
function mayGrant(role: Role | null, scope: Scope): boolean {
  return Object.values(operations).every(
    ({ policy }) =>
      policy.kind !== 'account' || policy.scope !== scope || (role !== null && policy.roles.includes(role)),
  )
}

function managementKeyOutput(row: ManagementKeyRow): ManagementKeyOut {
  return {
    id: formatId('mkey', row.id),
    account: formatId('acct', row.account),
    name: row.name,
    label: row.label,
    scopes: [...row.scopes],
    created: isoTime(row.createdMs),
    expires: isoTimeOrNull(row.expiresMs),
    lastUsed: isoTimeOrNull(row.lastUsedMs),
    revoked: isoTimeOrNull(row.revokedMs),
  }
}
