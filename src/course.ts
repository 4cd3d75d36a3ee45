/**
 * What invoking and relaying share of one request: the headers that the hold made, how long it may
 * still take, and what becomes of it when its client leaves.
 */
import type { Caller } from './access/types.ts'
import type { App } from './app.ts'
import { Room } from './base/shared-budget.ts'
import { heldHeaders } from './headers.ts'
import type { Call, Course, Hold, Line, Plan } from './values.ts'

type Coursing = Pick<App, 'gate' | 'limits' | 'clock' | 'events' | 'readingOn' | 'background' | 'ledger'>

export function courseOf(
  app: Coursing,
  line: Line,
  of: { caller: Caller; call: Call; plan: Plan; held: Hold },
): Course {
  const { limits, readingOn } = app
  const { held, plan, call } = of
  const isPatient = plan.model.reasons || !call.facts.stream
  const { key, account } = of.caller
  const room = new Room(app.events.allowance({ key, account, network: line.network }), limits.unmeteredBytes)
  let readsOn = false
  return {
    headers: heldHeaders(line, of.caller, of),
    showsCost: of.caller.policy.showCost,
    room,
    contentGapMs: isPatient ? limits.contentGapReasoningMs : limits.contentGapMs,
    leftMs: () => Math.max(0, limits.totalMs - (app.clock.monoMs() - line.startedMonoMs)),
    readsOnWhenGone(connector) {
      if (readsOn) return true
      const stops = call.facts.stream && connector.onCancel === 'stops' && !held.restricted
      if (stops || !readingOn.take(held.account)) return false
      readsOn = true
      app.gate.leave(line.id)
      app.background.run('detach', () => app.ledger.detach(line.id))
      return true
    },
    end() {
      room.set(0)
      if (readsOn) readingOn.giveBack(held.account)
    },
  }
}
