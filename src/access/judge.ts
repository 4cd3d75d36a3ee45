/** What a key is good for at a moment. Pure; how the key was found is not asked. */
import type { RateLimits } from '../limits/types.ts'
import type { Identified, KeyRow } from './types.ts'

/** The caller that a key makes, or why it makes none. `accountRates`: what an account as a whole may take. */
export function judge(row: KeyRow, nowMs: number, accountRates: (account: bigint) => RateLimits): Identified {
  if (row.revokedMs !== null) return { kind: 'revoked' }
  if (row.expiresMs !== null && row.expiresMs <= nowMs) return { kind: 'expired' }
  if (row.disabled) return { kind: 'disabled' }
  const { account, id, label, policy } = row
  return { kind: 'caller', caller: { account, key: id, label, policy, accountRates: accountRates(account) } }
}
