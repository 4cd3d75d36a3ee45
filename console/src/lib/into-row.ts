/**
 * Scrolls a row sideways until one of its parts is fully visible: on a phone a row of tabs may be wider than the
 * screen. Not by `scrollIntoView`, after which the Tab key continues from there instead of from the top of the page.
 */
export function intoRow(part: HTMLElement | null): void {
  const row = part?.parentElement
  if (part == null || row == null) return
  const [inner, outer] = [part.getBoundingClientRect(), row.getBoundingClientRect()]
  if (inner.right > outer.right) row.scrollLeft += inner.right - outer.right
  else if (inner.left < outer.left) row.scrollLeft -= outer.left - inner.left
}
