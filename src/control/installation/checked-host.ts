/**
 * What the host of an upstream said when it was reviewed, for the save that follows: asked once, and what is stored is what
 * was reviewed. Of the last review alone; forgotten once it is used, or after some minutes.
 */
import { createHash } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { AskedHost, CheckedHost, CheckedHostMemory } from '../control-deps.ts'

/** How long what a provider said in the review of an upstream is used to save it. */
const hostReviewMs = 600_000

export class LastCheckedHost implements CheckedHostMemory {
  readonly #clock: Clock
  #last: (CheckedHost & { readonly digest: string; readonly untilMs: number }) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  keep(host: AskedHost, checked: CheckedHost): void {
    this.#last = { ...checked, digest: digestOf(host), untilMs: this.#clock.monoMs() + hostReviewMs }
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
