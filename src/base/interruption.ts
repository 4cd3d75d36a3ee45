/**
 * Why running work must stop before its end: its client left, or the gateway said so. It is told
 * once; whoever holds the work at that moment listens, and a later holder is told at once.
 */
import type { TollgateError } from './errors.ts'

export type Interruption =
  | { readonly kind: 'gone' }
  | { readonly kind: 'stopped'; readonly error: TollgateError }

export class Interruptible {
  #interruption: Interruption | undefined
  #listener: ((interruption: Interruption) => void) | undefined

  get interruption(): Interruption | undefined {
    return this.#interruption
  }

  /** Replaces the listener of the one who held the work before; `undefined` lets go of it. */
  listen(listener: ((interruption: Interruption) => void) | undefined): void {
    this.#listener = listener
    if (this.#interruption !== undefined) listener?.(this.#interruption)
  }

  /** The first interruption counts, except that a stop still reaches work that only reads on for a client that left. */
  interrupt(interruption: Interruption): void {
    if (this.#interruption?.kind === 'stopped' || this.#interruption?.kind === interruption.kind) return
    this.#interruption = interruption
    this.#listener?.(interruption)
  }
}
