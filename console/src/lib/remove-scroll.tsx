/**
 * Replaces the package `react-remove-scroll` that Radix uses below menus and dialogs: the page does not scroll while
 * one is open. A class does it; the original injects a style sheet.
 */
import { type ComponentPropsWithRef, type ElementType, type JSX, useLayoutEffect } from 'react'

interface RemoveScrollProps extends ComponentPropsWithRef<'div'> {
  readonly as?: ElementType
  readonly enabled?: boolean
  readonly allowPinchZoom?: boolean
  readonly noIsolation?: boolean
  readonly inert?: boolean
  readonly removeScrollBar?: boolean
  readonly shards?: readonly unknown[]
}

const className = 'scroll-locked'
let locks = 0

export function RemoveScroll({
  as: As = 'div',
  enabled = true,
  allowPinchZoom: _pinch,
  noIsolation: _isolation,
  inert: _inert,
  removeScrollBar: _bar,
  shards: _shards,
  ...rest
}: RemoveScrollProps): JSX.Element {
  useLayoutEffect(() => {
    if (!enabled) return
    const page = document.documentElement
    if (locks === 0) page.style.setProperty('--scroll-bar', `${innerWidth - page.clientWidth}px`)
    locks += 1
    page.classList.add(className)
    return () => {
      locks -= 1
      if (locks === 0) page.classList.remove(className)
    }
  }, [enabled])
  return <As {...rest} />
}
RemoveScroll.classNames = { fullWidth: '', zeroRight: '' }
