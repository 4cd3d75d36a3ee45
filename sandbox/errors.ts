/**
 * The kinds of errors, independent of formats; each format has a row of status, type and
 * wording for every one of them. Values only.
 */

export type SandboxErrorKind =
  | 'invalid'
  | 'no_credential'
  | 'wrong_credential'
  | 'quota'
  | 'unknown_model'
  | 'unknown_item'
  | 'unknown_path'
  | 'wrong_method'
  | 'too_large'
  | 'context'
  | 'rate_limit'
  | 'server'
  | 'overloaded'

export interface ProviderError {
  readonly kind: SandboxErrorKind
  /** The model's name, the request line, the wait, or the whole message of `invalid`. */
  readonly subject: string
  /** The field at fault, in the formats that name it. */
  readonly param: string | null
  /** Names the mistake, where the format has a name for it. */
  readonly code?: string
}

/** Result of a check; null: no error. */
export type Fault = ProviderError | null

/** A whole HTTP answer that reports an error. */
export interface ErrorResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export function providerError(kind: SandboxErrorKind, subject = ''): ProviderError {
  return { kind, subject, param: null }
}
