/** Secrets that are one text, or several fields of which some are secret, written as a JSON object of texts. Pure. */

export type SecretFields = Readonly<Record<string, string>>

const fieldsMax = 20

/** The fields; null: the secret is one text. */
export function secretFields(secret: string): SecretFields | null {
  if (!secret.trimStart().startsWith('{')) return null
  const value = parsed(secret)
  if (typeof value !== 'object' || value === null) return null
  const fields = Object.entries(value)
  return fields.length <= fieldsMax && fields.every(([, text]) => typeof text === 'string')
    ? (value as SecretFields)
    : null
}

/** The parts that must never be shown. */
export function secretParts(secret: string): readonly string[] {
  const fields = secretFields(secret)
  if (fields === null) return secret === '' ? [] : [secret]
  return Object.entries(fields)
    .filter(([name, text]) => secretNames.test(name) && text !== '' && !publicText.test(text))
    .map(([, text]) => text)
}

/** The other fields identify the client and the region. */
const secretNames = /secret|token|key/i
/** `token_uri` is the same for every account. */
const publicText = /^https?:\/\//

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
