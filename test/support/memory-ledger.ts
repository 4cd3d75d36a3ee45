/**
 * A ledger on the memory engine, for tests that run over each engine: the messages of the store's threads, answered from
 * maps. Has what the machine has; top-ups, codes, owners and background responses need a database.
 */
import type { Clock } from '../../src/base/clock.ts'
import { type Limits, limitDefaults } from '../../src/config/config.ts'
import { type LedgerStore, type OpenLedger, openLedger } from '../../src/ledger/ledger.ts'
import { byEmail, byOwner, type HoldState, type StoredDraft } from '../../src/ledger/machine/rows.ts'
import { machineOperations } from '../../src/ledger/sqlite/machine-operations.ts'
import { type Orphan, receiptHead, receiptRow } from '../../src/ledger/sqlite/rows.ts'
import type { AccountRow, ReceiptRow, RunningRow, VerifyReport } from '../../src/ledger/types.ts'
import { rollSpend, spentIn } from '../../src/limits/budget.ts'
import type { BudgetWindow } from '../../src/limits/types.ts'
import { isLazy } from '../../src/store/channel.ts'
import type { Call } from '../../src/store/sqlite/messages.ts'
import { checkRows } from '../simulation/invariants.ts'
import { MemoryDatabase } from '../simulation/memory-database.ts'

interface MemoryLedger extends OpenLedger {
  readonly clock: Clock
}

export async function openMemoryLedger(
  context: { after(run: () => Promise<void>): void },
  { clock, limits }: { readonly clock: Clock; readonly limits?: Partial<Limits> },
): Promise<MemoryLedger> {
  const troubles: unknown[] = []
  const ledger = await openLedger(memoryStore(new MemoryDatabase()), {
    clock,
    limits: { ...limitDefaults, ...limits },
    onTrouble: (error) => troubles.push(error),
  })
  context.after(async () => {
    await ledger.close()
    if (troubles.length > 0) throw new AggregateError(troubles)
  })
  return { ...ledger, clock }
}

type Answers = Readonly<Record<string, (...values: never[]) => unknown>>

function memoryStore(database: MemoryDatabase): LedgerStore {
  const scans: Answers = { ...scansOf(database) }
  const reads: Answers = { ...readsOf(database) }
  const answer = (answers: Answers, [name, ...values]: Call): unknown => {
    const found = answers[name]
    if (found === undefined) throw new Error(`the memory engine has no ${name}`)
    return found(...(values as never[]))
  }
  return {
    async run(given) {
      const call = isLazy(given) ? given.make() : given
      if (call === null) return null
      const [name, ...values] = call
      if (Object.hasOwn(scans, name)) return answer(scans, call)
      return database.transact((engine) => {
        const operations = machineOperations(engine)
        const answers = Object.entries(operations).map(([each, { run }]) => [each, run] as const)
        return answer(Object.fromEntries(answers) as Answers, [name, ...values])
      })
    },
    read: async (call) => answer(reads, call),
    readApart: async (call) => answer(reads, call),
    deferral: null,
  }
}

/** Queries of the ledger that are not operations of the machine. */
function scansOf({ tables }: MemoryDatabase) {
  const orphans = (is: (hold: HoldState) => boolean, limit: number): readonly Orphan[] =>
    [...tables.hold.values()].filter(is).slice(0, limit).map(toOrphan)
  return {
    claimProcess: () => 1,
    removeUnrecorded: () => [],
    orphans: (process: number, limit: number) => orphans((hold) => hold.process !== process, limit),
    overdue: (process: number, before: bigint, limit: number) =>
      orphans(({ process: owner, id }) => owner === process && id < before, limit),
  }
}

function toOrphan(hold: HoldState): Orphan {
  const { id, createdMs, model, outputLimit, outputLowered, checkpoint } = hold
  const receipt = { ...hold, hold: hold.amount, charged: 0n, writtenOff: 0n, endedMs: 0 }
  const recorded =
    checkpoint === null ? null : { cost: checkpoint.cost, draft: toReceipt(receipt, checkpoint.draft) }
  return { id, createdMs, model, outputLimit, outputLowered, checkpoint: recorded }
}

const toReceipt = (head: Parameters<typeof receiptHead.bind>[0], draft: StoredDraft): ReceiptRow =>
  receiptRow.toRow([...receiptHead.bind(head), ...draft] as Parameters<typeof receiptRow.toRow>[0])

function readsOf(database: MemoryDatabase) {
  const { tables } = database
  const account = (id: bigint | undefined): AccountRow | undefined => {
    const [profile, state] = [tables.accountProfile.get(id ?? 0n), tables.account.get(id ?? 0n)]
    if (profile === undefined || state === undefined) return undefined
    const { isCreditDecided: _decided, ...named } = profile
    const { posted, held, openHolds, suspendedMs, restrictedMs, losses } = state
    return { ...named, posted, held, openHolds, suspendedMs, restrictedMs, writtenOffToday: losses.amount }
  }
  return {
    account,
    accountByEmail: (email: string) => account(tables.accountName.get(byEmail(email.toLowerCase()))?.account),
    accountByOwner: (owner: string) => account(tables.accountName.get(byOwner(owner))?.account),
    accounts: (limit: number, afterId: bigint) =>
      [...tables.account.values()]
        .filter(({ id }) => id > afterId)
        .slice(0, limit)
        .map(({ id }) => account(id)),
    receipt(id: bigint) {
      const found = tables.receipt.get(id)
      return found === undefined ? undefined : toReceipt(found, found.draft)
    },
    receipts: (of: bigint, limit: number, beforeId: bigint | null) =>
      [...tables.receipt.values()]
        .filter((receipt) => receipt.account === of && (beforeId === null || receipt.id < beforeId))
        .sort((a, b) => Number(b.id - a.id))
        .slice(0, limit)
        .map((found) => toReceipt(found, found.draft)),
    running(id: bigint): RunningRow | undefined {
      const found = tables.hold.get(id)
      if (found === undefined) return undefined
      const { account: owner, key, model, format, streamed, amount } = found
      return { id, account: owner, key, model, format, streamed, hold: amount }
    },
    keySpend(key: bigint, window: BudgetWindow, nowMs: number) {
      const own = tables.keyUsage.get(key)
      const usage = own === undefined || own.shared === null ? own : tables.keyUsage.get(own.shared)
      if (usage === undefined) return { spent: 0n, held: 0n }
      return { spent: spentIn(rollSpend(usage.spend, nowMs), window), held: usage.held }
    },
    platformBalances() {
      const sums: Record<string, bigint> = {
        revenue: 0n,
        promo: 0n,
        clearing: 0n,
        write_offs: 0n,
        refunds: 0n,
      }
      for (const { counter, amount } of tables.entry.values()) sums[counter] = (sums[counter] ?? 0n) - amount
      return sums
    },
    verify: (): VerifyReport => verifyRows(database),
  }
}

function verifyRows(database: MemoryDatabase): VerifyReport {
  const { account, entry, hold } = database.tables
  const drift: string[] = []
  try {
    checkRows(database)
  } catch (error) {
    drift.push(String(error))
  }
  return {
    ok: drift.length === 0,
    accounts: account.size,
    entries: entry.size,
    openHolds: hold.size,
    drift,
    receiptsFrom: null,
  }
}
