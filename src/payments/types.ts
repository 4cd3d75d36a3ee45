/** The types of payments: top-ups, saved methods, codes, and how balances are filled here. Values only. */
import type { topUpState } from '../../contract/values-billing.ts'

export type TopUpState = (typeof topUpState)['options'][number]

/** How balances are filled here. Amounts are nano-USD. */
export type PaymentFacts =
  | { readonly kind: 'stripe'; readonly minimum: bigint; readonly maximum: bigint; readonly test: boolean }
  | { readonly kind: 'operator'; readonly contact: string | null }

export interface TopUp {
  readonly id: bigint
  readonly account: bigint
  readonly amount: bigint
  readonly refunded: bigint
  readonly state: TopUpState
  readonly automatic: boolean
  /** Why it failed, in words for the payer. */
  readonly problem: string | null
  readonly payUrl: string | null
  readonly createdMs: number
  readonly paidMs: number | null
}

export interface NewTopUp {
  readonly account: bigint
  readonly email: string | null
  readonly amount: bigint
  readonly saveMethod: boolean
  /** Where people reach this server; the payment page leads back there. */
  readonly address: string
}

/** An account's billing settings, and what blocks them. */
export interface BillingSetting {
  readonly autoTopUp: { readonly below: bigint; readonly amount: bigint } | null
  readonly autoTopUpProblem: string | null
  /** Until when they wait, because there were as many within a day as may be; in the past: no more. */
  readonly autoTopUpWaitsMs: number | null
  readonly savedMethod: string | null
  /** 0: no warning; null: the default one, in the console alone. */
  readonly alertDays: number | null
  readonly invoiceTo: string
  /** Why a dispute suspends the account; null: none does, or an operator has resumed it. */
  readonly frozen: string | null
}

export interface BillingChange {
  readonly autoTopUp?: BillingSetting['autoTopUp']
  readonly alertDays?: number | null
  readonly invoiceTo?: string
}

export interface Code {
  readonly id: bigint
  /** The first letters. */
  readonly label: string
  readonly amount: bigint
  readonly usesMax: number
  readonly uses: number
  readonly expiresMs: number | null
  readonly note: string | null
  readonly createdMs: number
  readonly revokedMs: number | null
}

export interface NewCode {
  readonly amount: bigint
  readonly usesMax: number
  readonly expiresMs: number | null
  readonly note: string | null
}

export interface RedeemInput {
  readonly account: bigint
  /** The code as typed. */
  readonly code: string
  /** Where it came from; null: the machine itself. */
  readonly address: string | null
}

export interface TopUpFilter {
  /** null: of all accounts. */
  readonly account: bigint | null
  readonly limit: number
  readonly before: bigint | null
}

/** The response to the provider's webhook. */
export interface WebhookReply {
  readonly status: number
  /** Plain text. */
  readonly body: string
}

/** `body`: the bytes as they came, unparsed; `signature`: the header `stripe-signature`. Never rejects. */
export type HandleWebhook = (body: Uint8Array, signature: string | undefined) => Promise<WebhookReply>

export interface EmailMessage {
  readonly subject: string
  readonly text: string
}

/** Sends emails to an account's owner. */
export interface EmailSender {
  /** false: there is no recipient, or the mail server rejected it. */
  send(account: bigint, letter: EmailMessage): Promise<boolean>
}

/** A payment that arrived and was credited to no account. */
export interface UnmatchedPayment {
  /** The provider's ID. */
  readonly payment: string
  /** The end of a sentence: which amount was paid, and why it was not credited. */
  readonly reason: string
}

export interface Payments {
  readonly facts: PaymentFacts
  /** Who runs this installation: the seller on invoices. */
  readonly seller: string
  /** For `POST /api/stripe/webhook`; null: nothing is mounted there. */
  readonly handleWebhook: HandleWebhook | null
  accountOf(topUp: bigint): Promise<bigint | undefined>
  topUp(id: bigint): Promise<TopUp | undefined>
  /** Returns the top-up after checking it with the provider, or as stored if the provider is unreachable. */
  freshTopUp(id: bigint): Promise<TopUp | undefined>
  /** Payments that an administrator has to refund at the provider, or to credit with the payment's ID as the reference. */
  unmatched(): Promise<readonly UnmatchedPayment[]>
  /** The latest first. */
  topUps(filter: TopUpFilter): Promise<readonly TopUp[]>
  /** Throws payments_off, invalid_value, payment_failed or payment_provider_unavailable. */
  beginTopUp(input: NewTopUp): Promise<TopUp>
  setting(account: bigint): Promise<BillingSetting>
  /** Throws payments_off, invalid_value, or conflict where automatic top-ups have no method to use. */
  change(account: bigint, change: BillingChange): Promise<BillingSetting>
  forgetMethod(account: bigint): Promise<BillingSetting>
  /** The code is not stored: this response is the only place where it appears. */
  createCode(code: NewCode): Promise<{ readonly id: bigint; readonly code: string }>
  codes(): Promise<readonly Code[]>
  /** undefined: there is none. */
  revokeCode(id: bigint): Promise<Code | undefined>
  /** Throws code_not_valid or too_many_attempts. Amounts: what it gave, and what the account has then. */
  redeem(input: RedeemInput): Promise<{ readonly amount: bigint; readonly posted: bigint }>
}
