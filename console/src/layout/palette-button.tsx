/** Opens the command palette, by its button or by Ctrl+K and ⌘K. The palette is loaded when it is first opened. */
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
  if (isOpen && !wasOpened) setWasOpened(true)
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      if (event.altKey || event.shiftKey) return
      event.preventDefault()
      // Another dialog may show a key that is shown only once.
      const isFree = document.querySelector('[role=dialog]') === null
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
        onClick={() => setOpen(true)}
        className="flex h-9 items-center gap-2.5 rounded-md border border-line bg-surface text-ink-soft transition-colors hover:border-line-strong hover:text-ink max-md:size-9 max-md:justify-center max-md:border-transparent max-md:bg-transparent max-sm:size-10 md:w-64 md:px-3"
      >
        <Search aria-hidden="true" className="size-4 shrink-0" />
        <span className="flex-1 text-left max-md:sr-only">Search or jump to…</span>
        <span aria-hidden="true" className="text-xs max-md:hidden">
          {isApple ? '⌘K' : 'Ctrl K'}
        </span>
      </button>
      {wasOpened ? (
        <Suspense>
          <Palette open={isOpen} onOpenChange={setOpen} />
        </Suspense>
      ) : null}
    </>
  )
}
