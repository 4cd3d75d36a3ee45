/**
 * The state of the fake Stripe: customers, checkout pages, payments, refunds and disputes, and their
 * transitions. No HTTP, no signatures; each change returns the events that Stripe would send.
 */
import { randomBytes } from 'node:crypto'

type Metadata = Readonly<Record<string, string>>

export interface Intent {
  id: string
  object: 'payment_intent'
  amount: number
  amount_received: number
  currency: string
  customer: string | null
  livemode: boolean
  metadata: Metadata
  status: 'requires_payment_method' | 'requires_action' | 'processing' | 'succeeded' | 'canceled'
  latest_charge: Charge | null
  last_payment_error: { type: string; code: string; message: string; decline_code?: string } | null
  payment_method: PaymentMethod | null
  setup_future_usage: 'off_session' | null
}

interface Charge {
  id: string
  object: 'charge'
  payment_intent: string
  amount: number
  amount_refunded: number
  refunded: boolean
  disputed: boolean
  currency: string
  livemode: boolean
  metadata: Metadata
}

interface PaymentMethod {
  id: string
  object: 'payment_method'
  type: 'card'
  card: { brand: string; last4: string }
}

export interface Session {
  id: string
  object: 'checkout.session'
  status: 'open' | 'complete' | 'expired'
  payment_status: 'paid' | 'unpaid'
  url: string | null
  amount_total: number
  currency: string
  customer: string
  client_reference_id: string
  livemode: boolean
  metadata: Metadata
  payment_intent: string | null
  success_url: string
  cancel_url: string
  expires_at: number
  /** Not part of the object that is sent: the parameters of its payment. */
  readonly ofPayment: { readonly metadata: Metadata; readonly setupFutureUsage: 'off_session' | null }
}

interface Refund {
  id: string
  object: 'refund'
  amount: number
  currency: string
  payment_intent: string
  charge: string
  status: 'pending' | 'succeeded' | 'failed' | 'canceled'
}

interface Dispute {
  id: string
  object: 'dispute'
  amount: number
  currency: string
  payment_intent: string
  charge: string
  livemode: boolean
  status: string
  balance_transactions: { amount: number }[]
}

export interface StripeEvent {
  readonly id: string
  readonly object: 'event'
  readonly type: string
  readonly created: number
  readonly livemode: boolean
  readonly api_version: string
  readonly data: { readonly object: unknown }
}

/** The bank's response to an off-session charge of a saved card. */
type BankAnswer = 'succeeds' | 'processes' | 'wants_authentication' | 'declines'

const identifier = (prefix: string): string => `${prefix}_${randomBytes(9).toString('hex')}`

export class StripeBooks {
  readonly livemode: boolean
  readonly origin: () => string
  readonly nowS: () => number
  readonly customers = new Map<string, { readonly id: string; readonly email: string | null }>()
  readonly sessions = new Map<string, Session>()
  readonly intents = new Map<string, Intent>()
  readonly refunds = new Map<string, Refund>()
  readonly disputes = new Map<string, Dispute>()
  readonly methods = new Map<string, { readonly method: PaymentMethod; customer: string | null }>()
  /** In chronological order. */
  readonly events: StripeEvent[] = []
  bank: BankAnswer = 'succeeds'

  constructor(of: {
    readonly livemode: boolean
    readonly origin: () => string
    readonly nowS: () => number
  }) {
    this.livemode = of.livemode
    this.origin = of.origin
    this.nowS = of.nowS
  }

  createCustomer(email: string | null): { id: string } {
    const customer = { id: identifier('cus'), email }
    this.customers.set(customer.id, customer)
    return customer
  }

  createSession(
    given: Pick<
      Session,
      | 'amount_total'
      | 'currency'
      | 'customer'
      | 'client_reference_id'
      | 'metadata'
      | 'success_url'
      | 'cancel_url'
      | 'expires_at'
      | 'ofPayment'
    >,
  ): Session {
    const id = identifier(this.livemode ? 'cs_live' : 'cs_test')
    const session: Session = {
      ...given,
      id,
      object: 'checkout.session',
      status: 'open',
      payment_status: 'unpaid',
      url: `${this.origin()}/pay/${id}`,
      livemode: this.livemode,
      payment_intent: null,
    }
    this.sessions.set(id, session)
    return session
  }

