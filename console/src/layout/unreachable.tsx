/** A notice over the page that the server is not responding. */

import type { JSX } from 'react'
import { Unplug } from '@/components/icons'
import { useAway } from '@/lib/connection'

export function Unreachable(): JSX.Element {
  const isAway = useAway()
  return (
    <div
      role="status"
      className="pointer-events-none fixed inset-x-4 bottom-4 z-60 flex justify-center print:hidden"
    >
      {isAway ? (
        <p className="motion-appear flex items-start gap-3 rounded-lg border border-line bg-raised px-4 py-3 shadow-lg shadow-black/10">
          <Unplug aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-warn" />
          <span>
            <span className="font-medium">The server can't be reached.</span>{' '}
            <span className="text-ink-soft">Reconnecting…</span>
          </span>
        </p>
      ) : null}
    </div>
  )
}
