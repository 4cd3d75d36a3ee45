/**
 * The interface of a payment provider: requests, and its current facts as results. Types only; the
 * only implementation is in stripe-provider.ts. Amounts are whole cents, times milliseconds.
 */

/** Our own words on a thing at the provider: which top-up of which account it is. */
export interface Marks {
  readonly topUp: string | null
  readonly account: string | null
}

export type PaymentStatus = 'succeeded' | 'processing' | 'action_required' | 'failed' | 'canceled' | 'waiting'

export interface PaymentFact {
  readonly id: string
  readonly status: PaymentStatus
  readonly cents: number
  /** The amount received, in cents. */
  readonly receivedCents: number
  /** In lower case. */
  readonly currency: string
  readonly mode: 'test' | 'live'
  readonly marks: Marks
  /** Why the last try failed, in the provider's words for the payer. */
  readonly problem: string | null
  /** The payment method, where the payer agreed to save it. */
  readonly savedMethod: SavedMethod | null
  /** Whether the payment may have refunds or disputes. */
  readonly hasReturns: boolean
}

export interface SavedMethod {
  readonly customer: string
  readonly method: string
  /** For display, such as "Visa ending in 4242". */
  readonly words: string
}

export interface CheckoutFact {
  readonly id: string
  readonly status: 'open' | 'complete' | 'expired'
  readonly isPaid: boolean
  readonly url: string | null
  readonly cents: number | null
  readonly currency: string | null
  readonly mode: 'test' | 'live'
  readonly marks: Marks
  readonly payment: PaymentFact | null
}

/** A refund or dispute: `taken` while the payer has the money, `given_back` once we have it again. */
export interface ReturnFact {
  readonly source: 'refund' | 'dispute'
  readonly reference: string
  readonly cents: number
  readonly currency: string
  readonly position: 'taken' | 'given_back'
}

/** The objects that an event names, by id. The event's own contents are not trusted. */
export interface ProviderEvent {
  readonly id: string
  readonly type: string
  readonly mode: 'test' | 'live'
  readonly subject: EventSubject | null
}

export interface EventSubject {
  readonly marks: Marks
  readonly checkout: string | null
  readonly payment: string | null
}

export interface CheckoutInput {
  /** Repeating a request with the same key makes it only once. */
  readonly idempotencyKey: string
  readonly topUp: string
  readonly account: string
  readonly cents: number
  readonly customer: string
  readonly saveMethod: boolean
  readonly backTo: string
  /** Where a payer who cancels is redirected. */
  readonly leftTo: string
  readonly expiresMs: number
}

export interface ChargeInput {
  readonly idempotencyKey: string
  readonly topUp: string
  readonly account: string
  readonly cents: number
  readonly customer: string
  readonly method: string
}

export type ChargeResult =
  | { readonly kind: 'payment'; readonly payment: PaymentFact }
  | {
      readonly kind: 'declined'
      /** The bank wants its owner to confirm it. */
      readonly needsOwner: boolean
      readonly problem: string
      readonly payment: string | null
    }

/** Everything rejects with payment_provider_unavailable or payment_failed. */
export interface Provider {
  readonly name: string
  readonly mode: 'test' | 'live'
  /** undefined: it was not signed by the provider for us, or not lately. */
  verified(body: Uint8Array, signature: string, nowMs: number): Promise<ProviderEvent | undefined>
  createCustomer(input: {
    readonly idempotencyKey: string
    readonly account: string
    readonly email: string | null
  }): Promise<string>
  createCheckout(
    input: CheckoutInput,
  ): Promise<
    | { readonly kind: 'checkout'; readonly id: string; readonly url: string }
    | { readonly kind: 'no_customer' }
  >
  checkout(id: string): Promise<CheckoutFact>
  payment(id: string): Promise<PaymentFact>
  returns(payment: string): Promise<readonly ReturnFact[]>
  /** Lists events of payments, refunds and disputes since `sinceMs`, latest first; with `after`, only those before that event. */
  moneyEvents(input: {
    readonly sinceMs: number
    readonly after: string | null
    readonly limit: number
  }): Promise<{ readonly events: readonly ProviderEvent[]; readonly hasMore: boolean }>
  /** Charges a method that its owner let us keep, while they are away. */
  charge(input: ChargeInput): Promise<ChargeResult>
  /** Harmless where it is too late. */
  cancelPayment(id: string): Promise<void>
  /** Harmless where it is gone already. */
  forgetMethod(method: string): Promise<void>
}
