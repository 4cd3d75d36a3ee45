/**
 * The rows that operations read and change, by table and ID, and the changes that they make. Values only: where and how a
 * row is stored is an engine's business.
 */
import type { SpendTotals } from '../../limits/budget.ts'
import type { RateWindow } from '../../limits/window.ts'
import type { ProviderObject } from '../../wire/format.ts'
import type { Losses } from '../rules/settlement.ts'

/** An account as far as requests and credits change it. */
export interface AccountState {
  readonly id: bigint
  readonly posted: bigint
  readonly held: bigint
  /** By how much a refund took `posted` below what was held; shrinks as holds close, and nothing else makes it grow. */
  readonly overdrawn: bigint
  readonly openHolds: number
  /** Open holds that count as concurrent requests. */
  readonly running: number
  /** How many entries it has; the position of the last one. */
  readonly entries: number
  readonly window: RateWindow
  readonly losses: Losses
  readonly suspendedMs: number | null
  readonly restrictedMs: number | null
}

/** Whose an account is, and what it is called. */
export interface AccountProfile {
  readonly id: bigint
  readonly kind: 'personal' | 'organization'
  /** Folded to lower case. */
  readonly email: string | null
  readonly name: string
  readonly createdMs: number
  readonly owner: string | null
  /** Whether it was decided what the account starts with. */
  readonly isCreditDecided: boolean
}

/** The account that has an email address or an owner; its ID is made by `byEmail` or `byOwner`. */
export interface AccountName {
  readonly account: bigint
}

/** The credit that a source gave for a reference; its ID is made by `byReference`. */
export interface CreditReference {
  readonly entry: bigint
  readonly account: bigint
  readonly amount: bigint
}

export const byEmail = (email: string): string => `email ${email}`
export const byOwner = (owner: string): string => `owner ${owner}`
export const byReference = (source: string, reference: string): string => `${source} ${reference}`

export interface KeyUsageState {
  readonly key: bigint
  readonly account: bigint
  /** The key whose row is used instead of this one; null: this one is used. */
  readonly shared: bigint | null
  readonly held: bigint
  readonly openHolds: number
  readonly running: number
  readonly spend: SpendTotals
  /** The maximum of `spent` plus `held` under the budget of the last admission; null: no budget. */
  readonly spentMax: bigint | null
  /** In which minute since 1970 its last request began or ended. */
  readonly usedMinute: number
  readonly window: RateWindow
}

/** Progress of a running stream: the charge and the receipt if its process died now. */
export interface CheckpointState {
  readonly cost: bigint
  readonly draft: StoredDraft
}

/** An open hold. A closed one is a receipt. */
export interface HoldState {
  readonly id: bigint
  readonly account: bigint
  readonly key: bigint
  /** The ID slot of the process whose request it belongs to. */
  readonly process: number
  readonly amount: bigint
  /** Tokens taken from the rate windows. */
  readonly tokens: number
  readonly isConcurrencyReleased: boolean
  readonly outputLimit: number
  readonly outputLowered: boolean
  readonly priceVersion: bigint
  readonly model: string
  readonly format: string
  readonly streamed: boolean
  readonly createdMs: number
  readonly checkpoint: CheckpointState | null
}

/** An entry, which nothing changes afterwards. */
export interface EntryState {
  readonly id: bigint
  readonly account: bigint
  /** Position among the account's entries, from 1. */
  readonly position: number
  /** The platform account on the other side. */
  readonly counter: 'revenue' | 'promo' | 'clearing' | 'write_offs'
  readonly kind: 'usage' | 'write_off' | 'credit' | 'refund'
  readonly amount: bigint
  readonly balanceAfter: bigint
  readonly source: string | null
  readonly reference: string | null
  readonly request: bigint | null
  readonly note: string | null
  readonly createdMs: number
}

/** A value of a row that the machine passes on without reading it. */
type Value = bigint | number | string | null

/** The gateway's record of a request, as values in the order of the receipt's columns. */
export type StoredDraft = readonly Value[]

/** The IDs under which a provider stored parts of an answer; null: it stored nothing. */
export type StoredObjects =
  | readonly [
      /** Older ones may be removed. */
      sinceMs: number,
      ids: readonly string[],
      scopes: readonly ProviderObject['referencedScope'][],
    ]
  | null

/** A receipt, which nothing changes afterwards. */
export interface ReceiptState {
  readonly id: bigint
  readonly account: bigint
  readonly key: bigint
  readonly hold: bigint
  readonly charged: bigint
  readonly writtenOff: bigint
  readonly priceVersion: bigint
  readonly model: string
  readonly format: string
  readonly streamed: boolean
  readonly endedMs: number
  readonly draft: StoredDraft
  readonly providerObjects: StoredObjects
}

/** Each table's row. A key's usage has the key as its ID. */
export interface LedgerTables {
  readonly accountProfile: AccountProfile
  readonly accountName: AccountName
  readonly account: AccountState
  readonly keyUsage: KeyUsageState
  readonly hold: HoldState
  readonly entry: EntryState
  readonly creditReference: CreditReference
  readonly receipt: ReceiptState
}

export type TableName = keyof LedgerTables

/** A number in time order; a text where a row is found by a name. */
export type RowKey = bigint | string

/** The rows that an engine has loaded for an operation. Reading a row that was not loaded is a mistake of the operation. */
export type Rows = { readonly [Name in TableName]: RowReader<LedgerTables[Name]> }

export interface RowReader<Row> {
  get(id: RowKey): Row | undefined
}

export interface RowId {
  readonly table: TableName
  readonly id: RowKey
  /** Whose row it is, where the operation knows: an engine that stores rows by account finds it there. */
  readonly account?: bigint | undefined
}

/** An inserted row did not exist before; an updated or removed one was read by the operation. */
export interface RowChange<Name extends TableName = TableName> {
  readonly kind: 'insert' | 'update' | 'remove'
  readonly table: Name
  readonly id: RowKey
  /** Null: removed. */
  readonly row: LedgerTables[Name] | null
}

export const insert = <Name extends TableName>(
  table: Name,
  id: RowKey,
  row: LedgerTables[Name],
): RowChange<Name> => ({
  kind: 'insert',
  table,
  id,
  row,
})

export const update = <Name extends TableName>(
  table: Name,
  id: RowKey,
  row: LedgerTables[Name],
): RowChange<Name> => ({
  kind: 'update',
  table,
  id,
  row,
})

export const remove = <Name extends TableName>(table: Name, id: RowKey): RowChange<Name> => ({
  kind: 'remove',
  table,
  id,
  row: null,
})
