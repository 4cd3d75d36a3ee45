/**
 * Several threads that use one writer thread: a transaction of one makes the others wait until it has ended. Knows no
 * operation, and nothing of what is changed.
 */
import type { WriterRequests } from './messages.ts'

interface Waiting {
  readonly client: number
  readonly run: () => void
}

/** The writer as each client calls it; a request answers with a promise only where it has to wait. */
export class WriterClients {
  readonly #requests: WriterRequests
  readonly #waiting: Waiting[] = []
  /** Whose transaction is open. */
  #owner: number | null = null
  /** Whose request runs. */
  current = 0

  constructor(requests: WriterRequests) {
    this.#requests = requests
  }

  requestsOf(client: number) {
    const { batch, begin, statement, commit, rollback } = this.#requests
    return {
      batch: (...given: Parameters<WriterRequests['batch']>) => this.#inTurn(client, () => batch(...given)),
      begin: () =>
        this.#inTurn(client, () => {
          begin()
          this.#owner = client
        }),
      statement: (...given: Parameters<WriterRequests['statement']>) => statement(...given),
      commit: () => this.#end(client, commit),
      rollback: () => this.#end(client, rollback),
    }
  }

  /** The client is gone: what it has begun is undone. */
  leave(client: number): void {
    for (const one of this.#waiting.splice(0)) if (one.client !== client) this.#waiting.push(one)
    if (this.#owner === client) this.#end(client, this.#requests.rollback)
  }

  #inTurn<Reply>(client: number, work: () => Reply): Reply | Promise<Reply> {
    const run = (): Reply => {
      this.current = client
      return work()
    }
    if (this.#owner === null) return run()
    return new Promise((resolve, reject) => {
      this.#waiting.push({
        client,
        run() {
          try {
            resolve(run())
          } catch (error) {
            reject(error as Error)
          }
        },
      })
    })
  }

  #end(client: number, work: () => void): void {
    this.current = client
    try {
      work()
    } finally {
      this.#owner = null
      while (this.#owner === null) {
        const next = this.#waiting.shift()
        if (next === undefined) break
        next.run()
      }
    }
  }
}
