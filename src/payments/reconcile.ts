/**
 * Reconciles a top-up with its provider: credited once it is paid, debited where it was refunded or disputed. Every
 * notice of a change (an event, a user who looks, the clock) comes here, so that the order of notices does not matter.
 * One reconciliation of a top-up runs at a time; callers that arrive in the meantime share the next one.
 */
import type { Changes } from '../base/changes.ts'
import type { Clock } from '../base/clock.ts'
import { formatId, type NextId } from '../base/ids.ts'
import type { PaymentLedger } from '../ledger/payment-types.ts'
import type { Ledger } from '../ledger/types.ts'
import { judge, nanoOfCents } from './judge.ts'
import type { PaymentFact, ReturnFact } from './provider.ts'
import { type Hint, type RecoverDeps, recoverTopUp } from './recover.ts'
import type { BillingRows } from './settings.ts'
import type { TopUpRow } from './top-up-rows.ts'
import { setAside } from './unmatched.ts'

export interface ReconcileDeps extends RecoverDeps {
  readonly billing: BillingRows
  readonly ledger: Pick<PaymentLedger, 'payTopUp' | 'returnTopUp' | 'restoreTopUp'> & Pick<Ledger, 'account'>
  readonly changes: Changes
  readonly clock: Clock
  readonly nextId: NextId
  /** How long a payment page can be used; a top-up that never got one expires after it. */
  readonly checkoutMs: number
}

export const noHint: Hint = { checkout: null, payment: null }

/** `contradiction`: the provider's data does not match our row; it was logged and no money was moved. */
export type ReconcileResult = 'reconciled' | 'unknown' | 'contradiction'

/** Rejects with payment_provider_unavailable. */
export type Reconcile = (topUp: bigint, hint: Hint) => Promise<ReconcileResult>

interface QueuedReconcile {
  readonly hints: Hint[]
  readonly result: Promise<ReconcileResult>
}

/** More concurrent hints than this about one top-up are useless: the provider is called anyway. */
const hintsMax = 8

export function createReconciler(deps: ReconcileDeps): Reconcile {
  const running = new Map<bigint, Promise<unknown>>()
  const waiting = new Map<bigint, QueuedReconcile>()

  function begin(topUp: bigint, hints: readonly Hint[]): Promise<ReconcileResult> {
    const result = reconcile(deps, topUp, hints).finally(() => {
      if (running.get(topUp) === result) running.delete(topUp)
    })
    running.set(topUp, result)
    return result
  }

  return (topUp, hint) => {
    const turn = waiting.get(topUp)
    if (turn !== undefined) {
      if (turn.hints.length < hintsMax) turn.hints.push(hint)
      return turn.result
    }
    const present = running.get(topUp)
    if (present === undefined) return begin(topUp, [hint])
    const hints = [hint]
    const after = (): Promise<ReconcileResult> => {
      waiting.delete(topUp)
      return begin(topUp, hints)
    }
    const result = present.then(after, after)
    waiting.set(topUp, { hints, result })
    return result
  }
}

async function reconcile(deps: ReconcileDeps, id: bigint, hints: readonly Hint[]): Promise<ReconcileResult> {
  const { topUps, provider } = deps
  const row = (await topUps.find(id)) ?? (await recoverTopUp(deps, id, hints))
  if (row === 'unknown') return row
  if (row === 'nothing') return 'reconciled'
  if (row.provider !== provider.name) return contradicts(deps, row, `belongs to ${row.provider}`)
  return row.paidMs === null ? reconcileOpen(deps, row, hints) : reconcilePaid(deps, row, hints)
}

function contradicts({ log }: ReconcileDeps, row: TopUpRow, reason: string): 'contradiction' {
  log.error(
    { topUp: formatId('top', row.id), reason },
    'payment does not match its top-up; nothing was credited',
  )
  return 'contradiction'
}

async function reconcileOpen(
  deps: ReconcileDeps,
  row: TopUpRow,
  hints: readonly Hint[],
): Promise<ReconcileResult> {
  const { topUps, clock, provider } = deps
  const checkoutId = row.session ?? hints.find(({ checkout }) => checkout !== null)?.checkout ?? null
  const checkout = checkoutId === null ? null : await provider.checkout(checkoutId)
  const named = [row.paymentIntent, ...hints.map(({ payment }) => payment)]
  const others = new Set(named.filter((id) => id !== null && id !== checkout?.payment?.id))
  const payments = await Promise.all([...others].map((id) => provider.payment(id as string)))
  if (checkout === null && payments.length === 0) return expire(deps, row)
  const judgement = judge(row, { checkout, payments })
  switch (judgement.kind) {
    case 'contradiction':
      await setAsidePaid(deps, row, [checkout?.payment ?? null, ...payments], judgement.reason)
      return contradicts(deps, row, judgement.reason)
    case 'paid':
      return credit(deps, row, judgement.payment)
    case 'news':
      await topUps.note(row.id, judgement.news, clock.wallMs())
      if (judgement.news.state !== undefined && judgement.news.state !== row.state) publishChange(deps, row)
      return 'reconciled'
  }
}

