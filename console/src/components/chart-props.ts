/** Series of a chart and how their values are formatted. Types only. */
import type { SeriesTone } from './series-colors.ts'

export interface Series {
  readonly id: string
  readonly label: string
  /** A value per time. */
  readonly values: readonly number[]
  /** For series that are good or bad; without it, colors carry no meaning. */
  readonly tone?: SeriesTone
}

export interface ChartProps {
  /** The title: "Spend by day". */
  readonly label: string
  /** ISO times, ascending. */
  readonly times: readonly string[]
  readonly series: readonly Series[]
  /** Formats values on the axis and in the table. */
  readonly format: (value: number) => string
  /** Formats the ticks of the axis together, where they need one precision. */
  readonly formatTicks?: (values: readonly number[]) => readonly string[]
  /** Formats table values with more digits, by series and index. */
  readonly exact?: (series: Series, index: number) => string
  readonly formatTime: (iso: string) => string
  /** Times on the axis, where they can be shorter. */
  readonly formatMark?: (iso: string) => string
  /** Stacked: the first series is at the bottom. */
  readonly kind?: 'line' | 'bars' | 'stacked'
  /** Values are integers, so the axis has no fractional ticks. */
  readonly whole?: boolean
  readonly height?: number
  readonly className?: string
}
