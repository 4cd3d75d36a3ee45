/** Spend over time, stacked by group. Only heights are Numbers; every amount shown is exact. */
import type { JSX } from 'react'
import { Chart } from '@/components/chart'
import { usd } from '@/lib/format'
import { columnDecimals, fixedUsd } from '@/lib/usd'
import { amountAt, axisAmounts, heightOf } from './amount.ts'
import { stepMarks, stepWords } from './step-words.ts'
import type { Step } from './usage-range.ts'
import type { Stack } from './usage-stack.ts'

export interface SpendChartProps {
  readonly label: string
  readonly stack: Stack
  readonly step: Step
  readonly height?: number
}

export function SpendChart({ label, stack, step, height = 200 }: SpendChartProps): JSX.Element {
  const amounts = new Map(stack.groups.map((group) => [seriesId(group.group), group.chargedByStep]))
  return (
    <Chart
      label={label}
      kind={stack.groups.length > 1 ? 'stacked' : 'bars'}
      height={height}
      times={stack.at.map((ms) => new Date(ms).toISOString())}
      series={
        stack.groups.length === 0
          ? [{ id: 'none', label: 'Spend', values: stack.at.map(() => 0) }]
          : stack.groups.map((group) => ({
              id: seriesId(group.group),
              label: group.group === null ? 'Spend' : group.label,
              values: group.chargedByStep.map(heightOf),
            }))
      }
      format={(value) => usd(amountAt(value))}
      formatTicks={axisAmounts}
      exact={(series, index) => fixedUsd(amounts.get(series.id)?.[index] ?? '0.00', columnDecimals.exact)}
      formatTime={stepWords(step)}
      formatMark={stepMarks(step)}
    />
  )
}

function seriesId(group: string | null | symbol): string {
  return typeof group === 'symbol' ? 'others' : `group-${group ?? 'all'}`
}
