/**
 * Decides which lane commits which operations. Operations wait by account, and a lane takes only accounts that no other lane is
 * committing: operations on one account stay in order, and none waits behind another account's batch. A batch takes everything that
 * waits, because its round trips cost the same for one operation as for a hundred. Another lane begins in parallel only when enough
 * operations wait for a separate batch, or when the first batch takes long. A lane without a connection opens one before it takes a
 * batch, and is skipped for a while if the database accepts no more connections. Runs no statement.
 */
import type { Clock, Timer } from '../../base/clock.ts'
import { storeUnavailable } from '../../store/errors.ts'
import { hasNoRoom } from '../../store/postgres/errors.ts'
import type { Step } from './batch.ts'
import type { BatchedOperation, BatchLane } from './lane.ts'

export interface LanesLimits {
  /** Operations in one transaction. */
  readonly batchMax: number
  /** Enough operations for a separate batch while another lane is committing. */
  readonly parallelMin: number
  /** A batch that has taken this long holds up nothing any more: the next lane begins whatever waits. */
  readonly parallelMs: number
  /** Operations that wait. */
  readonly waitingMax: number
}

/** How long a lane is skipped after the database accepted no connection. */
const leftOutMs = 1_000

/** An operation that is decided on when its batch leaves; null takes it back. */
export type MakeStep = () => Step | null

interface Pending extends Omit<BatchedOperation, 'step'> {
  readonly step: Step | MakeStep
}

/** Operations on one account, from the first that arrives until none is left. */
interface AccountQueue {
  readonly account: bigint
  readonly waiting: Pending[]
  /** Which lane has operations of it on their way; null: none. */
  lane: BatchLane | null
}

export class Lanes {
  readonly #lanes: readonly BatchLane[]
  readonly #clock: Clock
  readonly #limits: LanesLimits
  readonly #queues = new Map<bigint, AccountQueue>()
  /** Accounts with waiting operations and none in a batch, in order of arrival. */
  readonly #ready: AccountQueue[] = []
  /** Operations of these. */
  #readyCount = 0
  /** All that wait. */
  #waitingCount = 0
  readonly #busy = new Set<BatchLane>()
  /** Lanes that are opening a connection, or that wait because the database accepts no more. */
  readonly #opening = new Set<BatchLane>()
  /** Busy with a commit whose outcome is unknown for longer than an outage may last. */
  readonly #away = new Set<BatchLane>()
  #isScheduled = false
  #timer: Timer | undefined
  #isClosed = false
  readonly #ended: (() => void)[] = []

  constructor(lanes: readonly BatchLane[], clock: Clock, limits: LanesLimits) {
    this.#lanes = lanes
    this.#clock = clock
    this.#limits = limits
  }

  /**
   * Resolves with the operation's answer once its batch is committed, with null where it was taken back. What is called for
   * one account is run in the order of the calls.
   */
  run(account: bigint, step: Step | MakeStep): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(storeUnavailable('the ledger is closed'))
    if (this.#waitingCount >= this.#limits.waitingMax)
      return Promise.reject(storeUnavailable(`${this.#waitingCount} are queued`))
    return new Promise((resolve, reject) => {
      const queue = this.#queues.get(account) ?? { account, waiting: [], lane: null }
      if (queue.waiting.length === 0 && queue.lane === null) {
        this.#queues.set(account, queue)
        this.#ready.push(queue)
      }
      queue.waiting.push({ step, resolve, reject })
      this.#waitingCount += 1
      if (queue.lane === null) this.#readyCount += 1
      this.#schedule()
    })
  }

  /** Opens the first lane: one is enough to serve. */
  async open(): Promise<void> {
    await this.#lanes[0]?.open()
  }

