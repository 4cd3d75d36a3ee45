/**
 * The input and output values of control-plane operations: ids, amounts, accounts, keys, prices, receipts.
 * Schemas only. Amounts are decimal USD strings, ids their text forms, times ISO 8601 in UTC.
 */

import { z } from 'zod'
import {
  eachMeter,
  meters,
  type OptionalRate,
  optionalRates,
  type RateName,
  type UnsoldRate,
} from './meters.ts'
import { routingStrategies } from './routing-strategies.ts'
import './schema-messages.ts'
import { usdPattern, usdProblem } from './usd.ts'
import { visibleText, visibleTextMessage } from './visible-text.ts'

const digits = '[0-9a-hjkmnp-tv-z]{13}'
export const id = (prefix: string) =>
  z.string().regex(new RegExp(`^${prefix}_${digits}$`), `must be an ID such as ${prefix}_…`)
export const accountId = id('acct')
export const keyId = id('key')
export const requestId = id('req')
export const entryId = id('ent')
const priceId = id('prc')

/** An input amount: not negative, at most nine decimals. */
export const usd = z.string().regex(usdPattern, { error: ({ input }) => usdProblem(input) })
/** An output amount. Usage never takes a balance below zero; a refund or dispute can. */
export const usdOut = z.string().regex(/^-?\d+\.\d{2,9}$/)
export const time = z.iso.datetime()
export const email = z.string().trim().toLowerCase().pipe(z.email('must be an email address').max(254))
/** `acct_…`, the account's email address, or `local`: the account that the first start created. */
export const accountReference = z.union(
  [accountId, z.literal('local'), email],
  'must be an account ID (acct_…), an email address or "local"',
)
/** Counts that operators enter, such as tokens. */
export const countMax = 1_000_000_000
export const positive = z.int().min(1).max(countMax)
export const listLimit = z.int().min(1).max(1_000)
export const name = z.string().trim().min(1).max(100).regex(visibleText, visibleTextMessage)
export const modelName = z
  .string()
  .regex(/^[^\s\p{Cc}]{1,200}$/u, 'must be a model name without spaces')
  .regex(visibleText, visibleTextMessage)

export const rateLimits = z.strictObject({
  requestsPerMinute: positive.nullable(),
  tokensPerMinute: positive.nullable(),
  concurrent: positive.nullable(),
})

export const account = z.strictObject({
  account: accountId,
  email: z.string().nullable(),
  name: z.string(),
  kind: z.enum(['personal', 'organization']),
  /** The sum of the account's entries. */
  posted: usdOut,
  /** The part reserved by running requests. */
  held: usdOut,
  /** posted − held: what the next request can use. */
  available: usdOut,
  openHolds: z.int(),
  created: time,
  suspended: time.nullable(),
  restricted: time.nullable(),
})

/** Tags that an upstream must have. */
export const requiredTags = z
  .array(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'must be a tag of an upstream'))
  .min(1)
  .max(20)

/** When prompts without cache markers get markers for caches whose writes cost extra. */
export const automaticCaching = z.enum(['conversations', 'always', 'never'])
export type AutomaticCaching = z.infer<typeof automaticCaching>

/** Where the balance or the key's budget cannot cover the full output limit: lower the limit, or reject the request. */
export const onShortBalance = z.enum(['lower', 'reject'])
export const budgetWindow = z.enum(['day', 'week', 'month', 'total'])

/** Fields of a key that others can limit so that the developer who made it cannot change them. */
export const managedField = z.enum(['budget', 'limits', 'models', 'requiredTags', 'expires', 'disabled'])
export type ManagedField = z.infer<typeof managedField>

