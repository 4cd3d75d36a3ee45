/** The operations on money: entries, top-ups, codes, invoices, alerts. */
import { z } from 'zod'
import { file, forAccount, forOperators, operation, payers } from '../operation.ts'
import { email, entryId, listLimit, time, usd, usdOut } from '../values.ts'
import { codeId, entry, invoice, invoiceKind, redeemCode, topUp, topUpId } from '../values-billing.ts'
import { ofAccount } from './accounts.ts'

const reads = forAccount({ scope: 'billing:read', operator: 'yes' })
const positiveUsd = usd.refine((text) => /[1-9]/.test(text), 'must be more than zero')
const entryKinds = z.enum(['usage', 'write_off', 'credit', 'refund'])
const entriesInput = z.strictObject({
  ...ofAccount,
  /** Defaults to all kinds. */
  kind: entryKinds.optional(),
  /** A request's entry, like its receipt, is dated by the start of the request. */
  from: time.optional(),
  to: time.optional(),
  limit: listLimit.default(50),
  before: entryId.optional(),
})
/** An automatic top-up of `amount` once less than `below` is available. */
const autoTopUp = z.strictObject({ below: positiveUsd, amount: positiveUsd })
const invoiceId = z
  .string()
  .regex(
    /^(\d{4}-(0[1-9]|1[0-2])|(top|ent)_[0-9a-hjkmnp-tv-z]{13})$/,
    'must be a month such as 2026-11, a top-up ID (top_…) or the ID of a credit (ent_…)',
  )

export const billing = z.strictObject({
  posted: usdOut,
  held: usdOut,
  available: usdOut,
  /** The runway in days at the average spend of the last 7 days; null: spend on fewer than 3 of them. */
  daysLeft: z.number().nullable(),
  /** The balance lasts fewer days than `alertDays`, or, where it is null, than 3 without automatic top-ups. */
  runsLow: z.boolean(),
  /** How accounts add credit on this installation. */
  payments: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('stripe'), minimum: usdOut, maximum: usdOut, test: z.boolean() }),
    /** The operator adds credit; `contact` says how to reach them. */
    z.strictObject({ kind: z.literal('operator'), contact: z.string().nullable() }),
  ]),
  autoTopUp: z.strictObject({ below: usdOut, amount: usdOut }).nullable(),
  /** Why automatic top-ups are paused: the last one failed. */
  autoTopUpProblem: z.string().nullable(),
  /** When the next automatic top-up may run, while one is due and the daily limit is reached. */
  autoTopUpWaits: time.nullable(),
  /** The payment method of automatic top-ups, such as "Visa ending in 4242". */
  savedMethod: z.string().nullable(),
  /** A warning is shown and emailed when the runway falls below this many days; null: shown below 3 days; 0: never. */
  alertDays: z.int().nullable(),
  /** Name and address on invoices. */
  invoiceTo: z.string(),
  /** Set while a disputed payment freezes the account. */
  frozen: z.string().nullable(),
})

