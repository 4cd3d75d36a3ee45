/**
 * The order of models in every list: providers' models, newest first; then sandbox models, working ones before
 * failing ones. Pure.
 */

export interface Ordered {
  readonly model: string
  readonly provider: string
  /** A date; null: unknown. */
  readonly released: string | null
  readonly deprecated: boolean
}

/** Sandbox models that answer normally, the first one to try first. */
export const answeringModels: readonly string[] = [
  'sandbox-echo',
  'sandbox-stream',
  'sandbox-think',
  'sandbox-tool',
  'sandbox-tools',
  'sandbox-thinking-tools',
]

export function inOrder<Model extends Ordered>(models: readonly Model[]): readonly Model[] {
  return models.toSorted(compareModels)
}

/** Below zero: the first one sorts before the second. */
export function compareModels(one: Ordered, other: Ordered): number {
  return (
    rankOf(one) - rankOf(other) ||
    (other.released ?? '').localeCompare(one.released ?? '') ||
    (one.model < other.model ? -1 : 1)
  )
}

function rankOf({ model, provider, deprecated }: Ordered): number {
  if (provider !== 'sandbox') return deprecated ? 1 : 0
  const place = answeringModels.indexOf(model)
  return 2 + (place === -1 ? answeringModels.length : place)
}
