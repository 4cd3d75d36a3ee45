/**
 * Payments that arrived and were credited to no account, for an administrator: until they are refunded at the provider, or
 * credited by hand with the payment's ID as the reference.
 */
import { formatUsd } from '../../contract/usd.ts'
import { settingsOf } from '../store/settings.ts'
import type { Store } from '../store/store.ts'
import { nanoOfCents } from './judge.ts'
import type { PaymentFact, Provider } from './provider.ts'
import type { UnmatchedPayment } from './types.ts'

export interface UnmatchedPayments {
  put(unmatched: UnmatchedPayment): Promise<void>
  remove(payment: string): Promise<void>
  list(): Promise<readonly UnmatchedPayment[]>
}

const prefix = 'unmatched-payment:'

export function unmatchedPayments(store: Pick<Store, 'database'>): UnmatchedPayments {
  const settings = settingsOf(store)
  return {
    put: ({ payment, reason }) => settings.put(`${prefix}${payment}`, reason),
    remove: (payment) => settings.remove(`${prefix}${payment}`),
    async list() {
      const rows = await settings.listByPrefix(prefix)
      if (rows.length === 0) return []
      const all = rows.map(({ name, value: reason }) => ({ payment: name.slice(prefix.length), reason }))
      const credited = await store.database
        .selectFrom('entry')
        .select('reference')
        .where('source', '=', 'manual')
        .where(
          'reference',
          'in',
          all.map(({ payment }) => payment),
        )
        .execute()
      const byHand = new Set(credited.map(({ reference }) => reference))
      return all.filter(({ payment }) => !byHand.has(payment))
    },
  }
}

interface SetAsideDeps {
  readonly provider: Pick<Provider, 'returns'>
  readonly unmatched: UnmatchedPayments
}

/** Puts a payment that succeeded in front of an administrator; false: its payer has all of it back. */
export async function setAside(
  { provider, unmatched }: SetAsideDeps,
  payment: PaymentFact,
  reason: string,
): Promise<boolean> {
  if (await isReturned(provider, payment)) {
    await unmatched.remove(payment.id)
    return false
  }
  const paid = `${formatUsd(nanoOfCents(payment.receivedCents))} ${payment.currency.toUpperCase()}`
  await unmatched.put({ payment: payment.id, reason: `of ${paid} was not credited: ${reason}` })
  return true
}

/** Whether all of a payment was refunded, or is disputed. */
export async function isReturned(
  provider: Pick<Provider, 'returns'>,
  { id, cents, hasReturns }: PaymentFact,
): Promise<boolean> {
  if (!hasReturns) return false
  const taken = (await provider.returns(id)).filter(({ position }) => position === 'taken')
  return taken.reduce((sum, fact) => sum + fact.cents, 0) >= cents
}
