/**
 * Why running work must stop early: its client disconnected, or the gateway cancels it. Delivered once, to the
 * listener of the phase that runs; a listener that is set later is called immediately.
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

  /** Replaces the listener of the phase before; `undefined` removes it. */
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
