/**
 * The plans of one request: each target of its candidates is planned once, and not before it is needed. A
 * target that does not support the request is skipped while another is left.
 */
import { TollgateError } from '../base/errors.ts'
import type { RecordModel, SkippedCandidate, WorkFor } from './attempts/retry-loop.ts'
import { storedItems } from './phases/resolve-references.ts'
import { routeTo } from './phases/route.ts'
import type {
  Candidate,
  CandidateWork,
  Hold,
  ParsedRequest,
  PreparedRequest,
  RequestPlan,
  Route,
  Target,
  TargetRoute,
} from './request.ts'

/** Plans a request for one target; `isReadAgain`: the received body may be needed for another one. */
export type PlanTarget = (route: TargetRoute, isReadAgain: boolean) => Promise<PreparedRequest>

/** The referenced item is stored at another upstream. */
const storedElsewhere: SkippedCandidate = { kind: 'skipped', reason: null }

/** Why a target cannot take the request. */
export interface UnsupportedTarget {
  readonly kind: 'unsupported'
  readonly error: TollgateError
}

export class TargetPlans {
  readonly #received: ParsedRequest
  readonly #route: Route
  readonly #planTarget: PlanTarget
  readonly #targets: readonly Target[]
  readonly #plans = new Map<Target, Promise<PreparedRequest | UnsupportedTarget>>()
  #first: PreparedRequest | undefined
  readonly #bodies: PreparedRequest['parsed']['body'][] = []

  constructor(received: ParsedRequest, route: Route, planTarget: PlanTarget) {
    this.#received = received
    this.#route = route
    this.#planTarget = planTarget
    this.#targets = [...new Set(route.candidates.map(({ target }) => target))]
  }

  get received(): ParsedRequest {
    return this.#received
  }

  /** A request that references stored objects can only go to the upstreams that store them, which are those of the first plan. */
  get candidates(): readonly Candidate[] {
    const { candidates } = this.#route
    const first = this.#first
    if (first === undefined || storedItems(this.#received).length === 0) return candidates
    const storing = new Set(first.plan.candidates.map(({ upstream }) => upstream.name))
    return candidates.filter(({ upstream }) => storing.has(upstream.name))
  }

  /** Targets that nothing is known of yet. */
  get unplanned(): readonly Target[] {
    return this.#targets.filter((target) => !this.#plans.has(target))
  }

  /** The plan of the first target that can take the request; throws the first target's error where none can. */
  async first(): Promise<PreparedRequest> {
    let firstError: TollgateError | undefined
    for (const target of this.#targets) {
      const plan = await this.of(target)
      if (!isUnsupported(plan)) {
        this.#first = plan
        return plan
      }
      firstError ??= plan.error
    }
    throw firstError ?? new RangeError('a route without candidates')
  }

  /**
   * Returns the request for each candidate under a hold that was taken for the first plan, or why the candidate cannot take it.
   * `fit` adjusts the hold to another plan; null if the hold does not cover it.
   */
  workWithin(hold: Hold, fit: (prepared: PreparedRequest) => Promise<Hold | null>): WorkFor {
    const holds = new Map<PreparedRequest, Promise<Hold | null>>()
    const workForOther = async (candidate: Candidate): Promise<CandidateWork | SkippedCandidate> => {
      const prepared = await this.of(candidate.target)
      if (isUnsupported(prepared)) return { kind: 'skipped', reason: prepared.error.code }
      if (!prepared.plan.candidates.includes(candidate)) return storedElsewhere
      const fitted = holds.get(prepared) ?? fit(prepared)
      holds.set(prepared, fitted)
      const held = await fitted
      if (held === null) return { kind: 'skipped', reason: 'hold_too_small' }
      return { ...prepared, hold: held }
    }
    return (candidate) => {
      const first = this.#first
      if (first?.plan.target !== candidate.target) return workForOther(candidate)
      return first.plan.candidates.includes(candidate) ? { ...first, hold } : storedElsewhere
    }
  }

  /**
   * Records the model and the price that the next attempt is charged at, where they are not those of the hold. `record`
   * answers false where there is no open hold. False: it is unknown whether it was recorded, so there must be no attempt.
   */
  recordingModel(record: (plan: RequestPlan) => Promise<boolean>): RecordModel {
    let charged = this.#first?.plan.price.id
    const recordOther = async (plan: RequestPlan): Promise<boolean> => {
      charged = undefined
      const isRecorded = await record(plan).catch(() => false)
      if (isRecorded) charged = plan.price.id
      return isRecorded
    }
    return (plan) => plan.price.id === charged || recordOther(plan)
  }

  of(target: Target): Promise<PreparedRequest | UnsupportedTarget> {
    const known = this.#plans.get(target)
    if (known !== undefined) return known
    const plan = this.#planned(target)
    this.#plans.set(target, plan)
    return plan
  }

  /** Lets go of all bodies. */
  drop(): void {
    this.#received.body.drop()
    for (const body of this.#bodies) body.drop()
  }

  /** The same, once nothing reads them any more. */
  free(): void {
    this.#received.body.free()
    for (const body of this.#bodies) body.free()
  }

  async #planned(target: Target): Promise<PreparedRequest | UnsupportedTarget> {
    const isReadAgain = this.#targets.length > 1
    try {
      const prepared = await this.#planTarget(routeTo(target, this.#route), isReadAgain)
      this.#bodies.push(prepared.parsed.body)
      return prepared
    } catch (error) {
      if (error instanceof TollgateError && error.code !== 'internal') return { kind: 'unsupported', error }
      throw error
    }
  }
}

function isUnsupported(plan: PreparedRequest | UnsupportedTarget): plan is UnsupportedTarget {
  return 'kind' in plan
}
