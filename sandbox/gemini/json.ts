/** JSON as Google writes it in streams: a space after every colon and none after a comma. Pure. */
import { isObject } from '../request/normalized-request.ts'

export function spacedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return `{${entries.map(([name, inner]) => `${JSON.stringify(name)}: ${spacedJson(inner)}`).join(',')}}`
}
