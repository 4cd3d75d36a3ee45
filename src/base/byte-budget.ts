/** Memory that many share: who takes gives back, and nobody gets more than there is. */
export class ByteBudget {
  readonly #bytesMax: number
  #takenBytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get takenBytes(): number {
    return this.#takenBytes
  }

  /** False, and nothing taken, when there is no room for so much. */
  take(bytes: number): boolean {
    if (this.#takenBytes + bytes > this.#bytesMax) return false
    this.#takenBytes += bytes
    return true
  }

  giveBack(bytes: number): void {
    this.#takenBytes -= bytes
  }
}

/** One holder's share of a budget, which grows and shrinks. */
export class Room {
  readonly #budget: ByteBudget
  #bytes = 0

  constructor(budget: ByteBudget) {
    this.#budget = budget
  }

  /** Makes the share `bytes` in all; false, and the share as it was, when there is no room for so much. */
  set(bytes: number): boolean {
    const more = bytes - this.#bytes
    if (more === 0) return true
    if (more > 0 && !this.#budget.take(more)) return false
    if (more < 0) this.#budget.giveBack(-more)
    this.#bytes = bytes
    return true
  }
}
