/** The present side of a comparison with a published price list. Pure. */
import type { Steps } from '../../base/steps.ts'
import type { CatalogSources } from '../sources.ts'
import type { Snapshot } from '../types.ts'
import type { ComparisonInput } from './compare.ts'
import { presentSteps } from './present-prices.ts'

/** The providers that have an upstream, and their models as in force at `atMs`. */
export function* comparisonSteps(
  { sources, snapshot }: { readonly sources: CatalogSources; readonly snapshot: Snapshot },
  atMs: number,
): Steps<Pick<ComparisonInput, 'present' | 'providers'>> {
  const used = new Set(sources.upstreams.map(({ provider }) => provider))
  return {
    present: yield* presentSteps(sources, snapshot, atMs),
    providers: sources.providers.filter(({ provider }) => used.has(provider)),
  }
}
