/**
 * Whether an actor may use an operation, and on whose account: the one place that decides. Another account's objects
 * look exactly like missing ones.
 */
import type { Policy, PolicyOf, Role, Subject } from '../../contract/operation.ts'
import { type ErrorCode, TollgateError } from '../base/errors.ts'
import { parseId } from '../base/ids.ts'
import type { AccountRow } from '../ledger/types.ts'
import type { AccountScope, Actor, SignedIn } from './actor.ts'
import type { ControlDeps } from './control-deps.ts'

/** The input of an operation as far as it names a subject. */
export type ResourceRef = Readonly<Record<string, unknown>>

/** Rejects a kind of actor that no row of the operation speaks of, before its input is even read. */
export function authorizeActor(
  deps: Pick<ControlDeps, 'clock' | 'limits'>,
  policy: Policy,
  actor: Actor,
): void {
  switch (actor.kind) {
    case 'local':
      if (policy.kind === 'person' || !policy.local)
        throw notAllowed('This operation is not available in the CLI.')
      return
    case 'anyone':
      if (policy.kind !== 'public') throw new TollgateError('not_signed_in', { message: 'Sign in first.' })
      return
    case 'management_key':
      if (policy.kind === 'public') return
      if (policy.kind !== 'account' || policy.scope === null || !actor.scopes.includes(policy.scope))
        throw notAllowed('This management key does not have the required scope.')
      return
    case 'person':
      authorizePerson(deps, policy, actor)
  }
}

function authorizePerson(deps: Pick<ControlDeps, 'clock' | 'limits'>, policy: Policy, actor: SignedIn): void {
  if (policy.kind === 'person' && policy.recent) requireRecentLogin(deps, actor)
  if (policy.kind !== 'installation') return
  if (!actor.person.operator || policy.operator === 'no') throw notAllowed('Only administrators can do this.')
  if (policy.operator === 'recent') requireRecentLogin(deps, actor)
}

/** For things of one account: the account, when this actor may. Throws what a made-up id would get otherwise. */
export async function authorizeAccount(
  deps: ControlDeps,
  policy: PolicyOf<'account'>,
  actor: Actor,
  named: ResourceRef,
): Promise<AccountScope> {
  const account = await accountFinders[policy.subject](deps, actor, named)
  if (account === undefined) {
    await equalizeLookupTime(deps, policy.subject, actor)
    throw notFound(policy.subject, named)
  }
  if (actor.kind === 'local') return { actor, account, role: null }
  if (actor.kind === 'management_key' && actor.account === account.id) return { actor, account, role: null }
  if (actor.kind !== 'person') throw notFound(policy.subject, named)
  const role = await findRole(deps, actor.person.id, account)
  if (role !== null && policy.roles.includes(role)) {
    if (policy.recent) requireRecentLogin(deps, actor)
    return { actor, account, role }
  }
  if (actor.person.operator && policy.operator !== 'no') {
    if (policy.operator === 'recent') requireRecentLogin(deps, actor)
    return { actor, account, role }
  }
  if (role === null) throw notFound(policy.subject, named)
  throw notAllowed(`The role ${role} cannot do this.`)
}

/** A missing object takes as many lookups as another account's, so that timing does not distinguish the two. */
async function equalizeLookupTime(
  { ledger, identity }: ControlDeps,
  subject: Subject,
  actor: Actor,
): Promise<void> {
  if (subject !== 'account') await ledger.account(0n)
  if (actor.kind === 'person') await identity.listMemberships(actor.person.id)
}

/** The role of a person in an account; null: none. */
async function findRole(
  { identity }: Pick<ControlDeps, 'identity'>,
  person: string,
  { owner }: Pick<AccountRow, 'owner'>,
): Promise<Role | null> {
  if (owner === personOwner(person)) return 'owner'
  const memberships = await identity.listMemberships(person)
  return memberships.find(({ organization }) => owner === organizationOwner(organization))?.role ?? null
}

export const personOwner = (person: string) => `person:${person}`
export const organizationOwner = (organization: string) => `organization:${organization}`

function requireRecentLogin({ clock, limits }: Pick<ControlDeps, 'clock' | 'limits'>, actor: SignedIn): void {
  if (clock.wallMs() - actor.loginMs <= limits.recentLoginMs) return
  throw new TollgateError('login_too_old', { message: 'Sign in again to do this.' })
}

type AccountFinder = (deps: ControlDeps, actor: Actor, named: ResourceRef) => Promise<AccountRow | undefined>

