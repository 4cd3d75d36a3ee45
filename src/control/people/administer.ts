/** `people.*`: users, invitations and approvals, and who is an administrator. */
import { TollgateError } from '../../base/errors.ts'
import { operationHandler } from '../handle-operation.ts'
import { isoTime } from '../iso-time.ts'
import { provisionAccount } from './open-accounts.ts'
import { findPerson, personOutput } from './output.ts'

export const listPeople = operationHandler('people.list', async (deps, { state, search, limit }) => {
  const people = await deps.identity.listPeople({ state, search: search ?? null, limit })
  return Promise.all(people.map((person) => personOutput(deps, person)))
})

export const confirmPerson = operationHandler('people.confirm', async (deps, { person }) => {
  const found = await findPerson(deps, person)
  const confirmed = found.confirmed ? found : await deps.identity.confirm(found.id)
  await provisionAccount(deps, confirmed)
  return personOutput(deps, confirmed)
})

export const setOperator = operationHandler('people.operator', async (deps, { person, operator }) => {
  const found = await findPerson(deps, person)
  if ((await deps.identity.setOperator(found.id, operator)) === 'last') {
    throw new TollgateError('conflict', {
      message: 'At least one administrator must remain.',
      param: 'operator',
    })
  }
  return personOutput(deps, { ...found, operator })
})

export const makeResetLink = operationHandler('people.reset-link', async (deps, { person }) => {
  const found = await findPerson(deps, person)
  const { link, expiresMs } = await deps.identity.createResetLink(found.id)
  return { link, expires: isoTime(expiresMs) }
})

export const invitePerson = operationHandler('people.invite', async (deps, { email }) => {
  const { link, sent, expiresMs } = await deps.identity.invite(email)
  return { link, sent, expires: isoTime(expiresMs) }
})

export const listInvitations = operationHandler('people.invitations', async (deps, { limit }) => {
  const open = await deps.identity.listInvitations(limit)
  return open.map(({ email, createdMs, expiresMs }) => ({
    email,
    created: isoTime(createdMs),
    expires: isoTime(expiresMs),
  }))
})

export const withdrawInvitation = operationHandler('people.withdraw-invitation', async (deps, { email }) => ({
  withdrawn: await deps.identity.withdrawInvitation(email),
}))
