/** What the audit stores of an input: everything except secrets and whole files. Pure. */
import { parseId } from '../base/ids.ts'

/** Fields that are never written down. */
const secretFields: ReadonlySet<string> = new Set(['password', 'token', 'credential', 'code'])

/** Headers of upstreams, of which any may be a secret. */
const namesAlone: ReadonlySet<string> = new Set(['headers'])

const notStored = '(not stored)'

/** Longer texts are files, of which the audit log keeps the size. */
const textCharactersMax = 20_000

export function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string' && value.length > textCharactersMax) return `(${value.length} characters)`
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isSecret(name, inner) ? notStored : namesAlone.has(name) ? withoutValues(inner) : withoutSecrets(inner),
    ]),
  )
}

/** The id of a code tells which one it was, and gives no credit. */
function isSecret(name: string, value: unknown): boolean {
  if (name === 'code' && typeof value === 'string' && parseId('code', value) !== undefined) return false
  return secretFields.has(name)
}

/** The names of the fields of an object, with no value. */
function withoutValues(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return notStored
  return Object.fromEntries(Object.keys(value).map((name) => [name, notStored]))
}
