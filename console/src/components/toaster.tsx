/** Shows toasts and announces them to screen readers. */

import type { JSX } from 'react'
import { CircleCheck, TriangleAlert, X } from '@/components/icons'
import { closeMessage, toast, useMessages } from '@/lib/toast'

export { toast }

export function Toaster(): JSX.Element {
  const shown = useMessages()
  return (
    <section
      aria-label="Messages"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-4 bottom-4 z-60 sm:inset-x-6 flex flex-col items-end gap-2 print:hidden"
    >
      {shown.map(({ id, tone, text, link }) => (
        <div
          key={id}
          className="motion-appear pointer-events-auto flex w-full max-w-sm items-start gap-3 rounded-lg border border-line bg-raised py-3 pr-2 pl-4 shadow-lg shadow-black/10"
        >
          {tone === 'good' ? (
            <CircleCheck aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-good" />
          ) : (
            <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-bad" />
          )}
          <p className="min-w-0 flex-1 break-words">
            {text}
            {link === undefined ? null : <> {link}</>}
          </p>
          <button
            type="button"
            aria-label="Dismiss message"
            onClick={() => closeMessage(id)}
            className="flex size-6 items-center justify-center rounded-md text-ink-soft hover:bg-sunken max-sm:size-10"
          >
            <X aria-hidden="true" className="size-4" />
          </button>
        </div>
      ))}
    </section>
  )
}
