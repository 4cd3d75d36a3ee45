/**
 * `invoice.list` and `invoice.show`: one statement for each past month, one receipt for each payment and for each credit
 * that an administrator added. The lines of a statement are the changes of the balance; usage belongs to the month in
 * which its requests began.
 */
import type { OperationOutput } from '../../contract/operations.ts'
import { formatUsd } from '../../contract/usd.ts'
import { TollgateError } from '../base/errors.ts'
import { formatId, parseId } from '../base/ids.ts'
import type { EntryRow, Movement } from '../ledger/payment-types.ts'
import type { AccountRow } from '../ledger/types.ts'
import { dateOf, dayMs, dayOf, firstDayOf, monthOf } from '../limits/calendar.ts'
import type { TopUp } from '../payments/types.ts'
import type { ControlDeps, OperationHandlers } from './control-deps.ts'
import { isoTime } from './values.ts'

export const invoiceHandlers = {
  'invoice.list': async (deps, _input, { account }) => {
    const topUps = await deps.payments.topUps({ account: account.id, limit: receiptsMax, before: null })
    const receipts = topUps.flatMap((topUp) =>
      topUp.paidMs === null
        ? []
        : [
            {
              id: formatId('top', topUp.id),
              kind: 'payment' as const,
              issuedMs: topUp.paidMs,
              total: topUp.amount - topUp.refunded,
            },
          ],
    )
    const statements = [...(await changesByMonth(deps, account))].map(([month, total]) => ({
      id: formatMonth(month),
      kind: 'statement' as const,
      issuedMs: firstMs(month + 1),
      total,
    }))
    const credits = (await manualCredits(deps, account)).map((row) => ({
      id: formatId('ent', row.id),
      kind: 'credit' as const,
      issuedMs: row.atMs,
      total: row.amount,
    }))
    return [...receipts, ...credits, ...statements]
      .toSorted((a, b) => b.issuedMs - a.issuedMs)
      .map(({ id, kind, issuedMs, total }) => ({
        id,
        kind,
        issued: isoTime(issuedMs),
        total: formatUsd(total),
      }))
  },

  'invoice.show': async (deps, { invoice }, { account }) => {
    const found = await findInvoice(deps, account, invoice)
    if (found !== undefined) return found
    throw new TollgateError('invoice_not_found', {
      message: `Invoice ${invoice} not found. Statements are available once their month is over.`,
      param: 'invoice',
    })
  },
} satisfies Partial<OperationHandlers>

type Invoice = OperationOutput<'invoice.show'>
type InvoiceLine = Invoice['lines'][number]

/** Receipts in one list; the latest. */
const receiptsMax = 1_000

async function findInvoice(
  deps: ControlDeps,
  account: AccountRow,
  invoice: string,
): Promise<Invoice | undefined> {
  const topUp = parseId('top', invoice)
  if (topUp !== undefined) return receipt(deps, account, await deps.payments.topUp(topUp))
  const entry = parseId('ent', invoice)
  return entry === undefined ? statement(deps, account, invoice) : creditReceipt(deps, account, entry)
}

/** Entries of credit that an administrator added, the latest first. */
async function manualCredits(
  { ledger }: ControlDeps,
  { id: account }: AccountRow,
  range: { readonly limit: number; readonly before: bigint | null } = { limit: receiptsMax, before: null },
): Promise<readonly EntryRow[]> {
  const rows = await ledger.entries({ account, kind: 'credit', fromMs: null, toMs: null, ...range })
  return rows.filter(({ source }) => source === 'manual')
}

async function creditReceipt(
  deps: ControlDeps,
  account: AccountRow,
  entry: bigint,
): Promise<Invoice | undefined> {
  const [row] = await manualCredits(deps, account, { limit: 1, before: entry + 1n })
  if (row === undefined || row.id !== entry) return undefined
  const about = [row.note, row.reference].filter((part) => part !== null && part !== '').join(', ')
  const text = `Credit added${about === '' ? '' : ` (${about})`}`
  return {
    ...(await parties(deps, account)),
    id: formatId('ent', row.id),
    kind: 'credit',
    ...receiptFields(row.atMs, row.amount, [{ text, quantity: 1, amount: formatUsd(row.amount) }]),
  }
}

async function receipt(
  deps: ControlDeps,
  account: AccountRow,
  topUp: TopUp | undefined,
): Promise<Invoice | undefined> {
  if (topUp === undefined || topUp.paidMs === null || topUp.account !== account.id) return undefined
  const { amount, refunded, paidMs } = topUp
  const paid: InvoiceLine = { text: 'Balance top-up', quantity: 1, amount: formatUsd(amount) }
  const back: InvoiceLine = { text: 'Refunded', quantity: null, amount: formatUsd(-refunded) }
  return {
    ...(await parties(deps, account)),
    id: formatId('top', topUp.id),
    kind: 'payment',
    ...receiptFields(paidMs, amount - refunded, refunded === 0n ? [paid] : [paid, back]),
  }
}

