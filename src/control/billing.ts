/** `billing.*`, `method.forget`, `top-up.*`, `payments.list` and `code.*`: how an account pays. */

import { lowBalanceDays } from '../../contract/low-balance.ts'
import type { OperationInput, OperationOutput } from '../../contract/operations.ts'
import { formatUsd } from '../../contract/usd.ts'
import { TollgateError } from '../base/errors.ts'
import { formatId, parseId } from '../base/ids.ts'
import { networkOf } from '../base/network.ts'
import type { AccountRow } from '../ledger/types.ts'
import type { BillingSetting, Code, PaymentFacts, TopUp } from '../payments/types.ts'
import type { Runway } from '../usage/types.ts'
import { balanceOutput } from './accounts.ts'
import { findAccounts, notFound } from './authorize.ts'
import type { ControlDeps, OperationHandlers } from './control-deps.ts'
import { shownDaysLeft } from './usage.ts'
import { isoTime, isoTimeOrNull, parseAmount, parseGivenId } from './values.ts'

export const billingHandlers = {
  'billing.show': (deps, _input, { account }) => billingOutput(deps, account),

  'billing.update': async (deps, input, { account }) => {
    const { autoTopUp, alertDays, invoiceTo } = input
    await deps.payments.change(account.id, {
      ...(autoTopUp === undefined ? {} : { autoTopUp: parseAutoTopUp(autoTopUp) }),
      ...(alertDays === undefined ? {} : { alertDays }),
      ...(invoiceTo === undefined ? {} : { invoiceTo }),
    })
    deps.changes.publish(account.id, ['billing'])
    return billingOutput(deps, account)
  },

  /** The saved method is forgotten here and at the provider; automatic top-ups end with it. */
  'method.forget': async (deps, _input, { account }) => {
    await deps.payments.forgetMethod(account.id)
    return billingOutput(deps, account)
  },

  'top-up.create': async (deps, input, { account, actor }) => {
    const email = account.email ?? (actor.kind === 'person' ? actor.person.email : null)
    const topUp = await deps.payments.beginTopUp({
      account: account.id,
      email,
      amount: parseAmount(input.amount),
      saveMethod: input.saveMethod,
      address: deps.address,
    })
    return topUpOutput(topUp)
  },

  'top-up.list': async (deps, { limit, before }, { account }) => {
    const topUps = await deps.payments.topUps({
      account: account.id,
      limit,
      before: parseGivenId('top', before),
    })
    return topUps.map(topUpOutput)
  },

  'top-up.show': async (deps, input) => {
    const topUp = await deps.payments.freshTopUp(parseGivenId('top', input.topUp))
    if (topUp === undefined) throw notFound('top_up', input)
    return topUpOutput(topUp)
  },

  'payments.list': async (deps, { limit, before }) => {
    const topUps = await deps.payments.topUps({ account: null, limit, before: parseGivenId('top', before) })
    const accounts = await findAccounts(deps, topUps)
    return topUps.map((topUp) => ({
      ...topUpOutput(topUp),
      email: accounts.get(topUp.account)?.email ?? null,
    }))
  },

  'code.redeem': async (deps, { code }, { account, actor }) => {
    const from = actor.kind === 'local' ? null : actor.address
    const address = from === null ? null : networkOf(from)
    const { amount, posted } = await deps.payments.redeem({ account: account.id, code, address })
    return { amount: formatUsd(amount), balance: formatUsd(posted) }
  },

  'code.create': async (deps, { amount, usesMax, expires, note }) => {
    const expiresMs = expires === undefined || expires === null ? null : Date.parse(expires)
    const made = await deps.payments.createCode({
      amount: parseAmount(amount),
      usesMax,
      expiresMs,
      note: note ?? null,
    })
    return { id: formatId('code', made.id), code: made.code }
  },

  'code.list': async (deps) => (await deps.payments.codes()).map(codeOutput),

  'code.revoke': async (deps, { code }) => {
    const id = parseId('code', code)
    const revoked = id === undefined ? undefined : await deps.payments.revokeCode(id)
    if (revoked !== undefined) return codeOutput(revoked)
    throw new TollgateError('code_not_valid', { message: `No code has the ID ${code}.`, param: 'code' })
  },
} satisfies Partial<OperationHandlers>

