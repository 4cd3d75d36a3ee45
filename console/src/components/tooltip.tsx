/** A short explanation on hover and focus. It must not be the only place for anything essential. */
import { Tooltip as Radix } from 'radix-ui'
import type { JSX, ReactElement, ReactNode } from 'react'

export interface TooltipProps {
  readonly text: ReactNode
  /** The trigger; must be focusable. */
  readonly children: ReactElement
}

export function Tooltip({ text, children }: TooltipProps): JSX.Element {
  return (
    <Radix.Provider delayDuration={300}>
      <Radix.Root>
        <Radix.Trigger asChild>{children}</Radix.Trigger>
        <Radix.Portal>
          <Radix.Content
            sideOffset={6}
            collisionPadding={8}
            className="motion-fade z-50 max-w-xs rounded-md bg-ink px-2.5 py-1.5 text-sm text-page"
          >
            {text}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  )
}