/** A receipt is for one moment, before which there was nothing. */
function receiptFields(atMs: number, amount: bigint, lines: InvoiceLine[]) {
  const [at, total] = [isoTime(atMs), formatUsd(amount)]
  return { issued: at, from: at, to: at, opening: formatUsd(0n), closing: total, lines, total }
}

async function statement(deps: ControlDeps, account: AccountRow, text: string): Promise<Invoice | undefined> {
  const month = parseMonth(text)
  const [fromMs, toMs] = [firstMs(month), firstMs(month + 1)]
  if (toMs > deps.clock.wallMs() || toMs <= account.createdMs) return undefined
  const lines = [
    ...(await movementLines(deps, account, fromMs, toMs)),
    ...(await usageLines(deps, account, fromMs, toMs)),
  ]
  const total = lines.reduce((sum, { nano }) => sum + nano, 0n)
  const opening = [...(await changesByMonth(deps, account))]
    .filter(([earlier]) => earlier < month)
    .reduce((sum, [, moved]) => sum + moved, 0n)
  return {
    ...(await parties(deps, account)),
    id: text,
    kind: 'statement',
    issued: isoTime(toMs),
    from: isoTime(fromMs),
    to: isoTime(toMs),
    opening: formatUsd(opening),
    closing: formatUsd(opening + total),
    lines: lines.map(({ nano, ...line }) => ({ ...line, amount: formatUsd(nano) })),
    total: formatUsd(total),
  }
}

async function parties(
  { payments }: ControlDeps,
  account: AccountRow,
): Promise<Pick<Invoice, 'seller' | 'buyer' | 'account'>> {
  const { invoiceTo } = await payments.setting(account.id)
  const buyer = invoiceTo === '' ? [account.name, account.email].filter(Boolean).join('\n') : invoiceTo
  return { seller: payments.seller, buyer, account: formatId('acct', account.id) }
}

interface AmountLine extends Omit<InvoiceLine, 'amount'> {
  readonly nano: bigint
}

const movementLabels: Readonly<Record<string, string>> = {
  'credit signup': 'Starting credit',
  'credit payment': 'Top-ups',
  'credit code': 'Codes redeemed',
  'credit manual': 'Credit added by an administrator',
  'credit refund': 'Refunds returned',
  'credit dispute': 'Disputes won',
  'refund refund': 'Payments refunded',
  'refund dispute': 'Payments disputed',
}

async function movementLines(
  { ledger }: ControlDeps,
  { id }: AccountRow,
  fromMs: number,
  toMs: number,
): Promise<readonly AmountLine[]> {
  const toLine = ({ kind, source, count, amount }: Movement): AmountLine => ({
    text: movementLabels[`${kind} ${source}`] ?? `${kind} ${source}`,
    quantity: count,
    nano: amount,
  })
  return (await ledger.movements(id, fromMs, toMs)).map(toLine)
}

async function usageLines(
  { usage }: ControlDeps,
  { id: account }: AccountRow,
  fromMs: number,
  toMs: number,
): Promise<readonly AmountLine[]> {
  const rows = await usage.sums({
    account,
    fromMs,
    toMs,
    step: 'month',
    group: 'model',
    model: null,
    key: null,
  })
  return rows
    .filter(({ sums }) => sums.charged > 0n)
    .map(({ group, sums }) => ({ text: `Usage: ${group}`, quantity: sums.requests, nano: -sums.charged }))
}

/** The change of the balance in each month that is over, in their order; months without one are left out. */
async function changesByMonth(
  { ledger, usage, clock }: ControlDeps,
  { id: account, createdMs }: AccountRow,
): Promise<ReadonlyMap<number, bigint>> {
  const nowMs = clock.wallMs()
  const present = monthOf(dayOf(nowMs))
  const [used, moved] = await Promise.all([
    usage.chargedByMonth({ account, fromMs: createdMs, toMs: nowMs }),
    ledger.movedByDay(account),
  ])
  const months = new Map<number, bigint>()
  const add = (month: number, amount: bigint): void => {
    if (month < present && amount !== 0n) months.set(month, (months.get(month) ?? 0n) + amount)
  }
  for (const { atMs, charged } of used) add(monthOf(dayOf(atMs)), -charged)
  for (const { day, amount } of moved) add(monthOf(day), amount)
  return new Map([...months].toSorted(([a], [b]) => a - b))
}

const firstMs = (month: number): number => firstDayOf(month) * dayMs

function formatMonth(month: number): string {
  const { year, month: ofYear } = dateOf(firstDayOf(month))
  return `${year}-${String(ofYear).padStart(2, '0')}`
}

function parseMonth(text: string): number {
  const [year = 0, month = 1] = text.split('-').map(Number)
  return year * 12 + month - 1
}
