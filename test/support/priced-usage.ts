/**
 * Settlements of tests name a cost and seldom the usage that costs it. Here each gets usage whose price is its cost, so that
 * a verification finds no contradiction: uses of a fee of one nano-USD, in the price version of `plainAsk`.
 */
import type { Ledger, ReceiptDraft, Settlement } from '../../src/ledger/types.ts'
import type { Store } from '../../src/store/store.ts'
import { plainAsk } from './ledger-values.ts'

const rates = { input: '0', cacheRead: '0', cacheWrite5m: '0', cacheWrite1h: '0', output: '0' }
const body = { rates, tiers: [], listRates: rates, listTiers: [], options: {}, fees: { unit: '1' } }

/** The price version that `plainAsk` names. */
export async function insertUnitPrice({ database }: Pick<Store, 'database'>): Promise<void> {
  const { priceVersion: id, model } = plainAsk
  await database
    .insertInto('price_version')
    .values({ id, model, effective_from_ms: 0, body: JSON.stringify(body), source: 'test' })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

const failedAttempt = { upstream: 'an-upstream', status: 500, failure: 'upstream_error' }

/** The draft with usage of this cost, and with a failed attempt where more is written off. */
function draftCosting(draft: ReceiptDraft, cost: bigint, writtenOff = 0n): ReceiptDraft {
  const { startedMs } = draft
  const failed = { ...failedAttempt, startedMs, firstByteMs: null, endedMs: startedMs }
  const attempts = writtenOff > 0n && draft.attempts.length === 0 ? [failed] : draft.attempts
  if (cost === 0n) return { ...draft, attempts }
  return { ...draft, attempts, fees: { ...draft.fees, unit: Number(cost) }, upstreamCost: cost }
}

/** The ledger itself, except that what is settled has usage that costs it. */
export function pricedLedger(ledger: Ledger): Ledger {
  const priced = (settlement: Settlement): Settlement => ({
    ...settlement,
    receipt: draftCosting(settlement.receipt, settlement.cost, settlement.writtenOff),
  })
  return {
    ...ledger,
    settle: (settlement) =>
      ledger.settle(
        'take' in settlement
          ? {
              ...settlement,
              take() {
                const sent = settlement.take()
                return sent === null ? null : priced(sent)
              },
            }
          : priced(settlement),
      ),
    checkpoint: (checkpoint) =>
      ledger.checkpoint({ ...checkpoint, draft: draftCosting(checkpoint.draft, checkpoint.cost) }),
  }
}
