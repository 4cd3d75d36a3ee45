/**
 * The tables as the control plane's queries see them. Every integer is read as bigint and may be
 * written as an integer; JSON is text. The ledger's hot statements do not go through here.
 */
import type { ColumnType } from 'kysely'
import type { Meter, meters } from '../../contract/meters.ts'

type Integer = ColumnType<bigint, bigint | number, bigint | number>
type IntegerOrNull = ColumnType<bigint | null, bigint | number | null, bigint | number | null>
/** Has a default in the schema. */
type IntegerByDefault = ColumnType<bigint, bigint | number | undefined, bigint | number>
type Flag = ColumnType<bigint, bigint | number | boolean | undefined, bigint | number | boolean>

export interface AccountTable {
  id: Integer
  posted: IntegerByDefault
  held: IntegerByDefault
  open_holds: IntegerByDefault
  running: IntegerByDefault
  entries: IntegerByDefault
  write_off_day: IntegerByDefault
  written_off: IntegerByDefault
  suspended_ms: IntegerOrNull
  restricted_ms: IntegerOrNull
}

export interface AccountProfileTable {
  id: Integer
  kind: string
  email: string | null
  name: string
  created_ms: Integer
  owner: string | null
  credit_decided: IntegerByDefault
}

export interface EntryTable {
  id: Integer
  account: Integer
  position: Integer
  counter: string
  kind: string
  amount: Integer
  balance_after: Integer
  source: string | null
  reference: string | null
  request: IntegerOrNull
  note: string | null
  created_ms: Integer
}

/** A count for each class of tokens. */
type MeterColumns = Record<(typeof meters)[Meter]['column'], Integer>

export interface ReceiptTable extends MeterColumns {
  id: Integer
  account: Integer
  key: Integer
  hold: Integer
  charged: Integer
  written_off: Integer
  price_version: Integer
  model: string
  format: string
  streamed: Flag
  ended_ms: Integer
  provider: string
  upstream: string
  upstream_model: string
  upstream_request_id: string | null
  status: Integer
  end_reason: string
  usage_source: string
  error_code: string | null
  reasoning: Integer
  fees: string
  ran_at: string
  unpriced_usage: Flag
  implausible: string | null
  input_bound: string | null
  background: Flag
  upstream_cost: Integer
  output_limit: Integer
  output_lowered: Flag
  settled_late: Flag
  started_ms: Integer
  first_byte_ms: IntegerOrNull
  attempts: string
  person: string | null
  own_key: Flag
  own_key_fee: string | null
  offer_cost: string | null
}

export interface ApiKeyTable {
  id: Integer
  account: Integer
  name: string
  label: string
  hash: Uint8Array
  created_ms: Integer
  expires_ms: IntegerOrNull
  revoked_ms: IntegerOrNull
  disabled: Flag
  /** JSON. */
  policy: string
  created_by: string | null
  replaced_by: IntegerOrNull
}

export interface ManagementKeyTable {
  id: Integer
  account: Integer
  name: string
  label: string
  hash: Uint8Array
  /** JSON. */
  scopes: string
  created_ms: Integer
  expires_ms: IntegerOrNull
  revoked_ms: IntegerOrNull
  last_used_ms: IntegerOrNull
}

export interface UpstreamTable {
  name: string
  provider: string
  url: string | null
  weight: Integer
  disabled: Flag
  /** JSON. */
  models: string | null
  /** JSON; null: its provider is one of the list. */
  custom: string | null
  headers: Uint8Array | null
  /** JSON: tags, and limits of requests. */
  routing: string | null
  credential: Uint8Array
  credential_end: string
  updated_ms: Integer
}

/** The key of each account that the console uses for its own requests. */
export interface BuiltInKeyTable {
  account: Integer
  key: Integer
}

export interface PriceVersionTable {
  id: Integer
  model: string
  effective_from_ms: Integer
  /** JSON. */
  body: string
  source: string
}

export interface ModelOverrideTable {
  name: string
  /** JSON; null when only `disabled` is set. */
  body: string | null
  disabled: Flag
}

export interface SettingTable {
  name: string
  value: string
}

export interface AuditTable {
  id: Integer
  at_ms: Integer
  actor: string
  operation: string
  account: IntegerOrNull
  /** JSON. */
  input: string
  outcome: string
  address: string | null
}

/** Money columns (state once paid, refunded, disputed) are written by the ledger's operations alone. */
export interface TopUpTable {
  id: Integer
  account: Integer
  amount: Integer
  currency: string
  mode: string
  provider: string
  session: string | null
  payment_intent: string | null
  state: string
  automatic: Flag
  save_method: Flag
  problem: string | null
  pay_url: string | null
  refunded: IntegerByDefault
  disputed: IntegerByDefault
  created_ms: Integer
  paid_ms: IntegerOrNull
  checked_ms: Integer
}

export interface PaymentMethodTable {
  account: Integer
  mode: string
  customer: string
  method: string | null
  words: string | null
}

export interface BillingSettingTable {
  account: Integer
  auto_below: IntegerOrNull
  auto_amount: IntegerOrNull
  auto_problem: string | null
  auto_waits_ms: IntegerOrNull
  alert_days: IntegerOrNull
  alert_sent_ms: IntegerOrNull
  alert_off: IntegerByDefault
  invoice_to: ColumnType<string, string | undefined, string>
  frozen: string | null
  frozen_ms: IntegerOrNull
}

export interface RedeemCodeTable {
  id: Integer
  hash: Uint8Array
  label: string
  amount: Integer
  uses_max: Integer
  uses: IntegerByDefault
  expires_ms: IntegerOrNull
  revoked_ms: IntegerOrNull
  note: string | null
  created_ms: Integer
}

export interface WebhookEventTable {
  id: string
  type: string
  at_ms: Integer
}

export interface ProviderFileTable {
  id: Integer
  account: Integer
  key: Integer
  provider: string
  upstream: string
  file_id: string | null
  bytes: Integer
  purpose: string | null
  object: string | null
  created_ms: Integer
  expires_ms: IntegerOrNull
  deletion_ms: IntegerOrNull
}

export interface ProviderKeyTable {
  account: Integer
  provider: string
  /** `first` or `only`. */
  use: string
  credential: Uint8Array
  credential_end: string
  created_ms: Integer
  updated_ms: Integer
}

export interface Tables {
  audit: AuditTable
  account: AccountTable
  account_profile: AccountProfileTable
  entry: EntryTable
  receipt: ReceiptTable
  receipt_retention: { one: bigint; before_id: bigint }
  api_key: ApiKeyTable
  management_key: ManagementKeyTable
  upstream: UpstreamTable
  built_in_key: BuiltInKeyTable
  price_version: PriceVersionTable
  model_override: ModelOverrideTable
  setting: SettingTable
  top_up: TopUpTable
  payment_method: PaymentMethodTable
  billing_setting: BillingSettingTable
  redeem_code: RedeemCodeTable
  webhook_event: WebhookEventTable
  provider_file: ProviderFileTable
  provider_key: ProviderKeyTable
}
