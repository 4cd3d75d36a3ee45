/** The control plane over HTTP, mounted on a Fastify server: operations, identity, events, the webhook and the documentation. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { operations } from '../../contract/operations.ts'
import { accountReference } from '../../contract/values.ts'
import { assert } from '../base/assert.ts'
import { TollgateError } from '../base/errors.ts'
import { networkOf } from '../base/network.ts'
import type { Actor } from '../control/actor.ts'
import { authorizeAccount, authorizeActor } from '../control/authorize.ts'
import type { ControlDeps } from '../control/control-deps.ts'
import { inputError } from '../control/dispatch.ts'
import { actorId, authenticateActor } from './actor.ts'
import type { ApiDeps } from './api-deps.ts'
import { addAuth } from './auth.ts'
import { addBodies, type Bodies, openBodies } from './bodies.ts'
import { openChangeLimiter } from './change-limiter.ts'
import type { StreamOpening } from './event-streams.ts'
import { gatewayOpenApi, gatewayOpenApiPath } from './gateway-openapi.ts'
import { openApi } from './openapi.ts'
import { otherRoutes } from './other-routes-table.ts'
import { stylePath } from './page.ts'
import { addOperations } from './routes.ts'
import { styleText } from './style-text.ts'

export function addApi(app: FastifyInstance, deps: ApiDeps): void {
  const { clock, payments, limits } = deps.control
  const bodies = openBodies({ clock, limits, clientAddress: deps.clientAddress })
  addBodies(app, bodies, { limits })
  const pace = openChangeLimiter({ clock, limits })
  addOperations(app, deps, { bodies, pace })
  addAuth(app, deps, { bodies, pace })
  addEvents(app, deps)
  addDocs(app, deps)
  const { webhookBodyBytesMax } = limits
  if (payments.handleWebhook !== null)
    addWebhook(app, payments.handleWebhook, { bodies, webhookBodyBytesMax })
}

/** For programs: the OpenAPI documents of both APIs; and the style sheet of the pages that the server writes itself. */
function addDocs(app: FastifyInstance, { control }: Pick<ApiDeps, 'control'>): void {
  const { address, server } = control
  const about = { address, version: server.version }
  for (const [path, make] of [
    [otherRoutes.openapi.path, openApi],
    [gatewayOpenApiPath, gatewayOpenApi],
  ] as const) {
    // Made when it is first read: it takes a third of what a start takes on the main thread.
    let json: string | undefined
    app.get(path, (_request, reply) => {
      json ??= JSON.stringify(make(about))
      return reply.type('application/json; charset=utf-8').send(json)
    })
  }
  app.get(stylePath, (_request, reply) => reply.type('text/css; charset=utf-8').send(styleText))
}

type WebhookHandler = NonNullable<ControlDeps['payments']['handleWebhook']>

/** Passes on the payment provider's messages byte for byte; not mounted while no payments are configured. */
function addWebhook(
  app: FastifyInstance,
  handleWebhook: WebhookHandler,
  { bodies, webhookBodyBytesMax }: { readonly bodies: Bodies; readonly webhookBodyBytesMax: number },
): void {
  app.register(async (hook) => {
    hook.removeAllContentTypeParsers()
    hook.addContentTypeParser('application/json', (request: FastifyRequest) =>
      bodies.readWebhook(request, webhookBodyBytesMax),
    )
    hook.post(otherRoutes.webhook.path, async ({ headers, body }, reply) => {
      const signature = headers['stripe-signature']
      const answer = await handleWebhook(
        Buffer.isBuffer(body) ? body : new Uint8Array(0),
        typeof signature === 'string' ? signature : undefined,
      )
      return reply.code(answer.status).type('text/plain; charset=utf-8').send(answer.body)
    })
  })
}

const { policy: showing } = operations['account.show']
assert(showing.kind === 'account', 'events are of an account')
const policy = showing
const query = z.strictObject({ account: accountReference.optional() })

function addEvents(app: FastifyInstance, deps: ApiDeps): void {
  app.route({
    method: 'GET',
    url: otherRoutes.events.path,
    // A response without a body cannot stream events.
    exposeHeadRoute: false,
    async handler(request, reply) {
      const asked = query.safeParse(request.query)
      if (!asked.success) throw inputError(request.query, asked.error)
      const { actor, account } = await authorizeWatcher(deps, request, asked.data)
      const watcher = {
        name: actorId(actor),
        network: networkOf(deps.clientAddress(request.raw)),
        account,
        watch: (listener: Parameters<typeof deps.control.changes.watch>[1]) =>
          deps.control.changes.watch(account, listener),
        isStillAuthorized: () => isStillAuthorized(deps, request, { account: asked.data.account, actor }),
      }
      const rejected = rejections[deps.streams.open(watcher, reply.raw, plainHeaders(reply))]
      if (rejected !== null) throw rejected()
      reply.hijack()
    },
  })
}

const rejections: Readonly<Record<StreamOpening, null | (() => TollgateError)>> = {
  open: null,
  gone: null,
  full: () =>
    new TollgateError('concurrency_limited', {
      message: 'Too many open event streams. Close other tabs and try again.',
      retryAfterMs: 10_000,
    }),
  closed: () =>
    new TollgateError('draining', { message: 'This server is shutting down.', retryAfterMs: 2_000 }),
}

interface EventsQuery {
  readonly account?: string | undefined
}

async function authorizeWatcher(
  deps: ApiDeps,
  request: FastifyRequest,
  { account }: EventsQuery,
): Promise<{ readonly actor: Actor; readonly account: bigint }> {
  const actor = await authenticateActor(deps, request.raw)
  authorizeActor(deps.control, policy, actor)
  const who = await authorizeAccount(deps.control, policy, actor, { account })
  return { actor, account: who.account.id }
}

/** Whether the same caller would be let in now; when that cannot be determined, they may connect again later. */
async function isStillAuthorized(
  deps: ApiDeps,
  request: FastifyRequest,
  { account, actor }: EventsQuery & { readonly actor: Actor },
): Promise<boolean> {
  try {
    const now = await authorizeWatcher(deps, request, { account })
    return actorId(now.actor) === actorId(actor)
  } catch (error) {
    deps.control.log.debug({ err: error, request: request.id }, 'a stream of events ends')
    return false
  }
}

/** Headers set before the response was hijacked from Fastify. */
function plainHeaders(reply: FastifyReply): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]))
}
