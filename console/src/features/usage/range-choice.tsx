/** Selects a period: a preset or a range of days, in UTC. It is in the URL. */
import type { JSX } from 'react'
import { Input } from '@/components/input'
import type { Search } from '@/lib/search'
import { Segments } from './segments.tsx'
import { dayOf, daysOf, type RangeChoice, rangeLabels, ranges } from './usage-range.ts'

export interface RangeControlProps {
  readonly choice: RangeChoice
  readonly onChange: (changes: Search) => void
}

const dayMs = 86_400_000

export function RangeControl({ choice, onChange }: RangeControlProps): JSX.Element {
  const now = Date.now()
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Segments
        label="Period"
        segments={ranges.map((id) => ({ id, label: rangeLabels[id] }))}
        chosen={choice.range}
        onChoose={(range) =>
          onChange(
            range === 'custom'
              ? { range, from: choice.from ?? dayOf(now - 13 * dayMs), to: choice.to ?? dayOf(now) }
              : {
                  range: range === '30d' ? undefined : range,
                  from: undefined,
                  to: undefined,
                  step: undefined,
                },
          )
        }
      />
      {choice.range === 'custom' ? (
        <div className="flex items-center gap-2">
          <Input
            type="date"
            aria-label="First day (UTC)"
            className="w-38"
            max={choice.to ?? dayOf(now)}
            value={choice.from ?? ''}
            onChange={(event) => onChange({ from: event.target.value })}
          />
          <span className="text-ink-soft">to</span>
          <Input
            type="date"
            aria-label="Last day (UTC)"
            className="w-38"
            max={dayOf(now)}
            value={choice.to ?? ''}
            onChange={(event) => onChange({ to: event.target.value })}
          />
        </div>
      ) : null}
      {choice.range === 'custom' && daysOf(choice, now) === undefined ? (
        <p role="status" className="text-sm text-warn">
          Invalid range. Showing the last 30 days.
        </p>
      ) : null}
    </div>
  )
}
