/** The values of usage as people read it: sums by time and group, refusals, running requests. Schemas only. */

import { z } from 'zod'
import { eachSum } from './meters.ts'
import { accountId, keyId, requestId, time, usdOut } from './values.ts'

/** Tokens by class; audio counts with the tokens of its direction. */
export const tokens = z.strictObject({
  ...eachSum(() => z.int()),
  reasoning: z.int(),
})

/** What many requests come to. */
export const sums = z.strictObject({
  /** Requests that reached an upstream. */
  requests: z.int(),
  /** Of these, those that did not end well. */
  errors: z.int(),
  /** Requests that were refused before that: 401, 402, 403, 404, 429 and so on. */
  refused: z.int(),
  tokens,
  charged: usdOut,
  /** Of what requests took from start to end, in milliseconds; null without requests. */
  latencyMs: z.strictObject({ p50: z.int(), p95: z.int() }).nullable(),
  /** To the first byte. */
  firstByteMs: z.strictObject({ p50: z.int(), p95: z.int() }).nullable(),
})

/** How usage can be split. `member`: who made the key. */
export const usageGroup = z.enum(['none', 'model', 'key', 'member'])
export const usageStep = z.enum(['hour', 'day', 'month'])

export const usageRow = z.strictObject({
  /** Start of the hour, day or month in UTC. */
  at: time,
  /** A model name, a key id, a person's id; null when not split. */
  group: z.string().nullable(),
  /** The group in words: the name of the key or the person. */
  label: z.string().nullable(),
  ...sums.shape,
})

/** What was refused, by code of the error table. */
export const refusalCount = z.strictObject({ code: z.string(), count: z.int() })

export const refusal = z.strictObject({
  at: time,
  request: requestId,
  key: keyId,
  code: z.string(),
  status: z.int(),
  model: z.string().nullable(),
  /** The message as the client was told. */
  message: z.string(),
})

export const runningRequest = z.strictObject({
  id: requestId,
  account: accountId,
  key: keyId,
  model: z.string(),
  dialect: z.string(),
  streamed: z.boolean(),
  held: usdOut,
  started: time,
})
