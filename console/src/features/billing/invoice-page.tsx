/** A printable statement or payment receipt; on paper, the page shows nothing else. */
import { Link, useParams } from '@tanstack/react-router'
import type { JSX } from 'react'
import { Badge } from '@/components/badge'
import { Button, LinkButton } from '@/components/button'
import { Card } from '@/components/card'
import { Empty } from '@/components/empty'
import { ArrowLeft, Printer } from '@/components/icons'
import { Money } from '@/components/money'
import { Page } from '@/components/page'
import { Problem } from '@/components/problem'
import { Skeleton } from '@/components/skeleton'
import { Logo } from '@/layout/logo'
import { useAccount } from '@/lib/account'
import { count, day } from '@/lib/format'
import { useOperation } from '@/lib/operations'
import { type ColumnKind, isZero } from '@/lib/usd'
import { type Invoice, invoiceName } from './billing-words.ts'

export function InvoicePage(): JSX.Element {
  const { invoice: id } = useParams({ from: '/frame/console/billing/invoices/$invoice' })
  const account = useAccount()
  const invoice = useOperation('invoice.show', { account: account.id, invoice: id })
  return (
    <Page
      title={invoiceName(id)}
      className="max-w-3xl print:max-w-none print:[&>header]:hidden"
      back={
        <Link
          to="/console/billing"
          search={{ tab: 'invoices' }}
          className="inline-flex items-center gap-1.5 text-ink-soft hover:text-ink print:hidden"
        >
          <ArrowLeft aria-hidden="true" className="size-4" />
          Billing
        </Link>
      }
      actions={
        invoice.data === undefined ? undefined : (
          <Button onClick={() => window.print()}>
            <Printer aria-hidden="true" />
            Print
          </Button>
        )
      }
    >
      {invoice.data !== undefined ? (
        <Sheet invoice={invoice.data} />
      ) : invoice.error === null ? (
        <Skeleton className="h-120 rounded-xl" />
      ) : invoice.error.status === 404 || invoice.error.status === 400 ? (
        <Card>
          <Empty
            title="Statement or receipt not found"
            text="It may belong to another account."
            action={
              <LinkButton to="/console/billing" search={{ tab: 'invoices' }}>
                All statements and receipts
              </LinkButton>
            }
          />
        </Card>
      ) : (
        <Problem problem={invoice.error} onRetry={() => void invoice.refetch()} />
      )}
    </Page>
  )
}

function Sheet({ invoice }: { readonly invoice: Invoice }): JSX.Element {
  const isStatement = invoice.kind === 'statement'
  const isRefunded = !isStatement && isZero(invoice.total)
  return (
    <article className="rounded-xl border border-line bg-surface px-6 py-8 sm:px-10 print:border-0 print:bg-transparent print:p-0 print:text-black">
      <div className="mb-8 flex flex-wrap items-center justify-between gap-x-8 gap-y-2 border-b border-line pb-6 print:text-black">
        <Logo />
        <p className="text-lg font-semibold tracking-tight">
          <span className="hidden print:inline">{isStatement ? 'Statement' : invoiceName(invoice.id)}</span>
          {invoice.kind === 'payment' ? (
            <Badge tone={isRefunded ? 'warn' : 'good'} className="align-middle print:ml-3">
              {isRefunded ? 'Refunded' : 'Paid'}
            </Badge>
          ) : null}
        </p>
      </div>
      <div className="flex flex-wrap justify-between gap-x-8 gap-y-6">
        <Party label="From" text={invoice.seller} />
        <Party label="To" text={invoice.buyer} />
        <dl className="grid grid-cols-[auto_auto] content-start gap-x-6 gap-y-1">
          <dt className="text-ink-soft">Number</dt>
          <dd className="font-mono text-[0.8125rem]">{invoice.id}</dd>
          <dt className="text-ink-soft">Account</dt>
          <dd className="font-mono text-[0.8125rem]">{invoice.account}</dd>
          <dt className="text-ink-soft">Issued</dt>
          <dd>{day(invoice.issued)}</dd>
          {isStatement ? (
            <>
              <dt className="text-ink-soft">Period (UTC)</dt>
              <dd>
                {day(invoice.from)} – {day(lastMoment(invoice.to))}
              </dd>
            </>
          ) : null}
        </dl>
      </div>
      <Lines invoice={invoice} />
      {isStatement ? (
        <p className="mt-6 text-sm text-ink-soft print:text-black">
          Amounts are exact. Usage is paid from the prepaid balance. This is not an invoice.
        </p>
      ) : (
        <p className="mt-6 text-sm text-ink-soft print:text-black">
          The amount was added to the prepaid balance. This is not a tax invoice.
        </p>
      )}
    </article>
  )
}

/** The end of a period is exclusive. */
const lastMoment = (iso: string) => new Date(Date.parse(iso) - 1).toISOString()

function Party({ label, text }: { readonly label: string; readonly text: string }): JSX.Element {
  return (
    <div className="min-w-40 max-w-64">
      <h2 className="text-sm text-ink-soft">{label}</h2>
      <p dir="auto" className="break-words whitespace-pre-line">
        {text === '' ? '–' : text}
      </p>
    </div>
  )
}

function Lines({ invoice }: { readonly invoice: Invoice }): JSX.Element {
  const isStatement = invoice.kind === 'statement'
  const edge = 'px-0 py-2 text-right tabular'
  const column = isStatement ? 'exact' : 'cents'
  return (
    <table className="mt-8 w-full border-collapse">
      <caption className="sr-only">{invoiceName(invoice.id)}</caption>
      <thead>
        <tr className="border-b border-line-strong text-sm">
          <th scope="col" className="py-2 text-left font-medium">
            Description
          </th>
          <th scope="col" className="py-2 pr-6 text-right font-medium">
            Quantity
          </th>
          <th scope="col" className="py-2 text-right font-medium">
            Amount in USD
          </th>
        </tr>
      </thead>
      <tbody>
        {isStatement ? <Sum label="Opening balance" amount={invoice.opening} column={column} /> : null}
        {numbered(invoice.lines).map(({ number, ...line }) => (
          <tr key={number} className="border-b border-line">
            <td className="py-2 break-words">
              <bdi>{line.text}</bdi>
            </td>
            <td className="py-2 pr-6 text-right tabular">
              {line.quantity === null ? '' : count(line.quantity)}
            </td>
            <td className={edge}>
              <Money amount={line.amount} column={column} />
            </td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <Sum label="Total" amount={invoice.total} column={column} isStrong />
        {isStatement ? <Sum label="Closing balance" amount={invoice.closing} column={column} /> : null}
      </tfoot>
    </table>
  )
}

function numbered(lines: Invoice['lines']) {
  return lines.map((line, index) => ({ ...line, number: index + 1 }))
}

interface SumProps {
  readonly label: string
  readonly amount: string
  readonly column: ColumnKind
  readonly isStrong?: boolean
}

function Sum({ label, amount, column, isStrong = false }: SumProps): JSX.Element {
  return (
    <tr className={`border-b border-line ${isStrong ? 'font-semibold' : ''}`}>
      <th
        scope="row"
        colSpan={2}
        className={`py-2 text-left ${isStrong ? 'font-semibold' : 'font-normal text-ink-soft'}`}
      >
        {label}
      </th>
      <td className="py-2 text-right tabular">
        <Money amount={amount} column={column} />
      </td>
    </tr>
  )
}
