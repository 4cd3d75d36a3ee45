/** Dragging an offer by its handle with mouse, pen or finger: which target is under the pointer, and when it is dropped. */
import { type PointerEvent, useEffect, useRef, useState } from 'react'
import type { Target } from './offer-groups.ts'

interface Dragged {
  readonly id: string
  readonly target: Target | undefined
}

export interface OfferDrag {
  /** The offer that is dragged. */
  readonly id: string | undefined
  readonly target: Target | undefined
  /** For the handle of an offer. */
  readonly handle: (id: string) => {
    readonly onPointerDown: (event: PointerEvent) => void
    readonly onPointerMove: (event: PointerEvent) => void
    readonly onPointerUp: (event: PointerEvent) => void
    readonly onPointerCancel: () => void
  }
}

/** The attribute of elements that an offer can be dropped on. */
export const dropTarget = (target: Target) => ({ 'data-drop': JSON.stringify(target) })

/** How close to an edge of the window the pointer scrolls the page, in pixels. */
const edgePx = 56

export function useOfferDrag(onDrop: (id: string, target: Target) => void): OfferDrag {
  const [dragged, setDragged] = useState<Dragged>()
  /** Same as the state, but current at each event: the pointer can be faster than rendering. */
  const held = useRef<string>(undefined)
  useEffect(() => {
    const cancel = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return
      held.current = undefined
      setDragged(undefined)
    }
    addEventListener('keydown', cancel)
    return () => removeEventListener('keydown', cancel)
  }, [])
  function end(): void {
    held.current = undefined
    setDragged(undefined)
  }
  return {
    id: dragged?.id,
    target: dragged?.target,
    handle: (id) => ({
      onPointerDown(event) {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        held.current = id
        setDragged({ id, target: undefined })
      },
      onPointerMove(event) {
        if (held.current !== id) return
        if (event.clientY < edgePx) scrollBy(0, -edgePx / 4)
        if (event.clientY > innerHeight - edgePx) scrollBy(0, edgePx / 4)
        setDragged({ id, target: targetAt(event.clientX, event.clientY) })
      },
      onPointerUp(event) {
        const target = targetAt(event.clientX, event.clientY)
        if (held.current === id && target !== undefined) onDrop(id, target)
        end()
      },
      onPointerCancel: end,
    }),
  }
}

function targetAt(x: number, y: number): Target | undefined {
  for (const element of document.elementsFromPoint(x, y)) {
    const text = element.getAttribute('data-drop')
    if (text !== null) return JSON.parse(text) as Target
  }
  return undefined
}
