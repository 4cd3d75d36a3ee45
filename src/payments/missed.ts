/**
 * Looks for the provider's events of refunds and disputes that never reached us, for as long as it stores them: there is
 * no other notice of money that was taken back after a top-up was paid. Trusts an event no more than a webhook does.
 */
import { asTollgateError } from '../base/errors.ts'
import { carryOut, type WebhookDeps } from './webhook.ts'

export interface MissedLimits {
  /** How far back events are looked for. */
  readonly missedEventsMs: number
  /** Events that one look reads. */
  readonly missedEventsMax: number
}

/** What the provider gives in one answer at most. */
const pageMax = 100

/** Each call reads one bounded page and continues where the last ended: from the latest event to the oldest, then again. */
export function missedEvents(deps: WebhookDeps, limits: MissedLimits): () => Promise<void> {
  let after: string | null = null
  return async () => {
    const sinceMs = deps.clock.wallMs() - limits.missedEventsMs
    try {
      for (let left = limits.missedEventsMax; left > 0; ) {
        const asked = { sinceMs, after, limit: Math.min(pageMax, left) }
        const { events, hasMore } = await deps.provider.returnEvents(asked)
        for (const event of events) await make(deps, event)
        left -= events.length
        after = hasMore ? (events.at(-1)?.id ?? null) : null
        if (after === null) return
      }
    } catch (thrown) {
      const { code, details } = asTollgateError(thrown)
      // A place that the provider does not know any more leads nowhere.
      if (code === 'payment_failed') after = null
      deps.log.warn({ code, detail: details.detail }, 'failed to search for missed webhook events')
    }
  }
}

/** Each event is handled once, whatever the result: a mismatch is logged, and a retry would give the same. */
async function make(deps: WebhookDeps, event: Parameters<typeof carryOut>[1]): Promise<void> {
  const { events, provider, clock } = deps
  const { id, type, mode, subject } = event
  if (mode !== provider.mode || subject === null || (await events.has(id))) return
  await carryOut(deps, event, subject)
  await events.add({ id, type, atMs: clock.wallMs() })
}
