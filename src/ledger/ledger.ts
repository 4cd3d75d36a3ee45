/**
 * The ledger as the rest of the program sees it: each method becomes one operation on the store's threads. Its messages and columns,
 * which both databases have, are in `sqlite/`; what PostgreSQL does otherwise is in `postgres/`.
 * Opening it takes an ID slot for this process and closes what a killed process left open. Contains no statement and
 * decides no amount: `rules/` does.
 * `const { ledger, nextId, recovered, close } = await openLedger(opened.store, { clock, limits })`
 */
import type { Topic } from '../../contract/events.ts'
import type { Changes } from '../base/changes.ts'
import type { Clock, Timer } from '../base/clock.ts'
import { idSource, type NextId } from '../base/ids.ts'
import type { Store } from '../store/store.ts'
import type { UnrecordedResponse } from './background-response-types.ts'
import { closeOrphans } from './recovery.ts'
import type { Fraction } from './rules/money.ts'
import type { PackedSettled } from './sqlite/machine-operations.ts'
import { admitMessage, settleMessage, unpackAdmission } from './sqlite/messages.ts'
import type { LedgerOperations } from './sqlite/operations.ts'
import type { AccountsFound, LedgerReads } from './sqlite/reads.ts'
import { packDraft } from './sqlite/rows.ts'
import { AccountStatusCache, openWaiters, UnrecordedHolds } from './standing.ts'
import type { AccountRow, LazySettlement, Ledger, LedgerReading, Settlement, SettleResult } from './types.ts'

/** Accounts cached as having a balance, so that it is not read before each body. */
const statusCacheMax = 100_000

export interface LedgerLimits {
  readonly reserveShare: Fraction
  readonly holdWaitersPerAccountMax: number
  readonly writeOffNanoPerDayMax: bigint
  /** Holds of this process older than this belong to no request any more. */
  readonly holdMsMax: number
  readonly driftLinesMax: number
  /** The maximum number of concurrent background responses per account. */
  readonly backgroundResponsesPerAccountMax: number
  /** How long a provider object can be referred to. */
  readonly providerObjectRetentionMs: number
}

export interface LedgerOptions {
  readonly clock: Clock
  readonly limits: LedgerLimits
  /** Publishes what has changed of which account; absent: no subscriber exists. */
  readonly changes?: Pick<Changes, 'publish'>
  /** Called with errors of background work: closing holds that were left open. */
  readonly onTrouble: (error: unknown) => void
  /** `thread`: one more user of the ledger in a process that has opened it. Left out: a process. */
  readonly as?: 'process' | 'thread'
}

/** The threads of a store, as the ledger uses them. */
export type LedgerStore = Pick<Store, 'run' | 'read' | 'readApart' | 'deferral'>

export interface OpenLedger {
  readonly ledger: Ledger
  /** Makes ids in this process's own slot: for requests, entries, accounts, keys. */
  readonly nextId: NextId
  readonly processSlot: number
  /** How many holds of dead processes were closed on opening. */
  readonly recovered: number
  /** Requests in the background that a dead process had sent or was about to send. */
  readonly unrecorded: readonly UnrecordedResponse[]
  /** Stops looking for holds that were left open; the store is closed by its owner, afterwards. */
  close(): Promise<void>
}

/** Holds that are closed in one go, after a crash. */
const orphansPerBatch = 500
/** Often, because a dead server's requests are closed by the next sweep after its lease. */
const sweepEveryMs = 5_000

/** Runs an operation, by its name in `operations.ts`. */
type Run = <Name extends keyof LedgerOperations>(
  name: Name,
  ...values: Parameters<LedgerOperations[Name]['run']>
) => Promise<ReturnType<LedgerOperations[Name]['run']>>

/** The same for a read, by its name in the table of reads. */
type Read = <Name extends keyof LedgerReads>(
  name: Name,
  ...values: Parameters<LedgerReads[Name]['run']>
) => Promise<ReturnType<LedgerReads[Name]['run']>>

