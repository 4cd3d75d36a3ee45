/** Spend and requests of the last 24 hours or 30 days. The URL says which. */
import type { JSX } from 'react'
import { Card } from '@/components/card'
import { Chart } from '@/components/chart'
import { Skeleton } from '@/components/skeleton'
import { count, shortCount } from '@/lib/format'
import { useSearch, useSetSearch } from '@/lib/search'
import { Segments } from '../usage/segments.tsx'
import { SpendChart } from '../usage/spend-chart.tsx'
import { stepMarks, stepWords } from '../usage/step-words.ts'
import { stackOf } from '../usage/usage-stack.ts'
import type { Overview } from './numbers.tsx'

const spans = [
  { id: '24h', label: '24 hours' },
  { id: '30d', label: '30 days' },
] as const

export function Activity({ overview }: { readonly overview: Overview | undefined }): JSX.Element {
  const isLong = useSearch().chart === '30d'
  const setSearch = useSetSearch()
  const rows = isLong ? overview?.days : overview?.hours
  const step = isLong ? 'day' : 'hour'
  return (
    <Card
      title="Spend and requests"
      description={isLong ? 'By day (UTC)' : 'By hour (UTC)'}
      actions={
        <Segments
          label="Period"
          segments={spans}
          chosen={isLong ? '30d' : '24h'}
          onChoose={(id) => setSearch({ chart: id === '30d' ? id : undefined })}
        />
      }
    >
      <div className="grid gap-x-8 gap-y-6 lg:grid-cols-2">
        {rows === undefined ? (
          <>
            <Skeleton className="h-60" />
            <Skeleton className="h-60" />
          </>
        ) : (
          <>
            <SpendChart
              label={`Spend by ${step}`}
              stack={stackOf(
                rows,
                rows.map(({ at }) => Date.parse(at)),
                1,
              )}
              step={step}
            />
            <Chart
              label={`Requests by ${step}`}
              kind="stacked"
              height={200}
              times={rows.map(({ at }) => at)}
              series={[
                {
                  id: 'succeeded',
                  label: 'Succeeded',
                  tone: 'good',
                  values: rows.map(({ requests, errors }) => requests - errors),
                },
                { id: 'failed', label: 'Failed', tone: 'bad', values: rows.map(({ errors }) => errors) },
                {
                  id: 'rejected',
                  label: 'Rejected',
                  tone: 'warn',
                  values: rows.map(({ rejected }) => rejected),
                },
              ]}
              whole
              format={shortCount}
              exact={(series, index) => count(series.values[index] ?? 0)}
              formatTime={stepWords(step)}
              formatMark={stepMarks(step)}
            />
          </>
        )}
      </div>
    </Card>
  )
}
