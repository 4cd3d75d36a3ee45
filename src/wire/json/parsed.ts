/**
 * Reads JSON that an upstream wrote, whose shape cannot be relied on: whatever it contains, reading
 * a field gives a value of the wanted type or none. Must not throw.
 */

export type JsonRecord = Readonly<Record<string, unknown>>

/** The parsed text, undefined where it is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** The value as JSON text; '' where it is nested deeper than the stack allows, which parsing does not mind. */
export function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return ''
  }
}

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object of that name in `value`; an empty one where there is none. */
export function recordIn(value: JsonRecord, name: string): JsonRecord {
  const found = value[name]
  return isRecord(found) ? found : {}
}

/** The objects among the elements of the array of that name; none where there is no array. */
export function recordsIn(value: JsonRecord, name: string): readonly JsonRecord[] {
  const found = value[name]
  return Array.isArray(found) ? found.filter(isRecord) : []
}

/** The string of that name in `value`; '' where there is none. */
export function textIn(value: JsonRecord, name: string): string {
  const found = value[name]
  return typeof found === 'string' ? found : ''
}
