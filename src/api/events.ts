/** `GET /api/events?account=…`: the changes of an account as they happen, for whoever may see the account. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { operations } from '../../contract/operations.ts'
import { accountReference } from '../../contract/values.ts'
import { assert } from '../base/assert.ts'
import { TollgateError } from '../base/errors.ts'
import { networkOf } from '../base/network.ts'
import type { Actor } from '../control/actor.ts'
import { authorizeAccount, authorizeActor } from '../control/authorize.ts'
import { inputMistake } from '../control/handle-operation.ts'
import { actorOf, nameOf } from './actor.ts'
import type { ApiParts } from './api-parts.ts'
import type { Opening } from './event-streams.ts'
import { otherRoutes } from './other-routes-table.ts'

const { policy: showing } = operations['account.show']
assert(showing.of === 'account', 'events are of an account')
const policy = showing
const query = z.strictObject({ account: accountReference.optional() })

export function addEvents(app: FastifyInstance, parts: ApiParts): void {
  app.route({
    method: 'GET',
    url: otherRoutes.events.path,
    // Nobody can watch an answer without its body.
    exposeHeadRoute: false,
    async handler(request, reply) {
      const asked = query.safeParse(request.query)
      if (!asked.success) throw inputMistake(request.query, asked.error)
      const { actor, account } = await authorized(parts, request, asked.data)
      const watcher = {
        name: nameOf(actor),
        network: networkOf(parts.clientAddress(request.raw)),
        account,
        watch: (listener: Parameters<typeof parts.control.changes.watch>[1]) =>
          parts.control.changes.watch(account, listener),
        stillMay: () => stillMay(parts, request, { account: asked.data.account, actor }),
      }
      const refused = refusals[parts.streams.open(watcher, reply.raw, plainHeaders(reply))]
      if (refused !== null) throw refused()
      reply.hijack()
    },
  })
}

const refusals: Readonly<Record<Opening, null | (() => TollgateError)>> = {
  open: null,
  gone: null,
  full: () =>
    new TollgateError('concurrency_limited', {
      message: 'Too many streams of events are open; close other tabs.',
      retryAfterMs: 10_000,
    }),
  closed: () =>
    new TollgateError('draining', { message: 'This server is shutting down.', retryAfterMs: 2_000 }),
}

interface Asked {
  readonly account?: string | undefined
}

async function authorized(
  parts: ApiParts,
  request: FastifyRequest,
  { account }: Asked,
): Promise<{ readonly actor: Actor; readonly account: bigint }> {
  const actor = await actorOf(parts, request.raw)
  authorizeActor(parts.control, policy, actor)
  const who = await authorizeAccount(parts.control, policy, actor, { account })
  return { actor, account: who.account.id }
}

/** Whether the same caller would be let in now; when that cannot be told they are let in again later. */
async function stillMay(
  parts: ApiParts,
  request: FastifyRequest,
  { account, actor }: Asked & { readonly actor: Actor },
): Promise<boolean> {
  try {
    const now = await authorized(parts, request, { account })
    return nameOf(now.actor) === nameOf(actor)
  } catch (error) {
    parts.control.log.debug({ err: error, request: request.id }, 'a stream of events ends')
    return false
  }
}

/** What was set before the answer was taken out of Fastify's hands. */
function plainHeaders(reply: FastifyReply): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]))
}
