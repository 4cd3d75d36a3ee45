/** Returns the focus to where it was before an overlay opened. */
import { useState } from 'react'

/**
 * For `onCloseAutoFocus`. Must be called by the content of the overlay, whose first render records the element, unless
 * the opener is named.
 */
export function useFocusReturn(named: Element | null = null): (event: Event) => void {
  const [opener] = useState(() => named ?? openerOf(document.activeElement))
  return (event) => {
    event.preventDefault()
    const target = opener?.isConnected === true ? opener : document.getElementById('content')
    if (target instanceof HTMLElement) target.focus({ preventScroll: true })
  }
}

/** An item of a menu ends with it: what opened the menu remains. */
function openerOf(active: Element | null): Element | null {
  const trigger = active?.closest('[role=menu]')?.getAttribute('aria-labelledby')
  return trigger == null ? active : (document.getElementById(trigger) ?? active)
}
