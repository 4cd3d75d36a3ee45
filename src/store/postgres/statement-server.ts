/**
 * The thread that executes the statements of a thread which waits for each of them (blocking-connection.ts): one connection
 * to the server, opened again outside of a transaction where it was lost. Knows no table.
 */
import type { MessagePort } from 'node:worker_threads'
import type pg from 'pg'
import { keepsStatements } from '../../base/database-hosts.ts'
import { endClient, openClient, type Watch, watchClient } from './client.ts'
import { poolSettings, readValue } from './connection.ts'
import { isReadOnly, stateOf } from './errors.ts'

export interface StatementServerSetup {
  readonly url: string
  /** Names the connection in the server's list of them. */
  readonly name: string
  readonly connectMsMax: number
  readonly statementMsMax: number
  readonly port: MessagePort
  /** Set to 1, and notified, after each reply. */
  readonly replied: Int32Array
}

export interface StatementRequest {
  readonly id: number
  readonly text: string
  readonly values: readonly unknown[]
  /** The statement belongs to an open transaction, so it must not run on a new connection. */
  readonly isContinued: boolean
  /** Several statements in one text, without values and results. */
  readonly isScript: boolean
}

export type StatementReply = { readonly id: number } & (
  | {
      readonly kind: 'result'
      readonly columns: readonly string[]
      readonly rows: readonly (readonly unknown[])[]
      readonly command: string
      readonly count: number
    }
  | { readonly kind: 'failure'; readonly state: string | null; readonly message: string }
)

/** Statements that the server has prepared for this connection; any beyond these are sent in full each time. */
const preparedMax = 500

interface Watched {
  readonly client: pg.Client
  readonly watch: Watch
}

/** To be called once, by the entry file of the thread. */
export function serveStatements({ port, replied, ...setup }: StatementServerSetup): void {
  let connection: Promise<Watched> | undefined
  const namesMax = keepsStatements(setup.url) ? preparedMax : 0
  let nameOf = namesUpTo(namesMax)

  /** `forget` is called when it is lost: an older connection may end after its successor was opened. */
  async function open(forget: () => void): Promise<Watched> {
    const opened = await openClient(setup.url, {
      application_name: setup.name,
      connectionTimeoutMillis: setup.connectMsMax,
      statement_timeout: setup.statementMsMax,
      idle_in_transaction_session_timeout: setup.statementMsMax,
      query_timeout: setup.statementMsMax + setup.connectMsMax,
      options: poolSettings,
    })
    const { client } = opened
    client.on('error', forget)
    client.on('end', forget)
    nameOf = namesUpTo(namesMax)
    return { client, watch: watchClient(opened, setup.connectMsMax) }
  }

  function connected(): Promise<Watched> {
    if (connection !== undefined) return connection
    const opening = open(forget)
    function forget(): void {
      if (connection === opening) connection = undefined
    }
    connection = opening
    opening.catch(forget)
    return opening
  }

  async function execute(request: StatementRequest): Promise<StatementReply> {
    const { isContinued } = request
    if (connection === undefined && isContinued) throw new Error('the connection was lost in a transaction')
    const { client, watch } = await connected()
    watch.sent()
    return await executeOn(client, request).finally(watch.replied)
  }

  async function executeOn(client: pg.Client, request: StatementRequest): Promise<StatementReply> {
    const { id, text, values, isScript } = request
    if (isScript) {
      await client.query(text)
      return { id, kind: 'result', columns: [], rows: [], command: '', count: 0 }
    }
    const name = nameOf(text)
    const { rows, fields, command, rowCount } = await client.query<unknown[]>({
      ...(name === undefined ? {} : { name }),
      text,
      values: [...values],
      rowMode: 'array',
      types: { getTypeParser: readValue } as unknown as pg.CustomTypesConfig,
    })
    return {
      id,
      kind: 'result',
      columns: fields.map((field) => field.name),
      rows,
      command,
      count: rowCount ?? 0,
    }
  }

  /** The next connection goes to the server that takes writes; one that has not answered in time may never answer again. */
  function failed(request: StatementRequest, error: unknown): StatementReply {
    if (isReadOnly(error) || stateOf(error) === undefined) {
      connection?.then(({ client }) => endClient(client)).catch(() => {})
      connection = undefined
    }
    return failureOf(request, error)
  }

  async function reply(request: StatementRequest): Promise<void> {
    port.postMessage(await execute(request).catch((error: unknown) => failed(request, error)))
    Atomics.store(replied, 0, 1)
    Atomics.notify(replied, 0)
  }

  port.on('message', async (request: StatementRequest | null) => {
    if (request === null) await close()
    else await reply(request)
  })

  async function close(): Promise<void> {
    // A connection that is lost already needs no end.
    const opened = await connection?.catch(() => undefined)
    if (opened !== undefined) await endClient(opened.client)
    port.close()
  }
}

/** Names the prepared statements of a connection; undefined: it has enough of them. */
function namesUpTo(max: number): (text: string) => string | undefined {
  const names = new Map<string, string>()
  return (text) => {
    const known = names.get(text)
    if (known !== undefined || names.size >= max) return known
    const name = `s${names.size + 1}`
    names.set(text, name)
    return name
  }
}

function failureOf({ id }: StatementRequest, error: unknown): StatementReply {
  const { code, message } = error as Error & { code?: unknown }
  return { id, kind: 'failure', state: typeof code === 'string' ? code : null, message }
}
