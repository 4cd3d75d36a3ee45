/**
 * The operations of the machine as messages of the writer thread: one row each, which says how its values become the
 * operation's input and its answer a value to send.
 */
import type { Output } from '../../store/sqlite/connection.ts'
import { createAccount, credit, suspend, unrestrict } from '../machine/account-operations.ts'
import {
  admit,
  checkpoint,
  release,
  releaseConcurrency,
  setModel,
  shrink,
} from '../machine/hold-operations.ts'
import type { Engine } from '../machine/operation.ts'
import type { StoredDraft, StoredObjects } from '../machine/rows.ts'
import { type SettleAnswer, settle } from '../machine/settle-operation.ts'
import { shareKeyUsage } from '../machine/share-key-usage.ts'
import type { CreditAsk, ExcessCause, NewAccount } from '../types.ts'
import { admitMessage, type PackedAdmission, type PackedAsk, packHeld } from './messages.ts'
import { usedTokens } from './rows.ts'

/** What the settle operation takes. */
export type PackedSettlement = readonly [
  id: bigint,
  nowMs: number,
  cost: bigint,
  writtenOff: bigint,
  writeOffEntryId: bigint,
  excessCausedBy: ExcessCause,
  causedWriteOff: bigint,
  writeOffNanoPerDayMax: bigint,
  draft: StoredDraft,
  providerObjects: StoredObjects,
]

export type PackedSettled =
  | readonly [charged: bigint, writtenOff: bigint, available: bigint, account: bigint]
  | 'already_settled'
  | 'unknown_hold'

export function machineOperations(engine: Engine) {
  return {
    admit: {
      durable: admit.durable,
      run(packed: PackedAsk): PackedAdmission {
        const answer = engine.run(admit, admitMessage.toRow(packed as Output[]))
        return answer.kind === 'held' ? packHeld(answer) : answer
      },
    },
    settle: {
      durable: settle.durable,
      run: (...packed: PackedSettlement): PackedSettled =>
        packSettled(engine.run(settle, toSettleInput(packed))),
    },
    release: { durable: release.durable, run: (id: bigint) => engine.run(release, { id }) },
    shrink: {
      durable: shrink.durable,
      run: (id: bigint, amount: bigint) => engine.run(shrink, { id, amount }),
    },
    releaseConcurrency: {
      durable: releaseConcurrency.durable,
      run: (id: bigint) => engine.run(releaseConcurrency, { id }),
    },
    checkpoint: {
      durable: checkpoint.durable,
      run: (id: bigint, cost: bigint, draft: StoredDraft): void =>
        void engine.run(checkpoint, { id, cost, draft }),
    },
    setModel: {
      durable: setModel.durable,
      run: (id: bigint, model: string, priceVersion: bigint): boolean =>
        engine.run(setModel, { id, model, priceVersion }),
    },
    credit: { durable: credit.durable, run: (ask: CreditAsk) => engine.run(credit, ask) },
    createAccount: {
      durable: createAccount.durable,
      run: (account: NewAccount) => engine.run(createAccount, account),
    },
    suspend: {
      durable: suspend.durable,
      run: (account: bigint, atMs: number | null): boolean => engine.run(suspend, { account, atMs }),
    },
    shareKeyUsage: {
      durable: shareKeyUsage.durable,
      run: (key: bigint, withKey: bigint, account: bigint): void =>
        void engine.run(shareKeyUsage, { key, withKey, account }),
    },
    unrestrict: {
      durable: unrestrict.durable,
      run: (account: bigint): void => void engine.run(unrestrict, { account }),
    },
  } as const
}

const toSettleInput = ([
  id,
  nowMs,
  cost,
  writtenOff,
  writeOffEntryId,
  excessCausedBy,
  causedWriteOff,
  writeOffNanoPerDayMax,
  draft,
  providerObjects,
]: PackedSettlement) => ({
  id,
  nowMs,
  cost,
  writtenOff,
  writeOffEntryId,
  excessCausedBy,
  causedWriteOff,
  writeOffNanoPerDayMax,
  used: usedTokens(draft),
  draft,
  providerObjects,
})

function packSettled(answer: SettleAnswer): PackedSettled {
  if (answer.kind !== 'settled') return answer.kind
  return [answer.charged, answer.writtenOff, answer.available, answer.account]
}
