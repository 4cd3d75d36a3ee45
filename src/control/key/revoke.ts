/** `key.revoke`: a key ends for good. */
import { accountVerb } from '../verb.ts'
import { changeable, missingKey } from './may-change.ts'

export const revokeKey = accountVerb('key.revoke', async (parts, { key }, who) => {
  const { id, account } = await changeable(parts, key, who)
  const result = await parts.access.revoke(id)
  if (result === 'not_found') throw missingKey(key)
  parts.changes.publish(account, ['keys'])
  return { id: key, revoked: true, already: result === 'already_revoked' }
})
