/**
 * The main loop of the writer thread: opens the database, migrates it to the newest schema, then runs
 * batches and control-plane transactions, one message at a time. Knows no operation: its caller, the
 * thread's entry file, passes them in.
 */

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { MessagePort } from 'node:worker_threads'
import { assert } from '../../base/assert.ts'
import { failpoints } from '../../base/failpoint.ts'
import type { Port } from '../../threads/port.ts'
import { greet, servePort, serveThread, threadStart } from '../../threads/serve-thread.ts'
import { databaseErrors } from '../errors.ts'
import { migrate, schemaReached } from '../migrate.ts'
import type { SharedChange } from '../postgres/shared-changes.ts'
import { batchRunner, type Committer, committer, type WriterOperation, type WriterPlan } from './batch.ts'
import { reportChanges } from './change-log.ts'
import { type Database, openForWriting } from './connection.ts'
import { type Fence, FenceLost, takeFence } from './fence.ts'
import {
  type Failure,
  probeOperation,
  recordOperation,
  type StatementResult,
  toFailure,
  type WriterRequests,
} from './messages.ts'
import { type StatementUse, statementUse } from './statement-use.ts'
import { statementsOn } from './statements.ts'
import { WriterClients } from './writer-clients.ts'

/** Settings for a thread to reach PostgreSQL. */
export interface PostgresSetup {
  /** The entry file of the thread that talks to the server, as text. */
  readonly statements: string
  /** Names this process, so that it recognizes its own changes. */
  readonly processName: string
  readonly connectMsMax: number
  readonly statementMsMax: number
  /** A statement of a report. */
  readonly reportMsMax: number
}

/** Data that the main thread passes to a new thread. */
export interface ThreadSetup {
  /** The database's file, or the address of PostgreSQL. */
  readonly path: string
  /** Where the path is an address of PostgreSQL. */
  readonly postgres?: PostgresSetup | undefined
  readonly failpoints: string | undefined
  readonly nowMs: number
  /** Ports to other threads that use the database. */
  readonly clients: readonly MessagePort[]
}

/** Notifications from a store's thread to its clients. */
export interface WriterNotices {
  /** Reports changes by another client's transaction. */
  changed(changes: readonly SharedChange[]): void
}

/** The operation after which all tables are as the rows in memory say; part of every writer's table. */
const writeBehindOperation = 'writeBehind'

/** The operation that runs one statement of the control plane; part of every writer's table. */
export const statementOperation = 'statement'

/** Prepares what a writer can do; called once, after the schema is in place. */
export type PlanWriter = (database: Database) => WriterPlan

export interface OpenForWriting {
  readonly database: Database
  readonly fence: Pick<Fence, 'isLost'>
  readonly commits: Committer
  /** A statement that changes nothing, and that fails where nothing can be written. */
  readonly probe: string
  /** Where statements do not all need what is written behind in its tables. */
  readonly useOf?: (resident: readonly string[]) => StatementUse
}

/** Opens the database, with its newest schema; or returns why it cannot. `publish`: notifies the other clients of what one has changed. */
export type OpenWriting = (
  setup: ThreadSetup,
  publish: WriterNotices['changed'],
) => OpenForWriting | { readonly newerSchema: string }

/** The embedded database. */
const openEmbedded: OpenWriting = ({ path, nowMs, clients }, publish) => {
  const database = openUnlessLost(path)
  const outcome = migrate(database, nowMs)
  if (outcome.kind === 'newer_schema') {
    database.close()
    return { newerSchema: outcome.message }
  }
  const fence = takeFence(database)
  const commits = committer(database, fence)
  return {
    database,
    fence,
    commits: clients.length === 0 ? commits : reportChanges(database, commits, publish),
    // The number in the file's header is used by nothing, and setting it writes a page, whatever its value was.
    probe: 'PRAGMA user_version = 0',
    useOf: (resident) => statementUse(database, resident),
  }
}

/** To be called once, by the entry file of a worker thread. */
export function runWriter(plan: PlanWriter, open: OpenWriting = openEmbedded): void {
  const setup = threadStart.setup as ThreadSetup
  const ports: Pick<Port<WriterNotices>, 'notify'>[] = []
  const publish: WriterNotices['changed'] = (changes) => {
    for (const [client, port] of ports.entries())
      if (client !== clients.current) port.notify('changed', changes)
  }
  let opened: ReturnType<OpenWriting>
  try {
    opened = open(setup, publish)
  } catch (error) {
    greet({ reason: 'failed', message: toFailure(error).message })
    return
  }
  if ('newerSchema' in opened) {
    greet({ reason: 'newer_schema', message: opened.newerSchema })
    return
  }
  const { fence } = opened
  const requests = writer(opened, plan, setup)
  const clients = new WriterClients(endingWithFence(requests, fence))
  const handlers = { ...clients.requestsOf(0), close: requests.close }
  ports.push(serveThread<WriterNotices>({ handlers, errors: databaseErrors }))
  for (const channel of setup.clients) {
    const client = ports.length
    ports.push(servePort(channel, { handlers: clients.requestsOf(client), errors: databaseErrors }))
    channel.once('close', () => clients.leave(client))
  }
  greet(null)
}

