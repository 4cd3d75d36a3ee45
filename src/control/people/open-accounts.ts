/**
 * The accounts of people and organizations: made when they are first needed, and the starting credit with them. Every
 * step can be repeated, so that what a crash left undone is done at the next look.
 */
import { assert } from '../../base/assert.ts'
import { formatId } from '../../base/ids.ts'
import type { Membership, Person } from '../../identity/types.ts'
import type { AccountRow } from '../../ledger/types.ts'
import { organizationOwner, personOwner } from '../authorize.ts'
import type { ControlParts } from '../parts.ts'
import { foldAddress } from './fold-address.ts'

export type WaitsFor = 'verification' | 'confirmation' | 'tomorrow' | null

type PersonalParts = Pick<ControlParts, 'access' | 'clock' | 'ledger' | 'nextId' | 'payments'>

/** What account making needs. */
export type AccountParts = Pick<
  ControlParts,
  'addressHash' | 'changes' | 'identity' | 'limits' | 'signupNano'
> &
  PersonalParts

/**
 * The personal account. One that the command line made for a proven address is taken over; another one follows the
 * person's address, so that whoever has an address later is not taken for them.
 */
export async function openPersonalAccount(parts: PersonalParts, person: Person): Promise<AccountRow> {
  const owner = personOwner(person.id)
  const own = await parts.ledger.accountByOwner(owner)
  const reserved = await parts.ledger.accountByEmail(person.email)
  if (own !== undefined && own.id === reserved?.id) return own
  const isFree = reserved !== undefined && reserved.owner === null
  if (isFree && person.confirmed && (own === undefined || (await isUnused(parts, own)))) {
    return takeOver(parts, person, { reserved, own })
  }
  const email = reserved === undefined ? person.email : null
  if (own !== undefined) return own.email === email ? own : addressed(parts, own, { owner, email })
  await parts.ledger.createAccount({
    id: parts.nextId(),
    kind: 'personal',
    email,
    owner,
    name: person.name,
    nowMs: parts.clock.wallMs(),
  })
  return existing(parts, owner)
}

async function addressed(
  { ledger }: PersonalParts,
  own: AccountRow,
  { owner, email }: { readonly owner: string; readonly email: string | null },
): Promise<AccountRow> {
  await ledger.assign(own.id, { owner, email, name: own.name })
  return (await ledger.account(own.id)) ?? own
}

async function takeOver(
  { ledger }: PersonalParts,
  person: Person,
  { reserved, own }: { readonly reserved: AccountRow; readonly own: AccountRow | undefined },
): Promise<AccountRow> {
  if (own !== undefined) await ledger.assign(own.id, { owner: null, email: null, name: 'unused' })
  await ledger.assign(reserved.id, {
    owner: personOwner(person.id),
    email: person.email,
    name: person.name,
  })
  return (await ledger.account(reserved.id)) ?? reserved
}

/** Nothing is on it, nothing can be spent from it, and no payment is on its way to it. */
async function isUnused({ access, payments }: PersonalParts, account: AccountRow): Promise<boolean> {
  if (account.posted !== 0n || account.openHolds > 0) return false
  if ((await payments.topUps({ account: account.id, limit: 1, before: null })).length > 0) return false
  return (await access.list(account.id)).length === 0
}

/** The account of an organization; it starts at nothing. */
export async function openOrganizationAccount(
  parts: AccountParts,
  { organization, name }: Pick<Membership, 'organization' | 'name'>,
): Promise<AccountRow> {
  const owner = organizationOwner(organization)
  const found = await parts.ledger.accountByOwner(owner)
  if (found !== undefined) return found
  const nowMs = parts.clock.wallMs()
  await parts.ledger.createAccount({
    id: parts.nextId(),
    kind: 'organization',
    email: null,
    owner,
    name,
    nowMs,
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
  if (!person.confirmed) return parts.identity.facts.mail ? 'verification' : 'confirmation'
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
  // What the person waited for is over with it, in every window.
  if (given.kind === 'credited') parts.changes.publish(account.id, ['account', 'balance', 'billing'])
  return given.kind === 'day_is_full' ? 'tomorrow' : null
}

/** Everything that follows from a person being there, or being confirmed. */
export async function welcome(parts: AccountParts, person: Person): Promise<WaitsFor> {
  const account = await openPersonalAccount(parts, person)
  const waitsFor = await giveStartingCredit(parts, person, account)
  parts.changes.publish(account.id, ['account'])
  return waitsFor
}

export const accountText = (account: AccountRow) => formatId('acct', account.id)
