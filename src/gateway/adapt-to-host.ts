/**
 * The body that goes upstream as its host accepts it, where the host differs from the vendor of the format. The differences
 * are data of the provider's row; a host without differences costs nothing here.
 */
import type { BodyOwner, BodyThreads } from '../tokens/body-threads.ts'
import type { ReadLimits } from '../wire/dialect.ts'
import { isTargetFormat } from '../wire/formats.ts'
import { wireError } from './error-response.ts'
import type { ParsedRequest, RequestPlan, TargetRoute, Translation } from './request.ts'

interface FormattedRequest extends Pick<RequestPlan, 'marks'> {
  readonly parsed: ParsedRequest
  readonly translation: Translation | null
}

/** The edits that the host needs, and what the caller hears of them and of the translation. Throws what reading the body throws. */
export async function adaptToHost(
  {
    bodyThreads,
    read: limits,
  }: { readonly bodyThreads: Pick<BodyThreads, 'run'>; readonly read: ReadLimits },
  { owner, route }: { readonly owner: BodyOwner; readonly route: TargetRoute },
  { parsed, translation, marks }: FormattedRequest,
): Promise<Pick<RequestPlan, 'marks' | 'adjusted'>> {
  const { name: format } = route.dialect
  const differences = route.connector.requestDifferences?.[format]
  const translated = translation?.adjusted ?? []
  if (differences === undefined || !isTargetFormat(format)) return { marks, adjusted: translated }
  try {
    const own = { ...owner, body: parsed.body }
    const { patches, adjusted } = await bodyThreads.run('adapt', { format, limits, differences }, own)
    return { marks: patches, adjusted: [...translated, ...adjusted] }
  } catch (error) {
    throw wireError(error)
  }
}
