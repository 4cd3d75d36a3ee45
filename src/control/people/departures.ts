/**
 * What becomes of the accounts of somebody who goes. People are kept in another database than accounts, so it is written
 * down before it begins and struck out when it is done: what was cut short in between is finished at the next start, or
 * undone for a person who is still there.
 */
import { assert } from '../../base/assert.ts'
import { formatId, parseId } from '../../base/ids.ts'
import type { ControlParts } from '../parts.ts'

export interface Going {
  readonly account: bigint
  /** null: the personal account. */
  readonly organization: string | null
  /** It was suspended already, for a reason of its own. */
  readonly wasSuspended: boolean
}

const settingStart = 'departure:'
const settingName = (person: string) => `${settingStart}${person}`

interface Written extends Omit<Going, 'account'> {
  readonly account: string
}

/** Returns all that is to be done, with what an earlier try left. */
export async function beginDeparture(
  { settings }: Pick<ControlParts, 'settings'>,
  person: string,
  going: readonly Going[],
): Promise<readonly Going[]> {
  const earlier = read((await settings.get(settingName(person))) ?? '[]')
  const known = new Set(earlier.map(({ account }) => account))
  const all = [...earlier, ...going.filter(({ account }) => !known.has(account))]
  const written = all.map((one): Written => ({ ...one, account: formatId('acct', one.account) }))
  await settings.put(settingName(person), JSON.stringify(written))
  return all
}

function read(text: string): readonly Going[] {
  return (JSON.parse(text) as readonly Written[]).map((one) => {
    const account = parseId('acct', one.account)
    assert(account !== undefined, 'a departure names accounts')
    return { ...one, account }
  })
}

/** `isGone`: the person is not there any more. */
export async function endDeparture(
  parts: ControlParts,
  person: string,
  { going, isGone }: { readonly going: readonly Going[]; readonly isGone: boolean },
): Promise<void> {
  for (const one of going) {
    const { organization } = one
    const isLeft = organization !== null && (await parts.identity.members(organization)).length > 0
    if (isGone && !isLeft) await closeAccount(parts, one.account)
    else await letGoOn(parts, one)
  }
  await parts.settings.remove(settingName(person))
}

/** At a start, before anybody can ask to go: what an earlier process could not end. What fails again waits for the next one. */
export async function endDepartures(parts: ControlParts): Promise<void> {
  for (const { name, value } of await parts.settings.beginning(settingStart)) {
    const person = name.slice(settingStart.length)
    try {
      const isGone = (await parts.identity.person(person)) === undefined
      await endDeparture(parts, person, { going: read(value), isGone })
      parts.log.warn({ person, isGone }, 'a deletion that was cut short was ended')
    } catch (error) {
      parts.log.error({ err: error, person }, 'a deletion that was cut short is ended at the next start')
    }
  }
}

/** As it was before, unless a payment came into dispute meanwhile. */
async function letGoOn({ ledger, payments }: ControlParts, { account, wasSuspended }: Going): Promise<void> {
  if (!wasSuspended && (await payments.setting(account)).frozen === null) await ledger.suspend(account, null)
}

async function closeAccount(
  { access, ledger, log, managementKeys, payments }: ControlParts,
  account: bigint,
): Promise<void> {
  for (const { id, revokedMs } of await access.list(account)) {
    if (revokedMs === null) await access.revoke(id)
  }
  for (const { id, revokedMs } of await managementKeys.list(account)) {
    if (revokedMs === null) await managementKeys.revoke(id)
  }
  const assigned = await ledger.assign(account, { owner: null, email: null, name: 'closed' })
  assert(assigned === 'assigned', `${formatId('acct', account)} is given back`)
  await payments.forgetMethod(account).catch((error: unknown) => {
    // It is forgotten here and can be used no more; what the provider keeps of it the operator removes there.
    log.warn({ err: error, account: formatId('acct', account) }, 'a method of payment was not forgotten')
  })
}
