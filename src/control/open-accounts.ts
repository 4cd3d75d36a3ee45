/**
 * The accounts of people and organizations: created on first use, with the starting credit. Every
 * step can be repeated, so that what a crash left undone is done at the next use.
 */
import { formatUsd } from '../../contract/usd.ts'
import { assert } from '../base/assert.ts'
import { formatId } from '../base/ids.ts'
import type { Membership, Person } from '../identity/types.ts'
import type { AccountAssignment, AccountRow, NewAccount } from '../ledger/types.ts'
import { recordChange } from './audit.ts'
import { organizationOwner, personOwner } from './authorize.ts'
import type { ControlDeps } from './control-deps.ts'

type CreditBlocker = 'verification' | 'confirmation' | 'tomorrow' | null

type OpeningDeps = Pick<ControlDeps, 'audit' | 'clock' | 'ledger' | 'nextId'>
type PersonalAccountDeps = OpeningDeps & Pick<ControlDeps, 'access' | 'payments'>

type AccountDeps = Pick<ControlDeps, 'addressHash' | 'changes' | 'identity' | 'limits' | 'signupNano'> &
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
  return createAccount(deps, person, { kind: 'personal', owner, email, name }, {})
}

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
  const input = leaving === null ? {} : { leaving: formatId('acct', leaving) }
  const taken = await recordChange(
    deps,
    { actor: person.email, operation: 'account.take-over', account, input, address: null },
    () => deps.ledger.takeOver({ ...to, account, leaving }),
    (outcome) => (outcome === 'taken_over' ? 'done' : 'conflict'),
  )
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
  deps: OpeningDeps,
  person: Person,
  { organization, name }: Pick<Membership, 'organization' | 'name'>,
): Promise<AccountRow> {
  const owner = organizationOwner(organization)
  const found = await deps.ledger.accountByOwner(owner)
  if (found !== undefined) return updateOwnerDetails(deps, found, { owner, email: found.email, name })
  return createAccount(deps, person, { kind: 'organization', owner, email: null, name }, { organization })
}

/** No operation requests it, so it has an audit entry of its own. A concurrent request may have created it already. */
async function createAccount(
  deps: OpeningDeps,
  person: Person,
  { owner, ...account }: Pick<NewAccount, 'kind' | 'email' | 'name'> & { readonly owner: string },
  facts: { readonly organization?: string },
): Promise<AccountRow> {
  const id = deps.nextId()
  const nowMs = deps.clock.wallMs()
  const input = { kind: account.kind, ...facts }
  await recordChange(
    deps,
    { actor: person.email, operation: 'account.open', account: id, input, address: null },
    () => deps.ledger.createAccount({ ...account, owner, id, nowMs }),
    ({ kind }) => (kind === 'created' ? 'done' : 'conflict'),
  )
  const created = await deps.ledger.accountByOwner(owner)
  assert(created !== undefined, `${owner} has an account once one was made`)
  return created
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
  // Every window of the person stops waiting.
  deps.changes.publish(account, ['account', 'balance', 'billing'])
  const input = { amount: formatUsd(deps.signupNano) }
  const change = { operation: 'account.starting-credit', account, input, address: null }
  await recordChange(deps, { actor: person.email, ...change }, async () => {})
}

/** Everything that follows from a person being there, or being confirmed. */
export async function provisionAccount(deps: AccountDeps, person: Person): Promise<CreditBlocker> {
  const account = await openPersonalAccount(deps, person)
  const waitsFor = await giveStartingCredit(deps, person, account)
  deps.changes.publish(account.id, ['account'])
  return waitsFor
}

/** Hosts whose dots in the name before the @ mean nothing. */
const dotless: ReadonlySet<string> = new Set(['gmail.com', 'googlemail.com'])
const sameHost: Readonly<Record<string, string>> = { 'googlemail.com': 'gmail.com' }

export function foldAddress(email: string): string {
  const folded = email.trim().normalize('NFKC').toLowerCase()
  const at = folded.lastIndexOf('@')
  if (at < 0) return folded
  const host = folded.slice(at + 1)
  const untagged = folded.slice(0, at).replace(/\+.*$/s, '')
  const name = dotless.has(host) ? untagged.replaceAll('.', '') : untagged
  return `${name}@${sameHost[host] ?? host}`
}
