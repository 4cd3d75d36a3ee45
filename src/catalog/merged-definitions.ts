/**
 * What is known of each model: its definitions from the built-in table, the file and operators, merged. What the same
 * definitions gave before is reused, so that a change of one model costs little. Pure.
 */
import type { Steps } from '../base/steps.ts'
import type { ModelDefinition } from './definition.ts'
import type { CatalogSources } from './sources.ts'

export interface MergedModel {
  readonly definition: ModelDefinition
  /** What it was merged from: the same objects give the same definition. */
  readonly parts: readonly ModelDefinition[]
}

export type MergedModels = ReadonlyMap<string, MergedModel>

const none: MergedModels = new Map()

/**
 * Every model, aliases apart, one in a step: built in, then the file, then the command line, each of which replaces what it
 * says and leaves the rest.
 */
export function* mergeSteps(
  sources: Pick<CatalogSources, 'builtin' | 'configured' | 'overrides'>,
  before: MergedModels = none,
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
  const models = new Map<string, MergedModel>()
  for (const [id, own] of parts) {
    const known = before.get(id)
    const isSame = known?.parts.length === own.length && own.every((part, at) => part === known.parts[at])
    models.set(id, isSame ? known : { definition: merged(own, overrides.get(id)), parts: own })
    yield
  }
  return models
}

function addPart(parts: Map<string, ModelDefinition[]>, definition: ModelDefinition): void {
  const own = parts.get(definition.id)
  if (own === undefined) parts.set(definition.id, [definition])
  else own.push(definition)
}

function merged(parts: readonly ModelDefinition[], override: ModelDefinition | undefined): ModelDefinition {
  let whole: ModelDefinition | undefined
  for (const part of parts) {
    if (part !== override) whole = { ...whole, ...definedFields(part) }
  }
  if (override === undefined) return whole ?? { id: '' }
  const before = withoutOffers(whole, override)
  const prices = [...(before?.prices ?? []), ...(override.prices ?? [])]
  return { ...before, ...definedFields(override), prices }
}

/** Upstreams that an operator chose later replace the offers of the file. */
function withoutOffers(
  before: ModelDefinition | undefined,
  { upstreams }: ModelDefinition,
): ModelDefinition | undefined {
  return before === undefined || upstreams === undefined ? before : { ...before, offers: undefined }
}

/** Without undefined values, which would overwrite earlier definitions. */
function definedFields(definition: ModelDefinition): ModelDefinition {
  const entries = Object.entries(definition).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as unknown as ModelDefinition
}
