/**
 * The accounts of people and organizations: made when they are first needed, and the starting credit with them. Every
 * step can be repeated, so that what a crash left undone is done at the next look.
 */
import { formatUsd } from '../../../contract/usd.ts'
import { assert } from '../../base/assert.ts'
import { formatId } from '../../base/ids.ts'
import type { Membership, Person } from '../../identity/types.ts'
import type { AccountAssignment, AccountRow } from '../../ledger/types.ts'
import { organizationOwner, personOwner } from '../authorize.ts'
import type { ControlParts } from '../parts.ts'
import { auditedChange } from './audited-change.ts'
import { foldAddress } from './fold-address.ts'

export type WaitsFor = 'verification' | 'confirmation' | 'tomorrow' | null

type PersonalParts = Pick<ControlParts, 'access' | 'audit' | 'clock' | 'ledger' | 'nextId' | 'payments'>

/** What account making needs. */
export type AccountParts = Pick<
  ControlParts,
  'addressHash' | 'changes' | 'identity' | 'limits' | 'signupNano'
> &
  PersonalParts

/**
 * The personal account. One that the command line made for a proven address is taken over; another one follows the
 * person's name and address, so that whoever has an address later is not taken for them.
 */
export async function openPersonalAccount(parts: PersonalParts, person: Person): Promise<AccountRow> {
  const owner = personOwner(person.id)
  const own = await parts.ledger.accountByOwner(owner)
  const reserved = await parts.ledger.accountByEmail(person.email)
  const { name } = person
  if (own !== undefined && own.id === reserved?.id)
    return following(parts, own, { owner, email: own.email, name })
  const isFree = reserved !== undefined && reserved.owner === null
  if (isFree && person.confirmed && (own === undefined || (await isUnused(parts, own)))) {
    const taken = await takeOver(parts, person, { reserved, own })
    if (taken !== undefined) return taken
  }
  const email = reserved === undefined ? person.email : null
  if (own !== undefined) return following(parts, own, { owner, email, name })
  const id = parts.nextId()
  const account = { id, email, owner, name, nowMs: parts.clock.wallMs() }
  await auditedChange(parts, {
    person,
    operation: 'account.open',
    account: id,
    input: { kind: 'personal' },
    run: () => parts.ledger.createAccount({ ...account, kind: 'personal' }),
    tell: toldOfMade,
  })
  return existing(parts, owner)
}

/** Somebody else's question made it in the same moment. */
const toldOfMade = ({ kind }: { kind: 'created' | 'exists' }): string =>
  kind === 'created' ? 'done' : 'conflict'

/** Whoever looks for an account looks for what its owner is called now. */
async function following(
  { ledger }: Pick<ControlParts, 'ledger'>,
  own: AccountRow,
  to: AccountAssignment,
): Promise<AccountRow> {
  if (own.email === to.email && own.name === to.name) return own
  await ledger.assign(own.id, to)
  return (await ledger.account(own.id)) ?? own
}

/** undefined: somebody else got it meanwhile, or what would be left behind came into use. */
export async function takeOver(
  parts: PersonalParts,
  person: Person,
  { reserved, own }: { readonly reserved: AccountRow; readonly own: AccountRow | undefined },
): Promise<AccountRow | undefined> {
  const { id: account } = reserved
  const to = { owner: personOwner(person.id), email: person.email, name: person.name }
  const leaving = own?.id ?? null
  const taken = await auditedChange(parts, {
    person,
    operation: 'account.take-over',
    account,
    input: leaving === null ? {} : { leaving: formatId('acct', leaving) },
    run: () => parts.ledger.takeOver({ ...to, account, leaving }),
    tell: (outcome) => (outcome === 'taken_over' ? 'done' : 'conflict'),
  })
  return taken === 'taken_over' ? parts.ledger.account(account) : undefined
}

/** Nothing is on it, nothing can be spent from it, and no payment is on its way to it. */
async function isUnused({ access, payments }: PersonalParts, account: AccountRow): Promise<boolean> {
  if (account.posted !== 0n || account.openHolds > 0) return false
  if ((await payments.topUps({ account: account.id, limit: 1, before: null })).length > 0) return false
  return (await access.list(account.id)).length === 0
}

/** The account of an organization, which is called like it; it starts at nothing. */
export async function openOrganizationAccount(
  parts: Pick<PersonalParts, 'audit' | 'clock' | 'ledger' | 'nextId'>,
  person: Person,
  { organization, name }: Pick<Membership, 'organization' | 'name'>,
): Promise<AccountRow> {
  const owner = organizationOwner(organization)
  const found = await parts.ledger.accountByOwner(owner)
  if (found !== undefined) return following(parts, found, { owner, email: found.email, name })
  const id = parts.nextId()
  const account = { id, email: null, owner, name, nowMs: parts.clock.wallMs() }
  await auditedChange(parts, {
    person,
    operation: 'account.open',
    account: id,
    input: { kind: 'organization', organization },
    run: () => parts.ledger.createAccount({ ...account, kind: 'organization' }),
    tell: toldOfMade,
  })
  return existing(parts, owner)
}

async function existing({ ledger }: Pick<ControlParts, 'ledger'>, owner: string): Promise<AccountRow> {
  const account = await ledger.accountByOwner(owner)
  assert(account !== undefined, `${owner} has an account once one was made`)
  return account
}

/** Gives the starting credit where it is due; tells what it still waits for. */
export async function giveStartingCredit(
  parts: AccountParts,
  person: Person,
  account: AccountRow,
): Promise<WaitsFor> {
  if (!person.confirmed) return parts.identity.summary.mail ? 'verification' : 'confirmation'
  if (parts.signupNano === 0n) return null
  const given = await parts.ledger.signupCredit({
    entryId: parts.nextId(),
    account: account.id,
    person: person.id,
    addressHash: parts.addressHash(foldAddress(person.email)),
    amount: parts.signupNano,
    perDayMax: parts.limits.signupNanoPerDayMax,
    nowMs: parts.clock.wallMs(),
  })
  if (given.kind === 'credited') await tellOfCredit(parts, person, account)
  return given.kind === 'day_is_full' ? 'tomorrow' : null
}

/** Asked for at every look and given once: only the one time is written down, after it, as its entry was before. */
async function tellOfCredit(parts: AccountParts, person: Person, { id: account }: AccountRow): Promise<void> {
  // What the person waited for is over with it, in every window.
  parts.changes.publish(account, ['account', 'balance', 'billing'])
  const input = { amount: formatUsd(parts.signupNano) }
  const done = { run: async () => {}, tell: () => 'done' }
  await auditedChange(parts, { person, operation: 'account.starting-credit', account, input, ...done })
}

/** Everything that follows from a person being there, or being confirmed. */
export async function provisionAccount(parts: AccountParts, person: Person): Promise<WaitsFor> {
  const account = await openPersonalAccount(parts, person)
  const waitsFor = await giveStartingCredit(parts, person, account)
  parts.changes.publish(account.id, ['account'])
  return waitsFor
}
