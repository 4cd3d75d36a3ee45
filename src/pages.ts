/**
 * What the server answers beside the data plane: signs of life, metrics, the public price list, and
 * the few pages that there are. Nothing here is reached by an API key, and nothing here moves money.
 */
import { timingSafeEqual } from 'node:crypto'
import type { RequestListener, Server } from 'node:http'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Clock } from './base/clock.ts'
import { asTollgateError, type ErrorCode, TollgateError } from './base/errors.ts'
import { formatId, type NextId } from './base/ids.ts'
import type { Log } from './base/log.ts'
import { pricingRows } from './catalog/listing.ts'
import type { Snapshot } from './catalog/types.ts'
import type { Metrics } from './metrics.ts'

export interface Pages {
  /** The catalog of this moment. */
  readonly catalog: { readonly snapshot: Snapshot }
  readonly clock: Clock
  readonly nextId: NextId
  readonly log: Log
  readonly metrics: Metrics
  /** Without it `/metrics` is not there. */
  readonly metricsToken: string | null
  /** Whether requests can be served: false while draining or without a store. */
  readonly ready: () => Promise<boolean>
  /** The page behind the setup link, or undefined when the token is not its. */
  readonly setupPage: (token: string) => Promise<string | undefined>
  readonly address: string
}

/** Paths that are not the data plane's. `/api/v1/…` is a spelling of the data plane that clients use. */
export function isPage(path: string): boolean {
  if (path === '/' || path === '/pricing' || path === '/livez' || path === '/readyz' || path === '/metrics')
    return true
  if (path.startsWith('/api/')) return !/^\/api\/v1(\/|$)/.test(path)
  return path.startsWith('/console') || path.startsWith('/docs') || path === '/favicon.ico'
}

const html = 'text/html; charset=utf-8'
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The routes, on the server that `serverFactory` hands over; it is never told to listen. */
export function createPages(
  pages: Pages,
  serverFactory: (handler: RequestListener) => Server,
): FastifyInstance {
  const app = fastify({
    serverFactory,
    bodyLimit: 1024 * 1024,
    logger: false,
    genReqId: () => formatId('req', pages.nextId()),
    frameworkErrors: (_thrown, request, reply) => refuse(pages, request, reply, badAddress),
    // The server itself answers what is no request; two answers would stand in one another.
    clientErrorHandler: () => {},
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(headersOf(request))
  })
  app.get('/', (_request, reply) => reply.type(html).send(homePage(pages.address)))
  app.get('/livez', (_request, reply) => reply.type('text/plain').send('ok\n'))
  app.get('/readyz', async (_request, reply) => {
    const ready = await pages.ready()
    return reply
      .code(ready ? 200 : 503)
      .type('text/plain')
      .send(ready ? 'ready\n' : 'not ready\n')
  })
  app.get('/metrics', (request, reply) => metrics(pages, request, reply))
  app.get('/api/pricing', (_request, reply) =>
    reply.send({ data: pricingRows(pages.catalog.snapshot, pages.clock.wallMs()) }),
  )
  app.get<{ Querystring: { token?: string | string[] } }>('/console/setup', async (request, reply) => {
    const { token } = request.query
    const page = typeof token === 'string' ? await pages.setupPage(token) : undefined
    return page === undefined ? reply.code(404).type(html).send(invalidLinkPage) : reply.type(html).send(page)
  })
  app.setNotFoundHandler((request, reply) => refuse(pages, request, reply, nothingHere(pages.address)))
  app.setErrorHandler((thrown, request, reply) => refuse(pages, request, reply, thrown))
  return app
}

/** The only thing that Fastify meets before it has found a handler. */
const badAddress = new TollgateError('malformed_http', { message: 'This address cannot be read.' })

/** Clients end here whose base address is nearly right, such as `{root}/api`. */
function nothingHere(address: string): TollgateError {
  return new TollgateError('unknown_path', {
    message: `There is nothing at this address. Models are reached at ${address}/v1 (Chat Completions) and ${address}/v1/alt (Messages).`,
  })
}

function headersOf(request: FastifyRequest): Readonly<Record<string, string>> {
  return {
    'x-request-id': request.id,
    'x-content-type-options': 'nosniff',
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
  }
}

function refuse(pages: Pages, request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply {
  const error = ofTheTable(thrown)
  if (error.code === 'internal') pages.log.error({ err: error, request: request.id }, 'a page failed')
  return reply
    .headers(headersOf(request))
    .code(error.status)
    .send({ error: { code: error.code, message: error.details.message, requestId: request.id } })
}

/** What Fastify refuses before a handler sees it, by its status. */
const refusedByStatus: ReadonlyMap<number, readonly [code: ErrorCode, message: string]> = new Map([
  [400, ['invalid_json', 'The JSON of the request cannot be read.']],
  [413, ['body_too_large', 'The request body is larger than this server takes.']],
  [415, ['unsupported_media_type', 'Send the body as application/json.']],
])

function ofTheTable(thrown: unknown): TollgateError {
  const isFastifys = thrown instanceof Error && 'code' in thrown && String(thrown.code).startsWith('FST_ERR_')
  const status = isFastifys && 'statusCode' in thrown ? Number(thrown.statusCode) : 0
  const [code, message] = refusedByStatus.get(status) ?? []
  if (code === undefined || message === undefined) return asTollgateError(thrown)
  return new TollgateError(code, { message, cause: thrown })
}

async function metrics(pages: Pages, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { metricsToken } = pages
  if (metricsToken === null || !sameText(request.headers.authorization ?? '', `Bearer ${metricsToken}`)) {
    return reply.callNotFound() ?? reply
  }
  const { registry } = pages.metrics
  return reply.type(registry.contentType).send(await registry.metrics())
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

const invalidLinkPage = plainPage(
  'This link is not valid',
  '<p>A newer one may have taken its place: <code>node bin/tollgate.js setup-link</code> makes one.</p>',
)

function homePage(address: string): string {
  return plainPage(
    'Tollgate',
    `<p>A model gateway with a meter.</p>
<ul>
<li>Chat Completions: <code>${escapeHtml(address)}/v1</code></li>
<li>Messages: <code>${escapeHtml(address)}/v1/alt</code></li>
<li>Prices: <a href="/api/pricing">/api/pricing</a></li>
</ul>
<p>Accounts, keys and credit are made on the command line, by whoever runs this server: <code>node bin/tollgate.js --help</code></p>`,
  )
}

function plainPage(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>body{font:16px/1.5 system-ui,sans-serif;max-width:42rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark}code{font:0.9em ui-monospace,monospace}</style></head><body><h1>${escapeHtml(title)}</h1>${body}</body></html>`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
