/** The operations on usage: totals, receipts, running requests, rejected requests. */
import { z } from 'zod'
import { builders, file, forAccount, operation } from '../operation.ts'
import { keyId, listLimit, modelName, receipt, requestId, time, usdOut } from '../values.ts'
import {
  rejection,
  rejectionCount,
  runningRequest,
  sums,
  usageGroup,
  usageRow,
  usageStep,
} from '../values-usage.ts'
import { ofAccount } from './accounts.ts'

const reads = forAccount({ scope: 'usage:read', operator: 'yes' })
const range = {
  /** Defaults to 30 days before `to`. */
  from: time.optional(),
  /** Exclusive; defaults to now. */
  to: time.optional(),
}
const narrowed = { model: modelName.optional(), key: keyId.optional() }
const usageInput = z.strictObject({
  ...ofAccount,
  ...range,
  ...narrowed,
  by: usageStep.default('day'),
  group: usageGroup.default('none'),
})
const requestsInput = z.strictObject({
  ...ofAccount,
  ...range,
  ...narrowed,
  /** Defaults to the beginning. A request is dated by its start. */
  from: time.optional(),
  /** `succeeded`: completed responses; `failed`: all others. */
  outcome: z.enum(['succeeded', 'failed']).optional(),
  limit: listLimit.default(20),
  before: requestId.optional(),
})

export const usageOperations = {
  'overview.show': operation({
    summary: "Show an account's balance, spend and running requests",
    policy: reads,
    http: ['GET', '/api/overview'],
    input: z.strictObject(ofAccount),
    output: z.strictObject({
      posted: usdOut,
      held: usdOut,
      available: usdOut,
      running: z.int(),
      /** Since midnight UTC. */
      today: sums,
      /** Since the first of the month, UTC. */
      month: sums,
      /** The runway in days at the average spend of the last 7 days; null: spend on fewer than 3 of them. */
      daysLeft: z.number().nullable(),
      /** The last 24 hours by hour and the last 30 days by day, without gaps. */
      hours: z.array(usageRow),
      days: z.array(usageRow),
      /** When the account made its first request. */
      firstRequest: time.nullable(),
    }),
  }),
  'usage.show': operation({
    summary: 'Show usage by hour, day or month, split by model, key or member',
    policy: reads,
    http: ['GET', '/api/usage'],
    input: usageInput,
    output: z.array(usageRow),
  }),
  'usage.csv': operation({
    summary: 'Export usage as CSV',
    policy: reads,
    http: ['GET', '/api/usage.csv'],
    produces: 'csv',
    input: usageInput,
    output: file,
  }),
  'requests.list': operation({
    summary: "List the receipts of an account's requests, newest first",
    policy: forAccount({ scope: 'usage:read', operator: 'yes', local: true }),
    http: ['GET', '/api/requests'],
    input: requestsInput,
    /** A page may be shorter than `limit`; only an empty page is the end. */
    output: z.array(receipt),
  }),
  'requests.csv': operation({
    summary: 'Export receipts as CSV, up to 100,000 rows',
    policy: reads,
    http: ['GET', '/api/requests.csv'],
    produces: 'csv',
    input: requestsInput.omit({ limit: true, before: true }),
    output: file,
  }),
  'requests.running': operation({
    summary: 'List running requests',
    policy: reads,
    http: ['GET', '/api/requests/running'],
    input: z.strictObject(ofAccount),
    output: z.array(runningRequest),
  }),
  'request.show': operation({
    summary: 'Show the receipt of a request',
    policy: forAccount({ subject: 'request', scope: 'usage:read', operator: 'yes' }),
    http: ['GET', '/api/requests/{request}'],
    input: z.strictObject({ request: requestId }),
    output: z.strictObject({
      ...receipt.shape,
      /**
       * The rates of what was used, before the factors of `ranAt`; list prices on the account's own provider key. null: the
       * price is no longer known.
       */
      rates: z
        .strictObject({
          /** USD per million tokens by class, in the tier that the input reached. */
          tokens: z.record(z.string(), usdOut),
          /** USD per use. */
          fees: z.record(z.string(), usdOut),
        })
        .nullable(),
    }),
  }),
  'request.stop': operation({
    summary: 'Stop a running request; delivered output is charged',
    policy: forAccount({ subject: 'request', roles: builders, scope: 'requests:stop' }),
    http: ['POST', '/api/requests/{request}/stop'],
    input: z.strictObject({ request: requestId }),
    /** false: it had already ended. */
    output: z.strictObject({ id: requestId, stopped: z.boolean() }),
  }),
  'rejections.list': operation({
    summary:
      "Show an account's rejected requests: counts by error code, by default for the last 30 days, and one by one",
    policy: reads,
    http: ['GET', '/api/rejections'],
    input: z.strictObject({
      ...ofAccount,
      ...range,
      ...narrowed,
      /** Limit for `latest`; the newest rejections of each key are stored. */
      limit: listLimit.default(100),
      before: requestId.optional(),
      request: requestId.optional(),
    }),
    /** `counts` are for whole hours and all models. */
    output: z.strictObject({ counts: z.array(rejectionCount), latest: z.array(rejection) }),
  }),
} as const
