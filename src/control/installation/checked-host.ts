/**
 * What the host of an upstream said when it was reviewed, for the save that follows: asked once, and what is stored is what
 * was reviewed. Of the last review alone; forgotten once it is used, or after some minutes.
 */
import { createHash } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { AskedHost, CheckedHost, CheckedHostMemory } from '../control-deps.ts'

export class LastCheckedHost implements CheckedHostMemory {
  readonly #clock: Clock
  readonly #keptMs: number
  #last: (CheckedHost & { readonly digest: string; readonly untilMs: number }) | undefined

  constructor(clock: Clock, { hostReviewMs }: { readonly hostReviewMs: number }) {
    this.#clock = clock
    this.#keptMs = hostReviewMs
  }

  keep(host: AskedHost, checked: CheckedHost): void {
    this.#last = { ...checked, digest: digestOf(host), untilMs: this.#clock.monoMs() + this.#keptMs }
  }

  take(host: AskedHost): CheckedHost | undefined {
    const last = this.#last
    if (last === undefined || last.digest !== digestOf(host)) return undefined
    this.#last = undefined
    return last.untilMs < this.#clock.monoMs() ? undefined : last
  }
}

/** Everything that a request to it depends on, without keeping its credential. */
function digestOf({ provider, url, custom, credential }: AskedHost): string {
  return createHash('sha256')
    .update(JSON.stringify([provider, url, custom ?? null, credential]))
    .digest('hex')
}
