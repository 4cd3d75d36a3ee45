/** Rows of top-ups and codes for tests of the ledger alone, without a payment provider. */
import type { Store } from '../../src/store/store.ts'

interface PlainTopUp {
  readonly id: bigint
  readonly account: bigint
  readonly amount: bigint
  readonly automatic?: boolean
  readonly state?: string
}

/** A top-up that waits for its payment. */
export async function insertTopUp(
  { database }: Pick<Store, 'database'>,
  { id, account, amount, automatic = false, state = 'open' }: PlainTopUp,
): Promise<void> {
  await database
    .insertInto('top_up')
    .values({
      id,
      account,
      amount,
      currency: 'usd',
      mode: 'test',
      provider: 'stripe',
      session: null,
      payment_intent: null,
      state,
      automatic,
      save_method: false,
      problem: null,
      pay_url: null,
      created_ms: 1,
      paid_ms: null,
      checked_ms: 1,
    })
    .execute()
}

interface PlainCode {
  readonly id: bigint
  readonly hash: Uint8Array
  readonly amount: bigint
  readonly usesMax: number
  readonly expiresMs?: number | null
  readonly revokedMs?: number | null
}

export async function insertCode(
  { database }: Pick<Store, 'database'>,
  { id, hash, amount, usesMax, expiresMs = null, revokedMs = null }: PlainCode,
): Promise<void> {
  await database
    .insertInto('redeem_code')
    .values({
      id,
      hash,
      label: 'TEST',
      amount,
      uses_max: usesMax,
      expires_ms: expiresMs,
      revoked_ms: revokedMs,
      note: null,
      created_ms: 1,
    })
    .execute()
}
