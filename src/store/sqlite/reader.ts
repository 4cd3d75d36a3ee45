/**
 * The life of a thread that reads: answers calls one after another on a connection that cannot write,
 * each in one read transaction, so that all it says is of one moment. Knows no read of its own but the
 * control plane's statements.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../../base/assert.ts'
import type { Operation } from './batch.ts'
import { type Database, openForReading } from './connection.ts'
import { type Greeting, type ReaderMessage, type Reply, toFailure } from './messages.ts'
import { statementRunner } from './statements.ts'
import { reply, statementOperation, type ThreadSetup } from './writer.ts'

/** Reads by name; each runs inside one read transaction. */
export type ReadTable = Readonly<Record<string, Pick<Operation, 'run'>>>

export interface ReaderPlan {
  readonly operations: (database: Database) => ReadTable
}

/** To be called once, by the entry file of a worker thread. */
export function runReader(plan: ReaderPlan): void {
  const port = parentPort
  assert(port !== null, 'the reader runs in a worker thread')
  const { path } = workerData as ThreadSetup
  const greet = (greeting: Greeting): void => port.postMessage(greeting)

  let database: Database
  let answer: (message: ReaderMessage) => Reply
  try {
    database = openForReading(path)
    answer = reader(database, plan)
  } catch (error) {
    greet({ kind: 'refused', reason: 'failed', message: toFailure(error).message })
    return
  }
  port.on('message', (message: ReaderMessage) => {
    port.postMessage(answer(message))
    if (message[0] === 'close') port.close()
  })
  greet({ kind: 'ready' })
}

function reader(database: Database, plan: ReaderPlan): (message: ReaderMessage) => Reply {
  const execute = statementRunner(database)
  const statement = { run: (sql: string, values: readonly unknown[]) => execute(sql, values) }
  const operations: ReadTable = { ...plan.operations(database), [statementOperation]: statement }

  function call(name: string, values: readonly unknown[]): unknown {
    const operation = operations[name]
    if (operation === undefined) throw new Error(`there is no read ${name}`)
    database.exec('BEGIN')
    try {
      return operation.run(...(values as never[]))
    } finally {
      if (database.isTransaction) database.exec('COMMIT')
    }
  }

  return (message) => {
    if (message[0] === 'close') return reply(() => database.close())
    const [name, ...values] = message[1]
    return reply(() => call(name, values))
  }
}
