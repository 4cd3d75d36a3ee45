/** `key.create`: an API key with its permissions; its response is the only copy of the key. */
import { formatId } from '../../base/ids.ts'
import { accountOperationHandler } from '../handle-operation.ts'
import { creatorOf } from './authorize-change.ts'
import { expiryOf } from './expiry.ts'
import { assertUsableFallbacks } from './fallbacks.ts'
import { policyOf } from './policy.ts'
import { withinKeyQuota } from './quota.ts'

export const createKey = accountOperationHandler('key.create', async (deps, asked, { account, actor }) => {
  const nowMs = deps.clock.wallMs()
  const expiresMs = expiryOf(asked.expires, nowMs)
  const policy = policyOf(asked, account.kind)
  assertUsableFallbacks(policy, deps.catalog.snapshot)
  const keys = () => deps.access.list(account.id)
  const key = await withinKeyQuota({ keys, max: deps.limits.keysPerAccountMax, nowMs, noun: 'keys' }, () =>
    deps.access.create({
      account: account.id,
      name: asked.name,
      expiresMs,
      policy,
      createdBy: creatorOf(actor),
    }),
  )
  deps.changes.publish(account.id, ['keys'])
  return { id: formatId('key', key.id), key: key.secret }
})
