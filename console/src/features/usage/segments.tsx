/** A segmented control. The state belongs to the page. */
import type { JSX } from 'react'
import { cn } from '@/lib/class-names'

export interface Segment<Id extends string> {
  readonly id: Id
  readonly label: string
}

export interface SegmentsProps<Id extends string> {
  /** The accessible name: "Range". */
  readonly label: string
  readonly segments: readonly Segment<Id>[]
  readonly chosen: Id
  readonly onChoose: (id: Id) => void
  readonly className?: string
}

export function Segments<Id extends string>(props: SegmentsProps<Id>): JSX.Element {
  const { label, segments, chosen, onChoose, className } = props
  return (
    <fieldset
      className={cn(
        'inline-flex h-9 max-w-full overflow-x-auto rounded-md border border-line bg-sunken p-0.5 max-sm:h-10',
        className,
      )}
    >
      <legend className="sr-only">{label}</legend>
      {segments.map(({ id, label: words }) => (
        <button
          key={id}
          type="button"
          aria-pressed={id === chosen}
          onClick={() => onChoose(id)}
          className={cn(
            'h-full shrink-0 rounded-[5px] border border-transparent px-3 text-sm font-medium -outline-offset-1 max-sm:px-2',
            id === chosen ? 'border-line bg-surface text-ink' : 'text-ink-soft hover:text-ink',
          )}
        >
          {words}
        </button>
      ))}
    </fieldset>
  )
}
