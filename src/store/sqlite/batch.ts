/**
 * Runs a batch of operations as one transaction. When one fails, everything is rolled back and each operation runs again alone, so
 * that only that one fails; if the connection was lost, all fail. A batch of operations that may be deferred runs in memory and is
 * answered without a commit: the next commit includes its changes, and what a rollback removes from memory runs again. Knows no
 * operation itself.
 */
import { delayOfEach, type Failpoints, reachEach } from '../../base/failpoint.ts'
import type { Database } from './connection.ts'
import type { Fence } from './fence.ts'
import { type BatchReply, type Call, type DeferredAnswers, type Failure, toFailure } from './messages.ts'

/**
 * A synchronous piece of work on prepared statements, atomic with its batch. It may run twice (the
 * first time rolled back), so it has no state.
 */
export interface WriterOperation {
  /** Whether its commit must have reached the disk before it is answered. */
  readonly durable: boolean
  /** Deferral of an operation that only uses rows in memory: `later`, `after`, or absent; see machine/operation.ts. */
  readonly deferral?: 'later' | 'after' | undefined
  // Values cross a thread here; the table's owner types both ends.
  readonly run: (...values: never[]) => unknown
}

export type OperationTable = Readonly<Record<string, WriterOperation>>

/** State that operations share within a batch and write at its end; rows may stay in it between batches. */
export interface BatchMemory {
  /** Writes what was changed, as far as a commit needs it. */
  flush(): void
  /** Writes to its tables also what earlier commits have written elsewhere; see row-journal.ts. */
  writeAll(): void
  /** Called when the written changes are committed. */
  committed(): void
  /** Forgets everything: the batch was rolled back. */
  forget(): void
  /** Forgets the rows that statements of the control plane may change; no change waits to be written. */
  forgetShared(): void
}

export function sharedMemory(memories: readonly BatchMemory[]): BatchMemory {
  return {
    flush() {
      for (const memory of memories) memory.flush()
    },
    writeAll() {
      for (const memory of memories) memory.writeAll()
    },
    committed() {
      for (const memory of memories) memory.committed()
    },
    forget() {
      for (const memory of memories) memory.forget()
    },
    forgetShared() {
      for (const memory of memories) memory.forgetShared()
    },
  }
}

/** The parts of a writer, prepared on its connection. */
export interface WriterPlan {
  readonly operations: OperationTable
  readonly memory: BatchMemory
  /** Tables of which `memory` has rows between batches. */
  readonly resident?: readonly string[]
  /** How many calls may be answered before their commit; 0: none. */
  readonly deferredMax?: number
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
  const deferred = new DeferredCalls(plan, points)
  const { run, transact } = runnerOf({ commits, plan, points, deferred })

  function runAlone(calls: readonly Call[]): BatchReply {
    const failures: [number, Failure][] = []
    const results = calls.map((call, index) => {
      try {
        return transact([call])[0]
      } catch (error) {
        failures.push([index, toFailure(error)])
        return undefined
      }
    })
    return [results, failures, deferred.state]
  }

  /** Runs deferred operations again; their answers stay. One that still cannot be committed is lost, and so is its hold. */
  function runDeferredAgain(): void {
    const [, failures] = runAlone(deferred.take())
    if (failures.length > 0) deferred.lost()
  }

  function runTogether(calls: readonly Call[]): BatchReply {
    try {
      return [transact(calls), [], deferred.state]
    } catch (error) {
      runDeferredAgain()
      if (calls.length > 1 && !concernsTransaction(error)) return runAlone(calls)
      const failure = toFailure(error)
      return [[], calls.map((_, index) => [index, failure] as const), deferred.state]
    }
  }

  function defer(calls: readonly Call[]): BatchReply {
    const results: unknown[] = []
    const failures: [number, Failure][] = []
    for (const [index, call] of calls.entries()) {
      try {
        results.push(run(call))
        deferred.add(call)
      } catch (error) {
        // The failed call's changes are in memory with those of the others.
        plan.memory.forget()
        runDeferredAgain()
        results.push(undefined)
        failures.push([index, toFailure(error)])
      }
    }
    return [results, failures, deferred.state]
  }

