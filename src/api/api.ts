/** The control plane over HTTP, put on a Fastify server: operations, identity, events, the webhook and the documentation. */
import type { FastifyInstance } from 'fastify'
import type { ApiParts } from './api-parts.ts'
import { addAuth } from './auth.ts'
import { addBodies, openBodies } from './bodies.ts'
import { addDocs } from './docs.ts'
import { addEvents } from './events.ts'
import { openPace } from './pace.ts'
import { addOperations } from './routes.ts'
import { addWebhook } from './webhook.ts'

export function addApi(app: FastifyInstance, parts: ApiParts): void {
  const { clock, payments, limits } = parts.control
  const bodies = openBodies({ clock, limits, clientAddress: parts.clientAddress })
  addBodies(app, bodies, { limits })
  const pace = openPace({ clock, limits })
  addOperations(app, parts, { bodies, pace })
  addAuth(app, parts, { bodies, pace })
  addEvents(app, parts)
  addDocs(app, parts)
  const { webhookBodyBytesMax } = limits
  if (payments.handleWebhook !== null)
    addWebhook(app, payments.handleWebhook, { bodies, webhookBodyBytesMax })
}
