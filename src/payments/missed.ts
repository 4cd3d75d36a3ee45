/**
 * Looks for the provider's events of payments, refunds and disputes that never reached us, for as long as it stores them:
 * there is no other notice of money that was taken back after a top-up was paid, nor of a payment whose top-up is not in
 * the backup that was restored. Trusts an event no more than a webhook does.
 */
import { asTollgateError } from '../base/errors.ts'
import { carryOut, type WebhookDeps } from './webhook.ts'

export interface MissedLimits {
  /** How far back events are looked for. */
  readonly missedEventsMs: number
  /** Events that one look reads. */
  readonly missedEventsMax: number
}

export interface MissedSearch {
  /** Reads a bounded number of events and continues where the last look ended, from the latest to the oldest. */
  look(): Promise<void>
  /** Whether a search has finished since the start, or cannot. */
  isCaughtUp(): boolean
}

/** Maximum number of events in one response. */
const pageMax = 100
/** Events from before a search began may be listed after it. */
const overlapMs = 3_600_000

/** The first search after a start goes back as far as it may: the data can be older than the process. Others read what is new. */
export function searchMissedEvents(deps: WebhookDeps, limits: MissedLimits): MissedSearch {
  let after: string | null = null
  let searchedMs: number | null = null
  let sinceMs = 0
  let beganMs = 0
  let isCaughtUp = false

  function begin(): void {
    beganMs = deps.clock.wallMs()
    const [oldestMs, unsearchedMs] = [beganMs - limits.missedEventsMs, (searchedMs ?? 0) - overlapMs]
    sinceMs = Math.max(oldestMs, unsearchedMs)
  }
  async function read(): Promise<void> {
    if (after === null) begin()
    for (let left = limits.missedEventsMax; left > 0; ) {
      const asked = { sinceMs, after, limit: Math.min(pageMax, left) }
      const { events, hasMore } = await deps.provider.moneyEvents(asked)
      for (const event of events) await make(deps, event)
      left -= events.length
      after = hasMore ? (events.at(-1)?.id ?? null) : null
      if (after !== null) continue
      searchedMs = beganMs
      isCaughtUp = true
      return
    }
  }
  return {
    isCaughtUp: () => isCaughtUp,
    async look() {
      try {
        await read()
      } catch (thrown) {
        const { code, details } = asTollgateError(thrown)
        if (code === 'payment_failed') {
          // A place that the provider does not know any more leads nowhere, and what it forbids once it forbids again.
          after = null
          isCaughtUp = true
        }
        deps.log.warn({ code, detail: details.detail }, 'failed to search for missed webhook events')
      }
    },
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
