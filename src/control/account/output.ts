/** An account as the control plane shows it. */
import type { OperationOutput } from '../../../contract/operations.ts'
import { formatUsd } from '../../../contract/usd.ts'
import { formatId } from '../../base/ids.ts'
import type { AccountRow } from '../../ledger/types.ts'
import { isoTime, isoTimeOrNull } from '../iso-time.ts'

export function accountOutput(row: AccountRow): OperationOutput<'account.show'> {
  return {
    account: formatId('acct', row.id),
    email: row.email,
    name: row.name,
    kind: row.kind,
    posted: formatUsd(row.posted),
    held: formatUsd(row.held),
    available: formatUsd(row.posted - row.held),
    openHolds: row.openHolds,
    created: isoTime(row.createdMs),
    suspended: isoTimeOrNull(row.suspendedMs),
    restricted: isoTimeOrNull(row.restrictedMs),
  }
}
