/** `me.*`: the signed-in user: the accounts they act for, their data as a file, and their deletion. */
import type { OperationOutput } from '../../contract/operations.ts'
import { assert } from '../base/assert.ts'
import { TollgateError } from '../base/errors.ts'
import { formatId, parseId } from '../base/ids.ts'
import type { Person } from '../identity/types.ts'
import { accountOutput } from './accounts.ts'
import type { Actor } from './actor.ts'
import { organizationOwner, personOwner } from './authorize.ts'
import { readBatches } from './batches.ts'
import type { ControlDeps, OperationHandlers } from './control-deps.ts'
import { giveStartingCredit, openOrganizationAccount, openPersonalAccount } from './open-accounts.ts'
import { ownOutput } from './people.ts'
import { receiptOutputs } from './requests.ts'
import { isoTime, isoTimeOrNull } from './values.ts'

export const meHandlers = {
  /** Creates what is still missing. */
  'me.show': async (deps, _input, { actor }) => {
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
  },

  'me.export': async (deps, _input, { actor }) => {
    const { id } = actor.person
    const account = await deps.ledger.accountByOwner(personOwner(id))
    return deps.usage.makingFile(account?.id ?? noAccount, async () => {
      const atMs = deps.clock.wallMs()
      const content = {
        exported: isoTime(atMs),
        person: await deps.identity.exportPerson(id),
        account: account === undefined ? null : accountOutput(account),
        keys: account === undefined ? [] : await exportKeys(deps, account.id),
        providerKeys: account === undefined ? [] : exportProviderKeys(deps, account.id),
      }
      const texts: string[] = []
      if (account !== undefined)
        for await (const text of requestTexts(deps, actor, account.id)) texts.push(text)
      const name = `tollgate-export-${isoTime(atMs).slice(0, 10)}.json`
      return { name, text: exportText(content, texts) }
    })
  },

  /**
   * Deletes a person, and with them the organizations that they alone own. Their accounts are suspended
   * first, so that an interruption leaves nothing that pays for requests; entries and receipts stay, because
   * ledger rows are permanent, without a name or an email address.
   */
  'me.delete': async (deps, { email }, { actor }) => {
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
    if (outcome !== 'removed') throw new TollgateError('conflict', { message: deletionRejections[outcome] })
    return { deleted: true }
  },
} satisfies Partial<OperationHandlers>

type Acting = OperationOutput<'me.show'>['accounts'][number]

/** Latest receipts in the export of user data. */
const exportReceiptsMax = 20_000
/** No account has this id. */
const noAccount = -1n

/** The content as JSON, with the requests as its last member, a line for each. */
function exportText(content: object, requests: readonly string[]): string {
  const open = JSON.stringify(content, null, 2).replace(/\n\}$/, '')
  return `${open},\n  "requests": [\n${requests.join(',\n')}\n  ]\n}\n`
}

async function exportKeys({ access }: ControlDeps, account: bigint) {
  const keys = await access.list(account)
  return keys.map(({ id, name, label, createdMs, expiresMs, revokedMs }) => ({
    id: formatId('key', id),
    name,
    label,
    created: isoTime(createdMs),
    expires: isoTimeOrNull(expiresMs),
    revoked: isoTimeOrNull(revokedMs),
  }))
}

function exportProviderKeys({ providerKeys }: ControlDeps, account: bigint) {
  return providerKeys.list(account).map(({ provider, use, credentialEnd, createdMs, updatedMs }) => ({
    ...{ provider, use, credentialEnd },
    created: isoTime(createdMs),
    updated: isoTime(updatedMs),
  }))
}

/** The latest ones, as lines of JSON in batches. */
async function* requestTexts(deps: ControlDeps, actor: Actor, account: bigint): AsyncGenerator<string, void> {
  const sizes = { rowsMax: exportReceiptsMax, batchRows: 250 }
  const batches = readBatches(sizes, ({ limit, before }) => deps.ledger.receipts(account, limit, before))
  for await (const receipts of batches) {
    const outputs = await receiptOutputs(deps, receipts, actor)
    if (outputs.length > 0) yield outputs.map((output) => `    ${JSON.stringify(output)}`).join(',\n')
  }
}

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

