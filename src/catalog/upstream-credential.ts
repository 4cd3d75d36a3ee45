/**
 * Credentials of upstreams as operators write them: a text that is sent unchanged, or the fields for tokens or signatures,
 * stored as JSON. Pure; the provider defines what the fields mean.
 */
import { secretFields } from '../base/secret-fields.ts'

const charactersMax = 4_096

/** One spelling for the same fields. */
export function canonicalCredential(credential: string): string {
  const fields = secretFields(credential)
  return fields === null ? credential : JSON.stringify(fields)
}

/** What is wrong with the form of a credential; undefined: nothing. */
export function credentialMistake(credential: string): string | undefined {
  if (credential.length === 0 || credential.length > charactersMax)
    return `must have 1 to ${charactersMax} characters`
  if (secretFields(credential) !== null || /^[\x21-\x7e]+$/.test(credential)) return undefined
  return 'must be visible ASCII characters without spaces, or a JSON object of texts'
}
