/**
 * What the drafts of a catalog were made of, so that the next catalog makes only those again whose sources changed. Pure.
 */
import { isDeepStrictEqual } from 'node:util'
import type { ModelDefinition, UpstreamDefinition } from './definition.ts'
import type { MergedModels } from './merged-definitions.ts'
import type { CatalogSources } from './sources.ts'

/** A draft with what it was made of. */
export interface RememberedDraft<Draft> {
  /** The merged definition, or of an alias the draft of its model. */
  readonly made: object | undefined
  readonly isDisabled: boolean
  readonly draft: Draft
}

export interface DraftMemory<Draft> {
  readonly sources: CatalogSources
  readonly merged: MergedModels
  readonly drafts: ReadonlyMap<string, RememberedDraft<Draft>>
}

/** The upstreams that changed, and the providers whose upstreams or built-in models did. */
export interface SourceChange {
  readonly upstreams: ReadonlySet<string>
  readonly providers: ReadonlySet<string>
}

/** What is different for models whose own definition is the same; undefined: everything may be. */
export function sourceChange(before: CatalogSources, after: CatalogSources): SourceChange | undefined {
  const isSameForAll =
    before.markup === after.markup &&
    before.markupFromMs === after.markupFromMs &&
    isDeepStrictEqual(before.providers, after.providers) &&
    isSameOrder(before.upstreams, after.upstreams)
  if (!isSameForAll) return undefined
  const changed = changedUpstreams(before.upstreams, after.upstreams)
  return {
    upstreams: new Set(changed.map(({ name }) => name)),
    providers: new Set([
      ...changed.map(({ provider }) => provider),
      ...changedModels(before.builtin, after.builtin).map(({ provider = '' }) => provider),
    ]),
  }
}

/** Whether a model's offers may differ. */
export function isConcerned(
  { offers }: Pick<ModelDefinition, 'offers'>,
  provider: string | undefined,
  change: SourceChange,
): boolean {
  return offers === undefined
    ? change.providers.has(provider ?? '')
    : offers.some(({ upstream }) => change.upstreams.has(upstream)) || change.providers.has(provider ?? '')
}

/** Of those in both; offers have the order of the upstreams. */
function isSameOrder(before: readonly UpstreamDefinition[], after: readonly UpstreamDefinition[]): boolean {
  const [namesBefore, namesAfter] = [before, after].map((list) => new Set(list.map(({ name }) => name)))
  const inBoth = (list: readonly UpstreamDefinition[]) =>
    list.flatMap(({ name }) =>
      namesBefore?.has(name) === true && namesAfter?.has(name) === true ? [name] : [],
    )
  return isDeepStrictEqual(inBoth(before), inBoth(after))
}

/** Those that were added, removed or changed, as they were and as they are. */
function changedUpstreams(
  before: readonly UpstreamDefinition[],
  after: readonly UpstreamDefinition[],
): readonly UpstreamDefinition[] {
  const known = new Map(before.map((upstream) => [upstream.name, upstream]))
  const changed: UpstreamDefinition[] = []
  for (const upstream of after) {
    const old = known.get(upstream.name)
    known.delete(upstream.name)
    if (old === undefined) changed.push(upstream)
    else if (!isDeepStrictEqual(old, upstream)) changed.push(old, upstream)
  }
  return [...changed, ...known.values()]
}

/** Built-in models are the same objects every time. */
function changedModels(
  before: readonly ModelDefinition[],
  after: readonly ModelDefinition[],
): readonly ModelDefinition[] {
  const [known, present] = [new Set(before), new Set(after)]
  return [...after.filter((model) => !known.has(model)), ...before.filter((model) => !present.has(model))]
}