/** A payment of this top-up that succeeded, whatever else is wrong with it. */
async function setAsidePaid(
  deps: ReconcileDeps,
  row: TopUpRow,
  payments: readonly (PaymentFact | null)[],
  reason: string,
): Promise<void> {
  const topUp = formatId('top', row.id)
  const isOurs = ({ marks, mode }: PaymentFact) => marks.topUp === topUp && mode === deps.provider.mode
  const paid = payments.find((payment) => payment?.status === 'succeeded' && isOurs(payment))
  if (paid) await setAside(deps, paid, `it does not match top-up ${topUp} (${reason}).`)
}

/** Handles a top-up that never reached the provider as far as we know, so it cannot be paid. */
async function expire(deps: ReconcileDeps, row: TopUpRow): Promise<ReconcileResult> {
  const { topUps, clock, checkoutMs } = deps
  const isOver = row.createdMs + checkoutMs <= clock.wallMs()
  await topUps.note(row.id, isOver ? { state: 'expired', payUrl: null } : {}, clock.wallMs())
  if (isOver) publishChange(deps, row)
  return 'reconciled'
}

async function credit(deps: ReconcileDeps, row: TopUpRow, payment: PaymentFact): Promise<ReconcileResult> {
  const { ledger, nextId, clock, log, billing, unmatched } = deps
  // Before the credit: after a crash in between, the next event of the payment runs this again.
  if (payment.savedMethod !== null) await billing.keepMethod(row.account, row.mode, payment.savedMethod)
  const asked = { entryId: nextId(), topUp: row.id, paymentIntent: payment.id, nowMs: clock.wallMs() }
  const paid = await ledger.payTopUp(asked)
  if (paid.kind !== 'paid') {
    await setAside(deps, payment, `it does not fit top-up ${formatId('top', row.id)}.`)
    return contradicts(deps, row, `${payment.id} was not credited: ${paid.kind}`)
  }
  await unmatched.remove(payment.id)
  if (paid.created) {
    log.info({ topUp: formatId('top', row.id), account: formatId('acct', row.account) }, 'a top-up was paid')
    await billing.rest(row.account, null)
    await billing.alerted(row.account, null)
    publishChange(deps, row)
  }
  return payment.hasReturns ? reconcileReturns(deps, row, payment.id) : 'reconciled'
}

async function reconcilePaid(
  deps: ReconcileDeps,
  row: TopUpRow,
  hints: readonly Hint[],
): Promise<ReconcileResult> {
  const { topUps, clock } = deps
  await topUps.note(row.id, {}, clock.wallMs())
  for (const { payment } of hints) await tellOfSecond(deps, row, payment)
  return row.paymentIntent === null ? 'reconciled' : reconcileReturns(deps, row, row.paymentIntent)
}

/** A top-up that is paid twice is credited once; the operator is notified and has to refund the other payment. */
async function tellOfSecond(deps: ReconcileDeps, row: TopUpRow, payment: string | null): Promise<void> {
  if (payment === null || payment === row.paymentIntent) return
  const topUp = formatId('top', row.id)
  const { provider, log } = deps
  const second = await provider.payment(payment)
  if (second.status !== 'succeeded' || second.marks.topUp !== topUp) return
  if (!(await setAside(deps, second, `it is the second payment of top-up ${topUp}.`))) return
  log.error({ topUp, payment }, 'top-up was paid twice; the second payment was not credited: refund it')
}

async function reconcileReturns(
  deps: ReconcileDeps,
  row: TopUpRow,
  payment: string,
): Promise<ReconcileResult> {
  let result: ReconcileResult = 'reconciled'
  for (const fact of await deps.provider.returns(payment)) {
    const outcome = await followReturn(deps, row, fact)
    if (outcome === 'contradiction') result = contradicts(deps, row, `${fact.reference} does not fit`)
    if (outcome === 'changed') publishChange(deps, row)
  }
  return result
}

const notes = { refund: 'Payment refunded', dispute: 'Payment disputed' } as const

async function followReturn(
  { ledger, nextId, clock, log }: ReconcileDeps,
  row: TopUpRow,
  { source, reference, cents, currency, position }: ReturnFact,
): Promise<'changed' | 'same' | 'contradiction'> {
  const asked = { entryId: nextId(), source, reference, nowMs: clock.wallMs() }
  const fields = { topUp: formatId('top', row.id), account: formatId('acct', row.account), reference }
  if (position === 'given_back') {
    const restored = await ledger.restoreTopUp(asked)
    if (restored.kind === 'nothing' || !restored.created) return 'same'
    log.info(fields, `a ${source} was returned`)
    return 'changed'
  }
  if (currency !== row.currency) return 'contradiction'
  const returned = await ledger.returnTopUp({
    ...asked,
    topUp: row.id,
    amount: nanoOfCents(cents),
    note: notes[source],
    freeze: source === 'dispute' ? frozenBecause(row) : null,
  })
  if (returned.kind !== 'returned') return 'contradiction'
  if (!returned.created) return 'same'
  log.warn(fields, `a ${source} was deducted from an account`)
  return 'changed'
}

function frozenBecause(row: TopUpRow): string {
  return `The payment of top-up ${formatId('top', row.id)} was disputed.`
}

function publishChange({ changes }: ReconcileDeps, { account }: TopUpRow): void {
  changes.publish(account, ['balance', 'billing', 'account'])
}
