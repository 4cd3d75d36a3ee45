/** The operations that the simulation drives, by name, and calls of them as values. */
import {
  createAccount,
  credit,
  debit,
  suspend,
  unrestrict,
} from '../../src/ledger/machine/account-operations.ts'
import {
  admit,
  checkpoint,
  confirm,
  release,
  releaseConcurrency,
  setModel,
  shrink,
} from '../../src/ledger/machine/hold-operations.ts'
import type { Engine, LedgerOperation } from '../../src/ledger/machine/operation.ts'
import { settle } from '../../src/ledger/machine/settle-operation.ts'
import { shareKeyUsage } from '../../src/ledger/machine/share-key-usage.ts'

export const operations = {
  admit,
  settle,
  release,
  shrink,
  releaseConcurrency,
  checkpoint,
  setModel,
  confirm,
  credit,
  debit,
  createAccount,
  suspend,
  unrestrict,
  shareKeyUsage,
} as const

export type Operations = typeof operations
export type OperationName = keyof Operations
export type InputOf<Name extends OperationName> =
  Operations[Name] extends LedgerOperation<infer Input, infer _Answer> ? Input : never
export type AnswerOf<Name extends OperationName> =
  Operations[Name] extends LedgerOperation<infer _Input, infer Answer> ? Answer : never

/** A message of a process to the ledger. */
export type Call = {
  [Name in OperationName]: { readonly name: Name; readonly input: InputOf<Name> }
}[OperationName]

export type Result =
  | {
      [Name in OperationName]: {
        readonly name: Name
        readonly input: InputOf<Name>
        readonly answer: AnswerOf<Name>
      }
    }[OperationName]
  | { readonly name: 'failed'; readonly call: Call; readonly error: unknown }

/** Runs a call by the given operations, which may have a planted bug. */
export function run(engine: Engine, { name, input }: Call, table: Operations): Result {
  const operation = table[name] as LedgerOperation<unknown, unknown>
  return { name, input, answer: engine.run(operation, input) } as Result
}
