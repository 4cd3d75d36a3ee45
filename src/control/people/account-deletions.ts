/**
 * Deletes the accounts of a deleted person. People are stored in another database than accounts, so a deletion is
 * recorded before it begins and cleared when it is done: an interrupted one is completed at the next start, or
 * undone for a person who still exists.
 */
import { assert } from '../../base/assert.ts'
import { formatId, parseId } from '../../base/ids.ts'
import type { ControlDeps } from '../control-deps.ts'

export interface ClosingAccount {
  readonly account: bigint
  /** null: the personal account. */
  readonly organization: string | null
  /** It was suspended already, for another reason. */
  readonly wasSuspended: boolean
}

const deletionPrefix = 'departure:'
const deletionName = (person: string) => `${deletionPrefix}${person}`

interface StoredClosingAccount extends Omit<ClosingAccount, 'account'> {
  readonly account: string
}

/** Returns all that is to be done, with what an earlier try left. */
export async function beginAccountDeletion(
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
export async function endAccountDeletion(
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

/** As it was before, unless a payment was disputed in the meantime. */
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
    // It is forgotten here and can be used no more; what the provider keeps of it the operator removes there.
    log.warn({ err: error, account: formatId('acct', account) }, 'failed to delete a payment method')
  })
}
