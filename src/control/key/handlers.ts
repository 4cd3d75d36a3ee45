/** The handlers of this folder by the names of their operations. */
import { createKey } from './create.ts'
import { listKeys } from './list.ts'
import { createManagementKey, listManagementKeys, revokeManagementKey } from './management.ts'
import { revokeKey } from './revoke.ts'
import { rotateKey } from './rotate.ts'
import { updateKey } from './update.ts'

export const keyHandlers = {
  'key.create': createKey,
  'key.list': listKeys,
  'key.update': updateKey,
  'key.rotate': rotateKey,
  'key.revoke': revokeKey,
  'management-key.create': createManagementKey,
  'management-key.list': listManagementKeys,
  'management-key.revoke': revokeManagementKey,
} as const
