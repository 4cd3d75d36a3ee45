/**
 * A connection to a PostgreSQL database: prepared statements are sent without waiting for earlier answers, rows are arrays, integers
 * are bigint. Knows no table. Only this folder names `pg`.
 */

import type { Writable } from 'node:stream'
import type pg from 'pg'
import { keepsStatements } from '../../base/database-hosts.ts'
import type { Input, Output } from '../sqlite/connection.ts'
import { endClient, openClient, streamOf, watchClient } from './client.ts'
import { isReadOnly } from './errors.ts'

/** A statement that the server prepares once for each connection, under its name. */
export interface PostgresStatement {
  readonly name: string
  readonly text: string
}

export interface PostgresResult {
  readonly rows: Output[][]
  /** The command that ran, such as `COMMIT`; a transaction that had failed answers `ROLLBACK`. */
  readonly command: string
  /** How many rows were found or changed. */
  readonly count: number
}

export interface PostgresConnection {
  /** Statements are executed in the order of the calls. */
  run(statement: PostgresStatement, values?: readonly Parameter[]): Promise<PostgresResult>
  /** Whether the connection was lost or closed. */
  isClosed(): boolean
  /** The server's process; null until it is known. */
  readonly serverProcess: number | null
  close(): Promise<void>
}

/** A value, or an array of arrays.ts. */
export type Parameter = Input | null

export interface ConnectionOptions {
  /** Names the connection in the server's list of them. */
  readonly name: string
  readonly connectMsMax: number
  readonly statementMsMax: number
  /** Whether the connection only reads whole tables: the server chooses how. */
  readonly isForTables?: boolean
}

/** Rows are found by their keys, however small a table looks, and a statement is planned once. A commit is on disk. */
const settings = [
  'synchronous_commit=on',
  'enable_seqscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  'plan_cache_mode=force_generic_plan',
]

const settingsForTables = ['default_transaction_read_only=on']

/** Rejects where the server cannot be reached in time. */
export async function connect(url: string, options: ConnectionOptions): Promise<PostgresConnection> {
  const { name, connectMsMax, statementMsMax, isForTables = false } = options
  const opened = await openClient(url, {
    application_name: name,
    connectionTimeoutMillis: connectMsMax,
    statement_timeout: statementMsMax,
    idle_in_transaction_session_timeout: statementMsMax,
    // A server that does not answer ends the connection.
    query_timeout: statementMsMax + connectMsMax,
    pipeline: true,
    options: (isForTables ? settingsForTables : settings).map((setting) => `-c ${setting}`).join(' '),
    types: { getTypeParser: readValue } as unknown as pg.CustomTypesConfig,
    purpose: isForTables ? 'read' : 'write',
  })
  const { client } = opened
  const watch = watchClient(opened, connectMsMax)
  let isClosed = false
  const lose = (): void => {
    isClosed = true
  }
  // Statements already sent are rejected with the same error.
  client.on('error', lose)
  client.on('end', lose)
  const together = sendTogether(streamOf(client))
  const isKept = keepsStatements(url)
  async function execute(
    statement: PostgresStatement,
    values: readonly Parameter[],
  ): Promise<PostgresResult> {
    together()
    const query = {
      name: isKept ? statement.name : '',
      text: statement.text,
      values: values as unknown[],
      rowMode: 'array' as const,
    }
    watch.sent()
    const { rows, command, rowCount } = await client.query<Output[]>(query).finally(watch.replied)
    return { rows, command, count: rowCount ?? 0 }
  }
  async function close(): Promise<void> {
    isClosed = true
    await endClient(client)
  }
  return {
    async run(statement, values = []) {
      try {
        return await execute(statement, values)
      } catch (error) {
        // The next connection goes to the server that takes writes.
        if (isReadOnly(error)) isClosed = true
        throw error
      }
    },
    isClosed: () => isClosed,
    get serverProcess() {
      return (client as unknown as { readonly processID: number | null }).processID
    },
    close,
  }
}

/** Writes all statements of a turn with one system call, which would cost more per statement than the statement itself. */
function sendTogether(stream: Writable): () => void {
  let isGathering = false
  return () => {
    if (isGathering) return
    isGathering = true
    stream.cork()
    process.nextTick(() => {
      isGathering = false
      stream.uncork()
    })
  }
}

const types = { flag: 16, bytes: 17, bigint: 20, small: 21, integer: 23, real: 701, numeric: 1700 } as const

/** Aligned in a buffer of its own, so that it can be read as words. */
const toBytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.slice(2), 'hex'))

/** Integers are bigint, also sums of them; truth is 1 and 0, as the embedded database has it. */
const parsers: Readonly<Record<number, (value: string) => unknown>> = {
  [types.flag]: (value) => (value === 't' ? 1n : 0n),
  [types.bytes]: toBytes,
  [types.bigint]: BigInt,
  [types.small]: BigInt,
  [types.integer]: BigInt,
  [types.real]: Number,
  [types.numeric]: (value) => (value.includes('.') ? Number(value) : BigInt(value)),
}
const asText = (value: string): string => value

/** The reader of a type of the server, by its number. */
export const readValue = (type: number): ((value: string) => unknown) => parsers[type] ?? asText

/** A commit is on disk. */
export const poolSettings = '-c synchronous_commit=on -c timezone=UTC'
