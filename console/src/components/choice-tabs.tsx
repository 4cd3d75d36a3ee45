/** Tabs between alternatives within a page or dialog. The choice is the component's own: it is not in the URL. */
import { Tabs as Radix } from 'radix-ui'
import { type JSX, type ReactNode, useState } from 'react'
import { intoRow } from '@/lib/into-row'

export interface ChoiceTab {
  readonly id: string
  readonly label: string
  readonly content: ReactNode
}

export interface ChoiceTabsProps {
  /** The accessible name of the tab list. */
  readonly label: string
  readonly tabs: readonly ChoiceTab[]
}

export function ChoiceTabs({ label, tabs }: ChoiceTabsProps): JSX.Element {
  const [chosen, setChosen] = useState<string>()
  const shown = tabs.find(({ id }) => id === chosen)?.id ?? tabs[0]?.id ?? ''
  return (
    <Radix.Root value={shown} onValueChange={setChosen} className="min-w-0">
      <Radix.List
        aria-label={label}
        className="mb-2.5 flex max-w-full gap-1 overflow-x-auto [scrollbar-width:none]"
      >
        {tabs.map(({ id, label: words }) => (
          <Radix.Trigger
            key={id}
            value={id}
            ref={id === shown ? intoRow : undefined}
            className="h-8 shrink-0 rounded-md border border-transparent px-2.5 text-sm font-medium text-ink-soft -outline-offset-2 hover:text-ink data-[state=active]:border-line data-[state=active]:bg-sunken data-[state=active]:text-ink max-sm:h-10"
          >
            {words}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map(({ id, content }) => (
        <Radix.Content key={id} value={id}>
          {content}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}
