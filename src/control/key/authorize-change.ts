/** Who may change which key of an account, and who made one: the one place that decides. */
import type { KeyRow } from '../../access/types.ts'
import { TollgateError } from '../../base/errors.ts'
import { parseId } from '../../base/ids.ts'
import type { AccountScope, Actor } from '../actor.ts'
import type { ControlDeps } from '../control-deps.ts'

/** Stored with a key when it is created; null: the command line or a management key. */
export function creatorOf(actor: Actor): string | null {
  return actor.kind === 'person' ? actor.person.id : null
}

/** Owners and admins change every key of the account, developers those that they made. Throws `not_allowed`. */
export function authorizeKeyChange({ actor, role }: AccountScope, key: Pick<KeyRow, 'createdBy'>): void {
  if (role !== 'developer' || key.createdBy === creatorOf(actor)) return
  throw new TollgateError('not_allowed', {
    message: 'Another member created this key. Only an owner or admin of the organization can change it.',
  })
}

/** The key that an operation names, once its actor was found to be one who may change it. */
export async function findChangeableKey(
  { access, builtInKeys }: Pick<ControlDeps, 'access' | 'builtInKeys'>,
  text: string,
  who: AccountScope,
): Promise<KeyRow> {
  const id = parseId('key', text)
  const row = id === undefined ? undefined : await access.key(id)
  if (row === undefined) throw keyNotFound(text)
  authorizeKeyChange(who, row)
  if (!(await builtInKeys.isBuiltIn(row.id))) return row
  throw new TollgateError('conflict', {
    message: 'This is the playground key, which has no secret to rotate or revoke. Disable it instead.',
    param: 'key',
  })
}

export function keyNotFound(text: string): TollgateError {
  return new TollgateError('key_not_found', { message: `No key has the ID ${text}.`, param: 'key' })
}
