/**
 * The accounts of people and organizations: created on first use, with the starting credit. Every
 * step can be repeated, so that what a crash left undone is done at the next use.
 */
import { formatUsd } from '../../../contract/usd.ts'
import { assert } from '../../base/assert.ts'
import { formatId } from '../../base/ids.ts'
import type { Membership, Person } from '../../identity/types.ts'
import type { AccountAssignment, AccountRow } from '../../ledger/types.ts'
import { organizationOwner, personOwner } from '../authorize.ts'
import type { ControlDeps } from '../control-deps.ts'
import { auditedChange } from './audited-change.ts'
import { foldAddress } from './fold-address.ts'

export type CreditBlocker = 'verification' | 'confirmation' | 'tomorrow' | null

type PersonalAccountDeps = Pick<ControlDeps, 'access' | 'audit' | 'clock' | 'ledger' | 'nextId' | 'payments'>

/** What account making needs. */
export type AccountDeps = Pick<
  ControlDeps,
  'addressHash' | 'changes' | 'identity' | 'limits' | 'signupNano'
> &
  PersonalAccountDeps

/**
 * The personal account. One that the command line made for a proven address is taken over; another one follows the
 * person's name and address, so that a later owner of the address is not mistaken for them.
 */
export async function openPersonalAccount(deps: PersonalAccountDeps, person: Person): Promise<AccountRow> {
  const owner = personOwner(person.id)
  const own = await deps.ledger.accountByOwner(owner)
  const reserved = await deps.ledger.accountByEmail(person.email)
  const { name } = person
  if (own !== undefined && own.id === reserved?.id)
    return updateOwnerDetails(deps, own, { owner, email: own.email, name })
  const isFree = reserved !== undefined && reserved.owner === null
  if (isFree && person.confirmed && (own === undefined || (await isUnused(deps, own)))) {
    const taken = await takeOverAccount(deps, person, { reserved, own })
    if (taken !== undefined) return taken
  }
  const email = reserved === undefined ? person.email : null
  if (own !== undefined) return updateOwnerDetails(deps, own, { owner, email, name })
  const id = deps.nextId()
  const account = { id, email, owner, name, nowMs: deps.clock.wallMs() }
  await auditedChange(deps, {
    person,
    operation: 'account.open',
    account: id,
    input: { kind: 'personal' },
    run: () => deps.ledger.createAccount({ ...account, kind: 'personal' }),
    outcomeText: creationOutcome,
  })
  return requireAccount(deps, owner)
}

/** A concurrent request created it. */
const creationOutcome = ({ kind }: { kind: 'created' | 'exists' }): string =>
  kind === 'created' ? 'done' : 'conflict'

/** Accounts are found by their owner's current name. */
async function updateOwnerDetails(
  { ledger }: Pick<ControlDeps, 'ledger'>,
  own: AccountRow,
  to: AccountAssignment,
): Promise<AccountRow> {
  if (own.email === to.email && own.name === to.name) return own
  await ledger.assign(own.id, to)
  return (await ledger.account(own.id)) ?? own
}

/** undefined: another person got it in the meantime, or what would be abandoned came into use. */
export async function takeOverAccount(
  deps: PersonalAccountDeps,
  person: Person,
  { reserved, own }: { readonly reserved: AccountRow; readonly own: AccountRow | undefined },
): Promise<AccountRow | undefined> {
  const { id: account } = reserved
  const to = { owner: personOwner(person.id), email: person.email, name: person.name }
  const leaving = own?.id ?? null
  const taken = await auditedChange(deps, {
    person,
    operation: 'account.take-over',
    account,
    input: leaving === null ? {} : { leaving: formatId('acct', leaving) },
    run: () => deps.ledger.takeOver({ ...to, account, leaving }),
    outcomeText: (outcome) => (outcome === 'taken_over' ? 'done' : 'conflict'),
  })
  return taken === 'taken_over' ? deps.ledger.account(account) : undefined
}

/** Nothing is on it, nothing can be spent from it, and no payment is on its way to it. */
async function isUnused({ access, payments }: PersonalAccountDeps, account: AccountRow): Promise<boolean> {
  if (account.posted !== 0n || account.openHolds > 0) return false
  if ((await payments.topUps({ account: account.id, limit: 1, before: null })).length > 0) return false
  return (await access.list(account.id)).length === 0
}

/** The account of an organization, which is called like it; it starts at nothing. */
export async function openOrganizationAccount(
  deps: Pick<PersonalAccountDeps, 'audit' | 'clock' | 'ledger' | 'nextId'>,
  person: Person,
  { organization, name }: Pick<Membership, 'organization' | 'name'>,
): Promise<AccountRow> {
  const owner = organizationOwner(organization)
  const found = await deps.ledger.accountByOwner(owner)
  if (found !== undefined) return updateOwnerDetails(deps, found, { owner, email: found.email, name })
  const id = deps.nextId()
  const account = { id, email: null, owner, name, nowMs: deps.clock.wallMs() }
  await auditedChange(deps, {
    person,
    operation: 'account.open',
    account: id,
    input: { kind: 'organization', organization },
    run: () => deps.ledger.createAccount({ ...account, kind: 'organization' }),
    outcomeText: creationOutcome,
  })
  return requireAccount(deps, owner)
}

async function requireAccount({ ledger }: Pick<ControlDeps, 'ledger'>, owner: string): Promise<AccountRow> {
  const account = await ledger.accountByOwner(owner)
  assert(account !== undefined, `${owner} has an account once one was made`)
  return account
}

/** Gives the starting credit where it is due; tells what it still waits for. */
export async function giveStartingCredit(
  deps: AccountDeps,
  person: Person,
  account: AccountRow,
): Promise<CreditBlocker> {
  if (!person.confirmed) return deps.identity.summary.mail ? 'verification' : 'confirmation'
  if (deps.signupNano === 0n) return null
  const given = await deps.ledger.signupCredit({
    entryId: deps.nextId(),
    account: account.id,
    person: person.id,
    addressHash: deps.addressHash(foldAddress(person.email)),
    amount: deps.signupNano,
    perDayMax: deps.limits.signupNanoPerDayMax,
    nowMs: deps.clock.wallMs(),
  })
  if (given.kind === 'credited') await recordStartingCredit(deps, person, account)
  return given.kind === 'day_is_full' ? 'tomorrow' : null
}

/** Asked for at every look and given once: only the one time is written down, after it, as its entry was before. */
async function recordStartingCredit(
  deps: AccountDeps,
  person: Person,
  { id: account }: AccountRow,
): Promise<void> {
  // What the person waited for is over with it, in every window.
  deps.changes.publish(account, ['account', 'balance', 'billing'])
  const input = { amount: formatUsd(deps.signupNano) }
  const done = { run: async () => {}, outcomeText: () => 'done' }
  await auditedChange(deps, { person, operation: 'account.starting-credit', account, input, ...done })
}

/** Everything that follows from a person being there, or being confirmed. */
export async function provisionAccount(deps: AccountDeps, person: Person): Promise<CreditBlocker> {
  const account = await openPersonalAccount(deps, person)
  const waitsFor = await giveStartingCredit(deps, person, account)
  deps.changes.publish(account.id, ['account'])
  return waitsFor
}
