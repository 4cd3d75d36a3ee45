/** The receipt of a finished request. */
import { Link } from '@tanstack/react-router'
import type { JSX, ReactNode } from 'react'
import { Badge } from '@/components/badge'
import { Banner } from '@/components/banner'
import { Card } from '@/components/card'
import { CopyId } from '@/components/copy-id'
import { Money } from '@/components/money'
import { Page } from '@/components/page'
import { Stat } from '@/components/stat'
import { useMe } from '@/lib/account'
import { cn } from '@/lib/class-names'
import { count, duration } from '@/lib/format'
import { useOperation } from '@/lib/operations'
import { isZero } from '@/lib/usd'
import { useKeyNames } from '../keys/use-names.ts'
import { Fact } from '../usage/fact.tsx'
import { MoneyBar } from '../usage/money-bar.tsx'
import { Name } from '../usage/name.tsx'
import { EndBadge, ErrorLink } from './badges.tsx'
import {
  countsText,
  endWords,
  formatName,
  inputBoundWords,
  inputTokens,
  outputTokens,
  type Receipt as ReceiptRow,
  type ReceiptWithRates,
  tookMs,
  type UsageSum,
  usageLines,
  usageSourceText,
  usageSum,
} from './receipt-words.ts'
import { Timeline } from './timeline.tsx'

export interface ReceiptProps {
  readonly receipt: ReceiptWithRates
  readonly back: ReactNode
}

export function Receipt({ receipt, back }: ReceiptProps): JSX.Element {
  return (
    <Page
      title={`Request to ${receipt.model}`}
      heading={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <bdi className="min-w-0 break-words">{receipt.model}</bdi>
          <EndBadge endReason={receipt.endReason} />
        </span>
      }
      description={
        <>
          <span className="flex min-w-0 items-center gap-1.5">
            Request ID <CopyId text={receipt.id} what="request ID" />
          </span>
          {endWords[receipt.endReason].sentence}
        </>
      }
      back={back}
    >
      <Remarks receipt={receipt} />
      <div className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
        <Stat
          label="Cost"
          value={<Money amount={receipt.charged} form="exact" />}
          hint={
            <>
              of <Money amount={receipt.held} form="exact" /> reserved
            </>
          }
        />
        <Stat label="Tokens in" value={count(inputTokens(receipt))} hint={cacheHint(receipt)} />
        <Stat
          label="Tokens out"
          value={count(outputTokens(receipt))}
          hint={
            receipt.usage.reasoning > 0
              ? `including ${count(receipt.usage.reasoning)} reasoning`
              : `of at most ${count(receipt.outputLimit)}`
          }
        />
        <Stat label="Duration" value={duration(tookMs(receipt))} hint={firstByteHint(receipt)} />
      </div>
      <div className="grid gap-6 lg:grid-cols-2">
        <Tokens receipt={receipt} />
        <MoneyOf receipt={receipt} />
      </div>
      <Card
        title="Timing"
        description="Each attempt is timed from when it was sent to the provider. Duration and time to first byte are timed from when the request arrived."
      >
        <Timeline receipt={receipt} />
      </Card>
      <Details receipt={receipt} />
    </Page>
  )
}

function cacheHint({ usage }: ReceiptRow): string {
  return usage.cacheRead > 0 ? `including ${count(usage.cacheRead)} cached` : 'none cached'
}

function firstByteHint({ started, firstByte }: ReceiptRow): string {
  if (firstByte === null) return 'no response'
  return `time to first byte ${duration(Math.max(0, Date.parse(firstByte) - Date.parse(started)))}`
}

function Remarks({ receipt }: { readonly receipt: ReceiptRow }): JSX.Element | null {
  return (
    <>
      {receipt.error === null ? null : (
        <Banner tone="bad" title="Error returned to the client:">
          <ErrorLink code={receipt.error} />
        </Banner>
      )}
      {receipt.outputLowered ? (
        <Banner tone="info" title="Output limit lowered">
          to {count(receipt.outputLimit)} tokens, the most the balance could cover.
        </Banner>
      ) : null}
      {receipt.unpricedUsage ? (
        <Banner tone="warn" title="The response reported usage without a price.">
          Tokens without a price of their own were charged like text, nothing else of it was charged.
          Administrators were notified.
        </Banner>
      ) : null}
      {receipt.implausible === null ? null : (
        <Banner tone="warn" title="The provider reported impossible usage.">
          {countsText(receipt.implausible)}.{' '}
          {receipt.usageSource === 'reported'
            ? 'It was not charged.'
            : "Tollgate's own count was charged instead."}
        </Banner>
      )}
      {receipt.settled === 'late' ? (
        <Banner tone="info" title="Settled late">
          because the database couldn't be written when the request ended.
        </Banner>
      ) : null}
    </>
  )
}

