/** `key.create`: an API key with what it may do; its answer is the only copy of the key. */
import { TollgateError } from '../../base/errors.ts'
import { formatId } from '../../base/ids.ts'
import type { ControlParts } from '../parts.ts'
import { accountVerb } from '../verb.ts'
import { expiryOf } from './expiry.ts'
import { makerOf } from './may-change.ts'
import { policyOf } from './policy.ts'

export const createKey = accountVerb('key.create', async (parts, asked, { account, actor }) => {
  const expiresMs = expiryOf(asked.expires, parts.clock.wallMs())
  await mustHaveRoom(parts, account.id)
  const key = await parts.access.create({
    account: account.id,
    name: asked.name,
    expiresMs,
    policy: policyOf(asked, account.kind),
    createdBy: makerOf(actor),
  })
  parts.changes.publish(account.id, ['keys'])
  return { id: formatId('key', key.id), key: key.secret }
})

/** Throws `conflict` when the account has all the keys it can have; revoked ones do not count. */
async function mustHaveRoom({ access, limits }: ControlParts, account: bigint): Promise<void> {
  const live = (await access.list(account)).filter(({ revokedMs }) => revokedMs === null)
  if (live.length < limits.keysPerAccountMax) return
  throw new TollgateError('conflict', {
    message: `An account has at most ${limits.keysPerAccountMax} keys. Revoke one that is not used.`,
  })
}
