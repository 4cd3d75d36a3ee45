/**
 * When a streamed request whose upstream sends no content goes to another offer: once a request, and only where one is in rotation
 * that can take it. What the first attempt costs is the operator's loss, so each offer is left by a small share of its requests.
 */
import type { Alternative } from '../../providers/attempt.ts'
import type { FirstContents } from '../../providers/first-contents.ts'
import { asideUntilMs } from '../../providers/health.ts'
import type { Candidate, CandidateWork } from '../request.ts'
import { isCandidateOffered, type RetryLoopDeps, type WorkFor } from './retry-loop.ts'
import type { UpstreamCapacity } from './upstream-capacity.ts'

export interface AlternativesDeps extends Omit<RetryLoopDeps, 'limits'> {
  readonly capacity: Pick<UpstreamCapacity, 'isFull'>
  readonly firstContents: FirstContents
  readonly limits: { readonly firstContentMs: number; readonly firstContentReasoningMs: number }
}

/** The slowest rate at which models read a prompt, in bytes of text per millisecond. */
const textBytesPerMs = 20

/** Decides whether one request moves to another offer while its first upstream sends no content. */
export class Alternatives {
  readonly #deps: AlternativesDeps
  readonly #workFor: WorkFor
  #isTaken = false
  #deciding: Promise<boolean> | undefined

  constructor(deps: AlternativesDeps, workFor: WorkFor) {
    this.#deps = deps
    this.#workFor = workFor
  }

  /** For an attempt at `candidate`; `others`: those that can be asked after it. */
  to(candidate: Candidate, work: CandidateWork, others: readonly Candidate[]): Alternative | null {
    const { firstContents, limits } = this.#deps
    const { plan, parsed, hold } = work
    // An account that has caused too many losses causes no more.
    if (this.#isTaken || others.length === 0 || !parsed.facts.stream || hold.restricted) return null
    const leastMs = plan.model.reasons ? limits.firstContentReasoningMs : limits.firstContentMs
    if (leastMs === 0) return null
    const measuredMs = firstContents.p99Ms(candidate.upstream.name, candidate.offer.upstreamModel)
    return {
      afterMs: Math.max(leastMs, measuredMs) + Math.ceil(plan.inputSize.textBytes / textBytesPerMs),
      isReady: () => {
        this.#deciding = this.#decide(candidate, others)
        return this.#deciding
      },
    }
  }

  /** Resolves when nothing reads the bodies of the request any more. */
  async settled(): Promise<void> {
    // The attempt that waits for the decision reports its error.
    await this.#deciding?.catch(() => false)
  }

  async #decide({ upstream, offer }: Candidate, others: readonly Candidate[]): Promise<boolean> {
    for (const other of others) {
      if (!this.#isInRotation(other)) continue
      const work = await this.#workFor(other)
      if ('kind' in work) continue
      this.#isTaken = this.#deps.firstContents.leave(upstream.name, offer.upstreamModel)
      return this.#isTaken
    }
    return false
  }

  #isInRotation(other: Candidate): boolean {
    const { capacity, clock, health } = this.#deps
    return (
      isCandidateOffered(this.#deps, other) &&
      !capacity.isFull(other.upstream) &&
      asideUntilMs(health.snapshot(), other, clock.monoMs()) === 0
    )
  }
}
