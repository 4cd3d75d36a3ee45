/**
 * A queue in which owners take turns, and the items of one owner stay in order. It is unbounded:
 * its user checks the capacity.
 */
export class FairQueue<Item> {
  /** The owner whose turn is next comes first; none of the lists is empty. */
  readonly #items = new Map<bigint, Item[]>()

  get isEmpty(): boolean {
    return this.#items.size === 0
  }

  add(owner: bigint, item: Item): void {
    const own = this.#items.get(owner)
    if (own === undefined) this.#items.set(owner, [item])
    else own.push(item)
  }

  /** The next item of the first owner that may have a turn with it, who goes to the end of the line. */
  take(mayTake: (owner: bigint, item: Item) => boolean = () => true): Item | undefined {
    for (const [owner, own] of this.#items) {
      const [item] = own
      if (item === undefined || !mayTake(owner, item)) continue
      this.#items.delete(owner)
      own.shift()
      if (own.length > 0) this.#items.set(owner, own)
      return item
    }
    return undefined
  }

  /** Removes and returns the first item that `isMeant` accepts; undefined: there is none. */
  remove(isMeant: (item: Item) => boolean): Item | undefined {
    for (const [owner, own] of this.#items) {
      const index = own.findIndex(isMeant)
      if (index < 0) continue
      const [item] = own.splice(index, 1)
      if (own.length === 0) this.#items.delete(owner)
      return item
    }
    return undefined
  }
}
