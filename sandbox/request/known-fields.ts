/** Finds the first field of an object that a list of known ones has not. Pure. */
import type { JsonObject } from './normalized-request.ts'

/** Field names, as one text with blanks between them. */
export function fields(names: string): ReadonlySet<string> {
  return new Set(names.split(/\s+/).filter((name) => name !== ''))
}

export function unknownFieldIn(value: JsonObject, known: ReadonlySet<string>): string | undefined {
  return Object.keys(value).find((name) => !known.has(name))
}
