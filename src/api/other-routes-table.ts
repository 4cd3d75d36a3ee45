/**
 * Routes below `/api` apart from the operations of the contract, and who may use them. A route that is in neither
 * list is not mounted.
 */
export interface OtherRoute {
  readonly methods: readonly ('GET' | 'POST')[]
  readonly path: `/api/${string}`
  readonly summary: string
  /** Who may use it, and what decides. */
  readonly policy: string
}

export const otherRoutes = {
  auth: {
    methods: ['GET', 'POST'],
    path: '/api/auth/*',
    summary: 'Sign-up, sign-in, sessions, two-factor authentication, passkeys and organizations',
    policy: 'Public; each endpoint checks its own permissions. Cross-site requests are rejected.',
  },
  events: {
    methods: ['GET'],
    path: '/api/events',
    summary: "Stream an account's changes as server-sent events",
    policy: 'Callers who can use account.show; permissions are rechecked while the stream is open.',
  },
  play: {
    methods: ['GET', 'POST'],
    path: '/api/play/v1/*',
    summary: 'Playground requests to models for signed-in users',
    policy: 'Owners, admins and developers of the paying account. Cross-site requests are rejected.',
  },
  pricing: {
    methods: ['GET'],
    path: '/api/pricing',
    summary: 'The public price list',
    policy: 'Public.',
  },
  openapi: {
    methods: ['GET'],
    path: '/api/openapi.json',
    summary: 'This OpenAPI document',
    policy: 'Public.',
  },
  webhook: {
    methods: ['POST'],
    path: '/api/stripe/webhook',
    summary: 'Webhook of the payment provider; available only if payments are configured',
    policy: 'The payment provider, verified by its signature over the request body.',
  },
} as const satisfies Readonly<Record<string, OtherRoute>>
