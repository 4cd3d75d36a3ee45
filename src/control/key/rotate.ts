/** `key.rotate`: a new key replaces another one, on the same budget; its response is the only copy of it. */
import type { Rotation } from '../../access/types.ts'
import { TollgateError } from '../../base/errors.ts'
import { formatId } from '../../base/ids.ts'
import { accountOperationHandler } from '../handle-operation.ts'
import { isoTime } from '../iso-time.ts'
import { creatorOf, findChangeableKey, keyNotFound } from './authorize-change.ts'

const hourMs = 3_600_000

type RotationRefusal = Extract<Rotation, { kind: 'refused' }>['because']

const refusalMessages: Readonly<Record<RotationRefusal, string>> = {
  revoked: 'A revoked key cannot be rotated. Create a new one.',
  expired: 'The key has expired. Set a later expiration date first, or create a new key.',
  disabled: 'The key is disabled. Enable it first.',
  replaced: 'This key was already rotated. Rotate its replacement.',
}

export const rotateKey = accountOperationHandler('key.rotate', async (deps, { key, overlapHours }, who) => {
  const old = await findChangeableKey(deps, key, who)
  const newId = deps.nextId()
  // Before the key exists, so that it never has a separate usage row.
  await deps.ledger.shareKeyUsage(newId, old.id, old.account)
  const rotated = await deps.access.rotate(old.id, {
    newId,
    overlapMs: overlapHours * hourMs,
    createdBy: creatorOf(who.actor),
  })
  switch (rotated.kind) {
    case 'not_found':
      throw keyNotFound(key)
    case 'refused':
      throw new TollgateError('conflict', { message: refusalMessages[rotated.because], param: 'key' })
    case 'rotated':
      deps.changes.publish(old.account, ['keys'])
      return {
        id: formatId('key', newId),
        key: rotated.secret,
        replaces: key,
        expires: isoTime(rotated.expiresMs),
      }
  }
})
