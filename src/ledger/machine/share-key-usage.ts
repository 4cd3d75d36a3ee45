/** A key that replaces another one shares its usage row, so that its spend and its limits continue. */
import { keyUsageOf, payerRows, saveKeyUsage, unused } from './key-usage.ts'
import type { LedgerOperation } from './operation.ts'
import { insert } from './rows.ts'

interface SharedKey {
  /** A key that was never used. */
  readonly key: bigint
  readonly withKey: bigint
  readonly account: bigint
}

export const shareKeyUsage: LedgerOperation<SharedKey, null> = {
  durable: true,
  rows: ({ key, withKey, account }, found) => [
    { table: 'keyUsage', id: key, account },
    ...payerRows(account, withKey, found),
  ],
  apply(rows, { key, withKey, account }) {
    const usage = keyUsageOf(rows, withKey, account)
    // The shared row exists from now on, also where its key was not used yet.
    return {
      answer: null,
      changes: [
        saveKeyUsage(rows, usage),
        insert('keyUsage', key, { ...unused(key, account), shared: usage.key }),
      ],
    }
  },
}
