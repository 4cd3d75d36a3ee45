/**
 * The operations of the machine as messages of the writer thread: each row converts a message's values into the operation's input,
 * and the answer into a value to send.
 */
import type { Output } from '../../store/sqlite/connection.ts'
import { createAccount, credit, suspend, unrestrict } from '../machine/account-operations.ts'
import {
  admit,
  checkpoint,
  confirm,
  release,
  releaseConcurrency,
  setModel,
  shrink,
} from '../machine/hold-operations.ts'
import type { Engine, LedgerOperation } from '../machine/operation.ts'
import type { StoredDraft } from '../machine/rows.ts'
import { type SettleAnswer, settle } from '../machine/settle-operation.ts'
import { shareKeyUsage } from '../machine/share-key-usage.ts'
import type { CreditInput, NewAccount } from '../types.ts'
import {
  admitMessage,
  type PackedAdmission,
  type PackedRequest,
  type PackedSettlement,
  packHeld,
} from './messages.ts'
import { usedTokens } from './rows.ts'

export type PackedSettled =
  | readonly [charged: bigint, writtenOff: bigint, available: bigint, account: bigint]
  | 'already_settled'
  | 'unknown_hold'

/** How one operation is sent: the values of its message and of its answer. */
interface Message<Values extends readonly unknown[], Input, Answer, Packed> {
  readonly operation: LedgerOperation<Input, Answer>
  readonly input: (...values: Values) => Input
  readonly pack: (answer: Answer) => Packed
}

const message = <Values extends readonly unknown[], Input, Answer, Packed>(
  operation: LedgerOperation<Input, Answer>,
  input: (...values: Values) => Input,
  pack: (answer: Answer) => Packed,
): Message<Values, Input, Answer, Packed> => ({ operation, input, pack })

const same = <Value>(value: Value): Value => value
const nothing = (): void => {}
const ofHold = (id: bigint) => ({ id })

export const machineMessages = {
  admit: message(
    admit,
    (packed: PackedRequest) => admitMessage.toRow(packed as Output[]),
    (answer): PackedAdmission => (answer.kind === 'held' ? packHeld(answer) : answer),
  ),
  settle: message(settle, (...packed: PackedSettlement) => toSettleInput(packed), packSettled),
  release: message(release, ofHold, same),
  shrink: message(shrink, (id: bigint, amount: bigint) => ({ id, amount }), same),
  releaseConcurrency: message(releaseConcurrency, ofHold, same),
  checkpoint: message(
    checkpoint,
    (id: bigint, cost: bigint, draft: StoredDraft) => ({ id, cost, draft }),
    nothing,
  ),
  setModel: message(
    setModel,
    (id: bigint, model: string, priceVersion: bigint) => ({ id, model, priceVersion }),
    same,
  ),
  confirm: message(confirm, ofHold, same),
  credit: message(credit, (input: CreditInput) => input, same),
  createAccount: message(createAccount, (account: NewAccount) => account, same),
  suspend: message(suspend, (account: bigint, atMs: number | null) => ({ account, atMs }), same),
  shareKeyUsage: message(
    shareKeyUsage,
    (key: bigint, withKey: bigint, account: bigint) => ({ key, withKey, account }),
    nothing,
  ),
  unrestrict: message(unrestrict, (account: bigint) => ({ account }), nothing),
} as const

/** The operations as the writer thread calls them. */
export function machineOperations(engine: Engine) {
  function on<Values extends readonly unknown[], Input, Answer, Packed>({
    operation,
    input,
    pack,
  }: Message<Values, Input, Answer, Packed>) {
    return {
      durable: operation.durable,
      deferral: operation.deferral,
      run: (...values: Values): Packed => pack(engine.run(operation, input(...values))),
    }
  }
  return {
    admit: on(machineMessages.admit),
    settle: on(machineMessages.settle),
    release: on(machineMessages.release),
    shrink: on(machineMessages.shrink),
    releaseConcurrency: on(machineMessages.releaseConcurrency),
    checkpoint: on(machineMessages.checkpoint),
    setModel: on(machineMessages.setModel),
    confirm: on(machineMessages.confirm),
    credit: on(machineMessages.credit),
    createAccount: on(machineMessages.createAccount),
    suspend: on(machineMessages.suspend),
    shareKeyUsage: on(machineMessages.shareKeyUsage),
    unrestrict: on(machineMessages.unrestrict),
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