export const key = z.strictObject({
  id: keyId,
  account: accountId,
  name: z.string(),
  /** The public prefix of the key; for a built-in key, its name. */
  label: z.string(),
  /** The playground's key: it has no secret and cannot be rotated or revoked. */
  builtIn: z.boolean(),
  created: time,
  expires: time.nullable(),
  revoked: time.nullable(),
  disabled: z.boolean(),
  budget: z.strictObject({ amount: usdOut, window: budgetWindow }).nullable(),
  models: z.array(z.string()).nullable(),
  /** Requests go only to upstreams that have all of these tags; null: none is required. */
  requiredTags: z.array(z.string()).nullable(),
  /** Fallback models, in order; null: the model's fallbacks. */
  fallbacks: z.array(z.string()).nullable(),
  limits: rateLimits,
  onShortBalance,
  showBalance: z.boolean(),
  /** Whether responses in the provider's own format also include `usage.cost`. */
  showCost: z.boolean(),
  automaticCaching,
  /** Fields that someone other than the developer who made the key limited, and that the developer cannot change. */
  managed: z.array(managedField),
  /** The ID of the user who created it; null: the command line. */
  createdBy: z.string().nullable(),
  /** When its last request started or ended, rejected ones included, to the minute; for a rotated key possibly to the hour. */
  lastUsed: time.nullable(),
  /** Total spend, and spend in the current budget window. */
  spent: usdOut,
  spentInWindow: usdOut.nullable(),
  /** The key that replaces it after a rotation. */
  replacedBy: keyId.nullable(),
})

export const receipt = z.strictObject({
  id: requestId,
  account: accountId,
  key: keyId,
  /** The playground user, without a name after their deletion; null: a request with an API key. */
  member: z.strictObject({ id: z.string(), name: z.string().nullable() }).nullable(),
  model: z.string(),
  format: z.string(),
  streamed: z.boolean(),
  /** Fields of the upstream are null where the operator does not show them to customers. */
  provider: z.string().nullable(),
  upstream: z.string().nullable(),
  upstreamModel: z.string().nullable(),
  upstreamRequestId: z.string().nullable(),
  status: z.int(),
  endReason: z.enum([
    'complete',
    'client_abort',
    'upstream_error',
    'upstream_truncated',
    'timeout',
    'interrupted',
  ]),
  /** A code of the error table, or null. */
  error: z.string().nullable(),
  usage: z.strictObject({
    ...eachMeter(() => z.int()),
    reasoning: z.int(),
    fees: z.record(z.string(), z.int()),
  }),
  usageSource: z.enum(['reported', 'counted', 'estimated', 'none']),
  ranAt: z.array(z.string()),
  /** A meter in the response that has no price. */
  unpricedUsage: z.boolean(),
  /** Implausible counts as reported by the upstream; not charged. */
  implausible: z.record(z.string(), z.int()).nullable(),
  price: priceId,
  held: usdOut,
  /** How the maximum input was determined; null: not recorded. */
  inputBound: z.enum(['bytes', 'counted', 'pages', 'reported']).nullable(),
  /** A background response that was polled. */
  background: z.boolean(),
  /** The amount charged to the account. */
  charged: usdOut,
  /** The amount written off. */
  writtenOff: usdOut,
  /** The usage at the provider's list price. */
  upstreamCost: usdOut.nullable(),
  /** Served with the account's own provider key: its provider charges it for the usage, and `charged` is the fee. */
  ownKey: z.boolean(),
  outputLimit: z.int(),
  outputLowered: z.boolean(),
  settled: z.enum(['in_time', 'late']),
  started: time,
  firstByte: time.nullable(),
  ended: time,
  attempts: z.array(
    z.strictObject({
      upstream: z.string().nullable(),
      status: z.int().nullable(),
      failure: z.string().nullable(),
      /** Method and URL of a failed attempt, for administrators; otherwise null. */
      request: z.string().nullable(),
      /** The provider's own words to it, for administrators; otherwise null. */
      message: z.string().nullable(),
      started: time,
      firstByte: time.nullable(),
      ended: time,
    }),
  ),
})

/** USD per million tokens; omitted rates are derived from `input` by the provider's rules. */
const rates = {
  input: usd,
  output: usd,
  ...(Object.fromEntries(optionalRates.map((name) => [name, usd.optional()])) as Record<
    OptionalRate,
    z.ZodOptional<typeof usd>
  >),
}
const factor = z
  .string()
  .regex(/^\d{1,4}(\.\d{1,9})?(\/[1-9]\d{0,3})?$/, 'must be a factor such as "0.5" or "5/3"')
const optionName = z.string().regex(/^[\w.:-]{1,100}$/)

