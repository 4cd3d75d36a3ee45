/** `key.create`: an API key with its permissions; its response is the only copy of the key. */
import { formatId } from '../../base/ids.ts'
import { accountOperationHandler } from '../handle-operation.ts'
import { creatorOf } from './authorize-change.ts'
import { expiryOf } from './expiry.ts'
import { assertUsableFallbacks } from './fallbacks.ts'
import { limitingKeyOf, sharesUsage, withInheritedLimits } from './inherited-limits.ts'
import { policyOf } from './policy.ts'
import { withinKeyQuota } from './quota.ts'

export const createKey = accountOperationHandler(
  'key.create',
  async (deps, asked, { account, actor, role }) => {
    const nowMs = deps.clock.wallMs()
    const expiresMs = expiryOf(asked.expires, nowMs)
    const createdBy = creatorOf(actor)
    const keys = () => deps.access.list(account.id)
    const quota = { keys, max: deps.limits.keysPerAccountMax, nowMs, noun: 'keys' }
    const key = await withinKeyQuota(quota, async () => {
      const limiting =
        role === 'developer' ? limitingKeyOf(await keys(), { person: createdBy, nowMs }) : undefined
      const wanted = policyOf(asked, account.kind)
      const policy = limiting === undefined ? wanted : withInheritedLimits(wanted, limiting, asked)
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
)
