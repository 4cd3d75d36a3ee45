/** `key.create`: an API key with what it may do; its answer is the only copy of the key. */
import { TollgateError } from '../../base/errors.ts'
import { formatId } from '../../base/ids.ts'
import { accountVerb } from '../verb.ts'
import { policyOf } from './policy.ts'

export const createKey = accountVerb('key.create', async (parts, asked, { account }) => {
  const expiresMs = asked.expires === undefined || asked.expires === null ? null : Date.parse(asked.expires)
  if (expiresMs !== null && expiresMs <= parts.clock.wallMs()) {
    throw new TollgateError('invalid_value', { message: 'expires: must be in the future.', param: 'expires' })
  }
  const key = await parts.access.create({
    account: account.id,
    name: asked.name,
    expiresMs,
    policy: policyOf(asked, account.kind),
  })
  return { id: formatId('key', key.id), key: key.secret }
})
