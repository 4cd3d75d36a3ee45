/**
 * Begins a top-up: our row first, then the payment page for it. Any failure in between leaves a row that cannot
 * be paid and expires, never a payment without a row.
 */
import { formatUsd } from '../../contract/usd.ts'
import { assert } from '../base/assert.ts'
import { consoleUrl } from '../base/console-url.ts'
import { asTollgateError, TollgateError } from '../base/errors.ts'
import { formatId } from '../base/ids.ts'
import { centsOf } from './judge.ts'
import type { ReconcileDeps } from './reconcile.ts'
import type { NewTopUp } from './types.ts'

export interface CheckoutLimits {
  readonly topUpNanoMin: bigint
  readonly topUpNanoMax: bigint
  readonly openTopUpsMax: number
  readonly checkoutMs: number
}

export interface CheckoutDeps extends Omit<ReconcileDeps, 'ledger' | 'unmatched' | 'checkoutMs'> {
  readonly limits: CheckoutLimits
}

/** Returns the ID of the top-up, whose row has the URL to continue at. */
export async function beginCheckout(deps: CheckoutDeps, input: NewTopUp): Promise<bigint> {
  const { provider, topUps, nextId, clock, limits, changes } = deps
  const { account, email, amount, saveMethod, address } = input
  checkAmount(amount, limits)
  const id = nextId()
  const nowMs = clock.wallMs()
  const { name, mode } = provider
  const draft = { id, account, amount, mode, provider: name, automatic: false, saveMethod, nowMs }
  if (!(await topUps.insertOpen(draft, limits.openTopUpsMax))) {
    throw new TollgateError('too_many_attempts', {
      message: `${limits.openTopUpsMax} top-ups of this account are awaiting payment. Pay one of them or wait until they expire.`,
    })
  }
  try {
    await openPage(deps, {
      topUp: id,
      account,
      email,
      amount,
      saveMethod,
      address,
      key: formatId('top', id),
    })
  } catch (thrown) {
    const problem = asTollgateError(thrown).details.message
    await topUps.note(id, { state: 'failed', problem }, clock.wallMs())
    throw thrown
  }
  changes.publish(account, ['billing'])
  return id
}

/** Throws invalid_value for what cannot be paid here. */
export function checkAmount(amount: bigint, { topUpNanoMin, topUpNanoMax }: CheckoutLimits): void {
  const param = 'amount'
  if (centsOf(amount) === undefined) {
    throw new TollgateError('invalid_value', { message: 'amount: must be whole cents.', param })
  }
  if (amount >= topUpNanoMin && amount <= topUpNanoMax) return
  const bounds = `from ${formatUsd(topUpNanoMin)} to ${formatUsd(topUpNanoMax)} USD`
  throw new TollgateError('invalid_value', { message: `amount: must be ${bounds}.`, param })
}

export interface PageInput {
  readonly topUp: bigint
  readonly account: bigint
  readonly email: string | null
  readonly amount: bigint
  readonly saveMethod: boolean
  readonly address: string
  /** The idempotency key of the page. */
  readonly key: string
}

/** Makes the payment page of a top-up and writes its address down. */
export async function openPage(deps: CheckoutDeps, input: PageInput): Promise<void> {
  const { provider, topUps, billing, clock, limits } = deps
  const { topUp, account, amount, saveMethod, address, key } = input
  const cents = centsOf(amount)
  assert(cents !== undefined, 'a top-up is of whole cents')
  const [topUpText, accountText] = [formatId('top', topUp), formatId('acct', account)]
  const backTo = `${consoleUrl(address, '/billing', account)}&top-up=${topUpText}`
  const wanted = {
    idempotencyKey: key,
    topUp: topUpText,
    account: accountText,
    cents,
    saveMethod,
    backTo,
    leftTo: `${backTo}&left=page`,
    expiresMs: clock.wallMs() + limits.checkoutMs,
  }
  let page = await provider.createCheckout({ ...wanted, customer: await customerFor(deps, input) })
  if (page.kind === 'no_customer') {
    // The customer was deleted at the provider: create a new one and retry.
    await billing.dropCustomer(account)
    const customer = await customerFor(deps, { ...input, key: `${key}-again` })
    page = await provider.createCheckout({ ...wanted, customer, idempotencyKey: `${key}-again` })
  }
  if (page.kind === 'no_customer') {
    throw new TollgateError('payment_failed', {
      message: 'The payment provider did not create the customer.',
    })
  }
  await topUps.note(topUp, { session: page.id, payUrl: page.url }, clock.wallMs())
}

async function customerFor(
  { provider, billing }: CheckoutDeps,
  { account, email, key }: PageInput,
): Promise<string> {
  const known = await billing.payer(account, provider.mode)
  if (known !== undefined) return known.customer
  const customer = await provider.createCustomer({
    idempotencyKey: `${key}-customer`,
    account: formatId('acct', account),
    email,
  })
  return billing.keepCustomer(account, provider.mode, customer)
}