  /** A customer pays on the page: with a card, with a delayed transfer, or with a card that is declined. */
  pay(sessionId: string, how: 'card' | 'transfer' | 'declined'): Session {
    const session = this.session(sessionId)
    if (session.status !== 'open') return session
    const intent = this.#intentOf(session)
    session.payment_intent = intent.id
    if (how === 'declined') {
      this.#fail(intent, 'card_declined', 'Your card was declined.')
      return session
    }
    session.status = 'complete'
    session.url = null
    if (how === 'card') {
      session.payment_status = 'paid'
      this.#succeed(intent)
      this.#tell('checkout.session.completed', publicSession(session))
      return session
    }
    intent.status = 'processing'
    this.#tell('payment_intent.processing', intent)
    this.#tell('checkout.session.completed', publicSession(session))
    return session
  }

  /** A transfer succeeds or fails. */
  arrive(sessionId: string, how: 'succeeded' | 'failed'): void {
    const session = this.session(sessionId)
    const intent = this.intent(session.payment_intent ?? '')
    if (how === 'succeeded') {
      session.payment_status = 'paid'
      this.#succeed(intent)
      this.#tell('checkout.session.async_payment_succeeded', publicSession(session))
      return
    }
    this.#fail(intent, 'payment_intent_payment_attempt_failed', 'The transfer did not arrive.')
    this.#tell('checkout.session.async_payment_failed', publicSession(session))
  }

  expire(sessionId: string): void {
    const session = this.session(sessionId)
    session.status = 'expired'
    session.url = null
    this.#tell('checkout.session.expired', publicSession(session))
  }

  /** A saved card is charged off-session; the bank answers as `bank` says. */
  charge(
    given: Pick<Intent, 'amount' | 'currency' | 'customer' | 'metadata'> & { readonly method: string },
  ): Intent {
    const { method, ...rest } = given
    const intent = this.#newIntent({ ...rest, setup_future_usage: null })
    intent.payment_method = this.methods.get(method)?.method ?? null
    switch (this.bank) {
      case 'succeeds':
        this.#succeed(intent)
        break
      case 'processes':
        intent.status = 'processing'
        this.#tell('payment_intent.processing', intent)
        break
      case 'wants_authentication':
        this.#fail(intent, 'authentication_required', 'Your bank wants you to confirm this payment.')
        break
      case 'declines':
        this.#fail(intent, 'card_declined', 'Your card has insufficient funds.')
    }
    return intent
  }

  /** A transfer for an automatic charge fails. */
  fail(id: string): void {
    this.#fail(this.intent(id), 'payment_intent_payment_attempt_failed', 'The transfer did not arrive.')
  }

  cancel(id: string): Intent | 'too late' {
    const intent = this.intent(id)
    if (intent.status === 'succeeded' || intent.status === 'canceled') return 'too late'
    intent.status = 'canceled'
    this.#tell('payment_intent.canceled', intent)
    return intent
  }

  refund(intentId: string, amount: number, status: Refund['status'] = 'succeeded'): Refund {
    const intent = this.intent(intentId)
    const charge = chargeOf(intent)
    const refund: Refund = {
      id: identifier('re'),
      object: 'refund',
      amount,
      currency: intent.currency,
      payment_intent: intent.id,
      charge: charge.id,
      status,
    }
    this.refunds.set(refund.id, refund)
    charge.amount_refunded += amount
    charge.refunded = charge.amount_refunded === charge.amount
    this.#tell('charge.refunded', charge)
    return refund
  }

  failRefund(id: string): void {
    const refund = this.refunds.get(id)
    if (refund === undefined) throw new Error(`no refund ${id}`)
    refund.status = 'failed'
    chargeOf(this.intent(refund.payment_intent)).amount_refunded -= refund.amount
    this.#tell('refund.updated', refund)
  }

