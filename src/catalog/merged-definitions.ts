/**
 * Model definitions from the built-in table, the file and operators, merged.
 * Pure.
 */
import type { Steps } from '../base/steps.ts'
import type { ModelDefinition } from './definition.ts'
import type { CatalogSources } from './sources.ts'

export type MergedModels = ReadonlyMap<string, ModelDefinition>

/** Merges every model except aliases, one per step: built in, then the file, then the command line, by field. */
export function* mergeSteps(
  sources: Pick<CatalogSources, 'builtin' | 'configured' | 'overrides'>,
): Steps<MergedModels> {
  const parts = new Map<string, ModelDefinition[]>()
  for (const definition of [...sources.builtin, ...sources.configured]) {
    addPart(parts, definition)
    yield
  }
  const overrides = new Map<string, ModelDefinition>()
  for (const { definition } of sources.overrides) {
    if (definition === null) continue
    overrides.set(definition.id, definition)
    addPart(parts, definition)
    yield
  }
  const models = new Map<string, ModelDefinition>()
  for (const [id, own] of parts) {
    models.set(id, merged(own, overrides.get(id)))
    yield
  }
  return models
}

/** Merges the definitions of a single model; undefined: nothing defines it. */
export function mergedOf(
  id: string,
  { builtin, configured, overrides }: Pick<CatalogSources, 'builtin' | 'configured' | 'overrides'>,
): ModelDefinition | undefined {
  const override = overrides.findLast((one) => one.definition?.id === id)?.definition ?? undefined
  const own = [...builtin, ...configured].filter((definition) => definition.id === id)
  if (override !== undefined) own.push(override)
  return own.length === 0 ? undefined : merged(own, override)
}

function addPart(parts: Map<string, ModelDefinition[]>, definition: ModelDefinition): void {
  const own = parts.get(definition.id)
  if (own === undefined) parts.set(definition.id, [definition])
  else own.push(definition)
}

function merged(parts: readonly ModelDefinition[], override: ModelDefinition | undefined): ModelDefinition {
  if (override === undefined && parts.length === 1) return parts[0] ?? { id: '' }
  let whole: ModelDefinition | undefined
  for (const part of parts) {
    if (part !== override) whole = { ...whole, ...definedFields(part) }
  }
  if (override === undefined) return whole ?? { id: '' }
  const prices = [...(whole?.prices ?? []), ...(override.prices ?? [])]
  return { ...whole, ...definedFields(override), prices }
}

/** Without undefined values, which would overwrite earlier definitions. */
function definedFields(definition: ModelDefinition): ModelDefinition {
  const entries = Object.entries(definition).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as unknown as ModelDefinition
}
