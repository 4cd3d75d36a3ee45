/**
 * The main loop of a reader thread: answers calls one after another on a connection that cannot write,
 * each in one read transaction, so that all results are from one state. Knows no read of its own but the
 * control plane's statements.
 */
import { greet, servePort, serveThread, threadStart } from '../../threads/serve-thread.ts'
import { databaseErrors } from '../errors.ts'
import type { WriterOperation } from './batch.ts'
import { type Database, openForReading } from './connection.ts'
import { type JournalOverlay, overlayJournal } from './journal-overlay.ts'
import { type Call, toFailure } from './messages.ts'
import { statementRunner } from './statements.ts'
import { statementOperation, type ThreadSetup } from './writer.ts'

/** Reads by name; each runs inside one read transaction. */
export type ReadTable = Readonly<Record<string, Pick<WriterOperation, 'run'>>>

export interface ReaderPlan {
  readonly operations: (database: Database) => ReadTable
}

/** Data that each transaction sees besides the tables; see journal-overlay.ts. */
type Overlay = JournalOverlay

export const noOverlay = (): Overlay => ({ refresh() {}, reset() {} })

export interface OpenForReading {
  readonly database: Database
  /** Begins a transaction whose reads all see one state. */
  readonly begin: string
  readonly overlay: (database: Database) => Overlay
}

const openEmbedded = ({ path }: ThreadSetup): OpenForReading => ({
  database: openForReading(path),
  begin: 'BEGIN',
  overlay: overlayJournal,
})

/** To be called once, by the entry file of a worker thread. */
export function runReader(
  plan: ReaderPlan,
  open: (setup: ThreadSetup) => OpenForReading = openEmbedded,
): void {
  try {
    const setup = threadStart.setup as ThreadSetup
    const opened = open(setup)
    const { database } = opened
    const read = reader(opened, plan)
    serveThread({ handlers: { read, close: () => database.close() }, errors: databaseErrors })
    for (const channel of setup.clients) servePort(channel, { handlers: { read }, errors: databaseErrors })
  } catch (error) {
    greet({ reason: 'failed', message: toFailure(error).message })
    return
  }
  greet(null)
}

function reader({ database, begin, overlay }: OpenForReading, plan: ReaderPlan): (call: Call) => unknown {
  const { refresh, reset } = overlay(database)
  const execute = statementRunner(database)
  const statement = { run: (sql: string, values: readonly unknown[]) => execute(sql, values) }
  const operations: ReadTable = { ...plan.operations(database), [statementOperation]: statement }

  return ([name, ...values]) => {
    const operation = operations[name]
    if (operation === undefined) throw new Error(`there is no read ${name}`)
    database.exec(begin)
    try {
      refresh()
      const result = operation.run(...(values as never[]))
      database.exec('COMMIT')
      return result
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      reset()
      throw error
    }
  }
}