/** Rejects with store_unavailable when the store cannot write. */
export async function openLedger(store: LedgerStore, options: LedgerOptions): Promise<OpenLedger> {
  const { clock, as = 'process' } = options
  // The types of both ends come from the same table; only the way between them is untyped.
  const run: Run = (name, ...values) => store.run([name, ...values]) as never
  const processSlot = await run(as === 'process' ? 'claimProcess' : 'claimThread', clock.wallMs())
  const nextId = idSource(clock, processSlot)
  const ledger = ledgerOn(store, run, processSlot, options)
  const closing = { settle: ledger.settle, nextId, nowMs: clock.wallMs }
  const closeOrphaned = () =>
    closeOrphans({ ...closing, find: () => run('orphans', processSlot, orphansPerBatch) })
  // Before their holds are closed: only that distinguishes them from those that are open.
  const unrecorded = as === 'process' ? await run('removeUnrecorded') : []
  const recovered = as === 'process' ? await closeOrphaned() : 0
  const stopSweeping = sweepHolds(options, nextId, {
    closeOverdue: (before) =>
      closeOrphans({ ...closing, find: () => run('overdue', processSlot, before, orphansPerBatch) }),
    closeOrphaned,
  })
  return { ledger, nextId, processSlot, recovered, unrecorded, close: stopSweeping }
}

function ledgerOn(store: LedgerStore, run: Run, processSlot: number, options: LedgerOptions): Ledger {
  const { clock, limits, changes } = options
  const statusCache = new AccountStatusCache(statusCacheMax)
  const reading = readsOn(store, limits)
  const unrecorded = new UnrecordedHolds(store.deferral)
  const waiters = openWaiters(clock, limits.holdWaitersPerAccountMax)
  const suspended = new Set<(account: bigint) => void>()
  const publish = (account: bigint | null, topics: readonly Topic[], request: bigint | null = null): void => {
    if (account !== null) changes?.publish(account, topics, request)
  }
  /** Money came back to the account: requests that wait for it try again. */
  const notify = (account: bigint | null, topics: readonly Topic[], request: bigint | null = null): void => {
    if (account !== null) waiters.wake(account)
    publish(account, topics, request)
  }
  const stop = (account: bigint): void => {
    statusCache.suspended(account)
    for (const listener of suspended) listener(account)
  }
  const admitSettings = { process: processSlot, reserveShare: limits.reserveShare }

  return {
    async admit(input) {
      const reply = await run('admit', admitMessage.bind({ request: input, settings: admitSettings }))
      const admission = unpackAdmission(reply)
      statusCache.admitted(input, admission)
      if (admission.kind !== 'held') return admission
      unrecorded.admitted(input.id)
      publish(input.account, ['running', 'balance'])
      return admission
    },
    blockedReason: (input) => statusCache.blockedReason(input, reading),
    release: async (id) => notify(await run('release', id), ['running', 'balance']),
    settle: (settlement) =>
      settle(store, settlement, limits, ({ account, available, id }) => {
        statusCache.settled(account, available)
        notify(account, settledTopics, id)
      }),
    checkpoint: ({ id, cost, draft }) => run('checkpoint', id, cost, packDraft(draft)),
    releaseConcurrency: async (id) => notify(await run('releaseConcurrency', id), ['running']),
    reserveResponse: (id, account) =>
      run('reserveResponse', id, account, limits.backgroundResponsesPerAccountMax),
    recordResponse: ({ id, upstream, responseId, facts }) =>
      run('recordResponse', id, upstream, responseId, facts),
    forgetResponse: (account, responseId) => run('forgetResponse', account, responseId),
    setModel: (id, { model, priceVersion }) => run('setModel', id, model, priceVersion),
    confirm: async (id) => unrecorded.isRecorded(id) || run('confirm', id),
    shrink: async (id, amount) => notify(await run('shrink', id, amount), ['running', 'balance']),
    ...creditsOn(run, notify, stop),
    createAccount: (account) => run('createAccount', account),
    async suspend(account, atMs) {
      await run('suspend', account, atMs)
      if (atMs !== null) stop(account)
      publish(account, ['account'])
    },
    async changedElsewhere(account) {
      if (account === null) return statusCache.invalidateAll()
      const row = await reading.account(account)
      if (row !== undefined && row.suspendedMs !== null) stop(account)
      publish(account, ['account'])
    },
    onSuspended(listener) {
      suspended.add(listener)
      return () => suspended.delete(listener)
    },
    async assign(account, to) {
      const result = await run('assign', account, to)
      publish(account, ['account'])
      return result
    },
    async takeOver(input) {
      const result = await run('takeOver', input)
      publish(input.account, ['account'])
      publish(input.leaving, ['account'])
      return result
    },
    removeReceipts: (before, limit) => run('removeReceipts', before, limit),
    shareKeyUsage: (key, withKey, account) => run('shareKeyUsage', key, withKey, account),
    async unrestrict(account) {
      await run('unrestrict', account)
      publish(account, ['account'])
    },
    whenReleased: (account, waitMs) => waiters.wait(account, waitMs),
    ...reading,
  }
}

