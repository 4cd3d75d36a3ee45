/** A short explanation on hover, focus and tap. It must not be the only place for anything essential. */
import { Tooltip as Radix } from 'radix-ui'
import { type JSX, type ReactElement, type ReactNode, useRef, useState } from 'react'

export interface TooltipProps {
  readonly text: ReactNode
  /** The trigger; must be focusable. */
  readonly children: ReactElement
}

export function Tooltip({ text, children }: TooltipProps): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const tap = useRef({ isTouch: false, wasOpen: false })
  return (
    <Radix.Provider delayDuration={300}>
      <Radix.Root open={isOpen} onOpenChange={setOpen}>
        <Radix.Trigger
          asChild
          onPointerDown={({ pointerType }) => {
            tap.current = { isTouch: pointerType === 'touch', wasOpen: isOpen }
          }}
          onClick={(event) => {
            // A finger does not hover: its tap opens, and the next one closes.
            if (!tap.current.isTouch) return
            event.preventDefault()
            setOpen(!tap.current.wasOpen)
          }}
        >
          {children}
        </Radix.Trigger>
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
