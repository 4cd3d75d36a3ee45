/**
 * A top-up whose row is missing here though its payment succeeded: it was paid after the backup that was restored. The row
 * is made again from the payment, which is at the provider under our marks; crediting it is left to the reconciler.
 */
import { TollgateError } from '../base/errors.ts'
import { formatId, idTimeMs, parseId } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import type { Ledger } from '../ledger/types.ts'
import { nanoOfCents } from './judge.ts'
import type { EventSubject, PaymentFact, Provider } from './provider.ts'
import type { TopUpRow, TopUpRows } from './top-up-rows.ts'
import { isReturned, setAside, type UnmatchedPayments } from './unmatched.ts'

export interface RecoverDeps {
  readonly provider: Provider
  readonly topUps: TopUpRows
  readonly unmatched: UnmatchedPayments
  readonly ledger: Pick<Ledger, 'account'>
  readonly log: Log
}

/** The provider's objects to look at, as far as known. */
export type Hint = Pick<EventSubject, 'checkout' | 'payment'>

/** `nothing`: no account is to be credited here; where money waits, an administrator is notified. */
export async function recoverTopUp(
  deps: RecoverDeps,
  id: bigint,
  hints: readonly Hint[],
): Promise<TopUpRow | 'unknown' | 'nothing'> {
  const { provider, topUps, ledger, unmatched, log } = deps
  const payment = await succeededPayment(deps, id, hints)
  if (payment === undefined) return 'unknown'
  const fields = { topUp: formatId('top', id), payment: payment.id, account: payment.marks.account }
  if (await isReturned(provider, payment)) {
    await unmatched.remove(payment.id)
    log.warn(fields, 'a payment of an unknown top-up was refunded or disputed; nothing was credited')
    return 'nothing'
  }
  const account = parseId('acct', payment.marks.account ?? '')
  if (account === undefined || (await ledger.account(account)) === undefined) {
    await setAside(deps, payment, `there is no account ${payment.marks.account ?? ''}.`)
    log.error(fields, 'a payment of an unknown top-up belongs to no account here; nothing was credited')
    return 'nothing'
  }
  await topUps.insertRecovered(
    {
      id,
      account,
      amount: nanoOfCents(payment.cents),
      mode: payment.mode,
      provider: provider.name,
      automatic: false,
      saveMethod: payment.savedMethod !== null,
      nowMs: idTimeMs(id),
    },
    payment.id,
  )
  log.warn(fields, 'a paid top-up was missing here and was added')
  return (await topUps.find(id)) ?? 'unknown'
}

/** The payment that the hints lead to, if it has succeeded for this top-up. */
async function succeededPayment(
  { provider }: RecoverDeps,
  id: bigint,
  hints: readonly Hint[],
): Promise<PaymentFact | undefined> {
  for (const { payment, checkout } of hints) {
    const fact = await unlessUnknown(async () => {
      if (payment !== null) return provider.payment(payment)
      return checkout === null ? null : (await provider.checkout(checkout)).payment
    })
    const isOurs = fact?.marks.topUp === formatId('top', id) && fact.mode === provider.mode
    if (isOurs && fact.status === 'succeeded') return fact
  }
  return undefined
}

/** null: the provider does not know it. */
async function unlessUnknown<Fact>(read: () => Promise<Fact | null>): Promise<Fact | null> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof TollgateError && error.code === 'payment_failed') return null
    throw error
  }
}
