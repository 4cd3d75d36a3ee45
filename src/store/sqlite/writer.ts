/**
 * The main loop of the writer thread: opens the database, migrates it to the newest schema, then runs
 * batches and control-plane transactions, one message at a time. Knows no operation: its caller, the
 * thread's entry file, passes them in.
 */
import { workerData } from 'node:worker_threads'
import { assert } from '../../base/assert.ts'
import { failpoints } from '../../base/failpoint.ts'
import { greet, serveThread } from '../../threads/serve-thread.ts'
import { databaseErrors } from '../errors.ts'
import { migrate } from '../migrate.ts'
import { batchRunner, committer, type WriterPlan } from './batch.ts'
import { type Database, openForWriting } from './connection.ts'
import { type Fence, FenceLost, takeFence } from './fence.ts'
import { probeOperation, toFailure, type WriterRequests } from './messages.ts'
import { statementRunner } from './statements.ts'

/** What the main thread hands to a new thread. */
export interface ThreadSetup {
  readonly path: string
  readonly failpoints: string | undefined
  readonly nowMs: number
}

/** The operation that runs one statement of the control plane; part of every writer's table. */
export const statementOperation = 'statement'

/** Prepares what a writer can do; called once, after the schema is in place. */
export type PlanWriter = (database: Database) => WriterPlan

/** To be called once, by the entry file of a worker thread. */
export function runWriter(plan: PlanWriter): void {
  const setup = workerData as ThreadSetup
  let database: Database
  let fence: Fence
  try {
    database = openForWriting(setup.path)
    const outcome = migrate(database, setup.nowMs)
    if (outcome.kind === 'newer_schema') {
      database.close()
      greet({ reason: 'newer_schema', message: outcome.message })
      return
    }
    fence = takeFence(database)
  } catch (error) {
    greet({ reason: 'failed', message: toFailure(error).message })
    return
  }
  const requests = writer(database, plan, { ...setup, fence })
  serveThread({
    handlers: {
      batch: (calls: Parameters<WriterRequests['batch']>[0]) => {
        const reply = requests.batch(calls)
        endWithFence(fence)
        return reply
      },
      begin: () => {
        try {
          requests.begin()
        } finally {
          endWithFence(fence)
        }
      },
      statement: requests.statement,
      commit: requests.commit,
      rollback: requests.rollback,
      close: () => database.close(),
    },
    errors: databaseErrors,
  })
  greet(null)
}

/** Nothing that this process knows of the database is true any more: its thread ends after the reply, then the process. */
function endWithFence(fence: Fence): void {
  if (!fence.isLost) return
  setImmediate(() => {
    throw new FenceLost()
  })
}

/** What it does for each request; separate from the thread, so that it can be used without one. */
function writer(
  database: Database,
  plan: PlanWriter,
  setup: Pick<ThreadSetup, 'failpoints'> & { readonly fence: Fence },
): WriterRequests {
  const commits = committer(database, setup.fence)
  const execute = statementRunner(database)
  const { operations, memory } = plan(database)
  const statement = {
    durable: true,
    run(sql: string, values: readonly unknown[]) {
      memory.flush()
      memory.forgetShared()
      return execute(sql, values)
    },
  }
  // The number in the file's header is used by nothing, and setting it writes a page, whatever its value was.
  const setNumber = database.prepare('PRAGMA user_version = 0')
  const probe = { durable: true, run: () => void setNumber.run() }
  const table = { ...operations, [statementOperation]: statement, [probeOperation]: probe }
  const runBatch = batchRunner(commits, { operations: table, memory }, failpoints(setup.failpoints))

  return {
    batch: runBatch,
    begin() {
      memory.forgetShared()
      commits.begin('durable')
    },
    statement(sql, values) {
      // SQLite ends a transaction automatically when the disk is full; later statements must not run outside of it.
      assert(database.isTransaction, 'a statement of a transaction runs inside one')
      return execute(sql, values)
    },
    commit() {
      assert(database.isTransaction, 'only an open transaction is committed')
      try {
        commits.commit()
      } catch (error) {
        commits.rollback()
        throw error
      }
    },
    rollback: commits.rollback,
  }
}