/** Tokens and rates. The lines add up to the charge, which is rounded up once. */
function Tokens({ receipt }: { readonly receipt: ReceiptWithRates }): JSX.Element {
  const lines = usageLines(receipt)
  const sum = usageSum(receipt, lines)
  const [cell, head] = [
    'py-2.5 pl-3 text-right tabular max-sm:pl-2',
    'py-2 pl-3 text-right font-medium max-sm:pl-2',
  ]
  return (
    <Card title="Usage" description={usageSourceText(receipt)}>
      <table className="w-full border-collapse">
        <caption className="sr-only">Usage and rates</caption>
        <thead>
          <tr className="border-b border-line text-sm text-ink-soft">
            <th scope="col" className="py-2 text-left font-medium">
              Type
            </th>
            <th scope="col" className={head}>
              Quantity
            </th>
            <th scope="col" className={head}>
              Rate
            </th>
            <th scope="col" className={head}>
              Amount
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ label, hint, quantity, rate, unit, amount }) => (
            <tr key={label} className="border-b border-line">
              <th scope="row" className="py-2.5 text-left font-normal">
                {label}
                {hint === undefined ? null : <span className="block text-sm text-ink-soft">{hint}</span>}
              </th>
              <td className={cell}>{count(quantity)}</td>
              <td className={cn(cell, 'whitespace-nowrap')}>
                {rate === undefined ? (
                  <span className="text-ink-soft">–</span>
                ) : (
                  <>
                    <Money amount={rate} form="exact" /> <span className="text-sm text-ink-soft">{unit}</span>
                  </>
                )}
              </td>
              <td className={cell}>
                {amount === undefined ? (
                  <span className="text-ink-soft">–</span>
                ) : (
                  <Money amount={amount} column="exact" />
                )}
              </td>
            </tr>
          ))}
        </tbody>
        {sum === undefined ? null : <SumRows sum={sum} charged={receipt.charged} />}
      </table>
      <p className="pt-3 text-sm break-words text-ink-soft">
        Price version <code className="font-mono text-[0.8125rem]">{receipt.price}</code>
        {receipt.ranAt.length === 0
          ? ''
          : `, ran at ${receipt.ranAt.join(', ')}, whose factor applies to the rates`}
      </p>
    </Card>
  )
}

function MoneyOf({ receipt }: { readonly receipt: ReceiptRow }): JSX.Element {
  const { person } = useMe()
  const { held, charged, writtenOff, upstreamCost } = receipt
  return (
    <Card title="Cost" description="We reserved the maximum cost up front and released what wasn't used.">
      <MoneyBar part={charged} whole={held} label="Charged share of the reservation" calm className="h-2" />
      <dl className="mt-3 flex flex-col divide-y divide-line">
        <Line label="Reserved" hint={boundText(receipt)}>
          <Money amount={held} column="exact" />
        </Line>
        <Line
          label={<span className="font-semibold">Charged</span>}
          hint={receipt.ownKey ? 'the fee for requests on provider keys' : undefined}
        >
          <Money amount={charged} column="exact" />
        </Line>
        {isZero(writtenOff) ? null : (
          <Line label="Written off" hint="not charged to you">
            <Money amount={writtenOff} column="exact" />
          </Line>
        )}
        {receipt.ownKey && upstreamCost !== null ? (
          <Line label="On your own key" hint="at list price; the provider charges you">
            <Money amount={upstreamCost} column="exact" />
          </Line>
        ) : null}
        {person.operator && !receipt.ownKey && upstreamCost !== null ? (
          <Line label="Provider list price" hint="visible to admins only">
            <Money amount={upstreamCost} column="exact" />
          </Line>
        ) : null}
      </dl>
    </Card>
  )
}

/** The tokens that the reserved maximum covers. */
function boundText({ inputBound, outputLimit }: ReceiptRow): string {
  const output = `output up to ${count(outputLimit)} tokens`
  return inputBound === null ? output : `${inputBoundWords[inputBound]}, ${output}`
}

