/**
 * Judges a top-up by the provider's facts: it is paid, it has another state, or the facts contradict our row and must not move money.
 * Pure: decides without side effects.
 */
import { formatId } from '../base/ids.ts'
import type { CheckoutFact, Marks, PaymentFact, PaymentStatus } from './provider.ts'
import type { TopUpNews, TopUpRow } from './top-up-rows.ts'

export type Judgement =
  | { readonly kind: 'paid'; readonly payment: PaymentFact }
  | { readonly kind: 'news'; readonly news: TopUpNews }
  /** For the operator: what does not fit. */
  | { readonly kind: 'contradiction'; readonly reason: string }

export interface Facts {
  readonly checkout: CheckoutFact | null
  /** Payments outside the checkout: an automatic one, or one that an event named. */
  readonly payments: readonly PaymentFact[]
}

const nanoPerCent = 10_000_000n

/** The amount in cents; undefined: it is not a whole number of cents. */
export function centsOf(nano: bigint): number | undefined {
  return nano % nanoPerCent === 0n ? Number(nano / nanoPerCent) : undefined
}

export const nanoOfCents = (cents: number): bigint => BigInt(cents) * nanoPerCent

/** The first payment that succeeded counts; one top-up is credited once, even if it is paid twice. */
export function judge(row: TopUpRow, { checkout, payments }: Facts): Judgement {
  const all = [...(checkout?.payment === null || checkout === null ? [] : [checkout.payment]), ...payments]
  const things = [...(checkout === null ? [] : [checkout]), ...all]
  for (const thing of things) {
    const reason = strangeness(row, thing)
    if (reason !== undefined) return { kind: 'contradiction', reason: `${thing.id}: ${reason}` }
  }
  const paid = all.find(({ status }) => status === 'succeeded')
  if (paid !== undefined) {
    const reason = mispaid(row, paid, checkout)
    if (reason !== undefined) return { kind: 'contradiction', reason: `${paid.id}: ${reason}` }
    return { kind: 'paid', payment: paid }
  }
  if (checkout !== null) return { kind: 'news', news: newsOfCheckout(row, checkout) }
  const [payment] = payments
  return { kind: 'news', news: payment === undefined ? {} : newsOfPayment(payment) }
}

interface JudgedObject {
  readonly mode: string
  readonly currency: string | null
  readonly cents: number | null
  readonly marks: Marks
}

/** How an object at the provider differs from our row; undefined: not at all. */
function strangeness(row: TopUpRow, { mode, currency, cents, marks }: JudgedObject): string | undefined {
  if (marks.topUp !== formatId('top', row.id)) return `is of ${marks.topUp ?? 'no top-up'}`
  if (marks.account !== formatId('acct', row.account)) return `is of ${marks.account ?? 'no account'}`
  if (mode !== row.mode) return `is in ${mode} mode, the top-up in ${row.mode}`
  if (currency !== row.currency) return `is in ${currency ?? 'no currency'}`
  if (cents !== centsOf(row.amount)) return `is of ${cents ?? 'no'} cents`
  return undefined
}

/** Why a payment that succeeded cannot be credited; undefined: it can. */
function mispaid(row: TopUpRow, payment: PaymentFact, checkout: CheckoutFact | null): string | undefined {
  if (payment.receivedCents !== centsOf(row.amount)) return `has received ${payment.receivedCents} cents`
  const isCheckouts = checkout?.payment?.id === payment.id
  if (isCheckouts && !checkout.isPaid) return 'has succeeded, its checkout says it is not paid'
  return undefined
}

const underWay: readonly PaymentStatus[] = ['processing', 'succeeded']

/** A failed automatic top-up has a payment page for its owner, and stays failed until they pay there. */
function newsOfCheckout(row: TopUpRow, checkout: CheckoutFact): TopUpNews {
  const { id: session, status, url, payment } = checkout
  const known = { session, ...(payment === null ? {} : { paymentIntent: payment.id }) }
  if (status === 'open') {
    const isTold = row.state === 'action_required' || row.state === 'failed'
    return row.automatic && isTold ? { session, payUrl: url } : { ...known, state: 'open', payUrl: url }
  }
  if (status === 'expired') {
    return row.automatic
      ? { session, state: 'failed', payUrl: null }
      : { ...known, state: 'expired', payUrl: null }
  }
  if (payment === null || !underWay.includes(payment.status))
    return { ...known, ...failed(payment), payUrl: null }
  return { ...known, state: 'processing', problem: null, payUrl: null }
}

const failed = (payment: PaymentFact | null): TopUpNews => ({
  state: 'failed',
  problem: payment?.problem ?? 'The payment failed.',
})

/** News of an automatic top-up. The page where its owner can pay manually comes from elsewhere. */
function newsOfPayment(payment: PaymentFact): TopUpNews {
  const paymentIntent = payment.id
  switch (payment.status) {
    case 'processing':
    case 'succeeded':
      return { paymentIntent, state: 'processing', problem: null }
    case 'action_required':
      return { paymentIntent, state: 'action_required', problem: payment.problem }
    case 'failed':
    case 'canceled':
    case 'waiting':
      return { paymentIntent, ...failed(payment) }
  }
}
