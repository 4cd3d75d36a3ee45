/** `ledger.verify` and `losses.list`: whether the books agree, what was written off, and the platform's balances. */

import { formatUsd } from '../../contract/usd.ts'
import { asTollgateError } from '../base/errors.ts'
import { formatId } from '../base/ids.ts'
import type { Ledger } from '../ledger/types.ts'
import type { Settings } from '../store/settings.ts'
import { findAccounts } from './authorize.ts'
import type { ControlDeps, OperationHandlers } from './control-deps.ts'
import { isoTimeOrNull, parseRange } from './values.ts'

export const ledgerHandlers = {
  'ledger.verify': async ({ ledger, settings, clock, log }) => {
    const report = await ledger.verify()
    await saveVerification(settings, { atMs: clock.wallMs(), lines: report.drift.length }).catch(
      (thrown: unknown) => {
        // A store that cannot write can still be verified.
        const error = asTollgateError(thrown)
        if (error.code !== 'store_unavailable') throw thrown
        log.warn({ err: error }, 'failed to store the result of the verification')
      },
    )
    return { ...report, drift: [...report.drift] }
  },

  'losses.list': async ({ usage, ledger, clock }, { from, to, limit }) => {
    const range = parseRange(clock.wallMs(), { from, to })
    const { total, accounts } = await usage.losses({ ...range, limit })
    const rows = await findAccounts({ ledger }, accounts)
    return {
      total: formatUsd(total),
      accounts: accounts.map(({ account, writtenOff, requests }) => {
        const row = rows.get(account)
        return {
          account: formatId('acct', account),
          email: row?.email ?? null,
          writtenOff: formatUsd(writtenOff),
          requests,
          restricted: isoTimeOrNull(row?.restrictedMs ?? null),
        }
      }),
    }
  },
} satisfies Partial<OperationHandlers>

const settingName = 'ledger_verified'

interface VerificationSummary {
  readonly atMs: number
  /** How many contradictions it named. */
  readonly lines: number
}

/** The result of the last `ledger.verify`. */
export async function readLastVerification(
  settings: Pick<Settings, 'get'>,
): Promise<VerificationSummary | undefined> {
  const text = await settings.get(settingName)
  return text === undefined ? undefined : (JSON.parse(text) as VerificationSummary)
}

function saveVerification(settings: Pick<Settings, 'put'>, verified: VerificationSummary): Promise<void> {
  return settings.put(settingName, JSON.stringify(verified))
}

type PlatformBalances = Awaited<ReturnType<Ledger['platformBalances']>>

interface CachedBalances {
  readonly balances: Promise<PlatformBalances>
  /** null: it is being computed. */
  untilMonoMs: number | null
}

const cacheFactor = 100
const cache = new WeakMap<Ledger, CachedBalances>()

/**
 * The balances of the platform accounts: each is a sum over every entry, so a result is shown for a hundred times as long
 * as it took to compute, and concurrent requests share one computation.
 */
export function platformBalances({
  ledger,
  clock,
}: Pick<ControlDeps, 'ledger' | 'clock'>): Promise<PlatformBalances> {
  const present = cache.get(ledger)
  const isFresh =
    present !== undefined && (present.untilMonoMs === null || clock.monoMs() < present.untilMonoMs)
  if (isFresh) return present.balances
  const begunMs = clock.monoMs()
  const next: CachedBalances = { balances: ledger.platformBalances(), untilMonoMs: null }
  cache.set(ledger, next)
  const done = (): void => {
    const endedMs = clock.monoMs()
    next.untilMonoMs = endedMs + cacheFactor * (endedMs - begunMs)
  }
  const failed = (): void => void cache.delete(ledger)
  next.balances.then(done, failed)
  return next.balances
}
