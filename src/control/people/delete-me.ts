/**
 * `me.delete`: a person goes. The account is suspended first, so that whatever cuts this short leaves nothing that
 * works; its entries and receipts stay, because a ledger forgets nothing, without a name or an address.
 */
import { assert } from '../../base/assert.ts'
import { TollgateError } from '../../base/errors.ts'
import type { Person } from '../../identity/types.ts'
import type { AccountRow } from '../../ledger/types.ts'
import { personOwner } from '../authorize.ts'
import type { ControlParts } from '../parts.ts'
import { verb } from '../verb.ts'

export const deleteMe = verb('me.delete', async (parts, { email }, { actor }) => {
  assert(actor.kind === 'person', 'somebody is signed in')
  const { person } = actor
  if (email !== person.email) {
    throw new TollgateError('invalid_value', {
      message: 'This is not the e-mail address of this person.',
      param: 'email',
    })
  }
  const account = await parts.ledger.accountByOwner(personOwner(person.id))
  const wasSuspendedMs = account?.suspendedMs ?? null
  if (account !== undefined) await parts.ledger.suspend(account.id, parts.clock.wallMs())
  const outcome = await parts.identity.remove(person.id)
  if (outcome !== 'removed') {
    if (account !== undefined) await parts.ledger.suspend(account.id, wasSuspendedMs)
    throw refusal(outcome)
  }
  if (account !== undefined) await closeAccount(parts, account, person)
  return { deleted: true }
})

const reasons = {
  last_operator: 'Somebody must remain an operator: make another person one first.',
  only_owner: 'An organization would have no owner: give it another one, or delete it, first.',
} as const

function refusal(outcome: keyof typeof reasons): TollgateError {
  return new TollgateError('conflict', { message: reasons[outcome] })
}

async function closeAccount(
  { access, ledger }: ControlParts,
  account: AccountRow,
  person: Person,
): Promise<void> {
  for (const { id, revokedMs } of await access.list(account.id)) {
    if (revokedMs === null) await access.revoke(id)
  }
  const assigned = await ledger.assign(account.id, { owner: null, email: null, name: 'closed' })
  assert(assigned === 'assigned', `the account of ${person.id} is given back`)
}
