/** Opens the command palette, by its button or by Ctrl+K and ⌘K. The palette is loaded when it is first opened; what is typed meanwhile is its first search. */
import { type JSX, lazy, Suspense, useEffect, useState } from 'react'
import { Search } from '@/components/icons'
import { patiently } from '@/lib/connection'

const Palette = lazy(
  patiently(async () => ({ default: (await import('@/features/palette/palette')).Palette })),
)

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)

export function PaletteButton(): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const [wasOpened, setWasOpened] = useState(false)
  const [opener, setOpener] = useState<Element | null>(null)
  const [typed, setTyped] = useState('')
  if (isOpen && !wasOpened) setWasOpened(true)
  const change = (open: boolean): void => {
    setTyped('')
    setOpen(open)
  }
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      if (event.altKey || event.shiftKey) return
      event.preventDefault()
      // Another dialog may show a key that is shown only once.
      const isFree = document.querySelector('[role=dialog]') === null
      setOpener(document.activeElement)
      setTyped('')
      setOpen((before) => !before && isFree)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={(event) => {
          setOpener(event.currentTarget)
          change(true)
        }}
        className="flex h-9 items-center gap-2.5 rounded-md border border-line bg-surface text-ink-soft transition-colors hover:border-line-strong hover:text-ink max-md:size-9 max-md:justify-center max-md:border-transparent max-md:bg-transparent max-sm:size-10 md:w-64 md:px-3"
      >
        <Search aria-hidden="true" className="size-4 shrink-0" />
        <span className="flex-1 text-left max-md:sr-only">Search or jump to…</span>
        <span aria-hidden="true" className="text-xs max-md:hidden">
          {isApple ? '⌘K' : 'Ctrl K'}
        </span>
      </button>
      {wasOpened ? (
        <Suspense
          fallback={
            isOpen ? <EarlySearch text={typed} onType={setTyped} onLeave={() => change(false)} /> : null
          }
        >
          <Palette open={isOpen} onOpenChange={change} opener={opener} initial={typed} />
        </Suspense>
      ) : null}
    </>
  )
}

interface EarlySearchProps {
  readonly text: string
  readonly onType: (text: string) => void
  readonly onLeave: () => void
}

/** The field of the palette while its program loads, at the same place. */
function EarlySearch({ text, onType, onLeave }: EarlySearchProps): JSX.Element {
  return (
    <div className="fixed inset-0 z-50 bg-veil">
      <div
        role="dialog"
        aria-label="Search and commands"
        className="mx-auto flex h-11 w-full max-w-xl items-center gap-2.5 border border-line bg-raised px-3.5 max-sm:rounded-b-xl sm:mt-[12vh] sm:w-[calc(100%-2rem)] sm:rounded-xl"
      >
        <Search aria-hidden="true" className="size-4 shrink-0 text-ink-soft" />
        <input
          // biome-ignore lint/a11y/noAutofocus: it was opened to type in it.
          autoFocus
          aria-label="Search pages, actions and requests"
          placeholder="Search, or paste a request ID"
          className="h-full min-w-0 flex-1 bg-transparent outline-none max-sm:text-[16px]"
          value={text}
          onChange={(event) => onType(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') onLeave()
          }}
        />
      </div>
    </div>
  )
}
