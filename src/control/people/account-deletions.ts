/**
 * What becomes of the accounts of somebody who goes. People are kept in another database than accounts, so it is written
 * down before it begins and struck out when it is done: what was cut short in between is finished at the next start, or
 * undone for a person who is still there.
 */
import { assert } from '../../base/assert.ts'
import { formatId, parseId } from '../../base/ids.ts'
import type { ControlParts } from '../parts.ts'

export interface ClosingAccount {
  readonly account: bigint
  /** null: the personal account. */
  readonly organization: string | null
  /** It was suspended already, for a reason of its own. */
  readonly wasSuspended: boolean
}

const markerPrefix = 'departure:'
const markerName = (person: string) => `${markerPrefix}${person}`

interface Written extends Omit<ClosingAccount, 'account'> {
  readonly account: string
}

/** Returns all that is to be done, with what an earlier try left. */
export async function beginAccountDeletion(
  { settings }: Pick<ControlParts, 'settings'>,
  person: string,
  going: readonly ClosingAccount[],
): Promise<readonly ClosingAccount[]> {
  const earlier = read((await settings.get(markerName(person))) ?? '[]')
  const known = new Set(earlier.map(({ account }) => account))
  const all = [...earlier, ...going.filter(({ account }) => !known.has(account))]
  const written = all.map((one): Written => ({ ...one, account: formatId('acct', one.account) }))
  await settings.put(markerName(person), JSON.stringify(written))
  return all
}

function read(text: string): readonly ClosingAccount[] {
  return (JSON.parse(text) as readonly Written[]).map((one) => {
    const account = parseId('acct', one.account)
    assert(account !== undefined, 'a departure names accounts')
    return { ...one, account }
  })
}

/** `isGone`: the person is not there any more. */
export async function endAccountDeletion(
  parts: ControlParts,
  person: string,
  { going, isGone }: { readonly going: readonly ClosingAccount[]; readonly isGone: boolean },
): Promise<void> {
  for (const one of going) {
    const { organization } = one
    const isLeft = organization !== null && (await parts.identity.listMembers(organization)).length > 0
    if (isGone && !isLeft) await closeAccount(parts, one.account)
    else await letGoOn(parts, one)
  }
  await parts.settings.remove(markerName(person))
}

/** At a start, before anybody can ask to go: what an earlier process could not end. What fails again waits for the next one. */
export async function finishAccountDeletions(parts: ControlParts): Promise<void> {
  for (const { name, value } of await parts.settings.beginning(markerPrefix)) {
    const person = name.slice(markerPrefix.length)
    try {
      const isGone = (await parts.identity.findPerson(person)) === undefined
      await endAccountDeletion(parts, person, { going: read(value), isGone })
      parts.log.warn({ person, isGone }, 'a deletion that was cut short was ended')
    } catch (error) {
      parts.log.error({ err: error, person }, 'a deletion that was cut short is ended at the next start')
    }
  }
}

/** As it was before, unless a payment came into dispute meanwhile. */
async function letGoOn(
  { ledger, payments }: ControlParts,
  { account, wasSuspended }: ClosingAccount,
): Promise<void> {
  if (!wasSuspended && (await payments.setting(account)).frozen === null) await ledger.suspend(account, null)
}

async function closeAccount(
  { access, clock, files, ledger, log, managementKeys, payments }: ControlParts,
  account: bigint,
): Promise<void> {
  for (const { id, revokedMs } of await access.list(account)) {
    if (revokedMs === null) await access.revoke(id)
  }
  for (const { id, revokedMs } of await managementKeys.list(account)) {
    if (revokedMs === null) await managementKeys.revoke(id)
  }
  // The account is suspended, so no upload begins after this.
  await files.deleteAll(account, clock.wallMs())
  const assigned = await ledger.assign(account, { owner: null, email: null, name: 'closed' })
  assert(assigned === 'assigned', `${formatId('acct', account)} is given back`)
  await payments.forgetMethod(account).catch((error: unknown) => {
    // It is forgotten here and can be used no more; what the provider keeps of it the operator removes there.
    log.warn({ err: error, account: formatId('acct', account) }, 'a method of payment was not forgotten')
  })
}
