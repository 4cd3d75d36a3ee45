/** Finds the account that an operation speaks of: by id, by e-mail address, or the one the first start made. */
import { TollgateError } from '../base/errors.ts'
import { parseId } from '../base/ids.ts'
import type { AccountRow } from '../ledger/types.ts'
import type { ControlParts } from './parts.ts'

/** The setting that holds the id of the account that the first start made. */
export const localAccountSetting = 'local_account'

/** Throws 404 when there is none. `reference` has passed the contract's schema. */
export async function findAccount(
  parts: Pick<ControlParts, 'ledger' | 'settings'>,
  reference: string,
): Promise<AccountRow> {
  const found = await lookForAccount(parts, reference)
  if (found !== undefined) return found
  throw missingAccount(reference)
}

export async function lookForAccount(
  parts: Pick<ControlParts, 'ledger' | 'settings'>,
  reference: string,
): Promise<AccountRow | undefined> {
  if (reference.includes('@')) return parts.ledger.accountByEmail(reference)
  const text = reference === 'local' ? await parts.settings.get(localAccountSetting) : reference
  const id = text === undefined ? undefined : parseId('acct', text)
  return id === undefined ? undefined : parts.ledger.account(id)
}

export function missingAccount(reference: string): TollgateError {
  return new TollgateError('account_not_found', { message: words(reference), param: 'account' })
}

function words(reference: string): string {
  if (reference === 'local') return 'No first start has made a local account here.'
  const what = reference.includes('@') ? 'e-mail address' : 'id'
  return `No account has the ${what} ${reference}.`
}
