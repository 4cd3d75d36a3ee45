/**
 * The rows of the ledger: one table of fields and columns for each, from which statements take their names, their values
 * and the reading of what they find. No statement runs here.
 */
import { eachMeter, inputMeters, type Meter, meters, outputMeters } from '../../../contract/meters.ts'
import type { SpendTotals } from '../../limits/budget.ts'
import type { RateWindow } from '../../limits/window.ts'
import {
  blob,
  custom,
  type Field,
  flag,
  integer,
  integerOrNull,
  json,
  jsonOrNull,
  number,
  numberOrNull,
  oneOf,
  rowOf,
  rowOrNull,
  text,
  textOrNull,
} from '../../store/sqlite/columns.ts'
import type { Output } from '../../store/sqlite/connection.ts'
import type {
  AccountProfile,
  AccountState,
  EntryState,
  HoldState,
  KeyUsageState,
  StoredDraft,
} from '../machine/rows.ts'
import type { InputBoundSource } from '../rules/price.ts'
import type {
  AccountRow,
  Attempt,
  EndReason,
  ReceiptDraft,
  ReceiptRow,
  RunningRow,
  UsageSource,
} from '../types.ts'

/** The words of a window in this machine's order. */
const window = blob<RateWindow>(
  ({ buffer, byteOffset, byteLength }) =>
    new Uint32Array(buffer, byteOffset, byteLength / Uint32Array.BYTES_PER_ELEMENT),
  ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
)

const accountFields = {
  posted: integer('posted'),
  held: integer('held'),
  overdrawn: integer('overdrawn'),
  openHolds: number('open_holds'),
  running: number('running'),
  entries: number('entries'),
  window: window('rates'),
  losses: rowOf({ day: number('write_off_day'), amount: integer('written_off') }),
  suspendedMs: numberOrNull('suspended_ms'),
  restrictedMs: numberOrNull('restricted_ms'),
}
export const accountState = rowOf({ id: integer('id'), ...accountFields }) satisfies Field<AccountState>

/** The columns with which an account is inserted. */
export const accountProfile = rowOf({
  id: integer('id'),
  kind: oneOf<AccountProfile['kind']>('kind'),
  email: textOrNull('email'),
  name: text('name'),
  createdMs: number('created_ms'),
  owner: textOrNull('owner'),
  isCreditDecided: flag('credit_decided'),
}) satisfies Field<AccountProfile>

const spend: Field<SpendTotals> = rowOf({
  spent: integer('spent'),
  day: number('day'),
  beforeDay: integer('spent_before_day'),
  beforeWeek: integer('spent_before_week'),
  beforeMonth: integer('spent_before_month'),
})

const keyUsageFields = {
  held: integer('held'),
  openHolds: number('open_holds'),
  running: number('running'),
  spend,
  spentMax: integerOrNull('spent_max'),
  usedMinute: number('minute'),
  window: window('rates'),
}
export const keyUsageState = rowOf({
  key: integer('key'),
  account: integer('account'),
  shared: integerOrNull('shared'),
  ...keyUsageFields,
}) satisfies Field<KeyUsageState>

export const entryState = rowOf({
  id: integer('id'),
  account: integer('account'),
  position: number('position'),
  counter: oneOf<EntryState['counter']>('counter'),
  kind: oneOf<EntryState['kind']>('kind'),
  amount: integer('amount'),
  balanceAfter: integer('balance_after'),
  source: textOrNull('source'),
  reference: textOrNull('reference'),
  request: integerOrNull('request'),
  note: textOrNull('note'),
  createdMs: number('created_ms'),
}) satisfies Field<EntryState>

/** An account and its profile, joined by `accountJoin`. */
export const accountRow = rowOf({
  id: integer('p.id'),
  kind: oneOf<AccountRow['kind']>('kind'),
  email: textOrNull('email'),
  name: text('name'),
  createdMs: number('created_ms'),
  suspendedMs: numberOrNull('suspended_ms'),
  restrictedMs: numberOrNull('restricted_ms'),
  posted: integer('posted'),
  held: integer('held'),
  openHolds: number('open_holds'),
  writtenOffToday: integer('written_off'),
  owner: textOrNull('owner'),
}) satisfies Field<AccountRow>
export const accountJoin = 'account_profile p JOIN account ON account.id = p.id'

export const runningRow = rowOf({
  id: integer('id'),
  account: integer('account'),
  key: integer('key'),
  model: text('model'),
  format: text('format'),
  streamed: flag('streamed'),
  hold: integer('amount'),
}) satisfies Field<RunningRow>

const counts = eachMeter((name) => number(meters[name].column))

/** An amount; the JSON of a checkpoint has it as text. */
const amount = custom<bigint>({
  read: (stored) => BigInt(stored as bigint | string),
  write: (value) => value,
})

