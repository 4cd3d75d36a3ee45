/**
 * What can go wrong, in words that belong to no dialect; each dialect has a row of status, type and
 * wording for every one of them. Values only.
 */

export type Trouble =
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

export interface Problem {
  readonly trouble: Trouble
  /** What it is about: the model's name, the request line, the wait, or the whole message of `invalid`. */
  readonly subject: string
  /** The field at fault, in the dialects that tell it. */
  readonly param: string | null
  /** Names the mistake, where the dialect has a name for it. */
  readonly code?: string
}

/** A whole HTTP answer that tells a problem. */
export interface Failure {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export function problem(trouble: Trouble, subject = ''): Problem {
  return { trouble, subject, param: null }
}