  /** `amount`: what the bank withdraws, where it differs from the payment. */
  dispute(intentId: string, status = 'needs_response', amount = this.intent(intentId).amount): Dispute {
    const intent = this.intent(intentId)
    const charge = chargeOf(intent)
    const isTaken = !status.startsWith('warning')
    const dispute: Dispute = {
      id: identifier('du'),
      object: 'dispute',
      amount,
      currency: intent.currency,
      payment_intent: intent.id,
      charge: charge.id,
      livemode: this.livemode,
      status,
      balance_transactions: isTaken ? [{ amount: -amount }] : [],
    }
    this.disputes.set(dispute.id, dispute)
    charge.disputed = true
    this.#tell('charge.dispute.created', dispute)
    return dispute
  }

  closeDispute(id: string, status: 'won' | 'lost'): void {
    const dispute = this.disputes.get(id)
    if (dispute === undefined) throw new Error(`no dispute ${id}`)
    dispute.status = status
    if (status === 'won') dispute.balance_transactions.push({ amount: dispute.amount })
    this.#tell('charge.dispute.closed', dispute)
    if (status === 'won') this.#tell('charge.dispute.funds_reinstated', dispute)
  }

  detach(method: string): boolean {
    const saved = this.methods.get(method)
    if (saved === undefined || saved.customer === null) return false
    saved.customer = null
    return true
  }

  session(id: string): Session {
    const session = this.sessions.get(id)
    if (session === undefined) throw new Error(`no session ${id}`)
    return session
  }

  intent(id: string): Intent {
    const intent = this.intents.get(id)
    if (intent === undefined) throw new Error(`no payment ${id}`)
    return intent
  }

  /** An event about anything, also about what never happened. */
  event(type: string, object: unknown): StripeEvent {
    return {
      id: identifier('evt'),
      object: 'event',
      type,
      created: this.nowS(),
      livemode: this.livemode,
      api_version: '2026-10-28.endive',
      data: { object: structuredClone(object) },
    }
  }

  #tell(type: string, object: unknown): void {
    this.events.push(this.event(type, object))
  }

  #intentOf(session: Session): Intent {
    const earlier = session.payment_intent
    if (earlier !== null) return this.intent(earlier)
    const { amount_total: amount, currency, customer, ofPayment } = session
    const { metadata, setupFutureUsage } = ofPayment
    return this.#newIntent({ amount, currency, customer, metadata, setup_future_usage: setupFutureUsage })
  }

  #newIntent(
    given: Pick<Intent, 'amount' | 'currency' | 'customer' | 'metadata' | 'setup_future_usage'>,
  ): Intent {
    const intent: Intent = {
      ...given,
      id: identifier('pi'),
      object: 'payment_intent',
      amount_received: 0,
      livemode: this.livemode,
      status: 'requires_payment_method',
      latest_charge: null,
      last_payment_error: null,
      payment_method: null,
    }
    this.intents.set(intent.id, intent)
    return intent
  }

  #succeed(intent: Intent): void {
    intent.status = 'succeeded'
    intent.amount_received = intent.amount
    intent.last_payment_error = null
    intent.payment_method ??= this.#newCard(intent)
    intent.latest_charge = {
      id: identifier('ch'),
      object: 'charge',
      payment_intent: intent.id,
      amount: intent.amount,
      amount_refunded: 0,
      refunded: false,
      disputed: false,
      currency: intent.currency,
      livemode: intent.livemode,
      metadata: intent.metadata,
    }
    this.#tell('payment_intent.succeeded', intent)
  }

  #newCard({ setup_future_usage: use, customer }: Intent): PaymentMethod {
    const method: PaymentMethod = {
      id: identifier('pm'),
      object: 'payment_method',
      type: 'card',
      card: { brand: 'visa', last4: '4242' },
    }
    this.methods.set(method.id, { method, customer: use === null ? null : customer })
    return method
  }

  #fail(intent: Intent, code: string, message: string): void {
    intent.status = 'requires_payment_method'
    intent.last_payment_error = { type: 'card_error', code, message }
    this.#tell('payment_intent.payment_failed', intent)
  }
}

function chargeOf({ id, latest_charge: charge }: Intent): Charge {
  if (charge === null) throw new Error(`payment ${id} has no charge`)
  return charge
}

/** The session as the API returns it, without internal fields. */
export function publicSession({ ofPayment: _, ...session }: Session): unknown {
  return session
}