const draft = rowOf({
  provider: text('provider'),
  upstream: text('upstream'),
  upstreamModel: text('upstream_model'),
  upstreamRequestId: textOrNull('upstream_request_id'),
  status: number('status'),
  endReason: oneOf<EndReason>('end_reason'),
  usageSource: oneOf<UsageSource>('usage_source'),
  errorCode: textOrNull('error_code'),
  ...counts,
  reasoning: number('reasoning'),
  fees: json<Readonly<Record<string, number>>>('fees'),
  ranAt: json<readonly string[]>('ran_at'),
  unpricedUsage: flag('unpriced_usage'),
  upstreamCost: amount('upstream_cost'),
  outputLimit: number('output_limit'),
  outputLowered: flag('output_lowered'),
  settledLate: flag('settled_late'),
  startedMs: number('started_ms'),
  firstByteMs: numberOrNull('first_byte_ms'),
  attempts: json<readonly Attempt[]>('attempts'),
  person: textOrNull('person'),
  implausible: jsonOrNull<Readonly<Record<string, number>>>('implausible'),
  inputBound: oneOf<InputBoundSource | null>('input_bound'),
  background: flag('background'),
  ownKey: flag('own_key'),
  ownKeyFee: textOrNull('own_key_fee'),
  offerCost: textOrNull('offer_cost'),
}) satisfies Field<ReceiptDraft>

/** A draft as values to bind. */
export const packDraft = draft.bind as (value: ReceiptDraft) => StoredDraft

const countOf = (packed: StoredDraft, name: keyof typeof draft.fields): number =>
  Number(packed[draft.index[name]])

/** All input and all output of a packed draft, for the rates. */
export function usedTokens(packed: StoredDraft): { readonly input: number; readonly output: number } {
  const sum = (names: readonly Meter[]): number =>
    names.reduce((total, name) => total + countOf(packed, name), 0)
  return { input: sum(inputMeters), output: sum(outputMeters) }
}

/** Fields of a packed draft that the hourly sums use. */
export interface DraftUsage {
  readonly endReason: StoredDraft[number] | undefined
  readonly tokens: (name: Meter | 'reasoning') => number
  readonly startedMs: number
  readonly firstByteMs: number | null
  /** At list price, what was served with the account's own provider key. */
  readonly ownKeyCost: bigint
}

export function usageOfDraft(packed: StoredDraft): DraftUsage {
  const firstByteMs = packed[draft.index.firstByteMs] ?? null
  return {
    endReason: packed[draft.index.endReason],
    tokens: (name) => countOf(packed, name),
    startedMs: countOf(packed, 'startedMs'),
    firstByteMs: firstByteMs === null ? null : Number(firstByteMs),
    ownKeyCost: countOf(packed, 'ownKey') === 0 ? 0n : BigInt(packed[draft.index.upstreamCost] as bigint),
  }
}

/** Receipt columns that the ledger adds to a draft. */
export const receiptHead = rowOf({
  id: integer('id'),
  account: integer('account'),
  key: integer('key'),
  hold: integer('hold'),
  charged: integer('charged'),
  writtenOff: integer('written_off'),
  priceVersion: integer('price_version'),
  model: text('model'),
  format: text('format'),
  streamed: flag('streamed'),
  endedMs: number('ended_ms'),
})

/** A draft is bound behind the head as it came. */
export const receiptRow = rowOf({ ...receiptHead.fields, ...draft.fields }) satisfies Field<ReceiptRow>

/** A draft as the JSON of a checkpoint: by column, so that a version with other columns can read it. */
function checkpointText(packed: StoredDraft): string {
  const columns = Object.fromEntries(draft.columns.map((column, at) => [column, packed[at]]))
  return JSON.stringify(columns, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
}

type DraftColumns = Readonly<Record<string, StoredDraft[number]>>

const valuesOf = (columns: DraftColumns): StoredDraft =>
  draft.columns.map((column) => columns[column] ?? null)

const checkpointDraft = custom<StoredDraft>({
  read: (stored) => valuesOf(JSON.parse(stored as string) as DraftColumns),
  write: checkpointText,
})

const holdFields = {
  account: integer('account'),
  key: integer('key'),
  process: number('process'),
  amount: integer('amount'),
  tokens: number('tokens'),
  isConcurrencyReleased: flag('concurrency_released'),
  outputLimit: number('output_limit'),
  outputLowered: flag('output_lowered'),
  priceVersion: integer('price_version'),
  model: text('model'),
  format: text('format'),
  streamed: flag('streamed'),
  createdMs: number('created_ms'),
  checkpoint: rowOrNull(
    rowOf({ cost: integer('checkpoint_cost'), draft: checkpointDraft('checkpoint_draft') }),
  ),
}
/** The columns of a hold after its ID. */
export const holdChanges = rowOf(holdFields)
export const holdState = rowOf({ id: integer('id'), ...holdFields }) satisfies Field<HoldState>

/** A hold whose request will never close it, with what its last checkpoint recorded. */
export interface Orphan {
  readonly id: bigint
  readonly createdMs: number
  readonly model: string
  readonly outputLimit: number
  readonly outputLowered: boolean
  readonly checkpoint: { readonly cost: bigint; readonly draft: ReceiptDraft } | null
}

const orphanRow = rowOf({
  id: integer('id'),
  createdMs: number('created_ms'),
  model: text('model'),
  outputLimit: number('output_limit'),
  outputLowered: flag('output_lowered'),
  checkpoint: holdFields.checkpoint,
})
export const orphanColumns = orphanRow.names

export function toOrphan(row: Output[]): Orphan {
  const { checkpoint, ...hold } = orphanRow.toRow(row)
  if (checkpoint === null) return { ...hold, checkpoint }
  const { cost, draft: values } = checkpoint
  return { ...hold, checkpoint: { cost, draft: draft.toRow(values as Output[]) } }
}
