/** Whether a page is the first one since the document was loaded: that one does not move the focus. */
let isFirst = true

/** True once. Every page calls it when it is shown. */
export function takesFirstPlace(): boolean {
  const was = isFirst
  isFirst = false
  return was
}
