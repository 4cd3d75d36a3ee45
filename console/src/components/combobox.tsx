/** A button that opens a searched list of options in groups, for choices that are too long for a select. */
import { Popover } from 'radix-ui'
import { type JSX, lazy, type ReactNode, Suspense, useState } from 'react'
import { ChevronDown } from '@/components/icons'
import { cn } from '@/lib/class-names'
import { patiently } from '@/lib/connection'
import type { ComboboxGroup } from './combobox-list.tsx'
import { fieldLook } from './input.tsx'

export type { ComboboxGroup, ComboboxOption } from './combobox-list.tsx'

export interface ComboboxProps {
  readonly id?: string
  readonly 'aria-label'?: string
  readonly 'aria-describedby'?: string | undefined
  /** Label of the search field: "Search models". */
  readonly searchLabel: string
  readonly groups: readonly ComboboxGroup[]
  readonly value: string
  readonly onChange: (value: string) => void
  readonly className?: string
  /** Below the list, such as a switch that filters the list. */
  readonly footer?: ReactNode
}

const List = lazy(patiently(async () => ({ default: (await import('./combobox-list.tsx')).ComboboxList })))

export function Combobox(props: ComboboxProps): JSX.Element {
  const { searchLabel, groups, value, onChange, className, footer, ...rest } = props
  const [isOpen, setOpen] = useState(false)
  const chosen = groups.flatMap(({ options }) => options).find((option) => option.value === value)
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger
        {...rest}
        type="button"
        role="combobox"
        aria-expanded={isOpen}
        className={cn(
          fieldLook,
          'flex h-9 w-full items-center justify-between gap-2 text-left max-sm:h-10',
          className,
        )}
      >
        <bdi className="min-w-0 truncate">{chosen?.label ?? value}</bdi>
        <ChevronDown aria-hidden="true" className="size-4 shrink-0 text-ink-soft" />
      </Popover.Trigger>
      <Popover.Content
        align="start"
        sideOffset={4}
        collisionPadding={8}
        aria-label={searchLabel}
        className="motion-fade z-50 flex max-h-[min(24rem,var(--radix-popover-content-available-height))] w-[max(var(--radix-popover-trigger-width),20rem)] max-w-[calc(100vw-1rem)] flex-col overflow-hidden rounded-lg border border-line bg-raised shadow-lg shadow-black/5"
      >
        <Suspense fallback={<div className="h-60" />}>
          <List
            searchLabel={searchLabel}
            groups={groups}
            value={value}
            onChoose={(next) => {
              setOpen(false)
              onChange(next)
            }}
          />
        </Suspense>
        {footer === undefined ? null : <div className="border-t border-line px-3 py-1">{footer}</div>}
      </Popover.Content>
    </Popover.Root>
  )
}
