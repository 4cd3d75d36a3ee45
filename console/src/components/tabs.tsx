/** Tabs whose selection is in the URL, so that a link leads to it. */
import { Tabs as Radix } from 'radix-ui'
import type { JSX, ReactNode, SyntheticEvent } from 'react'
import { intoRow } from '@/lib/into-row'
import { useSearch, useSetSearch } from '@/lib/search'

export interface Tab {
  readonly id: string
  readonly label: ReactNode
  readonly content: ReactNode
}

export interface TabsProps {
  /** The accessible name of the tab list. */
  readonly label: string
  readonly tabs: readonly Tab[]
  /** The search parameter: `?tab=…`. */
  readonly name?: string
}

const setPointed = (isPointed: boolean) => (event: SyntheticEvent<HTMLElement>) => {
  event.currentTarget.toggleAttribute('data-pointed', isPointed)
}

/** Radix focuses a pressed tab by script, which browsers take for the keyboard's focus and show a ring. */
const quietFocus = {
  onPointerDown: setPointed(true),
  onKeyDown: setPointed(false),
  onBlur: setPointed(false),
}

export function Tabs({ label, tabs, name = 'tab' }: TabsProps): JSX.Element {
  const wanted = useSearch()[name]
  const setSearch = useSetSearch()
  const first = tabs[0]?.id ?? ''
  const shown = tabs.find(({ id }) => id === wanted)?.id ?? first
  return (
    <Radix.Root
      value={shown}
      onValueChange={(next) => setSearch({ [name]: next === first ? undefined : next })}
    >
      <Radix.List
        aria-label={label}
        className="flex gap-1 overflow-x-auto shadow-[inset_0_-1px_0_var(--line)] [scrollbar-width:none]"
      >
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.id}
            value={tab.id}
            ref={tab.id === shown ? intoRow : undefined}
            {...quietFocus}
            className="data-pointed:outline-none h-10 shrink-0 rounded-t-md border-b-2 border-transparent px-3 font-medium text-ink-soft -outline-offset-2 hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
          >
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.id} value={tab.id} className="pt-6">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}
