/** `me.show`: the signed-in user, and the accounts they act for; creates what is still missing. */
import type { OperationOutput } from '../../../contract/operations.ts'
import { assert } from '../../base/assert.ts'
import { formatId } from '../../base/ids.ts'
import { operationHandler } from '../handle-operation.ts'
import { giveStartingCredit, openOrganizationAccount, openPersonalAccount } from './open-accounts.ts'
import { ownOutput } from './output.ts'

type Acting = OperationOutput<'me.show'>['accounts'][number]

export const showMe = operationHandler('me.show', async (deps, _input, { actor }) => {
  assert(actor.kind === 'person', 'the actor is signed in')
  const { person } = actor
  const own = await openPersonalAccount(deps, person)
  const waitsFor = await giveStartingCredit(deps, person, own)
  const accounts: Acting[] = [
    {
      account: formatId('acct', own.id),
      kind: 'personal',
      name: person.name,
      role: 'owner',
      organization: null,
      suspended: own.suspendedMs !== null,
    },
  ]
  for (const membership of await deps.identity.listMemberships(person.id)) {
    const account = await openOrganizationAccount(deps, person, membership)
    accounts.push({
      account: formatId('acct', account.id),
      kind: 'organization',
      name: membership.name,
      role: membership.role,
      organization: membership.organization,
      suspended: account.suspendedMs !== null,
    })
  }
  return {
    person: ownOutput(person),
    recent: deps.clock.wallMs() - actor.loginMs <= deps.limits.recentLoginMs,
    accounts,
    waitsFor,
  }
})
