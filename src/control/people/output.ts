/** A person as the control plane shows them. */
import type { OperationOutput } from '../../../contract/operations.ts'
import { TollgateError } from '../../base/errors.ts'
import { formatId } from '../../base/ids.ts'
import type { Person } from '../../identity/types.ts'
import { personOwner } from '../authorize.ts'
import type { ControlDeps } from '../control-deps.ts'
import { isoTime, isoTimeOrNull } from '../iso-time.ts'

export type PersonOut = OperationOutput<'people.confirm'>

export async function personOutput(deps: ControlDeps, person: Person): Promise<PersonOut> {
  const account = await deps.ledger.accountByOwner(personOwner(person.id))
  return {
    ...ownOutput(person),
    lastSeen: isoTimeOrNull(person.lastSeenMs),
    account: account === undefined ? null : formatId('acct', account.id),
  }
}

export function ownOutput(person: Person): Omit<PersonOut, 'account' | 'lastSeen'> {
  const { id, name, email, verified, confirmed, operator, twoFactor } = person
  return { id, name, email, verified, confirmed, operator, twoFactor, created: isoTime(person.createdMs) }
}

/** By id or e-mail address. */
export async function findPerson(
  { identity }: Pick<ControlDeps, 'identity'>,
  reference: string,
): Promise<Person> {
  const found = reference.includes('@')
    ? await identity.findPersonByEmail(reference.toLowerCase())
    : await identity.findPerson(reference)
  if (found !== undefined) return found
  throw new TollgateError('person_not_found', {
    message: `No user matches ${JSON.stringify(reference)}.`,
    param: 'person',
  })
}
