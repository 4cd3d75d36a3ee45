/** `people.*`: who is here, who may come in, who runs the installation. */
import { TollgateError } from '../../base/errors.ts'
import { operationHandler } from '../handle-operation.ts'
import { isoTime } from '../iso-time.ts'
import { provisionAccount } from './open-accounts.ts'
import { findPerson, personOutput } from './output.ts'

export const listPeople = operationHandler('people.list', async (parts, { state, search, limit }) => {
  const people = await parts.identity.listPeople({ state, search: search ?? null, limit })
  return Promise.all(people.map((person) => personOutput(parts, person)))
})

export const confirmPerson = operationHandler('people.confirm', async (parts, { person }) => {
  const found = await findPerson(parts, person)
  const confirmed = found.confirmed ? found : await parts.identity.confirm(found.id)
  await provisionAccount(parts, confirmed)
  return personOutput(parts, confirmed)
})

export const setOperator = operationHandler('people.operator', async (parts, { person, operator }) => {
  const found = await findPerson(parts, person)
  if ((await parts.identity.setOperator(found.id, operator)) === 'last') {
    throw new TollgateError('conflict', {
      message: 'Somebody must remain an administrator.',
      param: 'operator',
    })
  }
  return personOutput(parts, { ...found, operator })
})

export const makeResetLink = operationHandler('people.reset-link', async (parts, { person }) => {
  const found = await findPerson(parts, person)
  const { link, expiresMs } = await parts.identity.createResetLink(found.id)
  return { link, expires: isoTime(expiresMs) }
})

export const invitePerson = operationHandler('people.invite', async (parts, { email }) => {
  const { link, sent, expiresMs } = await parts.identity.invite(email)
  return { link, sent, expires: isoTime(expiresMs) }
})
