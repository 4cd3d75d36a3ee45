/** The verbs of this folder by the names of their operations. */
import { createKey } from './create.ts'
import { listKeys } from './list.ts'
import { revokeKey } from './revoke.ts'

export const keyVerbs = {
  'key.create': createKey,
  'key.list': listKeys,
  'key.revoke': revokeKey,
} as const
