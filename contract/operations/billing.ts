/** The operations on money: entries, top-ups, codes, invoices, alerts. */
import { z } from 'zod'
import { file, forAccount, forOperators, operation, payers } from '../operation.ts'
import { email, entryId, listLimit, time, usd, usdOut } from '../values.ts'
import { codeId, entry, invoice, redeemCode, topUp, topUpId } from '../values-billing.ts'
import { ofAccount } from './accounts.ts'

const reads = forAccount({ scope: 'billing:read', operator: 'yes' })
const positiveUsd = usd.refine((text) => /[1-9]/.test(text), 'must be more than zero')
const entryKinds = z.enum(['usage', 'write_off', 'credit', 'refund'])
const entriesInput = z.strictObject({
  ...ofAccount,
  /** Left out: all kinds. */
  kind: entryKinds.optional(),
  /** The entry of a request belongs to the time at which the request began, as its receipt does. */
  from: time.optional(),
  to: time.optional(),
  limit: listLimit.default(50),
  before: entryId.optional(),
})
/** An automatic top-up of `amount` once less than `below` is available. */
const autoTopUp = z.strictObject({ below: positiveUsd, amount: positiveUsd })
const invoiceId = z
  .string()
  .regex(/^(\d{4}-(0[1-9]|1[0-2])|top_[0-9a-hjkmnp-tv-z]{13})$/, 'must be a month 2026-11 or a top-up top_…')

export const billing = z.strictObject({
  posted: usdOut,
  held: usdOut,
  available: usdOut,
  daysLeft: z.number().nullable(),
  /** How balances are filled here. */
  payments: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('stripe'), minimum: usdOut, maximum: usdOut, test: z.boolean() }),
    /** The operator credits them; `contact` is what the operator says of it. */
    z.strictObject({ kind: z.literal('operator'), contact: z.string().nullable() }),
  ]),
  autoTopUp: z.strictObject({ below: usdOut, amount: usdOut }).nullable(),
  /** Why automatic top-ups rest: the last one failed. */
  autoTopUpProblem: z.string().nullable(),
  /** Set while an automatic top-up is due and waits until then: there were as many within a day as are made. */
  autoTopUpWaits: time.nullable(),
  /** The method that automatic top-ups use, in words such as "Visa ending in 4242". */
  savedMethod: z.string().nullable(),
  /** A warning is sent once the balance lasts for fewer days than this at the present rate; null: none. */
  alertDays: z.int().nullable(),
  /** Name and address on invoices. */
  invoiceTo: z.string(),
  /** Set while a disputed payment freezes the account. */
  frozen: z.string().nullable(),
})

export const billingOperations = {
  'billing.show': operation({
    summary: 'How an account pays, and what it has',
    policy: reads,
    effect: 'reads',
    http: ['GET', '/api/billing'],
    input: z.strictObject(ofAccount),
    output: billing,
  }),
  'billing.update': operation({
    summary: 'Change automatic top-ups, the warning and what stands on invoices; what is left out stays',
    policy: forAccount({ roles: payers }),
    effect: 'changes',
    http: ['PATCH', '/api/billing'],
    input: z.strictObject({
      ...ofAccount,
      autoTopUp: autoTopUp.nullable().optional(),
      alertDays: z.int().min(1).max(365).nullable().optional(),
      invoiceTo: z.string().trim().max(1_000).optional(),
    }),
    output: billing,
  }),
  'entries.list': operation({
    summary: "List the entries of an account's ledger, the latest first",
    policy: reads,
    effect: 'reads',
    http: ['GET', '/api/entries'],
    input: entriesInput,
    output: z.array(entry),
  }),
  'entries.csv': operation({
    summary: 'The same as a CSV file, at most 100,000 rows',
    policy: reads,
    effect: 'reads',
    http: ['GET', '/api/entries.csv'],
    produces: 'csv',
    input: entriesInput.omit({ limit: true, before: true }),
    output: file,
  }),
  'top-up.create': operation({
    summary: 'Begin to pay; the answer says where to go on',
    policy: forAccount({ roles: payers }),
    effect: 'changes',
    http: ['POST', '/api/top-ups'],
    input: z.strictObject({
      ...ofAccount,
      amount: positiveUsd,
      /** Keep the method, so that automatic top-ups can use it. */
      saveMethod: z.boolean().default(false),
    }),
    output: topUp,
  }),
  'top-up.list': operation({
    summary: 'List the top-ups of an account, the latest first',
    policy: reads,
    effect: 'reads',
    http: ['GET', '/api/top-ups'],
    input: z.strictObject({ ...ofAccount, limit: listLimit.default(20), before: topUpId.optional() }),
    output: z.array(topUp),
  }),
  'top-up.show': operation({
    summary: 'Show one top-up; asks the payment provider where it is still under way',
    policy: forAccount({ subject: 'top_up', scope: 'billing:read', operator: 'yes' }),
    effect: 'reads',
    http: ['GET', '/api/top-ups/{topUp}'],
    input: z.strictObject({ topUp: topUpId }),
    output: topUp,
  }),
  'method.forget': operation({
    summary: 'Forget the saved method; automatic top-ups end with it',
    policy: forAccount({ roles: payers }),
    effect: 'changes',
    http: ['DELETE', '/api/billing/method'],
    input: z.strictObject(ofAccount),
    output: billing,
  }),
  'code.redeem': operation({
    summary: 'Redeem a code for credit',
    policy: forAccount({ roles: payers }),
    effect: 'changes',
    http: ['POST', '/api/codes/redeem'],
    input: z.strictObject({ ...ofAccount, code: z.string().trim().min(1).max(100) }),
    output: z.strictObject({ amount: usdOut, balance: usdOut }),
  }),
  'invoice.list': operation({
    summary: 'List the statements and payment receipts of an account, the latest first',
    policy: reads,
    effect: 'reads',
    http: ['GET', '/api/invoices'],
    input: z.strictObject(ofAccount),
    output: z.array(
      z.strictObject({ id: z.string(), kind: z.enum(['statement', 'payment']), issued: time, total: usdOut }),
    ),
  }),
  'invoice.show': operation({
    summary: "One month's statement, or the receipt of one payment",
    policy: reads,
    effect: 'reads',
    http: ['GET', '/api/invoices/{invoice}'],
    input: z.strictObject({ ...ofAccount, invoice: invoiceId }),
    output: invoice,
  }),
  'code.create': operation({
    summary: 'Make a code that gives credit to whoever redeems it; the answer is the only time it is shown',
    policy: forOperators('recent', 'also local'),
    effect: 'changes',
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
    summary: 'List the codes that were made',
    policy: forOperators('yes', 'also local'),
    effect: 'reads',
    http: ['GET', '/api/admin/codes'],
    input: z.strictObject({}),
    output: z.array(redeemCode),
  }),
  'code.revoke': operation({
    summary: 'End a code; what was redeemed stays',
    policy: forOperators('recent', 'also local'),
    effect: 'changes',
    http: ['DELETE', '/api/admin/codes/{code}'],
    input: z.strictObject({ code: codeId }),
    output: redeemCode,
  }),
  'payments.list': operation({
    summary: 'List the top-ups of all accounts, the latest first',
    policy: forOperators('yes', 'console only'),
    effect: 'reads',
    http: ['GET', '/api/admin/top-ups'],
    input: z.strictObject({ limit: listLimit.default(50), before: topUpId.optional() }),
    output: z.array(topUp.extend({ email: email.nullable() })),
  }),
} as const
