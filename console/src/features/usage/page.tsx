/** Usage over time, by model, key or member. All choices are in the URL. */

import type { JSX } from 'react'
import { AnchorButton, LinkButton } from '@/components/button'
import { Card } from '@/components/card'
import { Empty } from '@/components/empty'
import { ChartColumn, Download } from '@/components/icons'
import { Money } from '@/components/money'
import { Page } from '@/components/page'
import { Problem } from '@/components/problem'
import { Select } from '@/components/select'
import { colorsInTurn } from '@/components/series-colors'
import { Skeleton } from '@/components/skeleton'
import { Stat } from '@/components/stat'
import { useAccount } from '@/lib/account'
import { addressOf } from '@/lib/api'
import { count, shortCount } from '@/lib/format'
import { useOperation } from '@/lib/operations'
import { isZero } from '@/lib/usd'
import { Filters } from './filters.tsx'
import { GroupTable } from './group-table.tsx'
import { RangeControl } from './range-choice.tsx'
import { Segments } from './segments.tsx'
import { SpendChart } from './spend-chart.tsx'
import { type Stretch, stepLabels, stepsOf, stretchOf } from './usage-range.ts'
import { type Stack, stackOf } from './usage-stack.ts'
import { type Group, type UsageSearch, useUsageSearch } from './use-usage-search.ts'

const groupSegments = [
  { id: 'none', label: 'Total' },
  { id: 'model', label: 'Model' },
  { id: 'key', label: 'Key' },
  { id: 'member', label: 'Member' },
] as const satisfies readonly { id: Group; label: string }[]

export function UsagePage(): JSX.Element {
  const account = useAccount()
  const [choice, setSearch] = useUsageSearch()
  const now = Date.now()
  const stretch = stretchOf(choice, now)
  const input = {
    account: account.id,
    from: stretch.from,
    ...(stretch.to === undefined ? {} : { to: stretch.to }),
    ...(choice.model === undefined ? {} : { model: choice.model }),
    ...(choice.key === undefined ? {} : { key: choice.key }),
    by: stretch.step,
    group: choice.group,
  }
  const usage = useOperation('usage.show', input, { keep: true })
  const stack =
    usage.data === undefined ? undefined : stackOf(usage.data, stepsOf(stretch, now), colorsInTurn)
  return (
    <Page
      title="Usage"
      description="Tokens and cost. Times are in UTC."
      actions={
        <AnchorButton href={addressOf('usage.csv', input)} download>
          <Download aria-hidden="true" />
          CSV
        </AnchorButton>
      }
    >
      <div className="flex flex-wrap items-center gap-2">
        <RangeControl choice={choice} onChange={setSearch} />
        <Filters model={choice.model} apiKey={choice.key} onChange={setSearch} />
      </div>
      {usage.error !== null && stack === undefined ? (
        <Problem problem={usage.error} onRetry={() => void usage.refetch()} />
      ) : (
        <>
          <TotalsRow stack={stack} />
          <Split choice={choice} stretch={stretch} stack={stack} onChange={setSearch} />
        </>
      )}
    </Page>
  )
}

function TotalsRow({ stack }: { readonly stack: Stack | undefined }): JSX.Element {
  const skeleton = <Skeleton className="my-1 h-6 w-24" />
  const totals = stack?.totals
  return (
    <div className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
      <Stat
        label="Spend"
        value={totals === undefined ? skeleton : <Money amount={totals.charged} />}
        hint={
          totals === undefined || isZero(totals.ownKeyCost) ? (
            'selected period'
          ) : (
            <>
              and <Money amount={totals.ownKeyCost} /> on own keys
            </>
          )
        }
      />
      <Stat
        label="Requests"
        value={totals === undefined ? skeleton : count(totals.requests + totals.rejected)}
        hint={
          totals === undefined ? '' : `${count(totals.errors)} failed, ${count(totals.rejected)} rejected`
        }
      />
      <Stat
        label="Tokens in"
        value={totals === undefined ? skeleton : <Short value={totals.tokensIn} />}
        hint="including cached"
      />
      <Stat
        label="Tokens out"
        value={totals === undefined ? skeleton : <Short value={totals.tokensOut} />}
        hint="including reasoning"
      />
    </div>
  )
}

function Short({ value }: { readonly value: number }): JSX.Element {
  return <span title={count(value)}>{shortCount(value)}</span>
}

interface SplitProps {
  readonly choice: UsageSearch
  readonly stretch: Stretch
  readonly stack: Stack | undefined
  readonly onChange: ReturnType<typeof useUsageSearch>[1]
}

function Split({ choice, stretch, stack, onChange }: SplitProps): JSX.Element {
  const isEmpty = stack !== undefined && stack.totals.requests === 0 && stack.totals.rejected === 0
  return (
    <Card
      title="Spend"
      flush
      actions={
        <>
          <Segments
            label="Split by"
            segments={groupSegments}
            chosen={choice.group}
            onChoose={(group) => onChange({ group: group === 'none' ? undefined : group })}
          />
          <Select
            aria-label="Interval"
            className="w-28"
            value={stretch.step}
            onChange={(event) => onChange({ step: event.target.value })}
          >
            {stretch.stepsPossible.map((step) => (
              <option key={step} value={step}>
                {stepLabels[step]}
              </option>
            ))}
          </Select>
        </>
      }
    >
      {stack === undefined ? (
        <div className="px-5 pb-5">
          <Skeleton className="h-75" />
        </div>
      ) : isEmpty ? (
        <Empty
          icon={<ChartColumn />}
          title="No usage in this period"
          text="Choose a longer period, remove a filter, or make a request."
          action={<LinkButton to="/console/connect">Connect a client</LinkButton>}
          className="min-h-80"
        />
      ) : (
        <>
          <div className="px-5 pb-5">
            <SpendChart
              label={`Spend by ${stepLabels[stretch.step].toLowerCase()}`}
              stack={stack}
              step={stretch.step}
              height={260}
            />
          </div>
          <GroupTable group={choice.group} stack={stack} onChange={onChange} />
        </>
      )}
    </Card>
  )
}