const settledTopics: readonly Topic[] = ['balance', 'requests', 'running']
type Credits = Pick<
  Ledger,
  'credit' | 'signupCredit' | 'payTopUp' | 'returnTopUp' | 'restoreTopUp' | 'redeem'
>

/** Money that comes and goes without a request. */
function creditsOn(
  run: Run,
  notify: (account: bigint, topics: readonly Topic[]) => void,
  stop: (account: bigint) => void,
): Credits {
  const topics: readonly Topic[] = ['balance', 'billing']
  return {
    async credit(input) {
      const result = await run('credit', input)
      if (result.kind === 'credited') notify(input.account, topics)
      return result
    },
    async signupCredit(input) {
      const result = await run('signupCredit', input)
      if (result.kind === 'credited') notify(input.account, topics)
      return result
    },
    async payTopUp(input) {
      const result = await run('payTopUp', input)
      if (result.kind === 'paid') notify(result.account, topics)
      return result
    },
    async returnTopUp(input) {
      const result = await run('returnTopUp', input)
      if (result.kind !== 'returned') return result
      // An operator may have lifted an earlier suspension since.
      if (input.freeze !== null && result.created) stop(result.account)
      notify(result.account, [...topics, 'account'])
      return result
    },
    async restoreTopUp(input) {
      const result = await run('restoreTopUp', input)
      if (result.kind === 'restored') notify(result.account, [...topics, 'account'])
      return result
    },
    async redeem(input) {
      const result = await run('redeem', input)
      if (result.kind === 'credited') notify(input.account, topics)
      return result
    },
  }
}

/** Accounts whose answer is remembered; one that was credited stays one. */
const creditedAccountsMax = 10_000

function rememberCredited(
  input: (account: bigint) => Promise<boolean>,
): (account: bigint) => Promise<boolean> {
  const credited = new Set<bigint>()
  return async (account) => {
    if (credited.has(account)) return true
    if (!(await input(account))) return false
    if (credited.size >= creditedAccountsMax) credited.clear()
    credited.add(account)
    return true
  }
}

