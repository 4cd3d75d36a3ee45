/** The prices of one model as a catalog has them, made from definitions. */
import assert from 'node:assert/strict'
import type { PriceDefinition } from '../../src/catalog/definition.ts'
import { draftModels } from '../../src/catalog/drafts.ts'
import { buildSnapshot } from '../../src/catalog/snapshot.ts'
import type { CatalogSources } from '../../src/catalog/sources.ts'
import type { Model } from '../../src/catalog/types.ts'
import { connectors } from '../../src/providers/registry.ts'

/** A model of OpenAI with these prices; each version has the place of its draft as its id. */
export function buildPrices(
  prices: readonly PriceDefinition[],
  more: Partial<Pick<CatalogSources, 'markup' | 'markupFromMs'>> = {},
): Model {
  const sources: CatalogSources = {
    builtin: [],
    configured: [{ id: 'gpt-priced', context: 1_000, maxOutput: 100, prices }],
    overrides: [],
    aliases: {},
    disabled: [],
    markup: null,
    upstreams: [{ name: 'openai', provider: 'openai', url: null, credential: 'x', weight: 1, models: 'all' }],
    providers: connectors,
    ...more,
  }
  let place = 0n
  const snapshot = buildSnapshot(draftModels(sources), sources, () => {
    place += 1n
    return place
  })
  const model = snapshot.models.get('gpt-priced')
  assert.ok(model !== undefined)
  return model
}
