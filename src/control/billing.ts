/** `billing.*`, `method.forget`, `top-up.*`, `payments.list` and `code.*`: how an account pays. */

import { lowBalanceDays } from '../../contract/low-balance.ts'
import type { OperationOutput } from '../../contract/operations.ts'
import { formatUsd } from '../../contract/usd.ts'
import { assert } from '../base/assert.ts'
import { TollgateError } from '../base/errors.ts'
import { formatId, parseId } from '../base/ids.ts'
import { networkOf } from '../base/network.ts'
import type { EntryRow } from '../ledger/payment-types.ts'
import type { AccountRow } from '../ledger/types.ts'
import type { BillingSetting, Code, PaymentFacts, TopUp } from '../payments/types.ts'
import type { Runway } from '../usage/types.ts'
import type { ControlDeps, OperationHandlers } from './control-deps.ts'
import { shownDaysLeft } from './usage.ts'
import { isoTime, isoTimeOrNull, nanoOf } from './values.ts'

export const billingHandlers = {
  /** How an account pays, and what it has. */
  'billing.show': (deps, _input, { account }) => billingOutput(deps, account),

  /** An account's settings for automatic top-ups, alerts and invoices. */
  'billing.update': async (deps, input, { account }) => {
    const { autoTopUp, alertDays, invoiceTo } = input
    await deps.payments.change(account.id, {
      ...(autoTopUp === undefined
        ? {}
        : {
            autoTopUp:
              autoTopUp === null
                ? null
                : { below: nanoOf(autoTopUp.below), amount: nanoOf(autoTopUp.amount) },
          }),
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
      amount: nanoOf(input.amount),
      saveMethod: input.saveMethod,
      address: deps.address,
    })
    return topUpOutput(topUp)
  },

  'top-up.list': async (deps, { limit, before }, { account }) => {
    const topUps = await deps.payments.topUps({ account: account.id, limit, before: idOf(before) })
    return topUps.map(topUpOutput)
  },

  'top-up.show': async (deps, input) => {
    const id = idOf(input.topUp)
    const topUp = id === null ? undefined : await deps.payments.freshTopUp(id)
    if (topUp !== undefined) return topUpOutput(topUp)
    throw new TollgateError('top_up_not_found', {
      message: `No top-up has the ID ${input.topUp}.`,
      param: 'topUp',
    })
  },

  'payments.list': async (deps, { limit, before }) => {
    const topUps = await deps.payments.topUps({ account: null, limit, before: idOf(before) })
    const accounts = [...new Set(topUps.map(({ account }) => account))]
    const emails = new Map(
      await Promise.all(
        accounts.map(async (id) => [id, (await deps.ledger.account(id))?.email ?? null] as const),
      ),
    )
    return topUps.map((topUp) => ({ ...topUpOutput(topUp), email: emails.get(topUp.account) ?? null }))
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
      amount: nanoOf(amount),
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

function idOf(text: string | undefined): bigint | null {
  if (text === undefined) return null
  const id = parseId('top', text)
  assert(id !== undefined, 'an id of parsed input is an id')
  return id
}

type BillingOutput = OperationOutput<'billing.show'>

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
    posted: formatUsd(posted),
    held: formatUsd(held),
    available: formatUsd(posted - held),
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

export function entryOutput(row: EntryRow): OperationOutput<'entries.list'>[number] {
  return {
    id: formatId('ent', row.id),
    at: isoTime(row.atMs),
    kind: row.kind,
    amount: formatUsd(row.amount),
    balanceAfter: formatUsd(row.balanceAfter),
    source: row.source,
    reference: row.reference,
    note: row.note,
    request: row.request === null ? null : formatId('req', row.request),
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
