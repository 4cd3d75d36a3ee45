/** The lists of models for clients: written once for many requests, and limited per account, as they are free. */
import type { Caller } from '../../access/types.ts'
import type { Clock } from '../../base/clock.ts'
import { TollgateError } from '../../base/errors.ts'
import { listKey, listModels, only, type PageLimits } from '../../catalog/listing.ts'
import type { Snapshot } from '../../catalog/types.ts'
import { WrittenLists } from '../../catalog/written-lists.ts'
import { takersMax } from '../../limits/front-rates.ts'
import { RateMeter } from '../../limits/rate-meter.ts'
import type { RequestContext } from '../request.ts'

export interface ModelLists {
  /** Cache of serialized lists. */
  readonly written: WrittenLists
  /** How often each account requests a list. */
  readonly rates: RateMeter
}

interface ListLimits extends PageLimits {
  readonly modelListsPerMinute: number
}

export function openModelLists(limits: ListLimits & { readonly writtenListsMax: number }): ModelLists {
  const { modelListsPerMinute: perMinute } = limits
  return { written: new WrittenLists(limits), rates: new RateMeter({ perMinute, takersMax }) }
}

interface ModelListDeps {
  readonly snapshot: Snapshot
  readonly modelLists: ModelLists
  readonly clock: Clock
  readonly limits: ListLimits
}

/** A list that must be written counts as one more request for each 100 models, as it takes as long. */
const modelsPerRequest = 100

/** The JSON of the list; throws 429. */
export function writtenModelList(
  { snapshot, modelLists, limits, clock }: ModelListDeps,
  { startedMs, format: { name }, query: text, customerView: view }: RequestContext,
  { account, policy }: Caller,
): Uint8Array {
  const query = new URLSearchParams(text)
  const key = listKey(name, query, policy.models)
  const kept = modelLists.written.kept(snapshot, key, startedMs)
  const models = policy.models?.length ?? snapshot.models.size
  const weight = kept === undefined ? 1 + Math.floor(models / modelsPerRequest) : 1
  const limit = limits.modelListsPerMinute
  const metered = modelLists.rates.take(account, clock.wallMs(), Math.min(weight, limit))
  if (metered.kind === 'rejected')
    throw new TollgateError('rate_limited', {
      message: `Rate limit reached: this account may list models ${limit} times per minute.`,
      facts: { scope: 'account', limit },
      retryAfterMs: metered.retryAfterMs,
    })
  if (kept !== undefined) return kept
  return modelLists.written.written(snapshot, key, startedMs, () =>
    listModels(only(snapshot, policy.models), name, query, { nowMs: startedMs, view, limits }),
  )
}
