/** Why a request could not be authorized. */

/** The message is for the operator and contains no secret. */
export class CredentialError extends Error {
  override readonly name = 'CredentialError'
}