export const billingOperations = {
  'billing.show': operation({
    summary: "Show an account's balance and payment settings",
    policy: reads,
    http: ['GET', '/api/billing'],
    input: z.strictObject(ofAccount),
    output: billing,
  }),
  'billing.update': operation({
    summary:
      'Update automatic top-ups, the low-balance alert and the invoice address; omitted fields keep their values',
    policy: forAccount({ roles: payers }),
    http: ['PATCH', '/api/billing'],
    input: z.strictObject({
      ...ofAccount,
      autoTopUp: autoTopUp.nullable().optional(),
      alertDays: z.int().min(0).max(365).nullable().optional(),
      invoiceTo: z.string().trim().max(1_000).optional(),
    }),
    output: billing,
  }),
  'entries.list': operation({
    summary: "List an account's ledger entries, newest first",
    policy: reads,
    http: ['GET', '/api/entries'],
    input: entriesInput,
    output: z.array(entry),
  }),
  'entries.csv': operation({
    summary: 'Export ledger entries as CSV, up to 100,000 rows',
    policy: reads,
    http: ['GET', '/api/entries.csv'],
    produces: 'csv',
    input: entriesInput.omit({ limit: true, before: true }),
    output: file,
  }),
  'top-up.create': operation({
    summary: 'Start a top-up; the response contains the payment URL',
    policy: forAccount({ roles: payers }),
    http: ['POST', '/api/top-ups'],
    input: z.strictObject({
      ...ofAccount,
      amount: positiveUsd,
      /** Saves the payment method for automatic top-ups. */
      saveMethod: z.boolean().default(false),
    }),
    output: topUp,
  }),
  'top-up.list': operation({
    summary: "List an account's top-ups, newest first",
    policy: reads,
    http: ['GET', '/api/top-ups'],
    input: z.strictObject({ ...ofAccount, limit: listLimit.default(20), before: topUpId.optional() }),
    output: z.array(topUp),
  }),
  'top-up.show': operation({
    summary: 'Show a top-up; a pending one is refreshed from the payment provider',
    policy: forAccount({ subject: 'top_up', scope: 'billing:read', operator: 'yes' }),
    http: ['GET', '/api/top-ups/{topUp}'],
    input: z.strictObject({ topUp: topUpId }),
    output: topUp,
  }),
  'method.forget': operation({
    summary: 'Remove the saved payment method and turn off automatic top-ups',
    policy: forAccount({ roles: payers }),
    http: ['DELETE', '/api/billing/method'],
    input: z.strictObject(ofAccount),
    output: billing,
  }),
  'code.redeem': operation({
    summary: 'Redeem a credit code',
    policy: forAccount({ roles: payers }),
    http: ['POST', '/api/codes/redeem'],
    input: z.strictObject({ ...ofAccount, code: z.string().trim().min(1).max(100) }),
    output: z.strictObject({ amount: usdOut, balance: usdOut }),
  }),
  'invoice.list': operation({
    summary: "List an account's statements and payment receipts, newest first",
    policy: reads,
    http: ['GET', '/api/invoices'],
    input: z.strictObject(ofAccount),
    output: z.array(z.strictObject({ id: z.string(), kind: invoiceKind, issued: time, total: usdOut })),
  }),
  'invoice.show': operation({
    summary: 'Show a monthly statement, or the receipt of a payment or a credit',
    policy: reads,
    http: ['GET', '/api/invoices/{invoice}'],
    input: z.strictObject({ ...ofAccount, invoice: invoiceId }),
    output: invoice,
  }),
  'code.create': operation({
    summary: 'Create a credit code; it is shown only once',
    policy: forOperators('recent', 'also local'),
    http: ['POST', '/api/admin/codes'],
    input: z.strictObject({
      amount: positiveUsd,
      /** How many accounts may redeem it. */
      usesMax: z.int().min(1).max(100_000).default(1),
      expires: time.nullable().optional(),
      note: z.string().trim().max(500).optional(),
    }),
    output: z.strictObject({ id: codeId, code: z.string() }),
  }),
  'code.list': operation({
    summary: 'List credit codes',
    policy: forOperators('yes', 'also local'),
    http: ['GET', '/api/admin/codes'],
    input: z.strictObject({}),
    output: z.array(redeemCode),
  }),
  'code.revoke': operation({
    summary: 'Revoke a credit code; redeemed credit stays',
    policy: forOperators('recent', 'also local'),
    http: ['DELETE', '/api/admin/codes/{code}'],
    input: z.strictObject({ code: codeId }),
    output: redeemCode,
  }),
  'payments.list': operation({
    summary: 'List the top-ups of all accounts, newest first',
    policy: forOperators('yes', 'console only'),
    http: ['GET', '/api/admin/top-ups'],
    input: z.strictObject({ limit: listLimit.default(50), before: topUpId.optional() }),
    output: z.array(topUp.extend({ email: email.nullable() })),
  }),
} as const
