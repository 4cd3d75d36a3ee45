/**
 * How Gemini's parsers read a request: names in two spellings, and one value where a list is meant.
 * Must not look into objects whose names the caller chose.
 */
import { snakeCase } from '../json/fields.ts'
import type { Json } from '../json/json.ts'
import type { View } from '../json/view.ts'

/** The elements of an array; one object is a list of one; anything else has none. */
export function elements(json: Json, value: number): readonly number[] {
  const kind = json.kind(value)
  if (kind === 'object') return [value]
  return kind === 'array' ? json.children(value) : []
}

/** The member, in either spelling; undefined where it is absent or null. */
export function member(view: View | undefined, name: string): View | undefined {
  return view?.get(name) ?? view?.get(snakeCase(name))
}

/** The elements of a list that may be one object, or absent; throws for anything else. */
export function list(view: View | undefined): readonly View[] {
  if (view === undefined) return []
  return view.kind === 'object' ? [view] : view.items()
}

/** The name in the spelling of the reference: `max_output_tokens` → `maxOutputTokens`. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** The word of an enum value, whatever its case and prefix: `MEDIA_RESOLUTION_LOW` → `low`. */
export function enumWord(written: string, prefix: string): string {
  const lower = written.toLowerCase()
  return lower.startsWith(prefix) ? lower.slice(prefix.length) : lower
}
