/** A series over time with a table behind a button. What draws it is loaded when the first one is shown. */
import { ChartLine, Table2 } from 'lucide-react'
import { type JSX, lazy, Suspense, useState } from 'react'
import { cn } from '@/lib/class-names'
import { Button } from './button.tsx'
import { seriesColours } from './series-colours.ts'
import { Skeleton } from './skeleton.tsx'
import { Table } from './table.tsx'

export interface Series {
  readonly id: string
  readonly label: string
  /** One for each moment. */
  readonly values: readonly number[]
}

export interface ChartProps {
  /** What it shows: "Spend by day". */
  readonly label: string
  /** ISO times, ascending. */
  readonly times: readonly string[]
  readonly series: readonly Series[]
  /** How a value is written on axis and table. */
  readonly format: (value: number) => string
  /** How a value is written in the table, where more digits belong: by series and place. */
  readonly exact?: (series: Series, index: number) => string
  readonly formatTime: (iso: string) => string
  readonly kind?: 'line' | 'bars' | 'stacked'
  readonly height?: number
  readonly className?: string
}

const Plot = lazy(async () => ({ default: (await import('./plot.tsx')).Plot }))

export function Chart(props: ChartProps): JSX.Element {
  const { label, series, height = 220, className } = props
  const [isTable, setTable] = useState(false)
  return (
    <figure className={cn('min-w-0', className)} aria-label={label}>
      <div className="mb-2 flex items-center justify-between gap-4">
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
          <Suspense fallback={<Skeleton className="size-full" />}>
            <Plot {...props} height={height} />
          </Suspense>
        </div>
      )}
    </figure>
  )
}

function Legend({ series }: Pick<ChartProps, 'series'>): JSX.Element {
  return (
    <ul className="flex min-w-0 flex-wrap gap-x-4 gap-y-1 text-sm text-ink-soft">
      {series.map(({ id, label }, index) => (
        <li key={id} title={label} className="flex max-w-56 min-w-0 items-center gap-1.5">
          <span
            aria-hidden="true"
            className="size-2.5 shrink-0 rounded-xs"
            style={{ background: seriesColours[index % seriesColours.length] }}
          />
          <span className="truncate">{label}</span>
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
