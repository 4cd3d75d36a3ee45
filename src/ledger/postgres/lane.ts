/**
 * A lane: one connection that commits batches one after another. Repeats what the server has rolled back, and looks up what
 * became of a commit that it did not answer. Which operations are in a batch is decided by lanes.ts.
 */
import type { Clock } from '../../base/clock.ts'
import { connect, type PostgresConnection, type PostgresStatement } from '../../store/postgres/connection.ts'
import { isDuplicate, isMistake, isRepeatable, toStoreError } from '../../store/postgres/errors.ts'
import type { Step, StepResult } from './batch.ts'
import type { CommitPoints } from './commit-points.ts'
import type { Derive } from './derived-rows.ts'
import type { KnownRows } from './known-rows.ts'
import { type BatchMark, findMark, LeaseLost, markValues, transact, UnknownOutcome } from './transaction.ts'

export interface LaneLimits {
  readonly connectMsMax: number
  readonly statementMsMax: number
  /** How long a batch is tried again while the database is away, before it is rejected. */
  readonly outageMsMax: number
}

export interface LaneOptions {
  readonly url: string
  readonly clock: Clock
  readonly limits: LaneLimits
  readonly known: KnownRows
  readonly derive: Derive
  readonly points: CommitPoints | undefined
  /** The process and its lane; called before the first batch. */
  readonly owner: () => Pick<BatchMark, 'process' | 'startedMs' | 'lane'>
}

/** An operation of a batch, with the callbacks for its outcome. */
export interface BatchedOperation {
  readonly step: Step
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: unknown) => void
}

/** Commits batches, one at a time. */
export interface BatchLane {
  /** Whether it has a connection. */
  isOpen(): boolean
  /** Rejects where the database cannot be reached. A batch opens it as well. */
  open(): Promise<void>
  /**
   * Resolves once each operation has its outcome. `onAway` is called again and again while the outcome of its commit is
   * unknown for longer than an outage may last: what waits for this batch was not begun.
   */
  commit(batch: readonly BatchedOperation[], onAway: (error: unknown) => void): Promise<void>
  /** Time since the current batch was sent; 0: there is none. */
  batchMs(): number
  /** Stops waiting for the current batch once an outage has lasted its maximum. */
  stopWaiting(): void
  /** Closes the connection once no batch is running. */
  close(): Promise<void>
}

interface LostConnection {
  readonly connection: PostgresConnection
  readonly name: string
}

const retryMs = 50
/** A row that another process has inserted is seen by the next attempt. */
const duplicatesMax = 2
/** Ends the server's side of a connection that was lost here, so that its transaction ends as well. */
const terminate: PostgresStatement = {
  name: 'terminate',
  text: 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1::bigint AND application_name = $2',
}

export class Lane implements BatchLane {
  readonly #options: LaneOptions
  #connection: PostgresConnection | undefined
  #opening: Promise<PostgresConnection> | undefined
  /** Name of the connection in the server's list. */
  #name = ''
  #isClosing = false
  /** When the current batch was sent; null: there is none. */
  #leftMs: number | null = null
  #batch = 0n
  #onAway: (error: unknown) => void = () => {}

  constructor(options: LaneOptions) {
    this.#options = options
  }

  async commit(batch: readonly BatchedOperation[], onAway: (error: unknown) => void): Promise<void> {
    this.#leftMs = this.#options.clock.monoMs()
    this.#onAway = onAway
    await this.#runBatch(batch)
    this.#leftMs = null
  }

  isOpen(): boolean {
    return this.#connection?.isClosed() === false
  }

  async open(): Promise<void> {
    await this.#connected()
  }

  batchMs(): number {
    return this.#leftMs === null ? 0 : this.#options.clock.monoMs() - this.#leftMs
  }

  stopWaiting(): void {
    this.#isClosing = true
  }

  async close(): Promise<void> {
    // A failure to connect is reported to the caller of `open`.
    await this.#opening?.catch(() => {})
    await this.#connection?.close()
  }

  async #runBatch(batch: readonly BatchedOperation[]): Promise<void> {
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
      // A row that the database rejects is one operation's: the others are committed without it.
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

  async #connected(): Promise<PostgresConnection> {
    if (this.#connection !== undefined && !this.#connection.isClosed()) return this.#connection
    const { url, limits, owner } = this.#options
    const { process, startedMs, lane } = owner()
    this.#name = `tollgate ${process} ${startedMs} ${lane}`
    this.#opening = connect(url, { name: this.#name, ...limits })
    try {
      this.#connection = await this.#opening
    } finally {
      this.#opening = undefined
    }
    return this.#connection
  }

  /**
   * Waits until the lost connection's transaction has ended, and sees whether it left its mark. However long the database is
   * away: a settlement that was rejected and is committed would be a charge for a response that was withheld.
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
        if (error instanceof LeaseLost || this.#isClosing) throw error
        if (clock.monoMs() - startedMs > limits.outageMsMax) this.#onAway(toStoreError(error))
        await pause(clock, retryMs)
      }
    }
  }
}

const pause = (clock: Clock, ms: number): Promise<void> =>
  new Promise((resolve) => {
    clock.after(ms, resolve)
  })