type BillingOutput = OperationOutput<'billing.show'>

function parseAutoTopUp(
  asked: NonNullable<OperationInput<'billing.update'>['autoTopUp']> | null,
): BillingSetting['autoTopUp'] {
  return asked === null ? null : { below: parseAmount(asked.below), amount: parseAmount(asked.amount) }
}

async function billingOutput(
  { payments, ledger, usage, clock }: Pick<ControlDeps, 'payments' | 'ledger' | 'usage' | 'clock'>,
  { id }: Pick<AccountRow, 'id'>,
): Promise<BillingOutput> {
  const [account, setting, runway] = await Promise.all([
    ledger.account(id),
    payments.setting(id),
    usage.runway(id),
  ])
  const { posted = 0n, held = 0n, suspendedMs = null } = account ?? {}
  const { autoTopUp } = setting
  return {
    ...balanceOutput({ posted, held }),
    daysLeft: shownDaysLeft(runway),
    runsLow: runsLow(setting, runway),
    payments: paymentsOutput(payments.facts),
    autoTopUp:
      autoTopUp === null ? null : { below: formatUsd(autoTopUp.below), amount: formatUsd(autoTopUp.amount) },
    autoTopUpProblem: setting.autoTopUpProblem,
    autoTopUpWaits: isoTimeOrNull(
      autoTopUpWaitsUntil(setting, { available: posted - held, nowMs: clock.wallMs() }),
    ),
    savedMethod: setting.savedMethod,
    alertDays: setting.alertDays,
    invoiceTo: setting.invoiceTo,
    frozen: suspendedMs === null ? null : setting.frozen,
  }
}

/** Even a short history warns: the email does too. */
function runsLow({ alertDays, autoTopUp, autoTopUpProblem }: BillingSetting, runway: Runway | null): boolean {
  if (runway === null) return false
  const isToppedUp = autoTopUp !== null && autoTopUpProblem === null
  if (alertDays === null && isToppedUp) return false
  return runway.days < (alertDays ?? lowBalanceDays)
}

/** An account with a sufficient balance, or whose time has come, waits for nothing. */
function autoTopUpWaitsUntil(
  { autoTopUp, autoTopUpProblem, autoTopUpWaitsMs }: BillingSetting,
  { available, nowMs }: { readonly available: bigint; readonly nowMs: number },
): number | null {
  if (autoTopUp === null || autoTopUpProblem !== null || autoTopUpWaitsMs === null) return null
  return available < autoTopUp.below && autoTopUpWaitsMs > nowMs ? autoTopUpWaitsMs : null
}

function paymentsOutput(facts: PaymentFacts): BillingOutput['payments'] {
  if (facts.kind === 'operator') return facts
  const { kind, minimum, maximum, test } = facts
  return { kind, minimum: formatUsd(minimum), maximum: formatUsd(maximum), test }
}

function topUpOutput(row: TopUp): OperationOutput<'top-up.show'> {
  return {
    id: formatId('top', row.id),
    account: formatId('acct', row.account),
    amount: formatUsd(row.amount),
    refunded: formatUsd(row.refunded),
    state: row.state,
    automatic: row.automatic,
    problem: row.problem,
    payUrl: row.payUrl,
    created: isoTime(row.createdMs),
    paid: isoTimeOrNull(row.paidMs),
  }
}

function codeOutput(row: Code): OperationOutput<'code.list'>[number] {
  return {
    id: formatId('code', row.id),
    label: row.label,
    amount: formatUsd(row.amount),
    usesMax: row.usesMax,
    uses: row.uses,
    expires: isoTimeOrNull(row.expiresMs),
    note: row.note,
    created: isoTime(row.createdMs),
    revoked: isoTimeOrNull(row.revokedMs),
  }
}
