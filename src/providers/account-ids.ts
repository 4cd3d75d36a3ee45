/**
 * The operator's own accounts at a provider, as its errors name them. Only what can be distinguished from a word of a
 * caller's request is recognized: an ID contains a digit or a capital letter. How far that is looked for is bounded, since callers
 * choose a part of what upstreams repeat.
 */

/**
 * Account ids as OpenAI (`org-…`, `proj_…`), Google (`projects/…`), Anthropic (`org: <uuid>`) and AWS (`arn:…:<account>:`) write
 * them.
 */
const accountIds =
  /\b(org-|proj_|projects?\/|project_number:)(?=[a-z-]{0,60}[A-Z\d])[A-Za-z\d-]+|\b(org(?:anization)?: ?)[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\b(arn:aws[\w-]*:[\w-]*:[\w-]*:)\d{12}/g

/** The text with each id cut down to its kind. */
export function withoutAccounts(text: string): string {
  return text.replace(
    accountIds,
    (_, kind?: string, label?: string, resource?: string) => `${kind ?? label ?? resource ?? ''}…`,
  )
}
