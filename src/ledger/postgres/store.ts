/**
 * The ledger's store on PostgreSQL, in the place of the threads of the embedded one: operations of the machine go through
 * lanes, what looks for open holds through the connection of the lease. Any number of processes may open one database.
 *
 * `const store = openPostgresStore(url, { clock, limits: postgresLimits(limitDefaults), derive, onTrouble })`
 * `const { ledger, close } = await openLedger(store, { clock, limits, onTrouble })`
 */
import { assert } from '../../base/assert.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import type { Failpoints } from '../../base/failpoint.ts'
import type { Limits } from '../../config/config.ts'
import { isLazy } from '../../store/channel.ts'
import { storeUnavailable } from '../../store/errors.ts'
import { type ConnectionOptions, connect, type PostgresConnection } from '../../store/postgres/connection.ts'
import { toStoreError } from '../../store/postgres/errors.ts'
import type { Call } from '../../store/sqlite/messages.ts'
import type { LedgerStore } from '../ledger.ts'
import type { LedgerOperation } from '../machine/operation.ts'
import { machineMessages } from '../sqlite/machine-operations.ts'
import type { LedgerOperations } from '../sqlite/operations.ts'
import type { LedgerReads } from '../sqlite/reads.ts'
import type { Step } from './batch.ts'
import { commitPoints } from './commit-points.ts'
import type { Derive } from './derived-rows.ts'
import { KnownRows } from './known-rows.ts'
import { Lane, type LaneLimits } from './lane.ts'
import { Lanes, type LanesLimits } from './lanes.ts'
import {
  claimSlot,
  findOrphans,
  findOverdue,
  leaveSlot,
  type ProcessSlot,
  renewLease,
  retakeSlot,
} from './processes.ts'
import { queryOn } from './query.ts'
import { ledgerReads } from './reads.ts'
import { LeaseLost } from './transaction.ts'

/** How long a request is tried again while PostgreSQL cannot be reached, before it is rejected. */
const databaseOutageMs = 2_000

/** How long ledger operations wait for a batch that another connection is writing, however few they are. */
const databaseLaneWaitMs = 50

export interface PostgresLimits extends LaneLimits, LanesLimits {
  /** Connections that write, side by side where there is enough for each. */
  readonly lanes: number
  /** A process that has not renewed its lease for so long is dead for the others. */
  readonly leaseMs: number
  /** Time limit of a statement that reads whole tables, such as a verification. */
  readonly tableReadMsMax: number
}

/** The limits of the configuration, as this folder names them. */
export const postgresLimits = (limits: Limits): PostgresLimits => ({
  lanes: limits.databaseLanes,
  parallelMin: limits.databaseLaneOperationsMin,
  parallelMs: databaseLaneWaitMs,
  batchMax: limits.batchOperationsMax,
  connectMsMax: limits.databaseConnectMs,
  statementMsMax: limits.databaseStatementMs,
  outageMsMax: databaseOutageMs,
  waitingMax: limits.operationsQueuedMax,
  leaseMs: limits.databaseLeaseMs,
  tableReadMsMax: limits.databaseVerifyMs,
})

export interface PostgresStoreOptions {
  readonly clock: Clock
  readonly limits: PostgresLimits
  readonly derive: Derive
  /** For tests. */
  readonly failpoints?: Failpoints
  /** Called with errors of background work. */
  readonly onTrouble: (error: unknown) => void
}

export interface PostgresStore extends LedgerStore {
  /** Whether an operation is one of the machine, or about processes. */
  runs(name: string): boolean
  /** Whether a read is answered by statements of this database alone. */
  reads(call: Call): boolean
  /** How long the longest of the batches that are on their way has taken so far. */
  commitMs(): number
  /** How many operations wait for a batch. */
  waiting(): number
  /** Finishes what has arrived, and leaves the database. */
  close(): Promise<void>
}

interface AnyMessage {
  readonly operation: LedgerOperation<unknown, unknown>
  readonly input: (...values: never[]) => unknown
  readonly pack: (answer: never) => unknown
}
const messages: Readonly<Record<string, AnyMessage>> = machineMessages as never

/** Operations that also run statements: disputes of an account, and background responses. */
const withStatements: ReadonlySet<string> = new Set<keyof LedgerOperations>(['suspend', 'removeUnrecorded'])

/** Reads with separate PostgreSQL statements: those of the embedded database would load all rows into memory. */
const ownReads: ReadonlySet<string> = new Set<keyof LedgerReads>(['verify', 'platformBalances'])

const stepOf = ({ operation, input }: AnyMessage, [name, ...values]: Call): Step => ({
  name,
  operation,
  input: input(...(values as never[])),
})

type Answers = Readonly<Record<string, (...values: never[]) => unknown>>

