/** Which models a client is offered, and with which one it begins. Pure. */
import type { SoldModel } from '../pricing/sold-models.ts'
import type { Recipe } from './recipe.ts'

/** The model that is there for trying, where no provider is configured. */
const tryingModel = 'sandbox-echo'
const trying = 'sandbox'

/** The chosen one where it is sold; else one that the client is served with untranslated, the newest first. */
export function modelFor(
  models: readonly SoldModel[],
  recipe: Pick<Recipe, 'prefers'>,
  chosen: string | undefined,
): SoldModel | undefined {
  const real = models.filter(({ provider, deprecated }) => provider !== trying && !deprecated)
  return (
    models.find(({ model }) => model === chosen) ??
    real.find(({ dialects }) => dialects.includes(recipe.prefers)) ??
    real[0] ??
    models.find(({ model }) => model === tryingModel) ??
    models[0]
  )
}

/** Models by provider, as a list to choose from: in the order that they have, so those for trying are the last. */
export function byProvider(
  models: readonly SoldModel[],
): readonly (readonly [provider: string, models: readonly SoldModel[]])[] {
  const groups = [...Map.groupBy(models, ({ provider }) => provider)]
  return groups.sort(
    ([one], [other]) => Number(one === trying) - Number(other === trying) || one.localeCompare(other),
  )
}
