/**
 * Which holds may not be in the database yet, because their admission was answered before its commit. Knows only what the
 * replies of the store say, and asks nothing.
 */
import type { DeferralState } from '../store/channel.ts'

export class UnrecordedHolds {
  readonly #deferral: DeferralState | null
  /** Those that were admitted since everything was recorded. */
  readonly #ids = new Set<bigint>()
  #recordings = 0

  /** Null: no admission is answered before its commit. */
  constructor(deferral: DeferralState | null) {
    this.#deferral = deferral
  }

  /** To be called with the reply. */
  admitted(id: bigint): void {
    if (this.#deferral === null || this.#deferral.now !== 'waiting') return
    this.#forgetRecorded(this.#deferral)
    this.#ids.add(id)
  }

  /** False where it is not known. */
  isRecorded(id: bigint): boolean {
    if (this.#deferral === null) return true
    this.#forgetRecorded(this.#deferral)
    return this.#deferral.now !== 'lost' && !this.#ids.has(id)
  }

  #forgetRecorded({ recordings }: DeferralState): void {
    if (recordings === this.#recordings) return
    this.#recordings = recordings
    this.#ids.clear()
  }
}
