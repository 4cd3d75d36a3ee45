/** Which models a chooser offers: test models that simulate failures only on request. Pure. */

export interface Choosable {
  readonly model: string
  readonly testModel: 'basic' | 'special' | null
}

export function hasSpecialModels(models: readonly Choosable[]): boolean {
  return models.some(({ testModel }) => testModel === 'special')
}

/** `selected` names always stay visible. */
export function modelsToOffer<Model extends Choosable>(
  models: readonly Model[],
  showsSpecial: boolean,
  selected: readonly string[] = [],
): readonly Model[] {
  return models.filter(
    ({ model, testModel }) => showsSpecial || testModel !== 'special' || selected.includes(model),
  )
}
