/** Finds the id of a request in what was typed or pasted. Pure. */

/** The id alone, or somewhere in a pasted line such as an error message. */
export function requestIdIn(text: string): string | undefined {
  return /(?<!\w)req_[0-9a-z]{13}(?!\w)/.exec(text)?.[0]
}
