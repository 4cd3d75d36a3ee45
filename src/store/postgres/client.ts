/**
 * Opens connections: of several hosts to the one that takes writes, whichever that is now. Watches a connection whose statement
 * takes long, because a server that is gone without a word closes none.
 */
import type { Socket } from 'node:net'
import pg from 'pg'
import { systemClock, type Timer } from '../../base/clock.ts'
import { clientAddress, hostUrls } from '../../base/database-hosts.ts'
import { stateOf } from './errors.ts'

export interface OpenClient {
  readonly client: pg.Client
  /** The URL of the host that answered. */
  readonly url: string
  /** When the server was started. */
  readonly startedAt: string
}

/** `write` needs the primary with durable commits, `read` the primary. */
export type Purpose = 'write' | 'read'

export interface ClientNeeds extends pg.ClientConfig {
  /** Left out: `write`. */
  readonly purpose?: Purpose
}

/** The server answers but takes no writes: it is a standby or set to read only. */
class ReadOnlyServer extends Error {
  /** PostgreSQL's own code for a write there. */
  readonly code = '25006'

  constructor({ host, port }: pg.Client) {
    super(`the server at ${host}:${port} is a standby or read-only`)
  }
}

/** Connects to all hosts in parallel, because a dead one may take the full connection timeout. Rejects with the last failure. */
export async function openClient(url: string, needs: ClientNeeds): Promise<OpenClient> {
  const attempts = hostUrls(url).map((each) => openOne(each, needs))
  try {
    const first = await Promise.any(attempts)
    for (const attempt of attempts) closeUnless(attempt, first)
    return first
  } catch (error) {
    if (error instanceof AggregateError && error.errors.length === 1) throw error.errors[0]
    throw error
  }
}

function closeUnless(attempt: Promise<OpenClient>, kept: OpenClient): void {
  attempt.then(
    (opened) => {
      if (opened !== kept) void endClient(opened.client)
    },
    () => {},
  )
}

async function openOne(url: string, { purpose = 'write', ...config }: ClientNeeds): Promise<OpenClient> {
  const client = new pg.Client({ ...config, connectionString: clientAddress(url) })
  // Later failures reject the statement that was sent, and reach other listeners.
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<[string, string, string]>({
      text: facts(purpose),
      rowMode: 'array',
    })
    const [startedAt = '', isReadOnly, isAsynchronous] = rows[0] ?? []
    if (isReadOnly === 'yes') throw new ReadOnlyServer(client)
    if (isAsynchronous === 'yes') throw new Error(asynchronous)
    return { client, url, startedAt }
  } catch (error) {
    void endClient(client)
    throw error
  }
}

const unusable = {
  write: {
    readOnly: "pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on'",
    asynchronous: "current_setting('synchronous_commit') = 'off'",
  },
  read: { readOnly: 'pg_is_in_recovery()', asynchronous: 'false' },
} as const satisfies Readonly<Record<Purpose, object>>

function facts(purpose: Purpose): string {
  const { readOnly, asynchronous } = unusable[purpose]
  return `SELECT extract(epoch FROM pg_postmaster_start_time())::text,
    CASE WHEN ${readOnly} THEN 'yes' ELSE 'no' END, CASE WHEN ${asynchronous} THEN 'yes' ELSE 'no' END`
}

/** A connection requests commits on disk, and a pooler may ignore that. */
const asynchronous = 'synchronous_commit is off: a commit would be lost in a crash of the database'

const lookEveryMs = 1_000
const goodbyeMsMax = 1_000

/** Is called for each statement that is sent, and for each reply. */
export interface Watch {
  sent(): void
  replied(): void
}

/**
 * Where statements wait and no reply comes for a while, it looks with another connection whether the server is still there and
 * the primary. If not, the connection is ended, so that its statements fail and the next ones find the new primary.
 */
export function watchClient(opened: OpenClient, connectMs: number): Watch {
  const { client } = opened
  let sent = 0
  let replied = 0
  let seen = 0
  let timer: Timer | undefined
  let isEnded = false

  function look(): void {
    timer = systemClock.after(lookEveryMs, () => {
      const isStuck = sent > replied && replied === seen
      seen = replied
      if (isStuck) void isThere(opened, connectMs).then(decide)
      else look()
    })
  }
  function decide(isSame: boolean): void {
    if (isEnded) return
    if (isSame || replied !== seen) look()
    else streamOf(client).destroy(new Error('Connection terminated: the server does not answer'))
  }

  client.once('end', () => {
    isEnded = true
    timer?.cancel()
  })
  look()
  return {
    sent() {
      sent += 1
    },
    replied() {
      replied += 1
    },
  }
}

async function isThere({ url, startedAt }: OpenClient, connectMs: number): Promise<boolean> {
  try {
    const found = await openOne(url, {
      application_name: 'tollgate watch',
      connectionTimeoutMillis: connectMs,
      query_timeout: connectMs,
      purpose: 'read',
    })
    void endClient(found.client)
    return found.startedAt === startedAt
  } catch (error) {
    // The server answered, if only that it accepts no more connections.
    return stateOf(error)?.startsWith('53') === true
  }
}

/** Resolves when it is closed; a server that does not say goodbye is not waited for. */
export async function endClient(client: pg.Client): Promise<void> {
  const timer = systemClock.after(goodbyeMsMax, () => streamOf(client).destroy())
  // An error here repeats the reason for closing.
  await client.end().catch(() => {})
  timer.cancel()
}

/** The client has no name for its socket in its types. */
export const streamOf = (client: pg.Client): Socket =>
  (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream
