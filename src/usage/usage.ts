/**
 * Usage for the rest of the program: reads on the store's reader thread, in slices, and adds up here. Records rejected requests;
 * moves no money, and never supplies balances for that.
 */
import type { Clock } from '../base/clock.ts'
import { TollgateError } from '../base/errors.ts'
import { KeyedSemaphore } from '../base/mutex.ts'
import type { Store } from '../store/store.ts'
import type { Slice, SliceCursor, SliceGroup, UsageReads } from './reads.ts'
import type { UsageOperations } from './record-rejections.ts'
import { type Hours, hourMs, hoursOf, stepsOf } from './steps.ts'
import { addSums, type GrowingSums, noSums } from './sums.ts'
import type { KeyActivity, SumsInput, SumsRow, UsageReport } from './types.ts'

/** Running requests per list. */
const runningShownMax = 1_000

export interface UsageLimits {
  readonly usageStepsMax: number
  readonly usageRowsMax: number
  readonly usageSliceRowsMax: number
  readonly rejectionsKeptPerKey: number
  readonly csvAtOnceMax: number
  readonly csvPerAccountMax: number
}

type Read = <Name extends keyof UsageReads>(
  name: Name,
  ...values: Parameters<UsageReads[Name]['run']>
) => Promise<ReturnType<UsageReads[Name]['run']>>

type Run = <Name extends keyof UsageOperations>(
  name: Name,
  ...values: Parameters<UsageOperations[Name]['run']>
) => Promise<ReturnType<UsageOperations[Name]['run']>>

const hoursPerDay = 24
const rateDays = 7
/** A key that took another's place reads hours, so keys are read in small groups to let other reads run. */
const keysPerRead = 10

export function openUsage(
  store: Pick<Store, 'read' | 'run'>,
  { clock, limits }: { readonly clock: Clock; readonly limits: UsageLimits },
): UsageReport {
  // The types of both ends come from the same table; only the way between them is untyped.
  const read: Read = (name, ...values) => store.read([name, ...values]) as never
  const run: Run = (name, ...values) => store.run([name, ...values]) as never
  const [files, filesOf] = [
    new KeyedSemaphore(limits.csvAtOnceMax),
    new KeyedSemaphore(limits.csvPerAccountMax),
  ]

  async function sums(input: SumsInput): Promise<readonly SumsRow[]> {
    const hours = hoursOf(input)
    const steps = stepsOf(hours, input.step, limits.usageStepsMax)
    if (steps.length > limits.usageStepsMax) throw tooMuch('steps', limits.usageStepsMax)
    const groups = await readGroups(read, input, { hours, limits })
    if (groups.size * steps.length > limits.usageRowsMax) throw tooMuch('rows', limits.usageRowsMax)
    return steps.flatMap((hour) =>
      [...groups].map(([group, byStep]) => ({
        atMs: hour * hourMs,
        group,
        sums: byStep.get(hour) ?? noSums(),
      })),
    )
  }

  return {
    sums,
    async chargedByMonth({ account, ...range }) {
      const { from, to } = hoursOf(range)
      const months = stepsOf({ from, to }, 'month', limits.usageStepsMax)
      const charged: { atMs: number; charged: bigint }[] = []
      for (const [index, first] of months.entries()) {
        const [begin, end] = [Math.max(first, from), Math.min(months[index + 1] ?? to, to)]
        charged.push({ atMs: first * hourMs, charged: await read('charged', account, begin, end) })
      }
      return charged
    },
    async keyActivity(keys) {
      const uses = new Map<bigint, KeyActivity>()
      for (let from = 0; from < keys.length; from += keysPerRead) {
        for (const [key, use] of await read('keyActivity', keys.slice(from, from + keysPerRead)))
          uses.set(key, use)
      }
      return uses
    },
    async runway(account) {
      const toMs = clock.wallMs()
      const fromMs = toMs - rateDays * hoursPerDay * hourMs
      const rows = await sums({ account, fromMs, toMs, step: 'day', group: 'none', model: null, key: null })
      const charged = rows.reduce((sum, row) => sum + row.sums.charged, 0n)
      const { posted, firstHour } = await read('balance', account, hoursOf({ fromMs, toMs }).from)
      if (charged === 0n || firstHour === null) return null
      const days = daysOf(posted, charged, Math.ceil(toMs / hourMs) - firstHour)
      return { days, daysWithSpend: rows.filter(({ sums }) => sums.charged > 0n).length }
    },
    async losses({ limit, ...range }) {
      const { from, to } = hoursOf(range)
      return read('losses', from, to, limit)
    },
    rejections: (search) => read('rejections', search),
    async makingFile(account, make) {
      if (!files.tryAcquire(allAccounts)) throw busy()
      try {
        if (!filesOf.tryAcquire(account)) throw busy()
        try {
          return await make()
        } finally {
          filesOf.release(account)
        }
      } finally {
        files.release(allAccounts)
      }
    },
    recordRejections: (batch) => run('recordRejections', batch, limits.rejectionsKeptPerKey),
    searchReceipts: (input) => read('searchReceipts', input),
    running: (account) => read('runningOf', account, runningShownMax),
    firstRequestMs: (account) => read('firstRequest', account),
  }
}

/** The key of the limit over all accounts. */
const allAccounts = 0n

function busy(): TollgateError {
  return new TollgateError('overloaded', {
    message: 'Too many exports are running. Try again in a moment.',
    retryAfterMs: 5_000,
  })
}

type Groups = Map<SliceGroup, Map<number, GrowingSums>>

/** Reads in slices, so that other reads can run on the thread in between. */
async function readGroups(
  read: Read,
  { fromMs: _from, toMs: _to, ...input }: SumsInput,
  { hours: { from, to }, limits }: { readonly hours: Hours; readonly limits: UsageLimits },
): Promise<Groups> {
  const groups: Groups = new Map(input.group === 'none' ? [[null, new Map()]] : [])
  let after: SliceCursor | null = from < to ? [BigInt(from), -1n, ''] : null
  while (after !== null) {
    const rowsMax = limits.usageSliceRowsMax
    const slice: Slice = await read('usageSlice', { ...input, after, toHour: to, rowsMax })
    addSlice(groups, slice)
    after = slice.next
  }
  return groups
}

function addSlice(groups: Groups, { parts }: Slice): void {
  for (const [hour, group, sums] of parts) {
    const byStep = groups.get(group) ?? new Map<number, GrowingSums>()
    groups.set(group, byStep)
    const sum = byStep.get(hour) ?? noSums()
    byStep.set(hour, sum)
    addSums(sum, sums)
  }
}

/** At the rate since the first request of these days, and not faster than if that had been a day ago. */
function daysOf(posted: bigint, charged: bigint, hours: number): number {
  const spentIn = BigInt(Math.min(Math.max(hours, hoursPerDay), rateDays * hoursPerDay))
  const tenths = (posted * spentIn * 10n) / (charged * BigInt(hoursPerDay))
  return Number(tenths > 0n ? tenths : 0n) / 10
}

function tooMuch(what: 'steps' | 'rows', max: number): TollgateError {
  return new TollgateError('invalid_value', {
    message: `from: this would be more than ${max} ${what}; ask for a shorter time, longer steps or no groups.`,
    param: 'from',
  })
}
