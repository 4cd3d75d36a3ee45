/**
 * The body that goes upstream as its host accepts it, where the host differs from the vendor of the format. The differences
 * are data of the provider's row; a host without differences costs nothing here.
 */

import type { BodyOwner, BodyThreads, WorkInput } from '../bodies/body-threads.ts'
import { unknownBetas } from '../providers/hosts/host-betas.ts'
import type { ReadLimits } from '../wire/dialect.ts'
import { isTargetFormat } from '../wire/formats.ts'
import { withWireErrors } from './error-response.ts'
import type { ParsedRequest, RequestContext, RequestPlan, TargetRoute, Translation } from './request.ts'

interface FormattedRequest extends Pick<RequestPlan, 'marks'> {
  readonly parsed: ParsedRequest
  readonly translation: Translation | null
}

interface AdaptDeps {
  readonly bodyThreads: Pick<BodyThreads, 'run'>
  readonly read: ReadLimits
}

type HostEdits = Pick<RequestPlan, 'marks' | 'adjusted'>

/**
 * The edits that the host needs, and what the caller hears of them and of the translation. Throws what reading the body
 * throws. A promise only where the host differs.
 */
export function adaptToHost(
  deps: AdaptDeps,
  { owner, route }: { readonly owner: BodyOwner; readonly route: TargetRoute },
  { parsed, translation, marks }: FormattedRequest,
): HostEdits | Promise<HostEdits> {
  const { name: format } = route.dialect
  const differences = route.connector.requestDifferences?.[format]
  const translated = translation?.adjusted ?? []
  if (differences === undefined || !isTargetFormat(format)) return { marks, adjusted: translated }
  const input = { format, limits: deps.read, differences }
  return adapted(deps, input, { ...owner, body: parsed.body }, translated)
}

function adapted(
  { bodyThreads }: AdaptDeps,
  input: WorkInput<'adapt'>,
  owner: BodyOwner,
  translated: HostEdits['adjusted'],
): Promise<HostEdits> {
  return withWireErrors(async () => {
    const { patches, adjusted } = await bodyThreads.run('adapt', input, owner)
    return { marks: patches, adjusted: [...translated, ...adjusted] }
  })
}

/** The betas of the caller that the host does not get. */
export function droppedBetas(
  { connector, dialect }: TargetRoute,
  { request }: Pick<RequestContext, 'request'>,
): HostEdits['adjusted'] {
  const { betas } = connector
  const names =
    betas === undefined ? [] : unknownBetas({ dialect: dialect.name, headers: request.headers }, betas)
  return names.map((field) => ({ kind: 'dropped', field, why: 'the host does not know it' }))
}
