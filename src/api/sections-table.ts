/** The sections in which the description of the API stands, in their order. */
import { accountOperations } from '../../contract/operations/accounts.ts'
import { billingOperations } from '../../contract/operations/billing.ts'
import { installationOperations } from '../../contract/operations/installation.ts'
import { peopleOperations } from '../../contract/operations/people.ts'
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
    'Accounts, their members, the API keys that pay for requests, and management keys for this API.',
    accountOperations,
  ),
  section(
    'usage',
    'Usage and requests',
    'What was used, by time, model, key and member; receipts; what runs at present; what was refused.',
    usageOperations,
  ),
  section(
    'billing',
    'Billing',
    'Balances, the entries of the ledger, top-ups, codes and invoices.',
    billingOperations,
  ),
  section('people', 'People', 'Who is signed in, and who may come in.', peopleOperations),
  section(
    'installation',
    'Installation',
    'Models and prices, upstreams, losses, the audit and the state of the installation; for administrators.',
    installationOperations,
  ),
]
