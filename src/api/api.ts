/** The control plane over HTTP, mounted on a Fastify server: operations, identity, events, the webhook and the documentation. */
import type { FastifyInstance } from 'fastify'
import type { ApiDeps } from './api-deps.ts'
import { addAuth } from './auth.ts'
import { addBodies, openBodies } from './bodies.ts'
import { openChangeLimiter } from './change-limiter.ts'
import { addDocs } from './docs.ts'
import { addEvents } from './events.ts'
import { addOperations } from './routes.ts'
import { addWebhook } from './webhook.ts'

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
