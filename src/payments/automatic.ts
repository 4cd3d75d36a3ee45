/**
 * Automatic top-ups: charges the saved method of accounts whose balance fell below their threshold. Runs in the
 * background, never in a request; one at a time per account, a limited number per day, and none after a failed one until its
 * owner has paid manually or confirmed it.
 */
import { formatUsd } from '../../contract/usd.ts'
import { assert } from '../base/assert.ts'
import { consoleUrl } from '../base/console-url.ts'
import { asTollgateError, type TollgateError } from '../base/errors.ts'
import { formatId } from '../base/ids.ts'
import type { AccountRow } from '../ledger/types.ts'
import { type CheckoutDeps, type CheckoutLimits, openPage } from './checkout.ts'
import { centsOf } from './judge.ts'
import type { ChargeResult } from './provider.ts'
import { noHint, type Reconcile } from './reconcile.ts'
import type { BillingCustomer, ShortAccount } from './settings.ts'
import type { TopUpRow } from './top-up-rows.ts'
import type { EmailSender } from './types.ts'

/** Concurrent automatic top-ups. */
const automaticTopUpsAtOnceMax = 8

export interface AutomaticLimits extends CheckoutLimits {
  readonly automaticTopUpsPerDayMax: number
  readonly topUpCheckMs: number
}

export interface AutomaticTopUpDeps extends Omit<CheckoutDeps, 'limits'> {
  readonly reconcile: Reconcile
  readonly limits: AutomaticLimits
  readonly account: (id: bigint) => Promise<AccountRow | undefined>
  readonly letters: EmailSender
  /** Where people reach the server. */
  readonly address: string
}

/** The provider forgets idempotency keys after a day; a later retry could charge twice. */
const retriedWithinMs = 12 * 3_600_000
/** Accounts below their threshold handled per run; the next run handles more. */
const shortAccountsMax = 500

/** Runs one pass: finishes top-ups that never reached the provider, then charges accounts below their threshold. */
export async function topUpAutomatically(deps: AutomaticTopUpDeps): Promise<void> {
  const { topUps, billing, provider, clock, limits } = deps
  const atOnceMax = automaticTopUpsAtOnceMax
  await inBatches(await topUps.unsent(atOnceMax), atOnceMax, (row) => resume(deps, row))
  const nowMs = clock.wallMs()
  const due = { mode: provider.mode, nowMs, triedMs: nowMs - limits.topUpCheckMs }
  const failed = await topUps.pageless(due, atOnceMax)
  await inBatches(failed, atOnceMax, (row) => carryOn(deps, row))
  const short = await billing.short({ mode: provider.mode, nowMs: clock.wallMs() }, shortAccountsMax)
  await inBatches(short, atOnceMax, (account) => begin(deps, account))
}

/** A failure of one account does not delay the others. */
async function inBatches<Item>(
  items: readonly Item[],
  atOnceMax: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < items.length; from += atOnceMax) {
    await Promise.all(items.slice(from, from + atOnceMax).map(work))
  }
}

async function begin(deps: AutomaticTopUpDeps, { account, amount, payer }: ShortAccount): Promise<void> {
  const { topUps, provider, nextId, clock, limits } = deps
  const { name, mode } = provider
  const id = nextId()
  const draft = { id, account, amount, mode, provider: name, automatic: true, saveMethod: false }
  const inserted = await topUps.insertAutomatic(
    { ...draft, nowMs: clock.wallMs() },
    limits.automaticTopUpsPerDayMax,
  )
  if (inserted.kind === 'begun') await attempt(deps, { id, account, amount }, payer)
  if (inserted.kind === 'full') await wait(deps, account, inserted.untilMs)
}

/** The email is sent before the update: a crash in between repeats the email, and never loses it. */
async function wait(deps: AutomaticTopUpDeps, account: bigint, untilMs: number): Promise<void> {
  const { billing, changes, letters, limits, address } = deps
  const { automaticTopUpsPerDayMax: perDayMax } = limits
  await letters.send(account, {
    subject: 'Automatic top-ups paused',
    text: `Your balance is below your automatic top-up threshold, but the limit of ${perDayMax} automatic top-ups in 24 hours was reached. The next one is possible after ${new Date(untilMs).toISOString()}.

Until then, you can add credit manually or raise the automatic top-up amount:
${consoleUrl(address, '/billing', account)}
`,
  })
  await billing.wait(account, untilMs)
  changes.publish(account, ['billing'])
}

/** The process ended, or the provider could not be reached, before we knew what came of it. */
async function resume(deps: AutomaticTopUpDeps, row: TopUpRow): Promise<void> {
  const { topUps, billing, clock, provider } = deps
  const payer = row.mode === provider.mode ? await billing.payer(row.account, row.mode) : undefined
  const isLate = row.createdMs + retriedWithinMs <= clock.wallMs()
  if (isLate || payer === undefined || payer.method === null) {
    await topUps.note(
      row.id,
      { state: 'expired', problem: 'The payment could not be submitted to the bank.' },
      clock.wallMs(),
    )
    return
  }
  await attempt(deps, row, { ...payer, method: payer.method })
}

