/** Billing, top-ups, entries and codes as the control plane shows them. */
import { lowBalanceDays } from '../../../contract/low-balance.ts'
import type { OperationOutput } from '../../../contract/operations.ts'
import { formatUsd } from '../../../contract/usd.ts'
import { formatId } from '../../base/ids.ts'
import type { EntryRow } from '../../ledger/payment-types.ts'
import type { AccountRow } from '../../ledger/types.ts'
import type { BillingSetting, Code, PaymentFacts, TopUp } from '../../payments/types.ts'
import type { Runway } from '../../usage/types.ts'
import type { ControlDeps } from '../control-deps.ts'
import { isoTime, isoTimeOrNull } from '../iso-time.ts'
import { shownDaysLeft } from '../usage/shown-days-left.ts'

type BillingOutput = OperationOutput<'billing.show'>

export async function billingOutput(
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

export function topUpOutput(row: TopUp): OperationOutput<'top-up.show'> {
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

export function codeOutput(row: Code): OperationOutput<'code.list'>[number] {
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
