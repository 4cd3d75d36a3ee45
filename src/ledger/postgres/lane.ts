/**
 * A lane: one connection that commits batches one after another. What arrives while a batch is on its way is the next one.
 * Operations on one account always take the same lane, so they stay in order. Repeats what the server has rolled back, and
 * looks up what became of a commit that it did not answer.
 */
import type { Clock } from '../../base/clock.ts'
import { storeUnavailable } from '../../store/errors.ts'
import { type Connection, connect, type Statement } from '../../store/postgres/connection.ts'
import { isDuplicate, isMistake, isRepeatable, toStoreError } from '../../store/postgres/errors.ts'
import type { Step, StepResult } from './batch.ts'
import type { CommitPoints } from './commit-points.ts'
import type { Derive } from './derived-rows.ts'
import type { KnownRows } from './known-rows.ts'
import { type BatchMark, findMark, LeaseLost, markValues, transact, UnknownOutcome } from './transaction.ts'

export interface LaneLimits {
  readonly connectMsMax: number
  readonly statementMsMax: number
  /** Operations in one transaction. */
  readonly batchMax: number
  /** How long a batch is tried again while the database is away, before it is refused. */
  readonly outageMsMax: number
  /** Operations that wait for the batch before them. */
  readonly waitingMax: number
}

export interface LaneOptions {
  readonly url: string
  readonly clock: Clock
  readonly limits: LaneLimits
  readonly known: KnownRows
  readonly derive: Derive
  readonly points: CommitPoints | undefined
  /** The process and its lane; it is asked for before the first batch. */
  readonly owner: () => Pick<BatchMark, 'process' | 'startedMs' | 'lane'>
}

/** An operation that is decided on when its batch leaves; null takes it back. */
export type MakeStep = () => Step | null

interface Pending {
  readonly step: Step | MakeStep
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: unknown) => void
}

interface Leaving extends Pending {
  readonly step: Step
}

interface LostConnection {
  readonly connection: Connection
  readonly name: string
}

const retryMs = 50
/** A row that another process has inserted is seen by the next attempt. */
const duplicatesMax = 2
/** Ends the server's side of a connection that was lost here, so that its transaction ends as well. */
const terminate: Statement = {
  name: 'terminate',
  text: 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1::bigint AND application_name = $2',
}

export class Lane {
  readonly #options: LaneOptions
  readonly #queue: Pending[] = []
  #connection: Connection | undefined
  /** Of the connection, in the server's list. */
  #name = ''
  #isRunning = false
  #isClosed = false
  /** When the batch that is on its way left; null: none is. */
  #leftMs: number | null = null
  #batch = 0n
  #work: Promise<void> = Promise.resolve()

  constructor(options: LaneOptions) {
    this.#options = options
  }

  /** Resolves with the operation's answer once its batch is committed, with null where it was taken back. */
  run(step: Step | MakeStep): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(storeUnavailable('the ledger is closed'))
    const waiting = this.#queue.length
    if (waiting >= this.#options.limits.waitingMax)
      return Promise.reject(storeUnavailable(`${waiting} are queued`))
    const answer = new Promise((resolve, reject) => {
      this.#queue.push({ step, resolve, reject })
    })
    if (!this.#isRunning) {
      this.#isRunning = true
      this.#work = this.#drain()
    }
    return answer
  }

  /** How long the batch that is on its way has taken so far; 0: none is. */
  batchMs(): number {
    return this.#leftMs === null ? 0 : this.#options.clock.monoMs() - this.#leftMs
  }

  /** Finishes what has arrived. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#work
    await this.#connection?.close()
  }

  async #drain(): Promise<void> {
    // Callers that the batch before it has answered are part of the next one.
    for (await nextTurn(); this.#queue.length > 0; await nextTurn()) {
      this.#leftMs = this.#options.clock.monoMs()
      await this.#runBatch(this.#queue.splice(0, this.#options.limits.batchMax).flatMap(leaving))
      this.#leftMs = null
    }
    this.#isRunning = false
  }

  async #runBatch(batch: readonly Leaving[]): Promise<void> {
    if (batch.length === 0) return
    const steps = batch.map(({ step }) => step)
    try {
      const results = await this.#committed(steps)
      const lost = this.#options.points?.after(steps)
      for (const [index, result] of results.entries()) {
        if (lost !== undefined) batch[index]?.reject(lost)
        else if (result.kind === 'answer') batch[index]?.resolve(result.answer)
        else batch[index]?.reject(result.error)
      }
    } catch (error) {
      // A row that the database refuses is one operation's: the others are committed without it.
      if (batch.length > 1 && isMistake(error)) for (const one of batch) await this.#runBatch([one])
      else for (const { reject } of batch) reject(toStoreError(error))
    }
  }

  async #committed(steps: readonly Step[]): Promise<readonly StepResult[]> {
    const { clock, limits, known, owner, derive, points } = this.#options
    const startedMs = clock.monoMs()
    let duplicates = 0
    for (;;) {
      this.#batch += 1n
      const batchMark = { ...owner(), batch: this.#batch }
      let lost: LostConnection | undefined
      try {
        const connection = await this.#connected()
        lost = { connection, name: this.#name }
        return await transact({ connection, batchMark, known, derive, points }, steps)
      } catch (error) {
        if (error instanceof UnknownOutcome && lost !== undefined) {
          if (await this.#wasCommitted(batchMark, lost, startedMs)) return error.results
          continue
        }
        if (isDuplicate(error) && duplicates < duplicatesMax) {
          duplicates += 1
          continue
        }
        if (error instanceof LeaseLost || isMistake(error)) throw error
        if (clock.monoMs() - startedMs > limits.outageMsMax) throw error
        if (!isRepeatable(error)) await pause(clock, retryMs)
      }
    }
  }

  async #connected(): Promise<Connection> {
    if (this.#connection !== undefined && !this.#connection.isClosed()) return this.#connection
    const { url, limits, owner } = this.#options
    const { process, startedMs, lane } = owner()
    this.#name = `tollgate ${process} ${startedMs} ${lane}`
    this.#connection = await connect(url, { name: this.#name, ...limits })
    return this.#connection
  }

  /**
   * Waits until the lost connection's transaction has ended, and sees whether it left its mark. However long the database is
   * away: a settlement that was refused and is committed would be a charge for a response that was withheld.
   */
  async #wasCommitted(batchMark: BatchMark, lost: LostConnection, startedMs: number): Promise<boolean> {
    const { clock, limits } = this.#options
    for (;;) {
      try {
        const connection = await this.#connected()
        await connection.run(terminate, [BigInt(lost.connection.serverProcess ?? 0), lost.name])
        const { rows } = await connection.run(findMark, markValues(batchMark))
        const [found] = rows
        // The others have removed it with the process: its outcome is recorded nowhere.
        if (found === undefined) throw new LeaseLost()
        return found[0] === batchMark.batch
      } catch (error) {
        if (error instanceof LeaseLost || this.#isClosed) throw error
        if (clock.monoMs() - startedMs > limits.outageMsMax) this.#refuseWaiting(error)
        await pause(clock, retryMs)
      }
    }
  }

  /** What has arrived behind a batch whose outcome is unknown was not begun. */
  #refuseWaiting(error: unknown): void {
    for (const { reject } of this.#queue.splice(0)) reject(toStoreError(error))
  }
}

/** What of a waiting operation leaves with its batch: nothing where it is taken back. */
function leaving({ step, ...pending }: Pending): readonly Leaving[] {
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

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const pause = (clock: Clock, ms: number): Promise<void> =>
  new Promise((resolve) => {
    clock.after(ms, resolve)
  })
