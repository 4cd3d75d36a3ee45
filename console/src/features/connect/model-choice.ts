/** Which models a client is offered, and which one is selected first. Pure. */
import type { PricedModel } from '../pricing/price-list.ts'
import type { Recipe } from './recipe.ts'

/** The test model, where no provider is configured. */
const tryingModel = 'sandbox-echo'
const trying = 'sandbox'

/** The selected one if it is available; else the newest that the client can use untranslated. */
export function modelFor(
  models: readonly PricedModel[],
  recipe: Pick<Recipe, 'prefers'>,
  chosen: string | undefined,
): PricedModel | undefined {
  const real = models.filter(({ provider, deprecated }) => provider !== trying && !deprecated)
  return (
    models.find(({ model }) => model === chosen) ??
    real.find(({ formats }) => formats.includes(recipe.prefers)) ??
    real[0] ??
    models.find(({ model }) => model === tryingModel) ??
    models[0]
  )
}
