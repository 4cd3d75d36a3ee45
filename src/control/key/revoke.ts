/** `key.revoke`: ends a key permanently. */
import { accountOperationHandler } from '../handle-operation.ts'
import { findChangeableKey, keyNotFound } from './authorize-change.ts'

export const revokeKey = accountOperationHandler('key.revoke', async (deps, { key }, who) => {
  const { id, account } = await findChangeableKey(deps, key, who)
  const result = await deps.access.revoke(id)
  if (result === 'not_found') throw keyNotFound(key)
  deps.changes.publish(account, ['keys'])
  return { id: key, revoked: true, already: result === 'already_revoked' }
})
