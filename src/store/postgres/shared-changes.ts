/**
 * Changes by other processes: database triggers send the name of the table with each committed change, and a separate connection
 * receives it. A lost connection is opened again, after which everything may have changed.
 */
import type pg from 'pg'
import { assert } from '../../base/assert.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import { schemaObstacle, toRecorded } from '../migrate.ts'
import type { Output } from '../sqlite/connection.ts'
import { channel } from './change-triggers.ts'
import { endClient, openClient } from './client.ts'
import { recordedSteps, type SchemaPart } from './migrate.ts'

/** A change that another process has committed. */
export interface SharedChange {
  /** `everything`: changes may have been missed. */
  readonly table: string | 'everything'
  /** The row's id, if the table's trigger sends it. */
  readonly id: bigint | null
}

export interface SharedChangesOptions {
  readonly url: string
  readonly clock: Clock
  /** The name of this process, whose own changes are not reported. */
  readonly processName: string
  readonly connectMsMax: number
  readonly onChange: (change: SharedChange) => void
  /** The server does not answer. */
  readonly onLost: () => void
  readonly schema: readonly SchemaPart[]
  /** Another process has migrated the database to a schema that this program does not know. */
  readonly onNewerSchema: (message: string) => void
}

const retryMs = 500
/** How often the connection is tested. */
const testEveryMs = 1_000

/** Resolves when changes are received; the returned function ends it. */
export async function receiveChanges(options: SharedChangesOptions): Promise<() => Promise<void>> {
  const { url, clock, processName, connectMsMax, onChange, onLost, schema, onNewerSchema } = options
  let client: pg.Client | undefined
  let timer: Timer | undefined
  let testing = Promise.resolve()
  let isClosed = false

  async function open(): Promise<void> {
    const { client: opening } = await openClient(url, {
      application_name: `tollgate ${processName} changes`,
      connectionTimeoutMillis: connectMsMax,
      query_timeout: connectMsMax,
    })
    opening.on('notification', ({ payload = '' }) => {
      const [table = '', sender, id] = payload.split(' ')
      if (sender !== processName) onChange({ table, id: id === undefined ? null : BigInt(id) })
    })
    try {
      await opening.query(`LISTEN ${channel}`)
    } catch (error) {
      void endClient(opening)
      throw error
    }
    client = opening
  }

  async function renew(): Promise<void> {
    await open()
    onChange({ table: 'everything', id: null })
  }

  async function testOn(opened: pg.Client): Promise<void> {
    await testWrites(opened)
    const message = await newerSchema(opened, schema)
    if (message === null) return
    // Reports a newer schema only once.
    isClosed = true
    onNewerSchema(message)
  }

  function testLater(afterMs: number): void {
    if (isClosed) return
    timer = clock.after(afterMs, () => {
      const test = client === undefined ? renew() : testOn(client)
      testing = test.then(
        () => testLater(testEveryMs),
        () => {
          const lost = client
          client = undefined
          onLost()
          if (lost !== undefined) void endClient(lost)
          testLater(retryMs)
        },
      )
    })
  }

  await open()
  testLater(testEveryMs)
  return async () => {
    isClosed = true
    timer?.cancel()
    // The test may be opening another connection.
    await testing
    if (client !== undefined) await endClient(client)
  }
}

async function newerSchema(client: pg.Client, schema: readonly SchemaPart[]): Promise<string | null> {
  for (const { table, steps } of schema) {
    const { rows } = await client.query<Output[]>({ text: recordedSteps(table), rowMode: 'array' })
    const message = schemaObstacle(rows.map(toRecorded), steps)
    if (message !== null) return message
  }
  return null
}

/** Rejects where the server does not answer, or takes no writes any more: changes are made at another one now. */
async function testWrites(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ readonly transaction_read_only: string }>(
    'SHOW transaction_read_only',
  )
  assert(rows[0]?.transaction_read_only === 'off', 'the server takes writes')
}
