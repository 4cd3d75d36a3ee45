/** The sections of the API description, in order. */
import { accountOperations } from '../../contract/operations/accounts.ts'
import { billingOperations } from '../../contract/operations/billing.ts'
import { catalogOperations } from '../../contract/operations/catalog.ts'
import { installationOperations } from '../../contract/operations/installation.ts'
import { offerOperations } from '../../contract/operations/offers.ts'
import { peopleOperations } from '../../contract/operations/people.ts'
import { providerKeyOperations } from '../../contract/operations/provider-keys.ts'
import { upstreamStatusOperations } from '../../contract/operations/upstream-status.ts'
import { upstreamOperations } from '../../contract/operations/upstreams.ts'
import { usageOperations } from '../../contract/operations/usage.ts'
import type { OperationName } from '../../contract/operations.ts'

export interface Section {
  readonly name: string
  readonly title: string
  readonly text: string
  readonly operations: readonly OperationName[]
}

function section(name: string, title: string, text: string, rows: object): Section {
  return { name, title, text, operations: Object.keys(rows) as OperationName[] }
}

export const sections: readonly Section[] = [
  section(
    'accounts',
    'Accounts and keys',
    'Accounts, their members, API keys for model requests, and management keys for this API.',
    accountOperations,
  ),
  section(
    'usage',
    'Usage and requests',
    'Usage by time, model, key and member; receipts; running and rejected requests.',
    usageOperations,
  ),
  section(
    'billing',
    'Billing',
    'Balances, ledger entries, top-ups, credit codes and invoices.',
    billingOperations,
  ),
  section(
    'provider_keys',
    'Provider keys',
    'Keys of accounts for providers, for requests that their provider bills to them.',
    providerKeyOperations,
  ),
  section('people', 'People', 'The signed-in user, users and invitations.', peopleOperations),
  section(
    'installation',
    'Installation',
    'Models and prices, upstreams, write-offs, the audit log and the state of the installation; for administrators.',
    {
      ...installationOperations,
      ...offerOperations,
      ...upstreamOperations,
      ...upstreamStatusOperations,
      ...catalogOperations,
    },
  ),
]