/** How the account is found that a thing belongs to. */
const accountFinders: Readonly<Record<Subject, AccountFinder>> = {
  account: (deps, actor, named) => resolveAccount(deps, actor, named.account),
  async key(deps, _actor, named) {
    const id = parseId('key', String(named.key))
    const key = id === undefined ? undefined : await deps.access.key(id)
    return key === undefined ? undefined : deps.ledger.account(key.account)
  },
  async management_key(deps, _actor, named) {
    const id = parseId('mkey', String(named.managementKey))
    const key = id === undefined ? undefined : await deps.managementKeys.key(id)
    return key === undefined ? undefined : deps.ledger.account(key.account)
  },
  async request(deps, _actor, named) {
    const id = parseId('req', String(named.request))
    if (id === undefined) return undefined
    // In the order of its life: what ends between the two looks is found by the second one.
    const found = (await deps.ledger.running(id)) ?? (await deps.ledger.receipt(id))
    return found === undefined ? undefined : deps.ledger.account(found.account)
  },
  async top_up(deps, _actor, named) {
    const id = parseId('top', String(named.topUp))
    const account = id === undefined ? undefined : await deps.payments.accountOf(id)
    return account === undefined ? undefined : deps.ledger.account(account)
  },
}

async function resolveAccount(
  deps: ControlDeps,
  actor: Actor,
  reference: unknown,
): Promise<AccountRow | undefined> {
  if (typeof reference === 'string') return lookUpAccount(deps, reference)
  switch (actor.kind) {
    case 'person':
      return deps.ledger.accountByOwner(personOwner(actor.person.id))
    case 'management_key':
      return deps.ledger.account(actor.account)
    case 'local':
    case 'anyone':
      throw new TollgateError('missing_field', { message: 'account is missing.', param: 'account' })
  }
}

const notFoundErrors: Readonly<Record<Exclude<Subject, 'account'>, readonly [ErrorCode, string, string]>> = {
  key: ['key_not_found', 'key', 'No key has the ID'],
  management_key: ['key_not_found', 'managementKey', 'No management key has the ID'],
  request: ['generation_not_found', 'request', 'No request has the ID'],
  top_up: ['top_up_not_found', 'topUp', 'No top-up has the ID'],
}

/** The error of a made-up ID. */
export function notFound(subject: Subject, named: ResourceRef): TollgateError {
  if (subject === 'account') return accountNotFound(String(named.account ?? 'of this person'))
  const [code, param, words] = notFoundErrors[subject]
  return new TollgateError(code, { message: `${words} ${String(named[param])}.`, param })
}

function notAllowed(message: string): TollgateError {
  return new TollgateError('not_allowed', { message })
}

/** The setting that holds the id of the account that the first start made. */
export const localAccountSetting = 'local_account'

/** Throws 404 when there is none. `reference` has passed the contract's schema. */
export async function findAccount(
  deps: Pick<ControlDeps, 'ledger' | 'settings'>,
  reference: string,
): Promise<AccountRow> {
  const found = await lookUpAccount(deps, reference)
  if (found !== undefined) return found
  throw accountNotFound(reference)
}

export async function lookUpAccount(
  deps: Pick<ControlDeps, 'ledger' | 'settings'>,
  reference: string,
): Promise<AccountRow | undefined> {
  if (reference.includes('@')) return deps.ledger.accountByEmail(reference)
  const text = reference === 'local' ? await deps.settings.get(localAccountSetting) : reference
  const id = text === undefined ? undefined : parseId('acct', text)
  return id === undefined ? undefined : deps.ledger.account(id)
}

/** The accounts that rows name, each looked up once. */
export async function findAccounts(
  { ledger }: Pick<ControlDeps, 'ledger'>,
  rows: readonly { readonly account: bigint | null }[],
): Promise<ReadonlyMap<bigint | null, AccountRow>> {
  const ids = [...new Set(rows.flatMap(({ account }) => account ?? []))]
  const found = await Promise.all(ids.map((id) => ledger.account(id)))
  return new Map(found.flatMap((row) => (row === undefined ? [] : [[row.id, row]])))
}

function accountNotFound(reference: string): TollgateError {
  return new TollgateError('account_not_found', { message: notFoundMessage(reference), param: 'account' })
}

function notFoundMessage(reference: string): string {
  if (reference === 'local') return 'There is no local account. It is created on the first start.'
  const what = reference.includes('@') ? 'email address' : 'ID'
  return `No account has the ${what} ${reference}.`
}
