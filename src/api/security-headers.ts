/** The headers that restrict what a browser does with a response: nothing unless it is a page, its own origin for pages. Pure. */

const everyAnswer = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
} as const

const noPage = {
  ...everyAnswer,
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
} as const

/** Of a page, and what it may use; passkeys and the clipboard are the console's. */
export const pageHeaders = {
  ...everyAnswer,
  'content-security-policy':
    "default-src 'self'; img-src 'self' data: blob:; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy':
    'camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=(), clipboard-write=(self), publickey-credentials-get=(self), publickey-credentials-create=(self)',
  // A form of our own pages still says where it comes from.
  'referrer-policy': 'same-origin',
} as const

const oneYear = 'max-age=31536000'

const pagePath = /^\/(?:$|console(?:\/|$)|pricing(?:\/|$)|docs(?:\/|$))/

/** `path`: without a query. `address`: where people reach the server; only over https may a browser be asked to enforce it. */
export function securityHeaders(path: string, address: string): Readonly<Record<string, string>> {
  return {
    ...(pagePath.test(path) ? pageHeaders : noPage),
    ...(path.startsWith('/api/') ? { 'cache-control': 'no-store' } : {}),
    ...(address.startsWith('https:') ? { 'strict-transport-security': oneYear } : {}),
  }
}

/** Of an error, wherever it happens: it is no page. */
export const errorHeaders: Readonly<Record<string, string>> = { ...noPage, 'cache-control': 'no-store' }
