/**
 * Payments, composed: with a provider users top up themselves, without one the operator credits them; codes
 * exist in both cases. Starts nothing on its own: background jobs are in work.ts.
 */
import { TollgateError } from '../base/errors.ts'
import type { RandomBytes } from '../base/ids.ts'
import type { StripeSetting } from '../config/config.ts'
import type { Ledger } from '../ledger/types.ts'
import type { Store } from '../store/store.ts'
import { beginCheckout, type CheckoutLimits, checkAmount } from './checkout.ts'
import { openCodes } from './codes.ts'
import { type EventRows, eventRows } from './event-rows.ts'
import { createReconciler, noHint, type Reconcile, type ReconcileDeps } from './reconcile.ts'
import { type BillingRows, billingRows } from './settings.ts'
import { type StripeLimits, stripeProvider } from './stripe-provider.ts'
import { topUpRows } from './top-up-rows.ts'
import type { BillingChange, PaymentFacts, Payments } from './types.ts'
import { unmatchedPayments } from './unmatched.ts'
import { webhookHandling } from './webhook.ts'

export interface PaymentLimits extends CheckoutLimits, StripeLimits {
  readonly codeTriesPerMinute: number
}

export interface PaymentOptions extends Pick<ReconcileDeps, 'changes' | 'clock' | 'nextId' | 'log'> {
  readonly store: Pick<Store, 'database'>
  readonly ledger: Ledger
  readonly random: RandomBytes
  /** null: people cannot pay here by themselves. */
  readonly stripe: StripeSetting | null
  readonly operator: { readonly name: string; readonly contact: string | null }
  /** For the hashes of codes. */
  readonly codeKey: Uint8Array
  readonly limits: PaymentLimits
}

/** Dependencies of the background jobs, if there is a provider. */
export interface PaymentDeps extends ReconcileDeps {
  readonly reconcile: Reconcile
}

export interface OpenPayments {
  readonly payments: Payments
  readonly billing: BillingRows
  readonly events: EventRows
  readonly paying: PaymentDeps | null
}

export function openPayments(options: PaymentOptions): OpenPayments {
  const { store, stripe, operator, codeKey, limits } = options
  const topUps = topUpRows(store)
  const billing = billingRows(store)
  const events = eventRows(store)
  const unmatched = unmatchedPayments(store)
  const paying = stripe === null ? null : openPaying(options, stripe, { topUps, billing, unmatched })
  const codes = openCodes({ ...options, hashKey: codeKey })
  const payments: Payments = {
    facts: factsOf(options),
    seller: operator.name,
    handleWebhook: paying === null ? null : webhookHandling({ ...paying, events }),
    accountOf: async (id) => (await topUps.find(id))?.account,
    topUp: (id) => topUps.find(id),
    async freshTopUp(id) {
      const row = await topUps.find(id)
      if (row === undefined || paying === null || (row.paidMs !== null && row.state !== 'disputed'))
        return row
      await paying.reconcile(id, noHint).catch((error: unknown) => {
        if (!isUnavailable(error)) throw error
      })
      return topUps.find(id)
    },
    unmatched: unmatched.list,
    topUps: (filter) => topUps.list(filter),
    async beginTopUp(input) {
      if (paying === null) throw paymentsOff()
      const id = await beginCheckout({ ...paying, limits }, input)
      const row = await topUps.find(id)
      if (row === undefined) throw new TypeError('a top-up that was begun has its row')
      return row
    },
    setting: billing.setting,
    change: (account, change) => changeSetting({ paying, billing, limits }, account, change),
    async forgetMethod(account) {
      const payer = paying === null ? undefined : await billing.payer(account, paying.provider.mode)
      await billing.change(account, { autoTopUp: null })
      try {
        // There first: what is forgotten here cannot be named there any more.
        if (paying !== null && payer !== undefined && payer.method !== null) {
          await paying.provider.forgetMethod(payer.method)
        }
      } finally {
        await billing.forgetMethod(account)
      }
      options.changes.publish(account, ['billing'])
      return billing.setting(account)
    },
    ...codes,
    async redeem(input) {
      const redeemed = await codes.redeem(input)
      await billing.alerted(input.account, null)
      options.changes.publish(input.account, ['balance', 'billing'])
      return redeemed
    },
  }
  return { payments, billing, events, paying }
}

function openPaying(
  options: PaymentOptions,
  stripe: StripeSetting,
  rows: Pick<ReconcileDeps, 'topUps' | 'billing' | 'unmatched'>,
): PaymentDeps {
  const { ledger, changes, clock, nextId, log, limits } = options
  const provider = stripeProvider(stripe, limits)
  const { checkoutMs } = limits
  const deps = { provider, ...rows, ledger, changes, clock, nextId, log, checkoutMs }
  return { ...deps, reconcile: createReconciler(deps) }
}

function factsOf({ stripe, operator, limits }: PaymentOptions): PaymentFacts {
  if (stripe === null) return { kind: 'operator', contact: operator.contact }
  const { topUpNanoMin: minimum, topUpNanoMax: maximum } = limits
  return { kind: 'stripe', minimum, maximum, test: stripe.mode === 'test' }
}

interface ChangeDeps {
  readonly paying: PaymentDeps | null
  readonly billing: BillingRows
  readonly limits: CheckoutLimits
}

async function changeSetting(
  { paying, billing, limits }: ChangeDeps,
  account: bigint,
  change: BillingChange,
): ReturnType<Payments['change']> {
  if (change.autoTopUp !== undefined && change.autoTopUp !== null) {
    if (paying === null) throw paymentsOff()
    checkAmount(change.autoTopUp.amount, limits)
    const payer = await billing.payer(account, paying.provider.mode)
    if (payer === undefined || payer.method === null) {
      throw new TollgateError('conflict', {
        message: 'No payment method is saved. Save one with your next top-up to use automatic top-ups.',
        param: 'autoTopUp',
      })
    }
  }
  await billing.change(account, change)
  return billing.setting(account)
}

function paymentsOff(): TollgateError {
  return new TollgateError('payments_off', {
    message: 'Payments are not configured on this server. Ask an administrator for credit.',
  })
}

const isUnavailable = (error: unknown): boolean =>
  error instanceof TollgateError && error.code === 'payment_provider_unavailable'
