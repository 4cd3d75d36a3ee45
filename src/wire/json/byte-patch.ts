/** Positions in a body or a stream, and the replacements of bytes there. Pure. */

/** Bytes `start` (included) to `end` (excluded) of a body or of a stream counted from its first byte. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Replaces the bytes `start..end` of a body with `text`. */
export interface BytePatch extends Span {
  readonly text: string
}

/** An edit whose text is a number between two texts. Plain, so that it can be handed to another thread. */
export interface NumberPatch extends Span {
  readonly before: string
  readonly after: string
}

export function numberPatch({ start, end, before, after }: NumberPatch, number: number): BytePatch {
  return { start, end, text: `${before}${number}${after}` }
}
