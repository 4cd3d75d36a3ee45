/**
 * First in, first out: each step costs the same, however long the queue is, which an array's own `shift`
 * does not. Must not retain what has left it.
 */
export class Queue<Item extends object> {
  private items: (Item | undefined)[] = []
  private head = 0

  get first(): Item | undefined {
    return this.items[this.head]
  }

  get last(): Item | undefined {
    return this.items.at(-1)
  }

  get size(): number {
    return this.items.length - this.head
  }

  push(item: Item): void {
    this.items.push(item)
  }

  /** Takes the first one out. */
  shift(): Item | undefined {
    const { first } = this
    if (first === undefined) return undefined
    this.items[this.head] = undefined
    this.head += 1
    if (this.head * 2 < this.items.length) return first
    this.items = this.items.slice(this.head)
    this.head = 0
    return first
  }
}
