/**
 * What dispatch and relay share of one request: the response headers of its hold, its remaining time, and whether it is
 * read to its end after the client disconnects.
 */
import type { Caller } from '../access/types.ts'
import { MemoryReservation } from '../base/shared-budget.ts'
import type { GatewayDeps } from './deps.ts'
import type { Hold, ParsedRequest, RequestContext, RequestLifecycle, UpstreamPlace } from './request.ts'
import { heldHeaders } from './response-headers.ts'

type LifecycleDeps = Pick<
  GatewayDeps,
  'gate' | 'limits' | 'clock' | 'events' | 'readOnSlots' | 'background' | 'ledger'
>

const nowhere: UpstreamPlace = { release: () => {}, used: () => {} }

export function requestLifecycle(
  deps: LifecycleDeps,
  context: RequestContext,
  of: { caller: Caller; parsed: ParsedRequest; hold: Hold },
): RequestLifecycle {
  const { limits, readOnSlots } = deps
  const { hold, parsed } = of
  const { key, account } = of.caller
  const room = new MemoryReservation(
    deps.events.allowance({ key, account, network: context.network }),
    limits.unmeteredBytes,
  )
  let readsOn = false
  let place: UpstreamPlace = nowhere
  const vacate = (): void => {
    place.release()
    place = nowhere
  }
  return {
    headersOf: (work, candidate) => heldHeaders(context, of.caller, { ...work, candidate }),
    showsCost: of.caller.policy.showCost,
    room,
    contentGapMs: ({ model }) =>
      model.reasons || !parsed.facts.stream ? limits.contentGapReasoningMs : limits.contentGapMs,
    occupy(taken) {
      place = taken
    },
    vacate,
    get tokensUsed() {
      return place.used
    },
    leftMs: () => Math.max(0, limits.totalMs - (deps.clock.monoMs() - context.startedMonoMs)),
    readsOnWhenGone(connector) {
      if (readsOn) return true
      const stops = parsed.facts.stream && connector.onCancel === 'stops' && !hold.restricted
      if (stops || !readOnSlots.tryAcquire(hold.account)) return false
      readsOn = true
      deps.gate.leave(context.id)
      deps.background.run('release concurrency', () => deps.ledger.releaseConcurrency(context.id))
      return true
    },
    end() {
      vacate()
      room.set(0)
      if (readsOn) readOnSlots.release(hold.account)
    },
  }
}
