/**
 * `me.delete`: a person goes, and with them the organizations that were theirs alone. Their accounts are suspended
 * first, so that whatever cuts this short leaves nothing that works; entries and receipts stay, because a ledger
 * forgets nothing, without a name or an address.
 */
import { assert } from '../../base/assert.ts'
import { TollgateError } from '../../base/errors.ts'
import { formatId } from '../../base/ids.ts'
import type { Person } from '../../identity/types.ts'
import type { AccountRow } from '../../ledger/types.ts'
import { organizationOwner, personOwner } from '../authorize.ts'
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
  const going = await goingWith(parts, person)
  for (const { account } of going) await stop(parts, account)
  const outcome = await parts.identity.remove(person.id)
  for (const { account, organization } of going) {
    const isLeft = organization !== null && (await parts.identity.members(organization)).length > 0
    if (outcome !== 'removed' || isLeft) await letGoOn(parts, account)
    else await closeAccount(parts, account, person)
  }
  if (outcome !== 'removed') throw refusal(outcome)
  return { deleted: true }
})

interface Going {
  readonly account: AccountRow
  /** null: the personal account. */
  readonly organization: string | null
}

/** Their own account, and those of organizations in which nobody else is: with them these go too. */
async function goingWith({ identity, ledger }: ControlParts, { id }: Person): Promise<readonly Going[]> {
  const owners: (readonly [owner: string, organization: string | null])[] = [[personOwner(id), null]]
  for (const { organization } of await identity.memberships(id)) {
    const isAlone = (await identity.members(organization)).length === 1
    if (isAlone) owners.push([organizationOwner(organization), organization])
  }
  const going: Going[] = []
  for (const [owner, organization] of owners) {
    const account = await ledger.accountByOwner(owner)
    if (account !== undefined) going.push({ account, organization })
  }
  return going
}

/** One that is stopped already stays so for its own reason. */
async function stop({ ledger, clock }: ControlParts, { id, suspendedMs }: AccountRow): Promise<void> {
  if (suspendedMs === null) await ledger.suspend(id, clock.wallMs())
}

/** As it was before, unless a payment came into dispute meanwhile. */
async function letGoOn({ ledger, payments }: ControlParts, { id, suspendedMs }: AccountRow): Promise<void> {
  if (suspendedMs === null && (await payments.setting(id)).frozen === null) await ledger.suspend(id, null)
}

const reasons = {
  last_operator: 'Somebody must remain an administrator: make another person one first.',
  only_owner: 'An organization would have no owner: give it another one, or delete it, first.',
} as const

function refusal(outcome: keyof typeof reasons): TollgateError {
  return new TollgateError('conflict', { message: reasons[outcome] })
}

async function closeAccount(
  { access, ledger, log, managementKeys, payments }: ControlParts,
  account: AccountRow,
  person: Person,
): Promise<void> {
  for (const { id, revokedMs } of await access.list(account.id)) {
    if (revokedMs === null) await access.revoke(id)
  }
  for (const { id, revokedMs } of await managementKeys.list(account.id)) {
    if (revokedMs === null) await managementKeys.revoke(id)
  }
  const assigned = await ledger.assign(account.id, { owner: null, email: null, name: 'closed' })
  assert(assigned === 'assigned', `the account of ${person.id} is given back`)
  await payments.forgetMethod(account.id).catch((error: unknown) => {
    // It is forgotten here and can be used no more; what the provider keeps of it the operator removes there.
    log.warn({ err: error, account: formatId('acct', account.id) }, 'a method of payment was not forgotten')
  })
}
