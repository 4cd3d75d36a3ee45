/** Finds the first field of an object that is not in a list of known ones. Pure. */
import type { JsonObject } from './normalized-request.ts'

/** Field names, as one text with blanks between them. */
export function fields(names: string): ReadonlySet<string> {
  return new Set(names.split(/\s+/).filter((name) => name !== ''))
}

export function unknownFieldIn(value: JsonObject, known: ReadonlySet<string>): string | undefined {
  return Object.keys(value).find((name) => !known.has(name))
}
