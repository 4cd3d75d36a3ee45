/** Stripe's objects as facts: only their statements about money. Pure; values in, values out. */
import type Stripe from 'stripe'
import type {
  CheckoutFact,
  EventSubject,
  Marks,
  PaymentFact,
  PaymentStatus,
  ReturnFact,
  SavedMethod,
} from './provider.ts'

/** How our marks are called in the metadata of Stripe's objects. */
export const markNames = { topUp: 'tollgate_top_up', account: 'tollgate_account' } as const

const modeOf = ({ livemode }: { livemode: boolean }): 'test' | 'live' => (livemode ? 'live' : 'test')

function marksOf(metadata: unknown): Marks {
  const words = (typeof metadata === 'object' && metadata !== null ? metadata : {}) as Record<string, unknown>
  const [topUp, account] = [words[markNames.topUp], words[markNames.account]]
  return {
    topUp: typeof topUp === 'string' ? topUp : null,
    account: typeof account === 'string' ? account : null,
  }
}

const statuses: Readonly<Record<string, PaymentStatus>> = {
  succeeded: 'succeeded',
  processing: 'processing',
  requires_capture: 'processing',
  requires_action: 'action_required',
  requires_payment_method: 'waiting',
  requires_confirmation: 'waiting',
  canceled: 'canceled',
}

/** Without an error a payment that wants a method has not been tried yet. */
function statusOf({ status: reported, last_payment_error: error }: Stripe.PaymentIntent): PaymentStatus {
  const status = statuses[reported] ?? 'processing'
  if ((status !== 'waiting' && status !== 'canceled') || error === null) return status
  return error.code === 'authentication_required' ? 'action_required' : 'failed'
}

export function paymentFact(payment: Stripe.PaymentIntent): PaymentFact {
  const charge = typeof payment.latest_charge === 'object' ? payment.latest_charge : null
  const problem = payment.last_payment_error?.message ?? null
  return {
    id: payment.id,
    status: statusOf(payment),
    cents: payment.amount,
    receivedCents: payment.amount_received,
    currency: payment.currency,
    mode: modeOf(payment),
    marks: marksOf(payment.metadata),
    problem,
    savedMethod: savedMethodOf(payment),
    hasReturns: charge === null || charge.amount_refunded > 0 || charge.disputed,
  }
}

function savedMethodOf({
  payment_method: method,
  customer,
  ...payment
}: Stripe.PaymentIntent): SavedMethod | null {
  if (payment.setup_future_usage !== 'off_session' || typeof method !== 'object' || method === null)
    return null
  const id = typeof customer === 'string' ? customer : customer?.id
  return id === undefined ? null : { customer: id, method: method.id, words: methodWords(method) }
}

function methodWords(method: Stripe.PaymentMethod): string {
  const last4 = method.card?.last4 ?? method.us_bank_account?.last4 ?? method.sepa_debit?.last4
  const name = method.card === undefined ? method.type.replaceAll('_', ' ') : method.card.brand
  const words = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`
  return last4 === undefined || last4 === null ? words : `${words} ending in ${last4}`
}

export function checkoutFact(session: Stripe.Checkout.Session): CheckoutFact {
  const payment = typeof session.payment_intent === 'object' ? session.payment_intent : null
  return {
    id: session.id,
    status: session.status === 'complete' ? 'complete' : session.status === 'expired' ? 'expired' : 'open',
    isPaid: session.payment_status === 'paid',
    url: session.url,
    cents: session.amount_total,
    currency: session.currency,
    mode: modeOf(session),
    marks: marksOf(session.metadata),
    payment: payment === null ? null : paymentFact(payment),
  }
}

/** A refund that waits takes the money already; one that failed or was called off gives it back. */
const refundPositions: Readonly<Record<string, ReturnFact['position']>> = {
  pending: 'taken',
  requires_action: 'taken',
  succeeded: 'taken',
  failed: 'given_back',
  canceled: 'given_back',
}

export function refundFact(refund: Stripe.Refund): readonly ReturnFact[] {
  const position = refundPositions[refund.status ?? ''] ?? 'taken'
  const { id: reference, amount: cents, currency } = refund
  return [{ source: 'refund', reference, cents, currency, position }]
}

/** Where the money is by the state of a dispute; for states not named here the balance transactions decide. */
const disputePositions: Readonly<Record<string, ReturnFact['position']>> = {
  needs_response: 'taken',
  under_review: 'taken',
  lost: 'taken',
  won: 'given_back',
}

export function disputeFact(dispute: Stripe.Dispute): readonly ReturnFact[] {
  const moved = dispute.balance_transactions.reduce((sum, { amount }) => sum + amount, 0)
  const position = disputePositions[dispute.status] ?? (moved < 0 ? 'taken' : 'given_back')
  const { id: reference, amount: cents, currency } = dispute
  return [{ source: 'dispute', reference, cents, currency, position }]
}

/** Events about money that was returned to the payer, or reclaimed from them. */
const returnTypes: readonly string[] = [
  'charge.refunded',
  'charge.refund.updated',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
]

/** Events about money that moved: paid by a customer, or returned. A payment that succeeded has this event, however it was begun. */
export const moneyTypes: readonly string[] = ['payment_intent.succeeded', ...returnTypes]

/** Events that may concern a top-up. */
export const subjectTypes: ReadonlySet<string> = new Set([
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'payment_intent.processing',
  'payment_intent.canceled',
  ...returnTypes,
])

/** The ids in an event's object, whichever kind it is; null where there are none, and for a payment without our marks. */
export function subjectOf(object: unknown): EventSubject | null {
  if (typeof object !== 'object' || object === null) return null
  const { id, object: kind, metadata, payment_intent: payment } = object as Record<string, unknown>
  const own = idOf(id)
  const marks = marksOf(metadata)
  if (kind === 'payment_intent' && marks.topUp === null) return null
  return {
    marks,
    checkout: kind === 'checkout.session' ? own : null,
    payment: kind === 'payment_intent' ? own : idOf(payment),
  }
}

function idOf(value: unknown): string | null {
  if (typeof value === 'string' && /^[\w-]{1,255}$/.test(value)) return value
  if (typeof value !== 'object' || value === null) return null
  return idOf((value as Record<string, unknown>).id)
}
