/** `key.revoke`: a key ends for good. */
import { TollgateError } from '../../base/errors.ts'
import { parseId } from '../../base/ids.ts'
import { accountVerb } from '../verb.ts'

export const revokeKey = accountVerb('key.revoke', async (parts, { key }) => {
  const id = parseId('key', key)
  const result = id === undefined ? 'not_found' : await parts.access.revoke(id)
  if (result === 'not_found') {
    throw new TollgateError('key_not_found', { message: `No key has the id ${key}.`, param: 'key' })
  }
  return { id: key, revoked: true, already: result === 'already_revoked' }
})
