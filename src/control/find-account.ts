/** Finds the account that an operation names: by ID, by email address, or the one that the first start created. */
import { TollgateError } from '../base/errors.ts'
import { parseId } from '../base/ids.ts'
import type { AccountRow } from '../ledger/types.ts'
import type { ControlDeps } from './control-deps.ts'

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

export function accountNotFound(reference: string): TollgateError {
  return new TollgateError('account_not_found', { message: notFoundMessage(reference), param: 'account' })
}

function notFoundMessage(reference: string): string {
  if (reference === 'local') return 'There is no local account. It is created on the first start.'
  const what = reference.includes('@') ? 'email address' : 'ID'
  return `No account has the ${what} ${reference}.`
}
