/** Knows whether a page is the first one since the document was loaded: that one leaves the focus where the browser has it. */
let isFirst = true

/** True once. Every page asks when it is shown. */
export function takesFirstPlace(): boolean {
  const was = isFirst
  isFirst = false
  return was
}
