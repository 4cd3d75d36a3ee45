/** Whether an account or key can pay: the request, the results, and the ledger's interface. Types only. */
import type { KeyBudget } from '../limits/types.ts'

/** Why no request that costs something can be admitted, whatever it asks for. */
export type BlockedReason =
  | { readonly kind: 'suspended' }
  | {
      readonly kind: 'unfunded'
      /** The account's balance, or the key's budget. */
      readonly scope: 'account' | 'key'
      readonly available: bigint
      readonly held: bigint
    }

export interface StandingInput {
  readonly account: bigint
  readonly key: bigint
  readonly keyBudget: KeyBudget | null
  readonly nowMs: number
}

export interface StandingLedger {
  /**
   * The reason why every paid request of an account or key is blocked. Returns null synchronously if the ledger's last results show
   * none; otherwise reads the ledger, so that credit counts immediately.
   */
  blockedReason(input: StandingInput): Promise<BlockedReason | null> | null
  /** Whether the account was given or paid in anything at any time: the starting credit goes to confirmed people alone. */
  everCredited(account: bigint): Promise<boolean>
}