type Charged = Pick<TopUpRow, 'id' | 'account' | 'amount'>

async function attempt(
  deps: AutomaticTopUpDeps,
  topUp: Charged,
  payer: BillingCustomer & { readonly method: string },
): Promise<void> {
  const { topUps, clock } = deps
  try {
    const result = await charge(deps, topUp, payer)
    if (result.kind === 'declined') return await decline(deps, topUp, result)
    await topUps.note(topUp.id, { paymentIntent: result.payment.id }, clock.wallMs())
    await deps.reconcile(topUp.id, noHint)
    const row = await topUps.find(topUp.id)
    if (row?.state === 'failed' || row?.state === 'action_required') await carryOn(deps, row)
  } catch (thrown) {
    await reject(deps, topUp, asTollgateError(thrown))
  }
}

function charge(
  { provider }: AutomaticTopUpDeps,
  { id, account, amount }: Charged,
  { customer, method }: BillingCustomer & { readonly method: string },
): Promise<ChargeResult> {
  const cents = centsOf(amount)
  assert(cents !== undefined, 'an automatic top-up is of whole cents')
  const [topUp, payer] = [formatId('top', id), formatId('acct', account)]
  return provider.charge({ idempotencyKey: topUp, topUp, account: payer, cents, customer, method })
}

/** A temporary error leaves the row as it is: the next run tries again. */
async function reject(deps: AutomaticTopUpDeps, topUp: Charged, error: TollgateError): Promise<void> {
  const fields = { topUp: formatId('top', topUp.id), code: error.code, detail: error.details.detail }
  deps.log.warn(fields, 'an automatic top-up failed')
  if (error.code !== 'payment_failed') return
  const { message: problem } = error.details
  await decline(deps, topUp, { kind: 'declined', needsOwner: false, problem, payment: null })
}

async function decline(
  deps: AutomaticTopUpDeps,
  topUp: Charged,
  { needsOwner, problem, payment }: Extract<ChargeResult, { kind: 'declined' }>,
): Promise<void> {
  const { topUps, clock } = deps
  const state = needsOwner ? 'action_required' : 'failed'
  const known = payment === null ? {} : { paymentIntent: payment }
  await topUps.note(topUp.id, { state, problem, ...known }, clock.wallMs())
  const row = await topUps.find(topUp.id)
  if (row !== undefined) await carryOn(deps, row)
}

/** A failed top-up disables further ones; the owner is emailed once, with a payment page. */
async function carryOn(deps: AutomaticTopUpDeps, row: TopUpRow): Promise<void> {
  const { billing, changes } = deps
  const payment = await callOff(deps, row)
  if (payment === 'lives') return
  const problem = row.problem ?? 'The payment failed.'
  const { autoTopUp, autoTopUpProblem } = await billing.setting(row.account)
  if (autoTopUp !== null && autoTopUpProblem === null) {
    // The email first: a crash in between may repeat it, but never loses it.
    await tellOwner(deps, row, problem)
    await billing.rest(row.account, problem)
  }
  if (payment === 'off') await givePage(deps, row)
  changes.publish(row.account, ['billing'])
}

/** The failed payment must not succeed while a page is open: `lives` when it has, or still may. */
async function callOff(
  deps: AutomaticTopUpDeps,
  { id, paymentIntent }: TopUpRow,
): Promise<'off' | 'lives' | 'unknown'> {
  if (paymentIntent === null) return 'off'
  const { provider } = deps
  try {
    await provider.cancelPayment(paymentIntent)
    const { status } = await provider.payment(paymentIntent)
    if (status !== 'succeeded' && status !== 'processing') return 'off'
    await deps.reconcile(id, noHint)
    return 'lives'
  } catch (thrown) {
    await tryLater(deps, id, thrown)
    return 'unknown'
  }
}

async function givePage(deps: AutomaticTopUpDeps, row: TopUpRow): Promise<void> {
  const { clock } = deps
  const { id, account, amount } = row
  try {
    const email = (await deps.account(account))?.email ?? null
    const page = { topUp: id, account, email, amount, saveMethod: true, address: deps.address }
    await openPage(deps, { ...page, key: `${formatId('top', id)}-page-${clock.wallMs()}` })
  } catch (thrown) {
    await tryLater(deps, id, thrown)
  }
}

async function tryLater(
  { topUps, clock, log }: AutomaticTopUpDeps,
  id: bigint,
  thrown: unknown,
): Promise<void> {
  const { code, details } = asTollgateError(thrown)
  log.warn({ topUp: formatId('top', id), code, detail: details.detail }, 'a failed top-up has no page yet')
  await topUps.note(id, {}, clock.wallMs())
}

async function tellOwner(
  deps: AutomaticTopUpDeps,
  { account, amount }: Charged,
  problem: string,
): Promise<void> {
  const { letters, address } = deps
  await letters.send(account, {
    subject: 'An automatic top-up failed',
    text: `An automatic top-up of $${formatUsd(amount)} failed: ${problem}

Automatic top-ups are paused until you pay or change the settings:
${consoleUrl(address, '/billing', account)}
`,
  })
}
