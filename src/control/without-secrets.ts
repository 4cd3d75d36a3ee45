/** What the audit keeps of an input: everything but what opens something. Pure. */

/** Fields that are never written down. */
const secretFields: ReadonlySet<string> = new Set(['password', 'token', 'credential', 'code'])

export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      secretFields.has(name) ? '(not kept)' : withoutSecrets(inner),
    ]),
  )
}
