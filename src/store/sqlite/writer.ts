/**
 * The life of the thread that writes: opens the database, brings it to the newest schema, then runs
 * batches and control-plane transactions, one message at a time. Knows no operation: its caller, the
 * thread's entry file, brings them.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../../base/assert.ts'
import { failpoints } from '../../base/failpoint.ts'
import { migrate } from '../migrate.ts'
import type { Migration } from '../migrations/index.ts'
import { batchRunner, committer, type WriterPlan } from './batch.ts'
import { type Database, openForWriting } from './connection.ts'
import { type Fence, FenceLost, takeFence } from './fence.ts'
import { type Greeting, probeOperation, type Reply, toFailure, type WriterMessage } from './messages.ts'
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

/** To be called once, by the entry file of a worker thread. `steps`: the schema of another database than the ledger's. */
export function runWriter(plan: PlanWriter, steps?: readonly Migration[]): void {
  const port = parentPort
  assert(port !== null, 'the writer runs in a worker thread')
  const setup = workerData as ThreadSetup
  const greet = (greeting: Greeting): void => port.postMessage(greeting)

  let database: Database
  let fence: Fence
  try {
    database = openForWriting(setup.path)
    const outcome = migrate(database, setup.nowMs, steps)
    if (outcome.kind === 'newer_schema') {
      database.close()
      greet({ kind: 'refused', reason: 'newer_schema', message: outcome.message })
      return
    }
    fence = takeFence(database)
  } catch (error) {
    greet({ kind: 'refused', reason: 'failed', message: toFailure(error).message })
    return
  }

  const answer = writer(database, plan, { ...setup, fence })
  port.on('message', (message: WriterMessage) => {
    port.postMessage(answer(message))
    // Nothing that this process knows of the database is true any more: its thread ends, and the process after it.
    if (fence.isLost) throw new FenceLost()
    if (message[0] === 'close') port.close()
  })
  greet({ kind: 'ready' })
}

/** Answers one message; separate from the thread, so that it can be used without one. */
function writer(
  database: Database,
  plan: PlanWriter,
  setup: Pick<ThreadSetup, 'failpoints'> & { readonly fence: Fence },
): (message: WriterMessage) => unknown {
  const commits = committer(database, setup.fence)
  const execute = statementRunner(database)
  const { operations, memory } = plan(database)
  const statement = {
    durable: true,
    run(sql: string, values: readonly unknown[]) {
      memory.flush()
      return execute(sql, values)
    },
  }
  // The number in the file's header is used by nothing, and setting it writes a page, whatever its value was.
  const setNumber = database.prepare('PRAGMA user_version = 0')
  const probe = { durable: true, run: () => void setNumber.run() }
  const table = { ...operations, [statementOperation]: statement, [probeOperation]: probe }
  const runBatch = batchRunner(commits, { operations: table, memory }, failpoints(setup.failpoints))

  return (message) => {
    switch (message[0]) {
      case 'batch':
        return runBatch(message[1])
      case 'begin':
        return reply(() => commits.begin('durable'))
      case 'statement':
        return reply(() => {
          // SQLite ends a transaction by itself when the disk is full; what follows must not stand alone.
          assert(database.isTransaction, 'a statement of a transaction runs inside one')
          return execute(message[1], message[2])
        })
      case 'commit':
        return reply(() => {
          assert(database.isTransaction, 'only an open transaction is committed')
          try {
            commits.commit()
          } catch (error) {
            commits.rollback()
            throw error
          }
        })
      case 'rollback':
        return reply(() => commits.rollback())
      case 'close':
        return reply(() => database.close())
    }
  }
}

export function reply(run: () => unknown): Reply {
  try {
    return ['ok', run()]
  } catch (error) {
    return ['failed', toFailure(error)]
  }
}
