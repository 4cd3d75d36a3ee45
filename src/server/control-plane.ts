/**
 * Everything the server serves except the data plane, composed on one Fastify server: health checks, metrics, the
 * control plane, documentation and the console's files.
 */

import { timingSafeEqual } from 'node:crypto'
import type { RequestListener, Server } from 'node:http'
import fastify, {
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { addApi } from '../api/api.ts'
import type { ApiDeps } from '../api/api-deps.ts'
import { otherRoutes } from '../api/other-routes-table.ts'
import { sendError } from '../api/send-response.ts'
import { asTollgateError, type ErrorCode, TollgateError } from '../base/errors.ts'
import { formatId } from '../base/ids.ts'
import { priceListScopes, pricingRows } from '../catalog/listing.ts'
import { WrittenLists } from '../catalog/written-lists.ts'
import type { MetricsText } from '../gateway/observation/metrics.ts'
import { wantsPage } from './control-plane-paths.ts'
import type { DocsFiles } from './docs-files.ts'

export interface ControlPlaneDeps {
  readonly api: ApiDeps
  readonly metrics: MetricsText
  /** Without it `/metrics` does not exist. */
  readonly metricsToken: () => string | null
  /** Whether requests can be served: false while draining or without a store. */
  readonly ready: () => Promise<boolean>
  /** The console's pages, below `/console` and at `/pricing`. */
  readonly consoleFiles: FastifyPluginAsync
  /** The pages of the documentation, below `/docs`, and the one for browsers that open an unknown path. */
  readonly docsFiles: DocsFiles
}

/**
 * The routes, on the server that `serverFactory` supplies; it never listens itself. `paths` lists all routes once `app`
 * is ready.
 */
export function createControlPlane(
  pages: ControlPlaneDeps,
  serverFactory: (handler: RequestListener) => Server,
): { readonly app: FastifyInstance; readonly paths: PathTable } {
  const { control } = pages.api
  const { address } = control
  const paths = new PathTable()
  const lists = new WrittenLists({ writtenListsMax: priceListScopes.length })
  const app = fastify({
    serverFactory,
    // Longest name or address in a path, percent-encoded.
    routerOptions: { maxParamLength: 1_000 },
    logger: false,
    genReqId: () => formatId('req', control.nextId()),
    frameworkErrors: (_thrown, request, reply) => respondWithError(pages, request, reply, badAddress),
    // The HTTP server itself answers malformed requests; a second response would corrupt the first.
    clientErrorHandler: () => {},
  })
  app.addHook('onRoute', ({ url, method }) => {
    // Without the token the route looks as if it did not exist.
    if (url !== metricsPath) paths.add(url, [method].flat())
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(headersOf(request, address))
  })
  addHealthRoutes(app, pages)
  app.get<{ Querystring: { readonly models?: unknown } }>(otherRoutes.pricing.path, (request, reply) => {
    const scope = request.query.models === 'all' ? 'all' : 'offered'
    const { snapshot } = control.catalog
    const nowMs = control.clock.wallMs()
    const list = lists.written(snapshot, scope, nowMs, () => ({
      data: pricingRows(snapshot, { nowMs, view: control.customerView }, scope),
    }))
    return reply.type('application/json; charset=utf-8').send(list)
  })
  addApi(app, pages.api)
  app.register(pages.consoleFiles)
  app.register(pages.docsFiles.routes)
  app.setNotFoundHandler((request, reply) => {
    const methods = paths.methodsAt(pathOf(request))
    // A wildcard route matched, but there is no such file.
    const isMissing = methods.length === 0 || methods.includes(request.method)
    if (isMissing) return respondNotFound(pages, request, reply)
    return respondWithError(pages, request, reply, wrongMethod(methods))
  })
  app.setErrorHandler((thrown, request, reply) => respondWithError(pages, request, reply, thrown))
  return { app, paths }
}

const metricsPath = '/metrics'

function addHealthRoutes(app: FastifyInstance, pages: ControlPlaneDeps): void {
  app.get('/livez', (_request, reply) => reply.type('text/plain').send('ok\n'))
  app.get('/readyz', async (_request, reply) => {
    const ready = await pages.ready()
    return reply
      .code(ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .type('text/plain')
      .send(ready ? 'ready\n' : 'not ready\n')
  })
  app.get(metricsPath, (request, reply) => metrics(pages, request, reply))
}

/** Errors that Fastify raises before it has found a handler. */
const badAddress = new TollgateError('malformed_http', { message: 'The URL is malformed.' })

/** For clients whose base URL is slightly wrong, such as `{root}/api`. */
function unknownPath(address: string): TollgateError {
  return new TollgateError('unknown_path', {
    message: `Path not found. The base URLs for models are ${address}/v1 (Chat Completions) and ${address}/v1/alt (Messages, for Anthropic's clients). The Management API is documented at ${address}/docs.`,
  })
}

function wrongMethod(methods: readonly string[]): TollgateError {
  const allow = methods.join(', ')
  return new TollgateError('method_not_allowed', {
    message: `This path accepts ${allow}.`,
    headers: { allow },
  })
}

const pathOf = ({ raw }: FastifyRequest) => (raw.url ?? '/').split('?', 1)[0] ?? '/'

function headersOf(request: FastifyRequest, address: string): Readonly<Record<string, string>> {
  return { 'x-request-id': request.id, ...securityHeaders(pathOf(request), address) }
}

/** Responds with 404: a page for a browser, except below the prefix of the Management API. */
async function respondNotFound(
  pages: ControlPlaneDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (wantsPage(request.raw) && !pathOf(request).startsWith('/api/'))
    return pages.docsFiles.sendNotFound(reply.headers(pageHeaders))
  return respondWithError(pages, request, reply, unknownPath(pages.api.control.address))
}

function respondWithError(
  { api: { control } }: ControlPlaneDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  thrown: unknown,
): FastifyReply {
  const error = toTollgateError(thrown)
  if (error.code === 'internal')
    control.log.error({ err: error, request: request.id }, 'a request to the control plane failed')
  return sendError(
    reply.headers({ ...headersOf(request, control.address), ...errorHeaders }),
    error,
    request.id,
  )
}

/** Errors that Fastify raises before a handler runs, by status. */
const rejectedByStatus: ReadonlyMap<number, readonly [code: ErrorCode, message: string]> = new Map([
  [400, ['invalid_json', 'The request body is not valid JSON.']],
  [413, ['body_too_large', 'The request body is too large for this endpoint.']],
  [415, ['unsupported_media_type', 'Send the body as application/json.']],
])

function toTollgateError(thrown: unknown): TollgateError {
  if (!(thrown instanceof Error) || !('statusCode' in thrown)) return asTollgateError(thrown)
  const status = Number(thrown.statusCode)
  const isFastifys = 'code' in thrown && String(thrown.code).startsWith('FST_ERR_')
  // Otherwise the static file handler rejected the path: there is no such file.
  if (!isFastifys && status >= 400 && status < 500) return noSuchFile
  const [code, message] = (isFastifys ? rejectedByStatus.get(status) : undefined) ?? []
  if (code === undefined || message === undefined) return asTollgateError(thrown)
  return new TollgateError(code, { message, cause: thrown })
}

const noSuchFile = new TollgateError('unknown_path', { message: 'File not found.' })

async function metrics(
  pages: ControlPlaneDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const metricsToken = pages.metricsToken()
  if (metricsToken === null || !sameText(request.headers.authorization ?? '', `Bearer ${metricsToken}`)) {
    return respondNotFound(pages, request, reply)
  }
  const { contentType, text } = pages.metrics
  return reply.type(contentType).send(await text())
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

// The headers that restrict what a browser does with a response: nothing unless it is a page, its own origin for pages.

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

/** Headers of pages, with a content security policy; the console uses passkeys and the clipboard. */
const pageHeaders = {
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
function securityHeaders(path: string, address: string): Readonly<Record<string, string>> {
  return {
    ...(pagePath.test(path) ? pageHeaders : noPage),
    ...(path.startsWith('/api/') ? { 'cache-control': 'no-store' } : {}),
    ...(address.startsWith('https:') ? { 'strict-transport-security': oneYear } : {}),
  }
}

/** Headers of errors, which are not pages. */
const errorHeaders: Readonly<Record<string, string>> = { ...noPage, 'cache-control': 'no-store' }

interface PathRow {
  readonly path: string
  readonly pattern: RegExp
  readonly methods: readonly string[]
}

/** Which methods a path allows, so that a wrong method is distinguished from an unknown path. Pure. */
class PathTable {
  readonly #rows: PathRow[] = []

  /** `path` as Fastify writes it: `/api/keys/:key`, `/console/*`. */
  add(path: string, methods: readonly string[]): void {
    const source = path
      .split('/')
      .map((part) =>
        part.startsWith(':') ? '[^/]+' : part === '*' ? '.*' : part.replaceAll(/[^\w-]/g, '\\$&'),
      )
      .join('/')
    this.#rows.push({ path, pattern: new RegExp(`^${source}$`), methods })
  }

  /** Every address that was added, as `GET /api/keys/:key`. */
  addresses(): readonly string[] {
    return this.#rows.flatMap(({ path, methods }) => methods.map((method) => `${method} ${path}`))
  }

  /** In alphabetical order; empty where there is nothing. */
  methodsAt(path: string): readonly string[] {
    const found = this.#rows.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods)
    return [...new Set(found)].toSorted()
  }
}
