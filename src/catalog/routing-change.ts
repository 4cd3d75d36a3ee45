/** Operators' changes to the routing of a model while the server runs. Pure. */
import type { RoutingStrategy } from '../../contract/routing-strategies.ts'
import type { ModelDefinition } from './definition.ts'

/** Left out: unchanged; null: as configured. */
export interface RoutingChange {
  readonly strategy?: RoutingStrategy | null | undefined
  readonly fallbacks?: readonly string[] | null | undefined
}

/** Error in a model's fallbacks; undefined: none. */
export function fallbackMistake(
  model: string,
  { fallbacks }: RoutingChange,
  isKnown: (name: string) => boolean,
): string | undefined {
  const names = fallbacks ?? []
  if (names.includes(model)) return `${model} cannot be its own fallback`
  if (new Set(names).size < names.length) return 'a fallback is named twice'
  const other = names.find((name) => !isKnown(name))
  return other === undefined ? undefined : `unknown model ${other}`
}

export function withRouting(
  id: string,
  before: ModelDefinition | null,
  { strategy, fallbacks }: RoutingChange,
): ModelDefinition {
  return {
    ...before,
    id,
    strategy: strategy === undefined ? before?.strategy : (strategy ?? undefined),
    fallbacks: fallbacks === undefined ? before?.fallbacks : (fallbacks ?? undefined),
  }
}
