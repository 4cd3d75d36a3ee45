/**
 * Which call a result of a Gemini history belongs to, since IDs may be missing on either side. Each call is
 * answered once. Must be linear: the caller controls the length of histories.
 */

/** A call of the last step. */
export interface PendingCall {
  readonly id: string
  readonly name: string
  /** The caller gave it no id, so its result may have any or none. */
  readonly isMade: boolean
}

/** The calls of one step that wait for their results. */
export class OpenCalls {
  private readonly matched = new Set<PendingCall>()
  private readonly queues = new Map<string, { readonly calls: PendingCall[]; next: number }>()

  add(call: PendingCall): void {
    for (const key of [`id ${call.id}`, `any ${call.name}`, 'any']) this.enter(key, call)
    if (call.isMade) for (const key of [`made ${call.name}`, 'made']) this.enter(key, call)
  }

  /** By the id, else the first of that name, else the first; a result with an id takes no call that has another. */
  take(id: string, name: string): PendingCall | undefined {
    const group = id === '' ? 'any' : 'made'
    for (const key of [`id ${id}`, `${group} ${name}`, group]) {
      const call = this.first(key)
      if (call === undefined) continue
      this.matched.add(call)
      return call
    }
    return undefined
  }

  private enter(key: string, call: PendingCall): void {
    const queue = this.queues.get(key)
    if (queue === undefined) this.queues.set(key, { calls: [call], next: 0 })
    else queue.calls.push(call)
  }

  private first(key: string): PendingCall | undefined {
    const queue = this.queues.get(key)
    if (queue === undefined) return undefined
    for (; queue.next < queue.calls.length; queue.next += 1) {
      const call = queue.calls[queue.next]
      if (call !== undefined && !this.matched.has(call)) return call
    }
    return undefined
  }
}
