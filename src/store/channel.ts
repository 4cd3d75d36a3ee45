/**
 * The only access to the writer thread: operations that arrive while a commit runs become the next
 * batch, and control-plane transactions alternate with batches. Bounded, first come first served.
 */
import type { Clock, Timer } from '../base/clock.ts'
import { TollgateError } from '../base/errors.ts'
import type { Thread } from '../threads/thread.ts'
import { failureToError, storeUnavailable } from './errors.ts'
import {
  type BatchReply,
  type Call,
  type DeferredAnswers,
  probeOperation,
  recordOperation,
  type WriterRequests,
} from './sqlite/messages.ts'
import { beginControlTransaction, type ControlTransaction } from './turn.ts'

export interface ChannelLimits {
  readonly batchOperationsMax: number
  readonly operationsQueuedMax: number
  readonly transactionMs: number
  readonly commitProbeMs: number
  /** How long what was answered before its commit may wait for one. */
  readonly admissionRecordMs: number
}

export interface Channel {
  /** Runs one operation in the next batch. Rejects with store_unavailable when the queue is full. */
  run(call: Call | LazyCall): Promise<unknown>
  /** Waits for the writer and begins a transaction on it. */
  begin(): Promise<ControlTransaction>
  /** How long the batch that is being committed has taken so far; 0 while none is. */
  commitMs(): number
  /** Whether the last commit worked. */
  canCommit(): boolean
  /** How many operations and transactions wait for the writer. */
  waiting(): number
  /** Resolves when what was answered before is in the database; null: it is. Rejects where it is lost. */
  recorded(): Promise<unknown> | null
  readonly deferral: DeferralState
  /** Lets what was accepted finish, then accepts nothing more. */
  drain(): Promise<void>
}

/** A call that is made when its batch leaves. */
export interface LazyCall {
  /** The operation, and the ID of the row that it is about: where several batches leave, they decide with which. */
  readonly name: string
  readonly id: bigint
  /** Null: the call was taken back; nothing runs, and the answer is null. */
  readonly make: () => Call | null
}

export const isLazy = (call: Call | LazyCall): call is LazyCall => 'make' in call

/** State of operations that were answered before their commit. */
export interface DeferralState {
  /** The state as of the last reply. */
  readonly now: DeferredAnswers
  /** How often none waited. */
  readonly recordings: number
}

