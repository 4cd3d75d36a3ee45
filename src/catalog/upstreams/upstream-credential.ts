/**
 * Credentials of upstreams as operators write them: a text that is sent unchanged, or the fields for tokens or signatures,
 * stored as JSON. Pure; the provider defines what the fields mean.
 */
import { secretFields } from '../../base/secret-fields.ts'

const charactersMax = 4_096

/** Normalizes the spelling of credential fields. */
export function canonicalCredential(credential: string): string {
  const fields = secretFields(credential)
  return fields === null ? credential : JSON.stringify(fields)
}

/** Error in the form of a credential; undefined: none. */
export function credentialMistake(credential: string): string | undefined {
  if (credential.length === 0 || credential.length > charactersMax)
    return `must have 1 to ${charactersMax} characters`
  if (secretFields(credential) !== null || /^[\x21-\x7e]+$/.test(credential)) return undefined
  return 'must be visible ASCII characters without spaces, or a JSON object of texts'
}

/** Fields that belong together in a credential of a provider. */
interface CredentialForm {
  readonly fields: readonly string[]
  readonly isLocal?: true
}

interface CredentialProvider {
  readonly displayName: string
  readonly credentialForms?: readonly CredentialForm[]
}

/**
 * Error in a credential for a provider; undefined: none. `isOperators`: the author may name files and roles of
 * the machine, as the author of the configuration may.
 */
export function credentialFormMistake(
  credential: string,
  { displayName, credentialForms = [] }: CredentialProvider,
  { isOperators }: { readonly isOperators: boolean },
): string | undefined {
  const fields = secretFields(credential)
  if (fields === null) return undefined
  if (credentialForms.length === 0) return `must be one text for ${displayName}`
  const form = credentialForms.find((one) => one.fields.every((name) => Object.hasOwn(fields, name)))
  if (form === undefined) return `must have the fields ${formsText(credentialForms)}`
  const local = isOperators ? [] : localFields(credentialForms).filter((name) => Object.hasOwn(fields, name))
  return local.length === 0
    ? undefined
    : `can name files and roles of the server in tollgate.yaml only (${local.join(', ')})`
}

/** The fields that occur only in forms that refer to the server itself. */
function localFields(forms: readonly CredentialForm[]): readonly string[] {
  const namesOf = (isLocal: boolean) =>
    forms.filter((form) => (form.isLocal === true) === isLocal).flatMap(({ fields }) => fields)
  const anywhere = new Set(namesOf(false))
  return namesOf(true).filter((name) => !anywhere.has(name))
}

function formsText(forms: readonly CredentialForm[]): string {
  return forms.map(({ fields }) => fields.join(', ')).join('; or ')
}