/** Tiers of a price. */
export const priceTiersMax = 8

const priceTier = z.strictObject({ aboveInputTokens: positive, ...rates })

/** A price from a point in time. A used price never changes; a later one replaces it. */
export const newPrice = z.strictObject({
  ...rates,
  /** Rates for the whole request when its input is larger than this. */
  tiers: z.array(priceTier).max(priceTiersMax).optional(),
  /** USD per use of a server tool, such as `web_search`. */
  fees: z.record(optionName, usd).optional(),
  /** Factors on every rate by option, such as `service_tier:flex`. */
  options: z.record(optionName, factor).optional(),
  /** Rates at some times of the week; options and fees are the same. Where times overlap, the last applies. */
  schedule: z
    .array(
      z.strictObject({
        /** UTC, such as `Mon-Fri 01:00-04:00` or `22:00-02:00`. */
        times: z.array(z.string().max(40)).min(1).max(20),
        ...rates,
        tiers: z.array(priceTier).max(priceTiersMax).optional(),
      }),
    )
    .max(20)
    .optional(),
  source: z.string().max(500).optional(),
  /** Defaults to now. */
  effectiveFrom: time.optional(),
})

type RatesOut = {
  readonly [Name in RateName]: Name extends UnsoldRate ? z.ZodNullable<typeof usdOut> : typeof usdOut
}
const ratesOut = Object.fromEntries(
  Object.values(meters).map(({ rate, absent }) => [rate, absent === 'unsold' ? usdOut.nullable() : usdOut]),
) as RatesOut

/** A model's price from a point in time, in USD per million tokens. */
export const price = z.strictObject({
  id: priceId,
  ...ratesOut,
  tiers: z.array(z.strictObject({ aboveInputTokens: z.int(), ...ratesOut })),
  /** Factors on every rate by option. */
  options: z.record(z.string(), z.string()),
  fees: z.record(z.string(), usdOut),
  effectiveFrom: time,
  /** The UTC times at which it replaces the price before it; null: all. */
  schedule: z.array(z.string()).nullable(),
  source: z.string(),
})

/** A rate that is lower than what an upstream charges, in USD per million tokens. */
export const belowCost = z.strictObject({
  upstream: z.string(),
  upstreamModel: z.string(),
  rate: z.string(),
  price: usdOut,
  cost: usdOut,
  /** When the price begins; null: it is in force. */
  from: time.nullable(),
  /** The first time (UTC) of the week at which it is so, such as `Mon 01:00`; null: now, or from its beginning. */
  at: z.string().nullable(),
})

export const model = z.strictObject({
  model: z.string(),
  /** Whether requests can use it now. */
  sold: z.boolean(),
  /** Why it is not enabled. */
  reason: z.string().nullable(),
  /** The only upstreams that serve it; null: upstreams that list it or serve all models of its provider. */
  namedUpstreams: z.array(z.string()).nullable(),
  details: z
    .strictObject({
      provider: z.string(),
      upstreamModel: z.string(),
      /** The upstreams it may be routed to. */
      upstreams: z.array(z.string()),
      displayName: z.string(),
      formats: z.array(z.string()),
      contextTokens: z.int(),
      outputTokensMax: z.int(),
      inputs: z.array(z.string()),
      outputs: z.array(z.string()),
      deprecated: z.boolean(),
      /** Whether it is a built-in test model; `special` ones simulate failures. null: a real model. */
      testModel: z.enum(['basic', 'special']).nullable(),
      /** The current price before the markup; omitted rates are derived from `input`. */
      listPrice: z.strictObject({
        ...rates,
        tiers: z.array(z.strictObject({ aboveInputTokens: z.int(), ...rates })),
      }),
      /** The current price including the markup. */
      price,
      strategy: z.enum(routingStrategies),
      /** Fallback models, in order. */
      fallbacks: z.array(z.string()),
      /** Whether it has other prices at other times of the week. */
      scheduled: z.boolean(),
      /** Rates that are lower than what an upstream charges; also at other times of the week, and of prices to come. */
      belowCost: z.array(belowCost),
    })
    .nullable(),
})
