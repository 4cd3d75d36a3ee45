/**
 * Server-sent events for a console that shows an account (`GET /api/events?account=…`). An event names what has changed,
 * not its new value; the console fetches it again. Pure data.
 */
import { z } from 'zod'
import { accountId, requestId } from './values.ts'

/** Topics that a change can affect; a query of the console belongs to one or more. */
export const topics = [
  'balance',
  'requests',
  'running',
  'rejections',
  'keys',
  'billing',
  'account',
  'people',
  'models',
  'upstreams',
  'provider-keys',
] as const
export type Topic = (typeof topics)[number]

/** The event `changed`. */
export const changed = z.strictObject({
  account: accountId,
  topics: z.array(z.enum(topics)),
  /** The request that ended last, when requests changed. */
  request: requestId.optional(),
})
export type Changed = z.infer<typeof changed>
