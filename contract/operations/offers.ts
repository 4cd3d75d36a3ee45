/** The operations on the offers of one model: where it is served, in which order, and what that costs. */
import { z } from 'zod'
import { formatNames } from '../formats.ts'
import { forOperators, operation } from '../operation.ts'
import { belowCost, modelName, time, usd, usdOut } from '../values.ts'
import { upstreamName } from './installation.ts'
import { offerStatus } from './upstream-status.ts'

const changes = forOperators('recent', 'also local')

export const offerPriority = z.int().min(1).max(100)
export const offerWeight = z.int().min(0).max(1_000)
export const offerCost = z.strictObject({ input: usd, output: usd })

const offerChoice = z.strictObject({
  upstream: upstreamName,
  /** The upstream's name for the model. Defaults to its provider's name for it. */
  upstreamModel: modelName.optional(),
  /** The group. Groups with lower numbers are called first. */
  priority: offerPriority.default(1),
  /** Share of the group's requests; 0: only if the others fail. Omitted: unchanged, or the weight of the upstream. */
  weight: offerWeight.optional(),
  /** The upstream's price, in USD per million tokens. Omitted: unchanged; null: the list price known there. */
  cost: offerCost.nullable().optional(),
  /** The formats that the upstream supports for the model. Omitted: unchanged; null: the provider's formats. */
  formats: z.array(z.enum(formatNames)).min(1).max(6).nullable().optional(),
  /** Omitted: unchanged, or enabled. A disabled one is disabled for all models with the same name at the upstream. */
  enabled: z.boolean().optional(),
})

const offersChoice = {
  model: modelName,
  /** All offers of the model. null: the offers from the configuration and from the lists of upstreams. */
  offers: z.array(offerChoice).min(1).max(100).nullable(),
}

const perMillion = z.strictObject({ input: usdOut, output: usdOut })

const modelOffer = z.strictObject({
  upstream: z.string(),
  /** null: there is no such upstream. */
  provider: z.string().nullable(),
  upstreamModel: z.string(),
  priority: z.int(),
  weight: z.int(),
  formats: z.array(z.string()),
  enabled: z.boolean(),
  /** Why it cannot serve although it is enabled; null: it can. */
  trouble: z.string().nullable(),
  /** The cost price that was set for it; null: none. */
  cost: perMillion.nullable(),
  /** The cost in use, in USD per million tokens. */
  costNow: perMillion.nullable(),
  /** `offer`: the cost price that was set; `list`: the list price known there; `model`: none is, so it is the model's own. */
  costFrom: z.enum(['offer', 'list', 'model']),
  /** The share of the customer's price that is left, such as `16.7%`; null: the price is 0 or the cost unknown. */
  margin: z.strictObject({ input: z.string().nullable(), output: z.string().nullable() }),
})

const offerList = {
  model: z.string(),
  /** `console`: set by an administrator; `configuration`: listed in tollgate.yaml; `upstreams`: it follows from what upstreams serve. */
  from: z.enum(['console', 'configuration', 'upstreams']),
  /** Whether requests can use the model. */
  sold: z.boolean(),
  reason: z.string().nullable(),
  /** The customer's price now, in USD per million tokens; null: none is known. */
  price: perMillion.nullable(),
  /** Also at other times of the week, and of prices to come. */
  belowCost: z.array(belowCost),
}

export const offerOperations = {
  'offers.show': operation({
    summary: 'Show the offers of a model with their cost, margin, health and traffic',
    policy: forOperators('yes', 'also local'),
    http: ['GET', '/api/admin/models/{model}/offers'],
    input: z.strictObject({ model: modelName, period: z.enum(['hour', 'day']).default('day') }),
    output: z.strictObject({
      ...offerList,
      /** Changes with the list: a change with an outdated revision is rejected. */
      revision: z.string(),
      period: z.enum(['hour', 'day']),
      /** Statistics are in memory of one server and start again with it. */
      since: time,
      offers: z.array(modelOffer.extend({ status: offerStatus })),
    }),
  }),
  'offers.check': operation({
    summary: 'Preview a change of the offers of a model; changes nothing',
    policy: changes,
    http: ['POST', '/api/admin/models/{model}/offers/check'],
    input: z.strictObject(offersChoice),
    output: z.strictObject({
      ...offerList,
      /** Offers after the change. */
      offers: z.array(modelOffer),
      /** Differences; groups are counted from 1. */
      changes: z.array(
        z.strictObject({
          upstream: z.string(),
          upstreamModel: z.string(),
          field: z.enum(['offer', 'group', 'name', 'weight', 'cost', 'formats', 'enabled']),
          /** null: it was not there. */
          from: z.string().nullable(),
          /** null: it would not be there. */
          to: z.string().nullable(),
        }),
      ),
      /** Possible mistakes, one sentence each. */
      warnings: z.array(z.string()),
      /** Models that would have no upstream left: saving it needs `allowUnserved`. */
      unserved: z.array(z.string()),
    }),
  }),
  'offers.set': operation({
    summary:
      'Replace all offers of a model: groups, weights, upstream names, cost prices and which are enabled',
    policy: changes,
    http: ['PUT', '/api/admin/models/{model}/offers'],
    input: z.strictObject({
      ...offersChoice,
      /** The revision shown: rejected if the offers changed since. Omitted: overwrites the present offers. */
      revision: z.string().max(100).optional(),
      /** Saves it although a model would have no upstream left. */
      allowUnserved: z.boolean().default(false),
    }),
    output: z.strictObject({ ...offerList, revision: z.string(), offers: z.array(modelOffer) }),
  }),
} as const