/** The caller has migrated the database. */
export function openPostgresStore(url: string, options: PostgresStoreOptions): PostgresStore {
  const { limits, clock, failpoints } = options
  const points = failpoints === undefined ? undefined : commitPoints(failpoints, clock)
  const slot = slotOf(url, options)
  const known = new KnownRows()
  const lanes = new Lanes(
    Array.from(
      { length: limits.lanes },
      (_, lane) => new Lane({ ...options, points, url, known, owner: () => ({ ...slot.taken(), lane }) }),
    ),
    clock,
    limits,
  )
  /** The account that an operation is about; a row's own ID where its account is not known. */
  const accountOf = ({ operation, input }: Step): bigint => {
    const rows = operation.rows(input, known.rows)
    const named = rows.find(({ table, account }) => table === 'account' || account !== undefined) ?? rows[0]
    return BigInt(named?.account ?? (typeof named?.id === 'bigint' ? named.id : 0n))
  }
  /** A server that cannot write does not start, and leaves the connections to others. */
  const claim = async (startedMs: number): Promise<number> => {
    const process = await slot.claim(startedMs)
    await lanes.open()
    return process
  }
  const scans: Answers = {
    claimProcess: claim,
    claimThread: claim,
    removeUnrecorded: () => [],
    orphans: async (process: number, limit: number) => findOrphans(await slot.connection(), process, limit),
    overdue: async (process: number, before: bigint, limit: number) =>
      findOverdue(await slot.connection(), { process, before, limit }),
  }
  const reads: Answers = ledgerReads(queryOn(slot.connection))
  const answer = async (answers: Answers, [name, ...values]: Call): Promise<unknown> => {
    const found = answers[name]
    if (found === undefined) throw storeUnavailable(`${name} is not available on PostgreSQL`)
    try {
      return await found(...(values as never[]))
    } catch (error) {
      throw toStoreError(error)
    }
  }
  return {
    runs: (name) => (name in messages || name in scans) && !withStatements.has(name),
    reads: ([name]) => ownReads.has(name),
    async run(call) {
      const message = messages[isLazy(call) ? call.name : call[0]]
      if (!isLazy(call)) {
        if (message === undefined) return answer(scans, call)
        const step = stepOf(message, call)
        return message.pack((await lanes.run(accountOf(step), step)) as never)
      }
      assert(message !== undefined, 'only an operation of the machine is decided on late')
      const { id, make } = call
      const result = await lanes.run(known.rows.hold.get(id)?.account ?? id, () => {
        const made = make()
        return made === null ? null : stepOf(message, made)
      })
      return result === null ? null : message.pack(result as never)
    },
    commitMs: () => lanes.batchMs(),
    waiting: () => lanes.waiting,
    deferral: null,
    read: (call) => answer(reads, call),
    async readApart(call) {
      const tables = await connectForTables(url, limits)
      try {
        return await answer(ledgerReads(queryOn(async () => tables)), call)
      } finally {
        await tables.close()
      }
    },
    async close() {
      await lanes.close()
      await slot.leave()
    },
  }
}

/** A connection for reads of whole tables: on the others they would be canceled, and would delay the statements behind them. */
async function connectForTables(url: string, limits: PostgresLimits): Promise<PostgresConnection> {
  const options = { connectMsMax: limits.connectMsMax, statementMsMax: limits.tableReadMsMax }
  try {
    return await connect(url, { name: 'tollgate verification', ...options, isForTables: true })
  } catch (error) {
    throw toStoreError(error)
  }
}

/** A connection that is opened again where it was lost. */
function sideConnection(url: string, options: ConnectionOptions) {
  let opening: Promise<PostgresConnection> | undefined
  let connection: PostgresConnection | undefined
  return {
    async get(): Promise<PostgresConnection> {
      if (connection !== undefined && !connection.isClosed()) return connection
      opening ??= connect(url, options).finally(() => {
        opening = undefined
      })
      connection = await opening
      return connection
    },
    async close(): Promise<void> {
      await connection?.close()
    },
  }
}

const renewalsPerLease = 3
/** After a failure: a process that is back must not wait long for its slot. */
const renewAgainMs = 500

/**
 * The slot of this process, whose lease is renewed until the process leaves. Reads on the same connection time out before they could
 * delay a renewal too long. After a database outage longer than the lease, the slot is taken again.
 */
function slotOf(url: string, { clock, limits, onTrouble }: PostgresStoreOptions) {
  const oftenMs = limits.leaseMs / renewalsPerLease
  const { connectMsMax } = limits
  const statementMsMax = Math.ceil(Math.min(limits.statementMsMax, oftenMs))
  const side = sideConnection(url, { name: 'tollgate lease', connectMsMax, statementMsMax })
  let slot: ProcessSlot | undefined
  let timer: Timer | undefined
  let renewing = Promise.resolve()
  let hasLeft = false
  let reportedMs = Number.NEGATIVE_INFINITY
  /** Not for each attempt of an outage. */
  const report = (error: unknown): void => {
    const nowMs = clock.monoMs()
    if (nowMs - reportedMs < oftenMs) return
    reportedMs = nowMs
    onTrouble(error)
  }
  const renewLater = (afterMs: number): void => {
    if (hasLeft) return
    timer = clock.after(afterMs, () => {
      renewing = renewal().then(
        () => renewLater(oftenMs),
        (error: unknown) => {
          report(error)
          renewLater(Math.min(oftenMs, renewAgainMs))
        },
      )
    })
  }
  async function renewal(): Promise<void> {
    if (slot === undefined) return
    const connection = await side.get()
    if (await renewLease(connection, slot, limits.leaseMs)) return
    const again = await retakeSlot(connection, slot, { startedMs: clock.wallMs(), ...limits })
    assert(again !== undefined, 'the slot of this process is free after its lease was missed')
    slot = again
    onTrouble(new LeaseLost())
  }
  return {
    connection: side.get,
    taken(): ProcessSlot {
      assert(slot !== undefined, 'a process has a slot before its first batch')
      return slot
    },
    async claim(startedMs: number): Promise<number> {
      slot = await claimSlot(await side.get(), { startedMs, ...limits })
      renewLater(oftenMs)
      return slot.process
    },
    async leave(): Promise<void> {
      hasLeft = true
      timer?.cancel()
      await renewing
      try {
        if (slot !== undefined) await leaveSlot(await side.get(), slot)
      } catch (error) {
        // The lease ends without it, only later.
        onTrouble(error)
      } finally {
        await side.close()
      }
    },
  }
}
