/** `key.revoke`: a key ends for good. */
import { accountOperationHandler } from '../handle-operation.ts'
import { changeableKey, missingKey } from './authorize-change.ts'

export const revokeKey = accountOperationHandler('key.revoke', async (parts, { key }, who) => {
  const { id, account } = await changeableKey(parts, key, who)
  const result = await parts.access.revoke(id)
  if (result === 'not_found') throw missingKey(key)
  parts.changes.publish(account, ['keys'])
  return { id: key, revoked: true, already: result === 'already_revoked' }
})
