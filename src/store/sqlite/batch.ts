/**
 * Runs a batch of whole operations as one transaction. When one fails, everything is rolled back and
 * each operation runs again alone, so that only the culprit gets the error; where the connection was lost, all get it.
 * Knows no operation itself.
 */
import type { Failpoints } from '../../base/failpoint.ts'
import type { Database } from './connection.ts'
import type { Fence } from './fence.ts'
import { type BatchReply, type Call, type Failure, toFailure } from './messages.ts'

/**
 * A synchronous piece of work on prepared statements, atomic with its batch. It may run twice (the
 * first time rolled back), so it has no state.
 */
export interface Operation {
  /** Whether its commit must have reached the disk before it is answered. */
  readonly durable: boolean
  // Values cross a thread here; the table's owner types both ends.
  readonly run: (...values: never[]) => unknown
}

export type OperationTable = Readonly<Record<string, Operation>>

/** What operations share within one batch and write at its end; rows may stay in it between batches. */
export interface BatchMemory {
  /** Writes what was changed. */
  flush(): void
  /** Forgets everything: the batch was rolled back. */
  forget(): void
  /** Forgets the rows that statements of the control plane may change; no change waits to be written. */
  forgetShared(): void
}

/** Several memories as one. */
export function sharedMemory(memories: readonly BatchMemory[]): BatchMemory {
  return {
    flush() {
      for (const memory of memories) memory.flush()
    },
    forget() {
      for (const memory of memories) memory.forget()
    },
    forgetShared() {
      for (const memory of memories) memory.forgetShared()
    },
  }
}

/** What a writer can do, prepared on its connection. */
export interface WriterPlan {
  readonly operations: OperationTable
  readonly memory: BatchMemory
}

export type Durability = 'durable' | 'lazy'

export interface Committer {
  begin(durability: Durability): void
  commit(): void
  /** Harmless when SQLite has already rolled back on its own, as it does on a full disk. */
  rollback(): void
}

/** Begins and ends transactions, and switches how hard a commit tries only when it must. */
export function committer(database: Database, fence?: Pick<Fence, 'check'>): Committer {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  let current: Durability | undefined
  const rollback = (): void => {
    if (database.isTransaction) database.exec('ROLLBACK')
  }
  return {
    begin(durability) {
      if (durability !== current) {
        // Not prepared: this one takes effect while it is being prepared.
        database.exec(durability === 'durable' ? 'PRAGMA synchronous = FULL' : 'PRAGMA synchronous = NORMAL')
        current = durability
      }
      begin.run()
      try {
        fence?.check()
      } catch (error) {
        rollback()
        throw error
      }
    },
    commit() {
      commit.run()
    },
    rollback,
  }
}

export type RunBatch = (calls: readonly Call[]) => BatchReply

export function batchRunner(commits: Committer, plan: WriterPlan, points: Failpoints): RunBatch {
  const { operations, memory } = plan
  const find = (name: string): Operation => {
    const operation = operations[name]
    if (operation === undefined) throw new Error(`there is no operation ${name}`)
    return operation
  }
  const isDurable = ([name]: Call): boolean => operations[name]?.durable ?? false

  function transact(calls: readonly Call[]): unknown[] {
    commits.begin(calls.some(isDurable) ? 'durable' : 'lazy')
    try {
      if (points.active) delayAll(points, 'before-commit', calls)
      // Grown by pushing: an array that `map` makes may have holes, and costs more to send for it.
      const results: unknown[] = []
      for (const [name, ...values] of calls) results.push(find(name).run(...(values as never[])))
      memory.flush()
      if (points.active) reachAll(points, 'before-commit', calls)
      commits.commit()
      return results
    } catch (error) {
      memory.forget()
      commits.rollback()
      throw error
    }
  }

  function alone(calls: readonly Call[]): BatchReply {
    const failures: [number, Failure][] = []
    const results = calls.map((call, index) => {
      try {
        return transact([call])[0]
      } catch (error) {
        failures.push([index, toFailure(error)])
        return undefined
      }
    })
    return [results, failures]
  }

  function run(calls: readonly Call[]): BatchReply {
    try {
      return [transact(calls), []]
    } catch (error) {
      if (calls.length > 1 && !concernsTransaction(error)) return alone(calls)
      const failure = toFailure(error)
      return [[], calls.map((_, index) => [index, failure] as const)]
    }
  }

  return (calls) => {
    const reply = run(calls)
    if (!points.active) return reply
    try {
      reachAll(points, 'after-commit', calls)
      return reply
    } catch (error) {
      // Committed, and reported as failed: what a lost reply looks like to the caller.
      return [[], calls.map((_, index) => [index, toFailure(error)] as const)]
    }
  }
}

/** Of a database that is reached over a network: the commit may have been carried out. */
const concernsTransaction = (error: unknown): boolean =>
  error instanceof Error && (error as { concernsTransaction?: unknown }).concernsTransaction === true

const namesOf = (calls: readonly Call[]): ReadonlySet<string> =>
  new Set(calls.map(([operation]) => operation))

function reachAll(points: Failpoints, moment: string, calls: readonly Call[]): void {
  for (const name of namesOf(calls)) points.reach(`${moment}-${name}`)
}

/** Before the operations run, so that they know by the clock that their commit is late. */
function delayAll(points: Failpoints, moment: string, calls: readonly Call[]): void {
  for (const name of namesOf(calls)) {
    const delayMs = points.delayMs(`${moment}-${name}`)
    if (delayMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, delayMs)
  }
}
