/** A time series with a table view. The renderer loads with the first chart. */

import '@/lib/known-language'
import { Component, type JSX, lazy, type ReactNode, Suspense, useState } from 'react'
import { ChartLine, Table2 } from '@/components/icons'
import { cn } from '@/lib/class-names'
import { patiently } from '@/lib/connection'
import { Button } from './button.tsx'
import type { ChartProps } from './chart-props.ts'
import { colorOf } from './series-colors.ts'
import { Skeleton } from './skeleton.tsx'
import { Table } from './table.tsx'

const Plot = lazy(patiently(async () => ({ default: (await import('./plot.tsx')).Plot })))

export function Chart(props: ChartProps): JSX.Element {
  const { label, series, height = 220, className } = props
  const [isTable, setTable] = useState(false)
  return (
    <figure className={cn('min-w-0', className)} aria-label={label}>
      <div className="mb-2 flex items-start justify-between gap-4">
        <Legend series={series} />
        <Button size="small" variant="ghost" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {isTable ? <ChartLine aria-hidden="true" /> : <Table2 aria-hidden="true" />}
          {isTable ? 'Chart' : 'Table'}
        </Button>
      </div>
      {isTable ? (
        <SeriesTable {...props} />
      ) : (
        <div style={{ height }} className="relative">
          <WithoutPlot>
            <Suspense fallback={<Skeleton className="size-full" />}>
              <Plot {...props} height={height} />
            </Suspense>
          </WithoutPlot>
          {series.every(({ values }) => values.every((value) => value === 0)) ? (
            <p className="pointer-events-none absolute inset-0 flex items-center justify-center pb-8 pl-12 text-sm text-ink-soft">
              <span className="bg-surface px-2 py-1">No data in this period</span>
            </p>
          ) : null}
        </div>
      )}
    </figure>
  )
}

/** A chart that fails keeps the rest of the page: the numbers are in the table. */
class WithoutPlot extends Component<{ readonly children: ReactNode }, { readonly failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError(): { readonly failed: boolean } {
    return { failed: true }
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children
    return (
      <p className="flex size-full items-center justify-center text-ink-soft">
        The chart can't be shown. The table has the same numbers.
      </p>
    )
  }
}

function Legend({ series }: Pick<ChartProps, 'series'>): JSX.Element {
  return (
    <ul className="flex min-h-8 min-w-0 flex-wrap items-center gap-x-4 gap-y-1 text-sm text-ink-soft">
      {series.map((one, index) => (
        <li key={one.id} title={one.label} className="flex max-w-56 min-w-0 items-center gap-1.5">
          <span
            aria-hidden="true"
            className="size-2.5 shrink-0 rounded-xs"
            style={{ background: colorOf(one, index) }}
          />
          <span className="truncate">{one.label}</span>
        </li>
      ))}
    </ul>
  )
}

function SeriesTable({ label, times, series, format, exact, formatTime }: ChartProps): JSX.Element {
  return (
    <Table
      caption={label}
      rows={times.map((at, index) => ({ at, index }))}
      keyOf={({ at }) => at}
      className="max-h-96 overflow-y-auto rounded-lg border border-line"
      columns={[
        { id: 'at', header: 'Time (UTC)', cell: ({ at }) => formatTime(at) },
        ...series.map((one) => ({
          id: one.id,
          header: one.label,
          align: 'right' as const,
          cell: ({ index }: { index: number }) => exact?.(one, index) ?? format(one.values[index] ?? 0),
        })),
      ]}
    />
  )
}
