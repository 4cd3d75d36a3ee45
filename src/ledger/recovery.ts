/**
 * Closes the holds that no request will close: those of a killed process, and those older than any
 * request may be. Each is settled at its last checkpoint, else at zero, through the same operation
 * as every other, so that a crash in the middle and a retry change nothing.
 */

import { noTokens } from '../../contract/meters.ts'
import type { Orphan } from './sqlite/rows.ts'
import type { ReceiptDraft, Settlement } from './types.ts'

export interface RecoverySteps {
  /** Some of the holds to close; empty when there are none left. */
  readonly find: () => Promise<readonly Orphan[]>
  readonly settle: (settlement: Settlement) => Promise<unknown>
  readonly nextId: () => bigint
  readonly nowMs: () => number
}

/** Closes all that `find` finds, one batch after another; returns how many they were. */
export async function closeOrphans({ find, settle, nextId, nowMs }: RecoverySteps): Promise<number> {
  let closed = 0
  for (let orphans = await find(); orphans.length > 0; orphans = await find()) {
    await Promise.all(
      orphans.map((orphan) => {
        const atMs = nowMs()
        return settle({
          id: orphan.id,
          nowMs: atMs,
          cost: orphan.checkpoint?.cost ?? 0n,
          writtenOff: 0n,
          writeOffEntryId: nextId(),
          receipt: interrupted(orphan),
        })
      }),
    )
    closed += orphans.length
  }
  return closed
}

function interrupted(orphan: Orphan): ReceiptDraft {
  const draft = orphan.checkpoint?.draft ?? nothingDelivered(orphan)
  return { ...draft, endReason: 'interrupted', settledLate: true }
}

function nothingDelivered({ createdMs, outputLimit, outputLowered }: Orphan): ReceiptDraft {
  return {
    provider: '',
    upstream: '',
    upstreamModel: '',
    upstreamRequestId: null,
    status: 0,
    endReason: 'interrupted',
    usageSource: 'none',
    errorCode: null,
    ...noTokens,
    fees: {},
    ranAt: [],
    unpricedUsage: false,
    implausible: null,
    inputBound: null,
    background: false,
    upstreamCost: 0n,
    outputLimit,
    outputLowered,
    settledLate: true,
    startedMs: createdMs,
    firstByteMs: null,
    attempts: [],
    // No checkpoint recorded it.
    person: null,
    ownKey: false,
    ownKeyFee: null,
    offerCost: null,
  }
}
