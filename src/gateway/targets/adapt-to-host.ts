/**
 * The body that goes upstream as its host accepts it, where the host differs from the vendor of the format. The differences
 * are data of the provider's row; a host without differences costs nothing here.
 */
import type { BodyOwner, BodyThreads, WorkInput } from '../../bodies/body-threads.ts'
import type { UpstreamFailure } from '../../providers/connector.ts'
import { unknownBetas } from '../../providers/hosts/host-betas.ts'
import type { ReadLimits } from '../../wire/format.ts'
import { isTargetFormat } from '../../wire/formats.ts'
import { withoutUsageOption } from '../../wire/host-differences.ts'
import type { AttemptMade, WorkFor } from '../attempts/retry-loop.ts'
import type {
  Candidate,
  CandidateWork,
  ParsedRequest,
  RequestContext,
  RequestPlan,
  TargetRoute,
  Translation,
} from '../request.ts'
import { withWireErrors } from '../responses/error-response.ts'

interface FormattedRequest extends Pick<RequestPlan, 'bodyPatches'> {
  readonly parsed: ParsedRequest
  readonly translation: Translation | null
}

type HostEdits = Pick<RequestPlan, 'bodyPatches' | 'adjusted'>

/**
 * The edits that the host needs, and what the caller hears of them and of the translation. Throws what reading the body
 * throws. A promise only where the host differs.
 */
export function adaptToHost(
  deps: OmittedPartsDeps,
  { owner, route }: { readonly owner: BodyOwner; readonly route: TargetRoute },
  { parsed, translation, bodyPatches }: FormattedRequest,
): HostEdits | Promise<HostEdits> {
  const { name: format } = route.format
  const differences = route.connector.requestDifferences?.[format]
  const translated = translation?.adjusted ?? []
  if (differences === undefined || !isTargetFormat(format)) return { bodyPatches, adjusted: translated }
  const input = { format, limits: deps.read, differences }
  return adapted(deps, input, { ...owner, body: parsed.body }, translated)
}

function adapted(
  { bodyThreads }: OmittedPartsDeps,
  input: WorkInput<'adapt'>,
  owner: BodyOwner,
  translated: HostEdits['adjusted'],
): Promise<HostEdits> {
  return withWireErrors(async () => {
    const { patches, adjusted } = await bodyThreads.run('adapt', input, owner)
    return { bodyPatches: patches, adjusted: [...translated, ...adjusted] }
  })
}

/** The betas of the caller that the host does not get. */
export function droppedBetas(
  { connector, format }: TargetRoute,
  { request }: Pick<RequestContext, 'request'>,
): HostEdits['adjusted'] {
  const { betas } = connector
  const names =
    betas === undefined ? [] : unknownBetas({ format: format.name, headers: request.headers }, betas)
  return names.map((field) => ({ kind: 'dropped', field, why: 'the host does not know it' }))
}

export interface OmittedPartsDeps {
  readonly bodyThreads: Pick<BodyThreads, 'run'>
  readonly read: ReadLimits
}

type Part = NonNullable<UpstreamFailure['retryWithout']>

/**
 * Retries a candidate without the part for which it rejected the whole request, if the caller does not need that part there:
 * reasoning that was encrypted for another account, or our own request for the usage of a stream.
 */
export class OmittedParts {
  readonly #at = new Map<Candidate, Part>()
  #isNew = false

  note({ candidate, outcome }: Pick<AttemptMade, 'candidate' | 'outcome'>): void {
    const rejected = outcome.kind === 'failed' ? outcome.failure.retryWithout : undefined
    const omitted = this.#at.get(candidate)
    this.#isNew = rejected !== undefined && omitted === undefined
    if (rejected !== undefined && omitted === undefined) this.#at.set(candidate, rejected)
    // Only a request that was served shows that the option was the reason; a caller may have its name in an error.
    const isServed = outcome.kind === 'stream' || outcome.kind === 'answer'
    if (isServed && omitted === 'usage_option') candidate.target.connector.stopAskingForUsage?.()
  }

  /** Whether the attempt that was noted last should be repeated. */
  get isNew(): boolean {
    return this.#isNew
  }

  /** The same request for the candidate, without the part that it rejected. */
  workFor(
    deps: OmittedPartsDeps,
    context: RequestContext,
    candidate: Candidate,
    working: ReturnType<WorkFor>,
  ): ReturnType<WorkFor> {
    const part = this.#at.get(candidate)
    if (part === undefined) return working
    return withWireErrors(async () => {
      const work = await working
      return 'kind' in work ? work : without[part](deps, context, work)
    })
  }
}

type Omit = (deps: OmittedPartsDeps, context: RequestContext, work: CandidateWork) => Promise<CandidateWork>

const without: Readonly<Record<Part, Omit>> = {
  async reasoning({ bodyThreads, read: limits }, context, work) {
    const { plan } = work
    if (!isTargetFormat(plan.format.name)) return work
    const input = { format: plan.format.name, limits }
    const { patches, adjusted } = await bodyThreads.run('dropReasoning', input, ownerOf(context, work))
    return { ...work, plan: { ...plan, bodyPatches: patches, adjusted: [...plan.adjusted, ...adjusted] } }
  },
  /** An option that the caller wrote stays, so that its error reaches the caller. */
  async usage_option(deps, context, work) {
    const { parsed, plan } = work
    const { connector, translation } = plan
    const requestDifferences = withoutUsageOption(connector.requestDifferences)
    const asked = { ...plan, connector: { ...connector, requestDifferences } }
    if (translation === null) return { ...work, plan: asked }
    const to = { owner: ownerOf(context, work), route: asked }
    const { bodyPatches } = await adaptToHost(deps, to, {
      parsed,
      translation,
      bodyPatches: plan.bodyPatches,
    })
    return { ...work, plan: { ...asked, bodyPatches } }
  },
}

function ownerOf({ work }: RequestContext, { parsed, hold }: CandidateWork) {
  return { body: parsed.body, account: hold.account, work }
}