interface LineProps {
  /** Stressed in place of the amount: bold digits are not in line with others. */
  readonly label: ReactNode
  readonly hint?: string | undefined
  readonly children: ReactNode
}

function Line({ label, hint, children }: LineProps): JSX.Element {
  return (
    <div className="flex min-h-10 items-center justify-between gap-4 py-2">
      <dt>
        {label}
        {hint === undefined ? null : <span className="block text-sm text-ink-soft">{hint}</span>}
      </dt>
      <dd className="tabular text-right">{children}</dd>
    </div>
  )
}

function Details({ receipt }: { readonly receipt: ReceiptRow }): JSX.Element {
  const keyNames = useKeyNames()
  const { operator } = useMe().person
  return (
    <Card title="Details">
      <dl className="grid gap-x-8 gap-y-4 sm:grid-cols-2 lg:grid-cols-3">
        {receipt.provider === null ? null : (
          <Fact label="Provider request ID">
            {receipt.upstreamRequestId === null ? (
              <span className="text-ink-soft">Not provided</span>
            ) : (
              <CopyId text={receipt.upstreamRequestId} what="provider request ID" />
            )}
          </Fact>
        )}
        <Fact label="Key">
          <Link
            to="/console/keys/$key"
            params={{ key: receipt.key }}
            className="font-medium underline decoration-line-strong underline-offset-3"
          >
            <Name>{keyNames.get(receipt.key) ?? receipt.key}</Name>
          </Link>
        </Fact>
        {receipt.member === null ? null : (
          <Fact label="Requested by">
            <Name>{receipt.member.name ?? 'Former member'}</Name>{' '}
            <span className="text-ink-soft">(in the playground)</span>
          </Fact>
        )}
        {operator ? (
          <Fact label="Account">
            <AccountOf id={receipt.account} />
          </Fact>
        ) : null}
        <Fact label="Format">
          {formatName(receipt.format)}
          {receipt.streamed ? ', streamed' : ''}
          {receipt.background ? ', background' : ''}
        </Fact>
        {receipt.provider === null ? null : (
          <Fact label="Provider">
            <Name>{receipt.ownKey ? 'On your own key' : (receipt.upstream ?? receipt.provider)}</Name>
            {receipt.upstream === receipt.provider && !receipt.ownKey ? null : (
              <span className="text-ink-soft"> ({receipt.provider})</span>
            )}
          </Fact>
        )}
        {receipt.upstreamModel === null ? null : (
          <Fact label="Provider model">
            <Name className="font-mono text-[0.8125rem]">{receipt.upstreamModel}</Name>
          </Fact>
        )}
        <Fact label="HTTP status">
          <Badge tone={receipt.status < 400 ? 'good' : 'bad'}>{receipt.status}</Badge>
        </Fact>
        <Fact label="Output limit">{count(receipt.outputLimit)} tokens</Fact>
      </dl>
    </Card>
  )
}

/** For administrators: by its name, with the ID after it. */
function AccountOf({ id }: { readonly id: string }): JSX.Element {
  const account = useOperation('account.show', { account: id })
  const name = account.data?.name
  return (
    <>
      <Link
        to="/console/admin/accounts/$account"
        params={{ account: id }}
        search={{}}
        className="font-medium underline decoration-line-strong underline-offset-3"
      >
        <Name>{name ?? id}</Name>
      </Link>{' '}
      {name === undefined ? null : <span className="font-mono text-xs break-all text-ink-soft">{id}</span>}
    </>
  )
}

interface SumRowsProps {
  readonly sum: UsageSum
  readonly charged: string
}

/** The sum of the rows, and the reason for a smaller charge. */
function SumRows({ sum: { total, reason, uncharged }, charged }: SumRowsProps): JSX.Element {
  const rows: readonly (readonly [label: string, amount: string, sign: string])[] =
    reason === undefined
      ? [['Charged', charged, '']]
      : [
          ['Total at these rates', total, ''],
          [reason, uncharged, '−'],
          ['Charged', charged, ''],
        ]
  return (
    <tfoot>
      {rows.map(([label, amount, sign]) => (
        <tr key={label} className="border-b border-line">
          <th
            scope="row"
            colSpan={3}
            className={cn('py-2.5 text-left font-normal', label === 'Charged' && 'font-semibold')}
          >
            {label}
          </th>
          <td className="tabular py-2.5 pl-3 text-right">
            {sign}
            <Money amount={amount} column="exact" />
          </td>
        </tr>
      ))}
    </tfoot>
  )
}
