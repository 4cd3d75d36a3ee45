/** What control-plane operations work with, and what they leave behind. Types only; the root of the program composes it. */
import type { ActorKind, OperationName } from '../../contract/operations.ts'
import type { Access } from '../access/types.ts'
import type { Clock } from '../base/clock.ts'
import type { NextId, RandomBytes } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Ledger } from '../ledger/types.ts'

/** Small facts that the installation remembers by name. */
export interface Settings {
  get(name: string): Promise<string | undefined>
  put(name: string, value: string): Promise<void>
  claim(name: string, value: string): Promise<string>
}

/** Who changed what, when, and how it ended: `done` or a code of the error table. Holds no secret. */
export interface AuditRecord {
  readonly atMs: number
  readonly actor: ActorKind
  readonly operation: OperationName
  readonly input: unknown
  readonly outcome: string
}

export interface ControlParts {
  readonly ledger: Ledger
  readonly access: Pick<Access, 'create' | 'list' | 'revoke'>
  readonly catalog: Pick<Catalog, 'snapshot' | 'add' | 'price' | 'disable' | 'enable'>
  readonly settings: Settings
  readonly clock: Clock
  readonly nextId: NextId
  readonly random: RandomBytes
  readonly log: Log
  readonly audit: (record: AuditRecord) => void
  /** The starting credit of a new personal account. */
  readonly signupNano: bigint
  /** Where people reach the server, without a slash at the end. */
  readonly address: string
}
