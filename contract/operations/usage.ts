/** The operations that tell what was used: sums, receipts, running requests, refusals. */
import { z } from 'zod'
import { builders, file, forAccount, operation } from '../operation.ts'
import { keyId, listLimit, modelName, receipt, requestId, time, usdOut } from '../values.ts'
import {
  refusal,
  refusalCount,
  runningRequest,
  sums,
  usageGroup,
  usageRow,
  usageStep,
} from '../values-usage.ts'
import { ofAccount } from './accounts.ts'

const reads = forAccount({ scope: 'usage:read', operator: 'yes' })
const range = {
  /** Left out: 30 days before `to`. */
  from: time.optional(),
  /** Left out: now. Not included. */
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
  /** Left out: all of the past. A request belongs to the time at which it began. */
  from: time.optional(),
  /** `well`: ended complete; `badly`: every other end. */
  ended: z.enum(['well', 'badly']).optional(),
  limit: listLimit.default(20),
  before: requestId.optional(),
})

export const usageOperations = {
  'overview.show': operation({
    summary: 'What an account has, spends and runs, at a glance',
    policy: reads,
    effect: 'reads',
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
      /** How many days the balance lasts at the rate of the last seven days; null: nothing was spent. */
      daysLeft: z.number().nullable(),
      /** The last 24 hours by hour, and the last 30 days by day; every step is there. */
      hours: z.array(usageRow),
      days: z.array(usageRow),
      /** Whether a request of this account has ever been made. */
      firstRequest: time.nullable(),
    }),
  }),
  'usage.show': operation({
    summary: 'Usage by hour, day or month, split by model, key or member',
    policy: reads,
    effect: 'reads',
    http: ['GET', '/api/usage'],
    input: usageInput,
    output: z.array(usageRow),
  }),
  'usage.csv': operation({
    summary: 'The same as a CSV file',
    policy: reads,
    effect: 'reads',
    http: ['GET', '/api/usage.csv'],
    produces: 'csv',
    input: usageInput,
    output: file,
  }),
  'requests.list': operation({
    summary: "List the receipts of an account's requests, the latest first",
    policy: forAccount({ scope: 'usage:read', operator: 'yes', local: true }),
    effect: 'reads',
    http: ['GET', '/api/requests'],
    input: requestsInput,
    /** Fewer than `limit` need not be the last; none at all are. */
    output: z.array(receipt),
  }),
  'requests.csv': operation({
    summary: 'The same as a CSV file, at most 100,000 rows',
    policy: reads,
    effect: 'reads',
    http: ['GET', '/api/requests.csv'],
    produces: 'csv',
    input: requestsInput.omit({ limit: true, before: true }),
    output: file,
  }),
  'requests.running': operation({
    summary: 'List the requests that run at present',
    policy: reads,
    effect: 'reads',
    http: ['GET', '/api/requests/running'],
    input: z.strictObject(ofAccount),
    output: z.array(runningRequest),
  }),
  'request.show': operation({
    summary: 'Show the receipt of one request',
    policy: forAccount({ subject: 'request', scope: 'usage:read', operator: 'yes' }),
    effect: 'reads',
    http: ['GET', '/api/requests/{request}'],
    input: z.strictObject({ request: requestId }),
    output: receipt,
  }),
  'request.stop': operation({
    summary: 'End a running request; what was delivered is charged',
    policy: forAccount({ subject: 'request', roles: builders, scope: 'requests:stop' }),
    effect: 'changes',
    http: ['POST', '/api/requests/{request}/stop'],
    input: z.strictObject({ request: requestId }),
    /** false: it had ended already. */
    output: z.strictObject({ id: requestId, stopped: z.boolean() }),
  }),
  'refusals.list': operation({
    summary: 'What was refused to the keys of an account in the last 30 days, and the last hundred',
    policy: reads,
    effect: 'reads',
    http: ['GET', '/api/refusals'],
    input: z.strictObject(ofAccount),
    output: z.strictObject({ counts: z.array(refusalCount), latest: z.array(refusal) }),
  }),
} as const
