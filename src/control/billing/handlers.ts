/** The handlers of this folder by the names of their operations. */
import { createCode, listCodes, redeemCode, revokeCode } from './codes.ts'
import { entriesCsv, listEntries } from './entries.ts'
import { forgetMethod } from './forget-method.ts'
import { listInvoices, showInvoice } from './invoices.ts'
import { showBilling } from './show.ts'
import { createTopUp, listPayments, listTopUps, showTopUp } from './top-ups.ts'
import { updateBilling } from './update.ts'

export const billingHandlers = {
  'billing.show': showBilling,
  'billing.update': updateBilling,
  'method.forget': forgetMethod,
  'entries.list': listEntries,
  'entries.csv': entriesCsv,
  'top-up.create': createTopUp,
  'top-up.list': listTopUps,
  'top-up.show': showTopUp,
  'payments.list': listPayments,
  'code.redeem': redeemCode,
  'code.create': createCode,
  'code.list': listCodes,
  'code.revoke': revokeCode,
  'invoice.list': listInvoices,
  'invoice.show': showInvoice,
} as const