  return (calls) => {
    if (deferred.canTake(calls)) return defer(calls)
    const reply = runTogether(calls)
    if (!points.active) return reply
    try {
      reachAll(points, 'after-commit', calls)
      return reply
    } catch (error) {
      // Committed, and reported as failed: what a lost reply looks like to the caller.
      return [[], calls.map((_, index) => [index, toFailure(error)] as const), deferred.state]
    }
  }
}

interface RunnerParts {
  readonly commits: Committer
  readonly plan: WriterPlan
  readonly points: Failpoints
  readonly deferred: DeferredCalls
}

/** Runs one call, or several as one transaction. */
function runnerOf({ commits, plan: { operations, memory }, points, deferred }: RunnerParts) {
  const isDurable = ([name]: Call): boolean => operations[name]?.durable ?? false

  function run([name, ...values]: Call): unknown {
    const operation = operations[name]
    if (operation === undefined) throw new Error(`there is no operation ${name}`)
    return operation.run(...(values as never[]))
  }

  function transact(calls: readonly Call[]): unknown[] {
    const durability = calls.some(isDurable) ? 'durable' : 'lazy'
    try {
      commits.begin(durability)
      if (points.active) delayAll(points, 'before-commit', calls)
      // Grown by pushing: an array that `map` makes may have holes, and costs more to send for it.
      const results: unknown[] = []
      for (const call of calls) results.push(run(call))
      memory.flush()
      if (points.active) reachAll(points, 'before-commit', calls)
      commits.commit()
      memory.committed()
      deferred.committed(durability)
      return results
    } catch (error) {
      deferred.failed()
      memory.forget()
      commits.rollback()
      throw error
    }
  }

  return { run, transact }
}

/** Calls that were answered and whose changes are in memory only. */
class DeferredCalls {
  readonly #operations: OperationTable
  readonly #max: number
  readonly #points: Failpoints
  #calls: Call[] = []
  /** From a commit that failed until one works, nothing is promised that needs one. */
  #canCommit = true
  #isLost = false

  constructor({ operations, deferredMax = 0 }: WriterPlan, points: Failpoints) {
    this.#operations = operations
    this.#max = deferredMax
    this.#points = points
  }

  get state(): DeferredAnswers {
    if (this.#isLost) return 'lost'
    return this.#calls.length === 0 ? 'none' : 'waiting'
  }

  lost(): void {
    this.#isLost = true
  }

  /** Whether a batch can be answered without a commit. */
  canTake(calls: readonly Call[]): boolean {
    if (!this.#canCommit || this.#calls.length + calls.length > this.#max) return false
    return calls.every(([name]) => {
      const deferral = this.#operations[name]?.deferral
      return (
        (deferral === 'later' && !this.#hasPoint(name)) || (deferral === 'after' && this.#calls.length === 0)
      )
    })
  }

  add(call: Call): void {
    if (this.#operations[call[0]]?.deferral === 'later') this.#calls.push(call)
  }

  /** Removes and returns all deferred calls. */
  take(): readonly Call[] {
    return this.#calls.splice(0)
  }

  committed(durability: Durability): void {
    this.#calls = []
    // A rejected admission commits on a full disk, too: it writes nothing.
    if (durability === 'durable') this.#canCommit = true
  }

  failed(): void {
    this.#canCommit = false
  }

  /** A test that fails the commit of an operation means its own. */
  #hasPoint(name: string): boolean {
    return (
      this.#points.active &&
      (this.#points.has(`before-commit-${name}`) || this.#points.has(`after-commit-${name}`))
    )
  }
}

/** Whether the error leaves the transaction's outcome unknown: a commit sent over a network may have been carried out. */
const concernsTransaction = (error: unknown): boolean =>
  error instanceof Error && (error as { concernsTransaction?: unknown }).concernsTransaction === true

const namesOf = (calls: readonly Call[]): ReadonlySet<string> =>
  new Set(calls.map(([operation]) => operation))

function reachAll(points: Failpoints, moment: string, calls: readonly Call[]): void {
  reachEach(points, moment, namesOf(calls))
}

/** Before the operations run, so that they know by the clock that their commit is late. */
function delayAll(points: Failpoints, moment: string, calls: readonly Call[]): void {
  const delayMs = delayOfEach(points, moment, namesOf(calls))
  if (delayMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, delayMs)
}
