/** Passes on the payment provider's messages byte for byte; not mounted while no payments are configured. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ControlDeps } from '../control/control-deps.ts'
import type { Bodies } from './bodies.ts'
import { otherRoutes } from './other-routes-table.ts'

type WebhookHandler = NonNullable<ControlDeps['payments']['handleWebhook']>

export function addWebhook(
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