  /** How long the longest of the batches that are on their way has taken so far; 0: none is. */
  batchMs(): number {
    return Math.max(...this.#lanes.map((lane) => lane.batchMs()))
  }

  /** How many operations wait for a batch. */
  get waiting(): number {
    return this.#waitingCount
  }

  /** Finishes what has arrived. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const lane of this.#lanes) lane.stopWaiting()
    if (this.#queues.size > 0) await new Promise<void>((resolve) => this.#ended.push(resolve))
    this.#timer?.cancel()
    await Promise.all(this.#lanes.map((lane) => lane.close()))
  }

  /**
   * Sends after this turn of the event loop, so that operations it brings, as from callers that a batch has answered, join the batch.
   */
  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#begin()
    })
  }

  /** `tried`: it has just been opened, or fails for a reason that its batch waits for. */
  #begin(tried: BatchLane | null = null): void {
    const free = this.#lanes.filter((lane) => !this.#busy.has(lane) && !this.#opening.has(lane))
    const open = free.filter((lane) => lane.isOpen())
    /** Operations for which a lane is being opened. */
    let expected = 0
    for (const [index, lane] of [...open, ...free.filter((each) => !open.includes(each))].entries()) {
      const count = this.#readyCount - expected
      const batches = Math.floor(count / this.#limits.parallelMin)
      if (count <= 0 || (batches === 0 && this.#waitMs() > 0)) break
      const beginning = Math.min(Math.max(1, batches), free.length - index)
      const about = Math.ceil(count / beginning)
      if (lane.isOpen() || lane === tried || this.#busy.size === 0) this.#send(lane, about)
      else {
        expected += about
        void this.#open(lane)
      }
    }
    if (this.#readyCount > 0 && this.#busy.size + this.#opening.size < this.#lanes.length) this.#beginLater()
  }

  async #open(lane: BatchLane): Promise<void> {
    this.#opening.add(lane)
    const isLeftOut = await lane.open().then(() => false, hasNoRoom)
    const begin = (): void => {
      this.#opening.delete(lane)
      this.#begin(isLeftOut ? null : lane)
    }
    if (isLeftOut) this.#clock.after(leftOutMs, begin)
    else begin()
  }

  /** For how long the batches that are on their way are waited for; 0: for none of them. */
  #waitMs(): number {
    const left = [...this.#busy].map((lane) => this.#limits.parallelMs - lane.batchMs())
    return Math.max(0, ...left)
  }

  #beginLater(): void {
    if (this.#timer !== undefined) return
    this.#timer = this.#clock.after(this.#waitMs(), () => {
      this.#timer = undefined
      this.#begin()
    })
  }

  /** Sends a batch of about this many operations, with all operations of an account if they fit. */
  #send(lane: BatchLane, about: number): void {
    const queues: AccountQueue[] = []
    const taken: Pending[] = []
    for (const queue of this.#ready) {
      if (taken.length >= Math.min(about, this.#limits.batchMax)) break
      this.#readyCount -= queue.waiting.length
      taken.push(...queue.waiting.splice(0, this.#limits.batchMax - taken.length))
      queue.lane = lane
      queues.push(queue)
    }
    this.#ready.splice(0, queues.length)
    this.#waitingCount -= taken.length
    this.#busy.add(lane)
    void this.#commit(lane, queues, taken.flatMap(toBatched))
  }

  async #commit(
    lane: BatchLane,
    queues: readonly AccountQueue[],
    batch: readonly BatchedOperation[],
  ): Promise<void> {
    if (batch.length > 0) await lane.commit(batch, (error) => this.#rejectWaiting(lane, queues, error))
    this.#busy.delete(lane)
    this.#away.delete(lane)
    for (const queue of queues) {
      queue.lane = null
      this.#readyCount += queue.waiting.length
      if (queue.waiting.length > 0) this.#ready.push(queue)
      else this.#queues.delete(queue.account)
    }
    this.#schedule()
    if (this.#queues.size === 0) for (const ended of this.#ended.splice(0)) ended()
  }

  /** Rejects the operations that wait for a batch of unknown outcome, which were not started; all operations where no lane is left. */
  #rejectWaiting(lane: BatchLane, queues: readonly AccountQueue[], error: unknown): void {
    this.#away.add(lane)
    const waiting = queues.flatMap((queue) => queue.waiting.splice(0))
    if (this.#away.size + this.#opening.size === this.#lanes.length) {
      for (const queue of this.#ready.splice(0)) {
        waiting.push(...queue.waiting.splice(0))
        this.#queues.delete(queue.account)
      }
      this.#readyCount = 0
    }
    this.#waitingCount -= waiting.length
    for (const { reject } of waiting) reject(error)
  }
}

/** The waiting operation as it joins its batch; nothing if it was taken back. */
function toBatched({ step, ...pending }: Pending): readonly BatchedOperation[] {
  if (typeof step !== 'function') return [{ ...pending, step }]
  try {
    const made = step()
    if (made !== null) return [{ ...pending, step: made }]
    pending.resolve(null)
  } catch (error) {
    pending.reject(error)
  }
  return []
}
