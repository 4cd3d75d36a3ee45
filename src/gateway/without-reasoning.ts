/**
 * Asks an upstream once more without the reasoning that its credential cannot read: encrypted reasoning belongs to the account that
 * it was made for, and an upstream of another account rejects the whole request for it.
 */
import type { BodyThreads } from '../tokens/body-threads.ts'
import type { ReadLimits } from '../wire/dialect.ts'
import { isTargetFormat } from '../wire/formats.ts'
import { withWireErrors } from './error-response.ts'
import type { Candidate, RequestContext } from './request.ts'
import type { AttemptMade, WorkFor } from './retry-loop.ts'

export interface WithoutReasoningDeps {
  readonly bodyThreads: Pick<BodyThreads, 'run'>
  readonly read: ReadLimits
}

/** The upstreams of one request that could not read its reasoning. */
export class UnreadableReasoning {
  readonly #at = new Set<Candidate>()
  #isNew = false

  note({ candidate, outcome }: Pick<AttemptMade, 'candidate' | 'outcome'>): void {
    const isUnreadable = outcome.kind === 'failed' && outcome.failure.unreadable === true
    this.#isNew = isUnreadable && !this.#at.has(candidate)
    if (isUnreadable) this.#at.add(candidate)
  }

  /** Whether the attempt that was noted last should be repeated. */
  get isNew(): boolean {
    return this.#isNew
  }

  /** What the candidate is sent: the same, but for what it could not read. */
  workFor(
    deps: WithoutReasoningDeps,
    context: RequestContext,
    candidate: Candidate,
    working: ReturnType<WorkFor>,
  ): ReturnType<WorkFor> {
    return this.#at.has(candidate) ? withoutReasoning(deps, context, working) : working
  }
}

function withoutReasoning(
  { bodyThreads, read: limits }: WithoutReasoningDeps,
  context: RequestContext,
  working: ReturnType<WorkFor>,
): ReturnType<WorkFor> {
  return withWireErrors(async () => {
    const work = await working
    if ('kind' in work || !isTargetFormat(work.plan.dialect.name)) return work
    const { plan, parsed, hold } = work
    const owner = { body: parsed.body, account: hold.account, work: context.work }
    const { patches, adjusted } = await bodyThreads.run(
      'dropReasoning',
      { format: work.plan.dialect.name, limits },
      owner,
    )
    return { ...work, plan: { ...plan, marks: patches, adjusted: [...plan.adjusted, ...adjusted] } }
  })
}
