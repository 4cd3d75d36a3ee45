/** Usage values: totals by time and group, rejected requests, running requests. Schemas only. */

import { z } from 'zod'
import { eachSum } from './meters.ts'
import { accountId, keyId, requestId, time, usdOut } from './values.ts'

/** Tokens by class; audio counts with the tokens of its direction. */
export const tokens = z.strictObject({
  ...eachSum(() => z.int()),
  reasoning: z.int(),
})

/** Totals over requests. */
export const sums = z.strictObject({
  /** Requests that reached an upstream. */
  requests: z.int(),
  /** The failed requests among them. */
  errors: z.int(),
  /** Requests rejected before reaching an upstream: 401, 402, 403, 404, 429 and others. */
  rejected: z.int(),
  tokens,
  charged: usdOut,
  /** Usage on the account's own provider keys, at list price; its providers charge it. */
  ownKeyCost: usdOut,
  /** Durations of successful requests from start to end in milliseconds; null without any. */
  latencyMs: z.strictObject({ p50: z.int(), p95: z.int() }).nullable(),
  /** Time to first byte of successful requests. */
  firstByteMs: z.strictObject({ p50: z.int(), p95: z.int() }).nullable(),
})

/** How usage can be grouped. `member`: the creator of the key. */
export const usageGroup = z.enum(['none', 'model', 'key', 'member'])
export const usageStep = z.enum(['hour', 'day', 'month'])

export const usageRow = z.strictObject({
  /** Start of the hour, day or month in UTC. */
  at: time,
  /** A model name, key ID or user ID; null when not grouped. */
  group: z.string().nullable(),
  /** The display name of the group. */
  label: z.string().nullable(),
  ...sums.shape,
})

/** Rejected requests by error code. */
export const rejectionCount = z.strictObject({ code: z.string(), count: z.int() })

export const rejection = z.strictObject({
  at: time,
  request: requestId,
  key: keyId,
  code: z.string(),
  status: z.int(),
  model: z.string().nullable(),
  /** The error message sent to the client. */
  message: z.string(),
})

export const runningRequest = z.strictObject({
  id: requestId,
  account: accountId,
  key: keyId,
  model: z.string(),
  format: z.string(),
  streamed: z.boolean(),
  held: usdOut,
  started: time,
})
