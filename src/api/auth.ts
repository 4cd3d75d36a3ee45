/**
 * Hands what is below `/api/auth` to identity: the whole request in, the whole answer out. Sets no policy of its own
 * but that pages of other sites change nothing here.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AuthResponse } from '../identity/auth-messages.ts'
import { nameOf } from './actor.ts'
import type { ApiParts } from './api-parts.ts'
import type { Bodies } from './bodies.ts'
import { otherRoutes } from './other-routes-table.ts'
import type { Pace } from './pace.ts'
import { tellOfPeople } from './people-changes.ts'
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
      async onRequest(request) {
        const { method, headers } = request
        const session = await parts.control.identity.authenticate(headers)
        const kind = session === null ? 'anyone' : 'person'
        mustBeSameSite({ method, headers }, kind, parts.control.address)
        if (session === null) return
        const actor = { ...session, kind: 'person', address: null } as const
        bodies.knownAs(request, nameOf(actor))
        if (method === 'POST') pace(actor)
      },
      handler: async (request, reply) => handBack(reply, await answered(parts, request)),
    })
  })
}

async function answered(parts: ApiParts, request: FastifyRequest): Promise<AuthResponse> {
  const { control } = parts
  if (request.method !== 'POST') return ask(parts, request)
  // Before it is asked: what ends a session is still the session's.
  const session = await control.identity.authenticate(request.headers)
  const response = await ask(parts, request)
  if (session === null) return response
  const [path = ''] = request.url.split('?', 1)
  await tellOfPeople(control, { person: session.person.id, path, asked: bodyOf(request), answer: response })
  return response
}

const bodyOf = ({ body }: FastifyRequest): Uint8Array => (Buffer.isBuffer(body) ? body : new Uint8Array(0))

function ask(parts: ApiParts, request: FastifyRequest): Promise<AuthResponse> {
  const { method, raw, headers } = request
  const url = raw.url ?? '/'
  const cut = url.indexOf('?')
  return parts.answerAuth({
    method,
    path: cut < 0 ? url : url.slice(0, cut),
    query: cut < 0 ? '' : url.slice(cut + 1),
    headers,
    body: bodyOf(request),
    clientAddress: parts.clientAddress(raw),
  })
}

function handBack(reply: FastifyReply, { status, headers, body }: AuthResponse): FastifyReply {
  // Each cookie is a header of its own; Fastify keeps them apart.
  for (const [name, value] of headers) reply.header(name, value)
  return reply.code(status).send(Buffer.from(body))
}
