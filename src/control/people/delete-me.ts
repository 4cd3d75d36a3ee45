/**
 * `me.delete`: deletes a person, and with them the organizations that they alone own. Their accounts are suspended
 * first, so that an interruption leaves nothing that pays for requests; entries and receipts stay, because
 * ledger rows are permanent, without a name or an email address.
 */
import { assert } from '../../base/assert.ts'
import { TollgateError } from '../../base/errors.ts'
import type { Person } from '../../identity/types.ts'
import { organizationOwner, personOwner } from '../authorize.ts'
import type { ControlDeps } from '../control-deps.ts'
import { operationHandler } from '../handle-operation.ts'
import { beginAccountDeletion, type ClosingAccount, endAccountDeletion } from './account-deletions.ts'

export const deleteMe = operationHandler('me.delete', async (deps, { email }, { actor }) => {
  assert(actor.kind === 'person', 'the actor is signed in')
  const { person } = actor
  if (email !== person.email) {
    throw new TollgateError('invalid_value', {
      message: 'This is not the email address of your account.',
      param: 'email',
    })
  }
  const going = await beginAccountDeletion(deps, person.id, await accountsToClose(deps, person))
  for (const { account, wasSuspended } of going) {
    if (!wasSuspended) await deps.ledger.suspend(account, deps.clock.wallMs())
  }
  const outcome = await deps.identity.removePerson(person.id)
  await endAccountDeletion(deps, person.id, { going, isGone: outcome === 'removed' })
  if (outcome !== 'removed') throw deletionRefused(outcome)
  return { deleted: true }
})

/** Their own account, and those of organizations that have no other member: these are deleted with them. */
async function accountsToClose(
  { identity, ledger }: ControlDeps,
  { id }: Person,
): Promise<readonly ClosingAccount[]> {
  const owners: (readonly [owner: string, organization: string | null])[] = [[personOwner(id), null]]
  for (const { organization } of await identity.listMemberships(id)) {
    const isAlone = (await identity.listMembers(organization)).length === 1
    if (isAlone) owners.push([organizationOwner(organization), organization])
  }
  const going: ClosingAccount[] = []
  for (const [owner, organization] of owners) {
    const account = await ledger.accountByOwner(owner)
    if (account === undefined) continue
    going.push({ account: account.id, organization, wasSuspended: account.suspendedMs !== null })
  }
  return going
}

const refusalMessages = {
  last_operator: 'At least one administrator must remain. Make another user an administrator first.',
  only_owner:
    'You are the only owner of an organization. Make another member an owner, or delete the organization first.',
} as const

function deletionRefused(outcome: keyof typeof refusalMessages): TollgateError {
  return new TollgateError('conflict', { message: refusalMessages[outcome] })
}