function readsOn(store: LedgerStore, limits: LedgerLimits): LedgerReading {
  const read: Read = (name, ...values) => store.read([name, ...values]) as never
  const readApart: Read = (name, ...values) => store.readApart([name, ...values]) as never
  return {
    account: (id) => read('account', id),
    accountByEmail: (email) => read('accountByEmail', email),
    accountByOwner: (owner) => read('accountByOwner', owner),
    accounts: (limit, afterId, search) =>
      search === null ? read('accounts', limit, afterId) : searchAccounts(read, { search, limit, afterId }),
    entries: (filter) => read('entries', filter),
    movements: (account, fromMs, toMs) => read('movements', account, fromMs, toMs),
    movedByDay: (account) => read('movedByDay', account),
    accountCount: () => read('accountCount'),
    everCredited: rememberCredited((id) => read('everCredited', id)),
    receipt: (id) => read('receipt', id),
    running: (id) => read('running', id),
    receipts: (account, limit, beforeId) => read('receipts', account, limit, beforeId),
    openResponse: (account, responseId) => read('openResponse', account, responseId),
    openResponseById: (id) => read('openResponseById', id),
    openResponses: (afterId, limit) => read('openResponses', afterId, limit),
    providerObjects: (account, ids, nowMs) =>
      read('providerObjects', account, ids, nowMs - limits.providerObjectRetentionMs),
    keySpend: (key, window, nowMs) => read('keySpend', key, window, nowMs),
    platformBalances: () => readApart('platformBalances'),
    check: (input) => read('check', input),
    verify: () => readApart('verify', limits.driftLinesMax),
  }
}

/** Accounts per step, which takes a few milliseconds of the reading thread. */
const accountsPerStep = 10_000

/** Searches in steps, so that other reads can run in between. */
async function searchAccounts(
  read: Read,
  { search, limit, afterId }: { readonly search: string; readonly limit: number; readonly afterId: bigint },
): Promise<readonly AccountRow[]> {
  const accounts: AccountRow[] = []
  for (let after: bigint | null = afterId; after !== null && accounts.length < limit; ) {
    const asked = { search, afterId: after, limit: limit - accounts.length, scannedMax: accountsPerStep }
    const step: AccountsFound = await read('searchAccounts', asked)
    accounts.push(...step.found)
    after = step.next
  }
  return accounts
}

function settle(
  store: LedgerStore,
  settlement: Settlement | LazySettlement,
  limits: LedgerLimits,
  closed: (settled: { account: bigint; available: bigint; id: bigint }) => void,
): Promise<SettleResult> {
  const { id } = settlement
  return store.run(settleMessage(settlement, limits)).then((answer) => {
    if (answer === null) return { kind: 'withdrawn' }
    const result = answer as PackedSettled
    if (typeof result === 'string') return { kind: result }
    const [charged, writtenOff, available, account] = result
    closed({ account, available, id })
    return { kind: 'settled', charged, writtenOff, available }
  })
}

interface HoldSweep {
  readonly closeOverdue: (before: bigint) => Promise<unknown>
  /** Holds of processes that died while this one runs. */
  readonly closeOrphaned: () => Promise<unknown>
}

/**
 * Closes what dead processes left open, and what requests of this process did, by age on the clock that never jumps: IDs
 * grow with time within a process, so one that was made long enough ago is older than every request that lives.
 */
function sweepHolds(
  { clock, limits, onTrouble }: LedgerOptions,
  nextId: NextId,
  { closeOverdue, closeOrphaned }: HoldSweep,
): () => Promise<void> {
  const marks: { readonly id: bigint; readonly monoMs: number }[] = []
  let timer: Timer
  let sweeping: Promise<void> | null = null

  function later(): void {
    marks.push({ id: nextId(), monoMs: clock.monoMs() })
    timer = clock.after(sweepEveryMs, () => {
      // Sweeps run one at a time: a stalled database would pile them up.
      sweeping ??= sweep()
        .then(() => {}, onTrouble)
        .finally(() => {
          sweeping = null
        })
      later()
    })
  }

  function sweep(): Promise<unknown> {
    const nowMs = clock.monoMs()
    const old = marks.filter(({ monoMs }) => nowMs - monoMs >= limits.holdMsMax).length
    const due = marks.splice(0, old).at(-1)
    return Promise.all([closeOrphaned(), due === undefined ? null : closeOverdue(due.id)])
  }

  later()
  return () => {
    timer.cancel()
    return sweeping ?? Promise.resolve()
  }
}
