/** The message of a settlement: a flat tuple, made when it is asked for or when its batch leaves. */
import type { LazyCall } from '../../store/channel.ts'
import type { Call } from '../../store/sqlite/messages.ts'
import type { LazySettlement, Settlement } from '../settlement-types.ts'
import type { PackedSettlement } from './machine-operations.ts'
import type { LedgerOperations } from './operations.ts'
import { packProviderObjects } from './provider-objects.ts'
import { packDraft } from './rows.ts'

export interface SettleLimits {
  readonly writeOffNanoPerDayMax: bigint
  readonly providerObjectRetentionMs: number
}

const operation: keyof LedgerOperations = 'settle'

export function settleMessage(
  settlement: Settlement | LazySettlement,
  limits: SettleLimits,
): Call | LazyCall {
  if (!('take' in settlement)) return callOf(settlement, limits)
  const { id, take } = settlement
  return {
    name: operation,
    id,
    make() {
      const taken = take()
      return taken === null ? null : callOf(taken, limits)
    },
  }
}

function callOf(
  {
    id,
    nowMs,
    cost,
    writtenOff,
    writeOffEntryId,
    excessCausedBy = 'upstream',
    causedWriteOff = 0n,
    receipt,
    providerObjects = [],
  }: Settlement,
  { writeOffNanoPerDayMax, providerObjectRetentionMs }: SettleLimits,
): Call {
  const packed: PackedSettlement = [
    id,
    nowMs,
    cost,
    writtenOff,
    writeOffEntryId,
    excessCausedBy,
    causedWriteOff,
    writeOffNanoPerDayMax,
    packDraft(receipt),
    packProviderObjects(providerObjects, nowMs - providerObjectRetentionMs),
  ]
  return [operation, ...packed]
}
