/** What a verification token says of itself, for words on the page alone: the server judges it. Pure. */

/** The address that a change leads to, while only the present one was confirmed; undefined for every other token. */
export function newAddressOf(token: string): string | undefined {
  const said = claimsOf(token)
  const isFirst = said.requestType === 'change-email-confirmation'
  return isFirst && typeof said.updateTo === 'string' ? said.updateTo : undefined
}

function claimsOf(token: string): Readonly<Record<string, unknown>> {
  const part = token.split('.')[1] ?? ''
  try {
    const value: unknown = JSON.parse(atob(part.replaceAll('-', '+').replaceAll('_', '/')))
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
