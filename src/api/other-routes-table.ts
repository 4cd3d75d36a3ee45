/**
 * What is below `/api` apart from the operations of the contract, and who may use it. A route that is neither there nor
 * here is not mounted.
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
    summary: 'Sign-up, sign-in, sessions, second factors, passkeys and organizations',
    policy: 'Everybody; each address of it decides for itself. Pages of other sites may not.',
  },
  events: {
    methods: ['GET'],
    path: '/api/events',
    summary: 'Server-sent events: what has changed in an account',
    policy: 'Whoever may use account.show, for as long as they may.',
  },
  play: {
    methods: ['GET', 'POST'],
    path: '/api/play/v1/*',
    summary: 'The playground: requests to models for signed-in users; answered by the data plane',
    policy: 'Owners, administrators and developers of the account that pays. Pages of other sites may not.',
  },
  pricing: {
    methods: ['GET'],
    path: '/api/pricing',
    summary: 'The public price list',
    policy: 'Everybody.',
  },
  openapi: {
    methods: ['GET'],
    path: '/api/openapi.json',
    summary: 'This description of the API',
    policy: 'Everybody.',
  },
  webhook: {
    methods: ['POST'],
    path: '/api/stripe/webhook',
    summary: 'What the payment provider tells; there only where payments are configured',
    policy: "The payment provider, by its signature over the body's bytes.",
  },
} as const satisfies Readonly<Record<string, OtherRoute>>
