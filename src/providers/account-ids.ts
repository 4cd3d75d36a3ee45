/**
 * The operator's own accounts at a provider, as its errors name them. Only what can be distinguished from a word of a
 * caller's request is recognized: an ID contains a digit or a capital letter.
 */

/** As OpenAI (`org-…`, `proj_…`), Google (`projects/…`) and Anthropic (`org: <uuid>`) write them in limits. */
const accountIds =
  /\b(org-|proj_|projects?\/|project_number:)(?=[a-z-]*[A-Z\d])[A-Za-z\d-]+|\b(org(?:anization)?: ?)[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g

/** The text with each id cut down to its kind. */
export function withoutAccounts(text: string): string {
  return text.replace(accountIds, (_, kind?: string, label?: string) => `${kind ?? label ?? ''}…`)
}
