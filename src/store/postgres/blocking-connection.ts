/**
 * A connection whose statements are answered synchronously, as those of the embedded database: the calling thread waits
 * while another one talks to the server. For threads that have nothing else to do while a statement runs; never for the
 * thread of requests.
 */
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'
import { workers } from '../../threads/thread.ts'
import type { Database, Input, PreparedStatement } from '../sqlite/connection.ts'
import { PostgresFailure } from './errors.ts'
import type { StatementReply, StatementRequest, StatementServerSetup } from './statement-server.ts'

export interface BlockingOptions {
  readonly url: string
  readonly name: string
  readonly connectMsMax: number
  readonly statementMsMax: number
  /** The entry file of the thread that talks to the server, as text. */
  readonly entry: string
}

type Result = Extract<StatementReply, { kind: 'result' }>

/** How much longer than the server may take a reply is waited for. */
const graceMs = 1_000

/** Connects with the first statement. */
export function openBlockingConnection(options: BlockingOptions): Database {
  const { entry, connectMsMax, statementMsMax } = options
  const { port1: port, port2 } = new MessageChannel()
  const replied = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const setup: StatementServerSetup = { ...options, port: port2, replied }
  const worker = workers.start(new URL(entry), {
    name: options.name,
    workerData: setup,
    transferList: [port2],
  })
  worker.unref()
  let next = 0
  let isInTransaction = false

  function waitFor(id: number): StatementReply {
    const waitMs = connectMsMax + 2 * statementMsMax + graceMs
    for (;;) {
      if (Atomics.wait(replied, 0, 0, waitMs) === 'timed-out')
        return { id, kind: 'failure', state: null, message: 'the server did not answer in time' }
      Atomics.store(replied, 0, 0)
      for (let got = receiveMessageOnPort(port); got !== undefined; got = receiveMessageOnPort(port)) {
        const reply = got.message as StatementReply
        // Replies to earlier statements, which timed out, are skipped.
        if (reply.id === id) return reply
      }
    }
  }

  function execute(text: string, values: readonly Input[], isScript: boolean): Result {
    next += 1
    const request: StatementRequest = { id: next, text, values, isScript, isContinued: isInTransaction }
    port.postMessage(request)
    const reply = waitFor(next)
    if (reply.kind === 'failure') throw new PostgresFailure(reply)
    return reply
  }

  return {
    prepare: (sql) =>
      preparedStatement(numberedParameters(sql), (text, values) => execute(text, values, false)),
    exec(sql) {
      if (/^ROLLBACK/i.test(sql)) {
        isInTransaction = false
        execute(sql, [], true)
      } else if (/^COMMIT/i.test(sql)) {
        const { command } = execute(sql, [], false)
        isInTransaction = false
        if (command !== 'COMMIT')
          throw new PostgresFailure({ state: '25P02', message: 'nothing was committed' })
      } else {
        execute(sql, [], true)
        if (/^BEGIN/i.test(sql)) isInTransaction = true
      }
    },
    get isTransaction() {
      return isInTransaction
    },
    close() {
      port.postMessage(null)
      port.close()
    },
  }
}

/** `?` and `?2` as the server writes them: `$1`, `$2`. Texts in quotes contain none. */
function numberedParameters(sql: string): string {
  let last = 0
  return sql.replace(/'(?:[^']|'')*'|\?(\d*)/g, (found, number: string | undefined) => {
    if (number === undefined) return found
    last = number === '' ? last + 1 : Number(number)
    return `$${last}`
  })
}

/** With the methods of the embedded database's statements that this program calls. */
function preparedStatement(
  text: string,
  execute: (text: string, values: readonly Input[]) => Result,
): PreparedStatement {
  let isArray = false
  let isBigint = false
  const read = (values: readonly Input[]): unknown[] => {
    const { rows, columns } = execute(text, values)
    const found = isBigint ? rows : rows.map((row) => row.map(toNumber))
    return isArray
      ? [...found]
      : found.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]])))
  }
  return {
    get: (...values) => read(values)[0],
    all: (...values) => read(values),
    iterate: (...values) => read(values),
    run: (...values) => ({ changes: execute(text, values).count, lastInsertRowid: 0n }),
    setReturnArrays(isOn) {
      isArray = isOn
    },
    setReadBigInts(isOn) {
      isBigint = isOn
    },
    columns: () => (/^\s*(?:select|with)\b|\breturning\b/i.test(text) ? [text] : []),
  }
}

const toNumber = (value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value)
