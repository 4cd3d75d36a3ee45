/** The values of billing: entries of the ledger, top-ups, invoices, codes. Schemas only. */
import { z } from 'zod'
import { accountId, entryId, id, requestId, time, usdOut } from './values.ts'

export const topUpId = id('top')
export const codeId = id('code')

export const entry = z.strictObject({
  id: entryId,
  at: time,
  kind: z.enum(['usage', 'write_off', 'credit', 'refund']),
  /** The change of the balance; negative for charges. */
  amount: usdOut,
  /** The account's posted balance after it. */
  balanceAfter: usdOut,
  /** Where a credit or refund came from: signup, payment, code, manual, refund, dispute. */
  source: z.string().nullable(),
  reference: z.string().nullable(),
  note: z.string().nullable(),
  request: requestId.nullable(),
})

/** A month that is over, a top-up that was paid, or credit that an administrator added. */
export const invoiceKind = z.enum(['statement', 'payment', 'credit'])

/**
 * The states of a top-up. `open`: awaiting payment; `processing`: pending at the bank; `action_required`: an automatic
 * top-up that the cardholder must confirm with the bank.
 */
export const topUpState = z.enum([
  'open',
  'processing',
  'action_required',
  'paid',
  'failed',
  'expired',
  'refunded',
  'partly_refunded',
  'disputed',
])

export const topUp = z.strictObject({
  id: topUpId,
  account: accountId,
  amount: usdOut,
  refunded: usdOut,
  state: topUpState,
  automatic: z.boolean(),
  /** Why it failed, for the payer. */
  problem: z.string().nullable(),
  /** The payment URL while the top-up is open. */
  payUrl: z.url().nullable(),
  created: time,
  paid: time.nullable(),
})

/** A printable monthly statement, or the receipt of a payment or a credit. */
export const invoice = z.strictObject({
  /** `2026-11` for a month's statement, a top-up's ID for a payment receipt, an entry's ID for a credit receipt. */
  id: z.string(),
  kind: invoiceKind,
  issued: time,
  from: time,
  to: time,
  /** Who runs this installation. */
  seller: z.string(),
  /** The account's name and address for invoices. */
  buyer: z.string(),
  account: accountId,
  opening: usdOut,
  closing: usdOut,
  lines: z.array(z.strictObject({ text: z.string(), quantity: z.int().nullable(), amount: usdOut })),
  total: usdOut,
})

export const redeemCode = z.strictObject({
  id: codeId,
  /** The first characters; the full code is shown once, at creation. */
  label: z.string(),
  amount: usdOut,
  usesMax: z.int(),
  uses: z.int(),
  expires: time.nullable(),
  note: z.string().nullable(),
  created: time,
  revoked: time.nullable(),
})
