/** The control plane over HTTP, mounted on a Fastify server: operations, identity, events, the webhook and the documentation. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ControlDeps } from '../control/control-deps.ts'
import type { ApiDeps } from './api-deps.ts'
import { addAuth } from './auth.ts'
import { addBodies, type Bodies, openBodies } from './bodies.ts'
import { openChangeLimiter } from './change-limiter.ts'
import { addEvents } from './events.ts'
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
