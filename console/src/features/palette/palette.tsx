/** The command palette: pages, actions and a request by its id, found by typing. */
import { Dialog as Radix } from 'radix-ui'
import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { SearchGroup, SearchItem, SearchList } from '@/components/command'
import { X } from '@/components/icons'
import { useFocusReturn } from '@/components/use-focus-return'
import { usePaletteGroups } from './use-commands.ts'

export interface PaletteProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  /** Gets the focus back. */
  readonly opener: Element | null
  /** Text typed while the palette was loading. */
  readonly initial: string
}

export function Palette({ open, onOpenChange, opener, initial }: PaletteProps): JSX.Element {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="motion-fade fixed inset-0 z-50 bg-veil" />
        <Content onClose={() => onOpenChange(false)} opener={opener} initial={initial} />
      </Radix.Portal>
    </Radix.Root>
  )
}

interface ContentProps extends Pick<PaletteProps, 'opener' | 'initial'> {
  readonly onClose: () => void
}

function Content({ onClose, opener, initial }: ContentProps): JSX.Element {
  const returnFocus = useFocusReturn(opener)
  const [search, setSearch] = useState(initial)
  const groups = usePaletteGroups(search)
  return (
    <Radix.Content
      aria-describedby={undefined}
      onCloseAutoFocus={returnFocus}
      className="motion-appear fixed inset-x-0 top-0 z-50 mx-auto flex max-h-[85dvh] w-full max-w-xl flex-col overflow-hidden border border-line bg-raised shadow-lg shadow-black/10 max-sm:rounded-b-xl sm:top-[12vh] sm:max-h-[min(30rem,70vh)] sm:w-[calc(100%-2rem)] sm:rounded-xl"
    >
      <Radix.Title className="sr-only">Search and commands</Radix.Title>
      <SearchList
        label="Search pages, actions and requests"
        placeholder="Search, or paste a request ID"
        search={search}
        onSearch={setSearch}
        empty="No results"
        aside={
          <Radix.Close asChild>
            <Button variant="ghost" size="icon" aria-label="Close" className="-mr-2.5 size-8">
              <X aria-hidden="true" />
            </Button>
          </Radix.Close>
        }
      >
        {groups.map(({ heading, commands }) => (
          <SearchGroup key={heading} heading={heading}>
            {commands.map(({ id, label, keywords = '', hint, Icon, isCurrent = false, run }) => (
              <SearchItem
                key={id}
                value={id}
                keywords={`${label} ${keywords}`}
                icon={<Icon aria-hidden="true" />}
                hint={hint}
                checked={isCurrent}
                onSelect={() => {
                  onClose()
                  run()
                }}
              >
                {label}
              </SearchItem>
            ))}
          </SearchGroup>
        ))}
      </SearchList>
    </Radix.Content>
  )
}