function endingWithFence(requests: WriterRequests, fence: Pick<Fence, 'isLost'>): WriterRequests {
  return {
    ...requests,
    batch(calls) {
      const reply = requests.batch(calls)
      endWithFence(fence)
      return reply
    },
    begin() {
      try {
        requests.begin()
      } finally {
        endWithFence(fence)
      }
    },
  }
}

/** Nothing that this process knows of the database is true any more: its thread ends after the reply, then the process. */
function endWithFence(fence: Pick<Fence, 'isLost'>): void {
  if (!fence.isLost) return
  setImmediate(() => {
    throw new FenceLost()
  })
}

/** Handles the thread's requests; separate from the thread, so that it can be used without one. */
function writer(
  { database, commits, probe: probeSql, useOf }: OpenForWriting,
  plan: PlanWriter,
  setup: Pick<ThreadSetup, 'failpoints'>,
): WriterRequests & { close(): void } {
  const { operations, memory, deferredMax = 0, resident = [] } = plan(database)
  const { execute, needsTables } = statementsOn(database, 'bigint', useOf?.(resident))
  /** Runs a statement on tables that have what it uses. */
  function runStatement(sql: string, values: readonly unknown[]): StatementResult {
    if (needsTables(sql)) {
      memory.writeAll()
      memory.forgetShared()
    } else memory.flush()
    return execute(sql, values)
  }
  const statement = { durable: true, run: runStatement }
  const writeBehind: WriterOperation = { durable: false, run: memory.writeAll }
  const change = database.prepare(probeSql)
  const probe = { durable: true, run: () => void change.run() }
  const record: WriterOperation = { durable: false, deferral: 'after', run() {} }
  const table = {
    ...operations,
    [statementOperation]: statement,
    [probeOperation]: probe,
    [recordOperation]: record,
    [writeBehindOperation]: writeBehind,
  }
  const runBatch = batchRunner(
    commits,
    { operations: table, memory, deferredMax },
    failpoints(setup.failpoints),
  )
  function runFirst(operation: string): void {
    // Where nothing is deferred, an empty transaction would need a database that may be away.
    if (deferredMax === 0) return
    const [, [failure]] = runBatch([[operation]])
    if (failure !== undefined) throw new DeferredLost(failure[1])
  }

  function rollback(): void {
    memory.forget()
    commits.rollback()
  }

  return {
    batch: runBatch,
    begin() {
      // Commits the changes that were answered before their commit.
      runFirst(recordOperation)
      commits.begin('durable')
    },
    statement(sql, values) {
      // SQLite ends a transaction automatically when the disk is full; later statements must not run outside of it.
      assert(database.isTransaction, 'a statement of a transaction runs inside one')
      return runStatement(sql, values)
    },
    commit() {
      assert(database.isTransaction, 'only an open transaction is committed')
      try {
        commits.commit()
        memory.committed()
      } catch (error) {
        rollback()
        throw error
      }
    },
    rollback,
    close() {
      try {
        runFirst(recordOperation)
        // Where it fails, the next start does it.
        runBatch([[writeBehindOperation]])
      } finally {
        database.close()
      }
    },
  }
}

/** Carries the error of the database that prevented the commit. */
class DeferredLost extends Error {
  override readonly name = 'DeferredLost'
  readonly errcode: number | null

  constructor({ message, sqliteCode }: Failure) {
    super(message)
    this.errcode = sqliteCode
  }
}

/** Files that a server creates in the folder only once the database has its tables. */
const laterFiles = ['secret', 'identity.db', 'server.json']

/**
 * Opens the database of a data folder, and rejects a folder that had an installation and has lost its database: a new
 * database there would know no key and no balance of the old one. Throws with what to do, also when it is started again. An interrupted first start has left none of the later
 * files.
 */
function openUnlessLost(path: string): DatabaseSync {
  const folder = dirname(path)
  const left = laterFiles.filter((name) => existsSync(join(folder, name)))
  if (left.length === 0) return openForWriting(path)
  // Not created, because SQLite would remove a log that is still there.
  if (!existsSync(path)) throw lost(left)
  const database = openForWriting(path)
  if (schemaReached(database) > 0) return database
  database.close()
  throw lost(left)
}

const lost = (left: readonly string[]): Error =>
  new Error(
    `it is missing or empty, but its folder had an installation and still has ${left.join(', ')}. ` +
      'Put tollgate.db back together with its -wal file, restore a backup, set DATABASE_URL if the data is in PostgreSQL, ' +
      'or start with an empty data folder for a new installation.',
  )
