/**
 * Hands what is below `/api/auth` to identity: the whole request in, the whole answer out. Sets no policy of its own
 * but that pages of other sites change nothing here.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AuthAnswer } from '../identity/answers.ts'
import type { ApiParts } from './api-parts.ts'
import type { Bodies } from './bodies.ts'
import { otherRoutes } from './other-routes-table.ts'
import type { Pace } from './pace.ts'
import { mustBeSameSite } from './same-site.ts'

interface AuthNeeds {
  readonly bodies: Bodies
  readonly pace: Pace
}

export function addAuth(app: FastifyInstance, parts: ApiParts, { bodies, pace }: AuthNeeds): void {
  const { methods, path } = otherRoutes.auth
  app.register(async (auth) => {
    auth.removeAllContentTypeParsers()
    auth.addContentTypeParser('*', (request: FastifyRequest) =>
      bodies.shallow(request, parts.control.limits.authBodyBytesMax),
    )
    auth.route({
      method: [...methods],
      url: path,
      async onRequest({ method, headers }) {
        const signedIn = await parts.control.identity.signedIn(headers)
        const kind = signedIn === null ? 'anyone' : 'person'
        mustBeSameSite({ method, headers }, kind, parts.control.address)
        if (signedIn !== null && method === 'POST') pace({ ...signedIn, kind: 'person', address: null })
      },
      handler: async (request, reply) => handBack(reply, await ask(parts, request)),
    })
  })
}

function ask(parts: ApiParts, { method, raw, headers, body }: FastifyRequest): Promise<AuthAnswer> {
  const url = raw.url ?? '/'
  const cut = url.indexOf('?')
  return parts.answerAuth({
    method,
    path: cut < 0 ? url : url.slice(0, cut),
    query: cut < 0 ? '' : url.slice(cut + 1),
    headers,
    body: Buffer.isBuffer(body) ? body : new Uint8Array(0),
    clientAddress: parts.clientAddress(raw),
  })
}

function handBack(reply: FastifyReply, { status, headers, body }: AuthAnswer): FastifyReply {
  // Each cookie is a header of its own; Fastify keeps them apart.
  for (const [name, value] of headers) reply.header(name, value)
  return reply.code(status).send(Buffer.from(body))
}
