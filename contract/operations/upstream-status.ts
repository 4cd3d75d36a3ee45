/** The operations on how offers do: their statistics, and disabling them. */
import { z } from 'zod'
import { forOperators, operation } from '../operation.ts'
import { modelName, time, usdOut } from '../values.ts'
import { upstreamName } from './installation.ts'

/** The upstream or offer to disable or enable. */
const place = {
  upstream: upstreamName,
  /** The upstream's name of a model. Omitted: the whole upstream. */
  upstreamModel: modelName.optional(),
}

const switched = z.strictObject({
  upstream: z.string(),
  /** null: the whole upstream. */
  upstreamModel: z.string().nullable(),
  disabled: z.boolean(),
})

/** How an offer does. */
const statusFields = {
  state: z.enum(['serving', 'cooling', 'ejected', 'disabled']),
  /** Until when it is called only after the others. */
  until: time.nullable(),
  /** A test model of this server that simulates a failure or a rare case. */
  testCase: z.boolean(),
  /** Attempts, failed ones included. */
  requests: z.int(),
  failures: z.int(),
  /** Latency of streamed responses, in milliseconds. */
  firstByteP50Ms: z.number().nullable(),
  firstByteP95Ms: z.number().nullable(),
  /** The cost at the upstream, in USD. */
  cost: usdOut,
}
export const offerStatus = z.strictObject(statusFields)

export const upstreamStatusOperations = {
  'upstreams.status': operation({
    summary: 'Show the health, traffic and cost of each model at each upstream',
    policy: forOperators('yes', 'also local'),
    http: ['GET', '/api/admin/upstream-status'],
    input: z.strictObject({
      /** Omitted: all upstreams. */
      upstream: upstreamName.optional(),
      period: z.enum(['hour', 'day']).default('hour'),
      /** Models per upstream: disabled or out of rotation first, then by requests; test models of failures last. */
      limit: z.coerce.number().int().min(1).max(1_000).default(20),
    }),
    output: z.strictObject({
      period: z.enum(['hour', 'day']),
      /** When counting began: the start of the period, or the first time with data in it. */
      since: time,
      upstreams: z.array(
        z.strictObject({
          upstream: z.string(),
          disabled: z.boolean(),
          /** How many models it offers in total. */
          total: z.int(),
          offers: z.array(
            z.strictObject({
              upstreamModel: z.string(),
              /** The names that clients use. */
              models: z.array(z.string()),
              ...statusFields,
            }),
          ),
        }),
      ),
    }),
  }),
  'upstreams.disable': operation({
    summary: 'Disable an upstream or one of its models; new requests stop going there immediately',
    policy: forOperators('recent', 'also local'),
    http: ['POST', '/api/admin/upstreams/{upstream}/disable'],
    input: z.strictObject({
      ...place,
      /** Disables it although a model would have no upstream left. */
      allowUnserved: z.boolean().default(false),
    }),
    output: switched,
  }),
  'upstreams.enable': operation({
    summary: 'Enable an upstream or one of its models',
    policy: forOperators('recent', 'also local'),
    http: ['POST', '/api/admin/upstreams/{upstream}/enable'],
    input: z.strictObject(place),
    output: switched,
  }),
} as const
