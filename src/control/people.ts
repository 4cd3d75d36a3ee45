/** `people.*`: users, invitations and approvals, and who is an administrator. */

import type { OperationOutput } from '../../contract/operations.ts'
import { TollgateError } from '../base/errors.ts'
import { formatId } from '../base/ids.ts'
import type { Person } from '../identity/types.ts'
import { personOwner } from './authorize.ts'
import type { ControlDeps, OperationHandlers } from './control-deps.ts'
import { provisionAccount } from './open-accounts.ts'
import { isoTime, isoTimeOrNull } from './values.ts'

export const peopleHandlers = {
  'people.list': async (deps, { state, search, limit }) => {
    const people = await deps.identity.listPeople({ state, search: search ?? null, limit })
    return Promise.all(people.map((person) => personOutput(deps, person)))
  },

  'people.confirm': async (deps, { person }) => {
    const found = await findPerson(deps, person)
    const confirmed = found.confirmed ? found : await deps.identity.confirm(found.id)
    await provisionAccount(deps, confirmed)
    return personOutput(deps, confirmed)
  },

  'people.operator': async (deps, { person, operator }) => {
    const found = await findPerson(deps, person)
    if ((await deps.identity.setOperator(found.id, operator)) === 'last') {
      throw new TollgateError('conflict', {
        message: 'At least one administrator must remain.',
        param: 'operator',
      })
    }
    return personOutput(deps, { ...found, operator })
  },

  'people.reset-link': async (deps, { person }) => {
    const found = await findPerson(deps, person)
    const { link, expiresMs } = await deps.identity.createResetLink(found.id)
    return { link, expires: isoTime(expiresMs) }
  },

  'people.invite': async (deps, { email }) => {
    const { link, sent, expiresMs } = await deps.identity.invite(email)
    return { link, sent, expires: isoTime(expiresMs) }
  },

  'people.invitations': async (deps, { limit }) => {
    const open = await deps.identity.listInvitations(limit)
    return open.map(({ email, createdMs, expiresMs }) => ({
      email,
      created: isoTime(createdMs),
      expires: isoTime(expiresMs),
    }))
  },

  'people.withdraw-invitation': async (deps, { email }) => ({
    withdrawn: await deps.identity.withdrawInvitation(email),
  }),
} satisfies Partial<OperationHandlers>

type PersonOut = OperationOutput<'people.confirm'>

/** A person as administrators see them. */
async function personOutput(deps: ControlDeps, person: Person): Promise<PersonOut> {
  const account = await deps.ledger.accountByOwner(personOwner(person.id))
  return {
    ...ownOutput(person),
    lastSeen: isoTimeOrNull(person.lastSeenMs),
    account: account === undefined ? null : formatId('acct', account.id),
  }
}

/** People as they see themselves. */
export function ownOutput(person: Person): Omit<PersonOut, 'account' | 'lastSeen'> {
  const { id, name, email, verified, confirmed, operator, twoFactor } = person
  return { id, name, email, verified, confirmed, operator, twoFactor, created: isoTime(person.createdMs) }
}

/** By id or e-mail address. */
async function findPerson({ identity }: Pick<ControlDeps, 'identity'>, reference: string): Promise<Person> {
  const found = reference.includes('@')
    ? await identity.findPersonByEmail(reference.toLowerCase())
    : await identity.findPerson(reference)
  if (found !== undefined) return found
  throw new TollgateError('person_not_found', {
    message: `No user matches ${JSON.stringify(reference)}.`,
    param: 'person',
  })
}
