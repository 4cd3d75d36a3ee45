/** Whether a key is valid at a given time. Pure. */
import type { RateLimits } from '../limits/types.ts'
import type { Identified, KeyRow } from './types.ts'

/** The caller that a key makes, or why it makes none. `accountRates`: what an account as a whole may take. */
export function judge(row: KeyRow, nowMs: number, accountRates: (account: bigint) => RateLimits): Identified {
  const { account, id, label, policy } = row
  const owner = { account, key: id }
  if (row.revokedMs !== null) return { kind: 'revoked', ...owner }
  if (row.expiresMs !== null && row.expiresMs <= nowMs) return { kind: 'expired', ...owner }
  if (row.disabled) return { kind: 'disabled', ...owner }
  return {
    kind: 'caller',
    caller: { ...owner, label, policy, accountRates: accountRates(account), person: null },
  }
}
