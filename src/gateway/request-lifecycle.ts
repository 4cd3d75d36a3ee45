/**
 * State of one request that dispatch and relay share: response headers, remaining time, and whether the response is read to its end
 * after the client disconnects.
 */
import type { Caller } from '../access/types.ts'
import { MemoryReservation } from '../base/shared-budget.ts'
import type { Connector } from '../providers/connector.ts'
import type { GatewayDeps } from './deps.ts'
import type {
  Candidate,
  CapacityLease,
  Hold,
  ParsedRequest,
  PlannedWork,
  RequestContext,
  RequestLifecycle,
  RequestPlan,
} from './request.ts'
import { heldHeaders } from './responses/response-headers.ts'

type LifecycleDeps = Pick<
  GatewayDeps,
  'gate' | 'limits' | 'clock' | 'events' | 'readOnSlots' | 'background' | 'ledger'
>

interface HeldRequest {
  readonly caller: Caller
  readonly parsed: ParsedRequest
  readonly hold: Hold
}

const nowhere: CapacityLease = { release: () => {}, used: () => {} }

export class HeldRequestLifecycle implements RequestLifecycle {
  readonly #deps: LifecycleDeps
  readonly #context: RequestContext
  readonly #request: HeldRequest
  readonly room: MemoryReservation
  place: CapacityLease = nowhere
  #readsAfterDisconnect = false

  constructor(deps: LifecycleDeps, context: RequestContext, request: HeldRequest) {
    const { key, account } = request.caller
    this.#deps = deps
    this.#context = context
    this.#request = request
    this.room = new MemoryReservation(
      deps.events.allowance({ key, account, network: context.network }),
      deps.limits.unmeteredBytes,
    )
  }

  get showsCost(): boolean {
    return this.#request.caller.policy.showCost
  }

  headersOf(work: PlannedWork, candidate: Candidate | null): readonly string[] {
    return heldHeaders(this.#context, this.#request.caller, { ...work, candidate })
  }

  contentGapMs({ model }: RequestPlan): number {
    const { limits } = this.#deps
    return model.reasons || !this.#request.parsed.facts.stream
      ? limits.contentGapReasoningMs
      : limits.contentGapMs
  }

  occupy(place: CapacityLease): void {
    this.place = place
  }

  vacate(): void {
    this.place.release()
    this.place = nowhere
  }

  leftMs(): number {
    const { clock, limits } = this.#deps
    return Math.max(0, limits.totalMs - (clock.monoMs() - this.#context.startedMonoMs))
  }

  readOnMs(connector: Connector): number {
    const { background, gate, ledger, limits, readOnSlots } = this.#deps
    const { hold, parsed } = this.#request
    if (parsed.facts.stream && connector.onCancel === 'stops' && !hold.restricted) return 0
    // Above the limit it keeps its place among the running requests of its account.
    if (!this.#readsAfterDisconnect && readOnSlots.tryAcquire(hold.account)) {
      this.#readsAfterDisconnect = true
      gate.leave(this.#context.id)
      background.run('release concurrency', () => ledger.releaseConcurrency(this.#context.id))
    }
    // An account that has caused too many losses pays for the whole response.
    return hold.restricted ? this.leftMs() : limits.readOnMs
  }

  end(): void {
    this.vacate()
    this.room.set(0)
    if (this.#readsAfterDisconnect) this.#deps.readOnSlots.release(this.#request.hold.account)
  }
}
