/** Help texts of input fields, and the few options that are not named or read as their fields are. Data only. */

import type { FieldType } from '../../contract/input-fields.ts'
import { meters } from '../../contract/meters.ts'

export type OptionType =
  | Exclude<FieldType, 'objects'>
  /** Given or not, without a value. */
  | 'flag'
  /** Prices at some times, repeatable. */
  | 'schedules'
  /** Offers, one group each time. */
  | 'offer groups'
  /** Names the variable that has it. */
  | 'credential'

/**
 * The sentence of the help, where `(default)` becomes the default of the contract, or the placeholder of the value and the
 * sentence. null: the field has no option.
 */
export type OptionText = string | readonly [value: string, help: string] | null

/** By the path of the field. A command that says it otherwise does so in its own row. */
export const optionTexts: Readonly<Record<string, OptionText>> = {
  account: ['ACCOUNT-ID', 'filter by account'],
  actor: null,
  after: ['ACCOUNT-ID', 'start after this account'],
  all: ['', 'include test models that simulate failures'],
  'auth.header': ['NAME', 'header for the API key of a custom server'],
  automaticCaching: ['WHEN', 'add cache markers: conversations, always or never'],
  before: ['ID', 'start before this entry'],
  'budget.amount': ['USD', 'spending limit per window'],
  'budget.window': ['WINDOW', 'budget window: day, week, month (UTC) or total'],
  contextTokens: 'context length in tokens',
  'cost.input': ['USD', 'what the upstream charges per million input tokens'],
  'cost.output': ['USD', 'what it charges per million output tokens'],
  credential: ['VARIABLE', 'environment variable with the API key (default: standard input)'],
  credit: ['USD', 'starting credit (default: configured amount)'],
  disabled: 'disable or enable the key',
  displayName: ['NAME', 'display name'],
  email: ['EMAIL', 'email address of the user'],
  expires: 'expiration, such as 2030-01-31T00:00:00Z',
  fallbacks: 'models to try if one fails (default: those of the model)',
  formats: 'formats of a custom server or a model, e.g. openai-chat',
  from: 'start, such as 2030-01-31T00:00:00Z (default: 30 days ago)',
  headers: 'other headers of a custom server; repeatable',
  inputs: 'input types, such as text,image',
  limit: 'maximum number of results (default)',
  'limits.concurrent': 'concurrency limit',
  'limits.requestsPerMinute': 'request rate limit',
  'limits.tokensPerMinute': 'token rate limit',
  markup: ['PERCENT', 'markup on the list price, such as 5%'],
  models: 'allowed models (default: all)',
  name: ['NAME', 'label of the key'],
  note: 'note',
  offers:
    'one priority group: UPSTREAM[=NAME THERE][*WEIGHT], comma-separated; repeatable, in order; or file for the configuration',
  onShortBalance: ['ACTION', 'on low balance: lower the output limit (lower) or reject'],
  operation: ['NAME', 'filter by operation, such as key.revoke'],
  operator: 'grant or revoke administrator rights',
  outputs: 'output types, such as text',
  outputTokensMax: 'maximum output tokens',
  overlapHours: 'hours that the old key keeps working (default)',
  period: 'period of the statistics (default)',
  'price.effectiveFrom': null,
  'price.fees': ['TOOL=USD', 'price per use of a server tool; repeatable'],
  'price.input': ['USD', 'price per million input tokens'],
  'price.options': ['OPTION=FACTOR', 'price factor of an option, such as service_tier:flex=0.5; repeatable'],
  'price.output': ['USD', 'price per million output tokens'],
  'price.schedule': [
    'TEXT',
    'price at some times (UTC), such as "Mon-Fri 01:00-04:00 input=0.30 output=1.20"; repeatable',
  ],
  'price.source': 'source of the price',
  'price.tiers': null,
  priority: 'priority group; lower numbers are called first',
  provider: ['NAME', 'provider (default: by the prefix of the name)'],
  reason: 'reason for the audit log',
  reasons: 'reasoning model',
  reference: 'idempotency reference, such as an invoice number',
  requiredTags: 'tags that an upstream must have (default: none)',
  revision: 'only if the offers still have this revision',
  saveAnyway: 'add it even if its test fails',
  search: 'filter by name or email address',
  showBalance: 'include the balance in responses',
  showCost: 'include usage.cost in every response',
  state: ['STATE', 'filter by state: all, to_confirm or operators (default)'],
  strategy: ['NAME', 'how to choose: weight, price, latency or throughput, or file for the configuration'],
  tags: 'tags that requests and keys can require, or none',
  takesTools: 'supports tools',
  to: 'end, such as 2030-02-28T00:00:00Z (default: now)',
  upstream: ['NAME', 'only this upstream'],
  upstreamModel: ['NAME', "provider's name for the model, if different"],
  upstreams: 'restrict the model to these upstreams',
  url: ['URL', "base URL, including its path (default: the provider's own)"],
  use: "with the server's upstreams as a fallback (first, the default) or without (only)",
  usesMax: 'maximum redemptions (default)',
  weight: 'share of the requests of its group',
  ...Object.fromEntries(
    Object.values(meters)
      .filter(({ absent }) => absent !== 'required')
      .map(({ rate, help }) => [`price.${rate}`, ['USD', `price per million ${help}`]]),
  ),
}

/** Names other than that of the field, by its path or by `operation:path`. */
export const optionNames: Readonly<Record<string, string>> = {
  'auth.header': 'auth-header',
  contextTokens: 'context',
  'cost.input': 'cost-input',
  'cost.output': 'cost-output',
  'budget.amount': 'budget',
  credential: 'credential-env',
  offers: 'group',
  outputTokensMax: 'max-output',
  'price.effectiveFrom': 'from',
  'price.fees': 'fee',
  'price.options': 'factor',
  takesTools: 'tools',
  usesMax: 'uses',
  'upstreams.disable:upstreamModel': 'model',
  'upstreams.enable:upstreamModel': 'model',
}

/** Fields whose schema does not say how they are written. */
export const optionTypes: Readonly<Record<string, OptionType>> = {
  all: 'flag',
  credential: 'credential',
  offers: 'offer groups',
  'price.schedule': 'schedules',
}

/** Fields in which null means what the configuration says, written `file`, by `operation:path`. */
export const configuredFields: readonly string[] = [
  'models.routing:strategy',
  'models.routing:fallbacks',
  'offers.check:offers',
  'offers.set:offers',
]