interface Pending {
  readonly call: Call | LazyCall
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

export function openChannel(thread: Thread<WriterRequests>, clock: Clock, limits: ChannelLimits): Channel {
  const queue: Pending[] = []
  const turnsWanted: (() => void)[] = []
  const drained: (() => void)[] = []
  let isBusy = false
  let isScheduled = false
  let isClosed = false
  let last: 'batch' | 'turn' = 'turn'
  let committingSinceMs: number | null = null
  const health = watchCommits({ ...limits, clock, probe: () => run([probeOperation]) })
  const deferred = watchDeferred(clock, limits.admissionRecordMs, () => run([recordOperation]))

  function wake(): void {
    if (isBusy || isScheduled) return
    isScheduled = true
    // After the present turn of the event loop: everything it brings shares one commit.
    setImmediate(() => {
      isScheduled = false
      next()
    })
  }

  function next(): void {
    if (isBusy) return
    const [turn] = last === 'batch' || queue.length === 0 ? turnsWanted.splice(0, 1) : []
    if (turn !== undefined) {
      isBusy = true
      last = 'turn'
      turn()
    } else if (queue.length > 0) {
      isBusy = true
      last = 'batch'
      sendBatch(queue.splice(0, limits.batchOperationsMax))
    } else for (const done of drained.splice(0)) done()
  }

  function finish(): void {
    isBusy = false
    committingSinceMs = null
    next()
  }

  function sendBatch(waiting: readonly Pending[]): void {
    committingSinceMs = clock.monoMs()
    const { calls, batch } = takeCalls(waiting)
    if (calls.length === 0) return finish()
    thread.send('batch', [calls], {
      onReply(reply) {
        settleBatch(batch, deferred.replied(reply), health.failed)
        finish()
      },
      onFailure(error) {
        health.failed(error)
        for (const { reject } of batch) reject(error)
        finish()
      },
    })
  }

  const waiting = (): number => queue.length + turnsWanted.length
  const rejectionOf = (): Error | undefined =>
    isClosed ? storeUnavailable('the store is closed') : rejection(waiting(), limits)

  function run(call: Call | LazyCall): Promise<unknown> {
    const rejection = rejectionOf()
    if (rejection !== undefined) return Promise.reject(rejection)
    return new Promise((resolve, reject) => {
      queue.push({ call, resolve, reject })
      wake()
    })
  }

  return {
    run,
    async begin() {
      const rejection = rejectionOf()
      if (rejection !== undefined) throw rejection
      await new Promise<void>((granted) => {
        turnsWanted.push(granted)
        wake()
      })
      const deadlineMs = limits.transactionMs
      return beginControlTransaction(thread, clock, { deadlineMs, onEnd: finish, onFailure: health.failed })
    },
    commitMs: () => (committingSinceMs === null ? 0 : clock.monoMs() - committingSinceMs),
    ...{ canCommit: health.canCommit, waiting, recorded: deferred.recorded },
    deferral: deferred.state,
    drain() {
      isClosed = true
      health.stop()
      return new Promise((resolve) => {
        drained.push(resolve)
        wake()
      })
    },
  }
}

const rejection = (waiting: number, { operationsQueuedMax }: ChannelLimits): Error | undefined =>
  waiting < operationsQueuedMax ? undefined : storeUnavailable(`${waiting} are queued`)

/** Commits what was answered before its commit, unless another commit does within `recordMs`. */
function watchDeferred(clock: Clock, recordMs: number, record: () => Promise<unknown>) {
  const state = { now: 'none' as DeferredAnswers, recordings: 0 }
  let isDue = false
  return {
    state,
    replied(reply: BatchReply): BatchReply {
      state.now = reply[2]
      if (state.now === 'none') state.recordings += 1
      if (state.now !== 'waiting' || isDue) return reply
      isDue = true
      clock.after(recordMs, () => {
        isDue = false
        // Why it failed has reached the commit health; a closed store has recorded everything.
        if (state.now === 'waiting') record().catch(() => {})
      })
      return reply
    },
    recorded: () => (state.now === 'none' ? null : record()),
  }
}

/** The calls to run for the waiting operations; operations that were taken back are skipped. */
function takeCalls(waiting: readonly Pending[]): { calls: readonly Call[]; batch: readonly Pending[] } {
  // Grown by pushing: an array that `map` makes may have holes, and costs more to send for it.
  const calls: Call[] = []
  const batch: Pending[] = []
  for (const pending of waiting) {
    const call = callOf(pending)
    if (call === null) continue
    calls.push(call)
    batch.push(pending)
  }
  return { calls, batch }
}

/** Null: it was answered without being run. */
function callOf({ call, resolve, reject }: Pending): Call | null {
  if (!isLazy(call)) return call
  try {
    const made = call.make()
    if (made === null) resolve(null)
    return made
  } catch (error) {
    reject(error as Error)
    return null
  }
}

function settleBatch(
  batch: readonly Pending[],
  [results, failures]: BatchReply,
  onFailure: (error: Error) => void,
): void {
  const failed = new Map(failures)
  for (const [index, { resolve, reject }] of batch.entries()) {
    const failure = failed.get(index)
    if (failure === undefined) resolve(results[index])
    else {
      const error = failureToError(failure)
      onFailure(error)
      reject(error)
    }
  }
}

interface CommitHealth {
  /** False from a commit that failed until one is known to have written something. */
  canCommit(): boolean
  /** Notes why a commit failed; a row rejected by a constraint does not count against the database. */
  failed(error: unknown): void
  stop(): void
}

interface CommitHealthOptions {
  readonly clock: Clock
  readonly commitProbeMs: number
  /** Commits something that is certainly written: an operation that changes nothing commits on a full disk, too. */
  readonly probe: () => Promise<unknown>
}

/**
 * Whether the last commit worked. After one that failed for lack of resources (disk full, I/O error) a small commit
 * is tried at intervals until it works, so that a server without traffic recovers as well.
 */
function watchCommits({ clock, commitProbeMs, probe }: CommitHealthOptions): CommitHealth {
  let failures = 0
  let canCommit = true
  let isStopped = false
  let timer: Timer | undefined

  function schedule(): void {
    if (!isStopped) timer = clock.after(commitProbeMs, () => void tryCommit())
  }

  async function tryCommit(): Promise<void> {
    const failuresBefore = failures
    // Why it failed reached `failed` already, or the queue is full and the next try finds out.
    const isCommitted = await probe().then(
      () => true,
      () => false,
    )
    canCommit = isCommitted && failures === failuresBefore
    if (!canCommit) schedule()
  }

  return {
    canCommit: () => canCommit,
    failed(error) {
      if (!(error instanceof TollgateError) || error.code !== 'store_unavailable') return
      failures += 1
      if (!canCommit) return
      canCommit = false
      schedule()
    },
    stop() {
      isStopped = true
      timer?.cancel()
    },
  }
}
