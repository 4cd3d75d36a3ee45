/** Reads a verification token for display only: the server validates it. Pure. */

/** The new address, while only the current one is confirmed; undefined for all other tokens. */
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
