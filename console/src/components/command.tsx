/**
 * A list that is searched by typing, over cmdk: for the command palette and for choosers. Styled here and nowhere
 * else; loaded with the first list that opens.
 */
import { Command } from 'cmdk'
import type { JSX, ReactNode } from 'react'
import { Check, Search } from '@/components/icons'
import { cn } from '@/lib/class-names'
import { matchScore } from '@/lib/match-score'

export interface SearchListProps {
  /** The accessible name of the search field. */
  readonly label: string
  readonly placeholder: string
  readonly search: string
  readonly onSearch: (search: string) => void
  /** The value that is highlighted first. */
  readonly initial?: string
  /** Shown where nothing matches. */
  readonly empty: ReactNode
  /** After the field: a shortcut or a button. */
  readonly aside?: ReactNode
  readonly listClassName?: string
  readonly children: ReactNode
}

export function SearchList(props: SearchListProps): JSX.Element {
  const { label, placeholder, search, onSearch, initial, empty, aside, listClassName, children } = props
  return (
    <Command
      label={label}
      loop
      filter={(_, wanted, keywords = []) => matchScore(keywords.join(' '), wanted)}
      {...(initial === undefined ? {} : { defaultValue: initial })}
      className="flex min-h-0 flex-1 flex-col"
    >
      <div className="flex items-center gap-2.5 border-b border-line px-3.5">
        <Search aria-hidden="true" className="size-4 shrink-0 text-ink-soft" />
        <Command.Input
          autoFocus
          placeholder={placeholder}
          value={search}
          onValueChange={onSearch}
          className="h-11 min-w-0 flex-1 bg-transparent outline-none max-sm:text-[16px]"
        />
        {aside}
      </div>
      <Command.List
        label={label}
        className={cn('min-h-0 scroll-py-2 overflow-y-auto overscroll-contain p-1.5', listClassName)}
      >
        <Command.Empty className="px-3 py-6 text-center text-ink-soft">{empty}</Command.Empty>
        {children}
      </Command.List>
    </Command>
  )
}

export function SearchGroup({
  heading,
  children,
}: {
  readonly heading: string
  readonly children: ReactNode
}): JSX.Element {
  return (
    <Command.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-ink-soft"
    >
      {children}
    </Command.Group>
  )
}

export interface SearchItemProps {
  /** Unique in the list. */
  readonly value: string
  /** Search terms. */
  readonly keywords: string
  readonly onSelect: () => void
  readonly icon?: ReactNode
  readonly hint?: ReactNode
  /** Marks the current choice. */
  readonly checked?: boolean
  readonly children: ReactNode
}

export function SearchItem(props: SearchItemProps): JSX.Element {
  const { value, keywords, onSelect, icon, hint, checked = false, children } = props
  return (
    <Command.Item
      value={value}
      keywords={[keywords]}
      onSelect={onSelect}
      className="flex min-h-9 cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-1.5 select-none data-[selected=true]:bg-sunken max-sm:min-h-10 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-ink-soft"
    >
      {icon}
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {hint === undefined ? null : (
        <span className="max-w-[45%] shrink-0 truncate text-sm text-ink-soft">{hint}</span>
      )}
      {checked ? (
        <>
          <Check aria-hidden="true" className="text-accent!" />
          <span className="sr-only">, current</span>
        </>
      ) : null}
    </Command.Item>
  )
}
