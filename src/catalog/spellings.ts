/**
 * Names under which vendors publish a model in addition to its own: with the date of a snapshot, with its version, with
 * `-latest` or with `[1m]`, or after its vendor. Such a name of an available model is available at the model's price. Pure.
 */
import type { Model, Snapshot } from './types.ts'

export interface ModelMatch {
  readonly model: Model
  /** The snapshot that the caller asked for by its date, as its maker calls it; null: the model's own name. */
  readonly datedName: string | null
}

const latest = '-latest'
/** Claude Code's mark for the whole context window, which a model here has anyway. */
const wholeContext = '[1m]'
/** `-20250929`, `-2025-08-07`, `-0613`, `-001`. */
const date = /-(?:\d{8}|\d{4}-\d{2}-\d{2}|\d{4}|0\d{2})$/

/**
 * The model that a name means: itself, the model of which it is a dated snapshot, or for `-latest` the model or its
 * newest snapshot. undefined for models that are not sold, and for known names that are withdrawn.
 */
export function modelNamed(snapshot: Snapshot, name: string): ModelMatch | undefined {
  const own = snapshot.models.get(name)
  if (own !== undefined) return { model: own, datedName: null }
  if (snapshot.unsold.has(name)) return undefined
  if (name.endsWith(wholeContext)) return modelNamed(snapshot, name.slice(0, -wholeContext.length))
  const slash = name.indexOf('/')
  if (slash !== -1) return ofMaker(snapshot, name.slice(0, slash), name.slice(slash + 1))
  const stem = name.replace(date, '')
  if (stem !== name) return named(snapshot, stem, name)
  if (!name.endsWith(latest)) return undefined
  const plain = name.slice(0, -latest.length)
  return named(snapshot, plain, null) ?? newestSnapshot(snapshot, plain)
}

/** `openai/gpt-4.1`, as routers write it: the model under its own name, where its maker is asked for it. */
function ofMaker(snapshot: Snapshot, maker: string, name: string): ModelMatch | undefined {
  const found = name.includes('/') ? undefined : modelNamed(snapshot, name)
  return found?.model.provider === maker && isOwnName(snapshot, found.model) ? found : undefined
}

/** Only of a model that its vendor calls by this name: a host's own name for a model is not a spelling of a family. */
function named(snapshot: Snapshot, stem: string, datedName: string | null): ModelMatch | undefined {
  const model = snapshot.models.get(stem)
  return model !== undefined && isOwnName(snapshot, model) ? { model, datedName } : undefined
}

function newestSnapshot(snapshot: Snapshot, stem: string): ModelMatch | undefined {
  const dated = [...snapshot.models.values()].filter(
    (model) => model.name.replace(date, '') === stem && isOwnName(snapshot, model),
  )
  const newest = dated.toSorted((a, b) => (a.name < b.name ? 1 : -1))[0]
  return newest === undefined ? undefined : { model: newest, datedName: null }
}

function isOwnName({ families }: Snapshot, model: Model): boolean {
  const family = families.find(({ prefix }) => model.name.startsWith(prefix))
  return family?.provider === model.provider && model.upstreamModel === model.name
}