const deletionRejections = {
  last_operator: 'At least one administrator must remain. Make another user an administrator first.',
  only_owner:
    'You are the only owner of an organization. Make another member an owner, or delete the organization first.',
} as const

interface ClosingAccount {
  readonly account: bigint
  /** null: the personal account. */
  readonly organization: string | null
  /** The account was suspended already, for another reason. */
  readonly wasSuspended: boolean
}

const deletionPrefix = 'departure:'
const deletionName = (person: string) => `${deletionPrefix}${person}`

interface StoredClosingAccount extends Omit<ClosingAccount, 'account'> {
  readonly account: string
}

/**
 * People are stored in another database than accounts, so a deletion is recorded before it begins and cleared when it is done:
 * an interrupted one is completed at the next start, or undone for a person who still exists. Returns all that is to be done,
 * with what an earlier try left.
 */
async function beginAccountDeletion(
  { settings }: Pick<ControlDeps, 'settings'>,
  person: string,
  going: readonly ClosingAccount[],
): Promise<readonly ClosingAccount[]> {
  const earlier = parseClosingAccounts((await settings.get(deletionName(person))) ?? '[]')
  const known = new Set(earlier.map(({ account }) => account))
  const all = [...earlier, ...going.filter(({ account }) => !known.has(account))]
  const written = all.map((one): StoredClosingAccount => ({ ...one, account: formatId('acct', one.account) }))
  await settings.put(deletionName(person), JSON.stringify(written))
  return all
}

function parseClosingAccounts(text: string): readonly ClosingAccount[] {
  return (JSON.parse(text) as readonly StoredClosingAccount[]).map((one) => {
    const account = parseId('acct', one.account)
    assert(account !== undefined, 'a departure names accounts')
    return { ...one, account }
  })
}

/** `isGone`: the person is not there any more. */
async function endAccountDeletion(
  deps: ControlDeps,
  person: string,
  { going, isGone }: { readonly going: readonly ClosingAccount[]; readonly isGone: boolean },
): Promise<void> {
  for (const one of going) {
    const { organization } = one
    const isLeft = organization !== null && (await deps.identity.listMembers(organization)).length > 0
    if (isGone && !isLeft) await closeAccount(deps, one.account)
    else await reopenAccount(deps, one)
  }
  await deps.settings.remove(deletionName(person))
}

/** At a start, before anybody can ask to go: what an earlier process could not end. What fails again waits for the next one. */
export async function finishAccountDeletions(deps: ControlDeps): Promise<void> {
  for (const { name, value } of await deps.settings.listByPrefix(deletionPrefix)) {
    const person = name.slice(deletionPrefix.length)
    try {
      const isGone = (await deps.identity.findPerson(person)) === undefined
      await endAccountDeletion(deps, person, { going: parseClosingAccounts(value), isGone })
      deps.log.warn({ person, isGone }, 'completed an interrupted account deletion')
    } catch (error) {
      deps.log.error(
        { err: error, person },
        'an interrupted account deletion will be completed at the next start',
      )
    }
  }
}

/** Undoes the suspension, unless a payment was disputed in the meantime. */
async function reopenAccount(
  { ledger, payments }: ControlDeps,
  { account, wasSuspended }: ClosingAccount,
): Promise<void> {
  if (!wasSuspended && (await payments.setting(account)).frozen === null) await ledger.suspend(account, null)
}

async function closeAccount(
  { access, clock, files, ledger, log, managementKeys, payments, providerKeys }: ControlDeps,
  account: bigint,
): Promise<void> {
  for (const { id, revokedMs } of await access.list(account)) {
    if (revokedMs === null) await access.revoke(id)
  }
  for (const { id, revokedMs } of await managementKeys.list(account)) {
    if (revokedMs === null) await managementKeys.revoke(id)
  }
  await providerKeys.removeAll(account)
  // The account is suspended, so no upload begins after this.
  await files.deleteAll(account, clock.wallMs())
  const assigned = await ledger.assign(account, { owner: null, email: null, name: 'closed' })
  assert(assigned === 'assigned', `${formatId('acct', account)} is given back`)
  await payments.forgetMethod(account).catch((error: unknown) => {
    // The method is forgotten here and can be used no more; the operator removes it at the provider.
    log.warn({ err: error, account: formatId('acct', account) }, 'failed to delete a payment method')
  })
}
