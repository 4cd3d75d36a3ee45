/** `key.create`: an API key with what it may do; its answer is the only copy of the key. */
import { TollgateError } from '../../base/errors.ts'
import { formatId } from '../../base/ids.ts'
import { findAccount } from '../find-account.ts'
import { verb } from '../verb.ts'
import { policyOf } from './policy.ts'

export const createKey = verb('key.create', async (parts, asked) => {
  const row = await findAccount(parts, asked.account)
  const expiresMs = asked.expires === undefined ? null : Date.parse(asked.expires)
  if (expiresMs !== null && expiresMs <= parts.clock.wallMs()) {
    throw new TollgateError('invalid_value', { message: 'expires: must be in the future.', param: 'expires' })
  }
  const key = await parts.access.create({
    account: row.id,
    name: asked.name,
    expiresMs,
    policy: policyOf(asked, row.kind),
  })
  return { id: formatId('key', key.id), key: key.secret }
})
