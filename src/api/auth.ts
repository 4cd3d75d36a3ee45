/**
 * Hands what is below `/api/auth` to identity: the whole request in, the whole answer out. Sets no policy of its own
 * but that pages of other sites change nothing here.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AuthAnswer } from '../identity/auth-messages.ts'
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
        const signedIn = await parts.control.identity.signedIn(headers)
        const kind = signedIn === null ? 'anyone' : 'person'
        mustBeSameSite({ method, headers }, kind, parts.control.address)
        if (signedIn === null) return
        const actor = { ...signedIn, kind: 'person', address: null } as const
        bodies.knownAs(request, nameOf(actor))
        if (method === 'POST') pace(actor)
      },
      handler: async (request, reply) => handBack(reply, await answered(parts, request)),
    })
  })
}

async function answered(parts: ApiParts, request: FastifyRequest): Promise<AuthAnswer> {
  const { control } = parts
  if (request.method !== 'POST') return ask(parts, request)
  // Before it is asked: what ends a session is still the session's.
  const signedIn = await control.identity.signedIn(request.headers)
  const answer = await ask(parts, request)
  if (signedIn === null) return answer
  const [path = ''] = request.url.split('?', 1)
  await tellOfPeople(control, { person: signedIn.person.id, path, asked: bodyOf(request), answer })
  return answer
}

const bodyOf = ({ body }: FastifyRequest): Uint8Array => (Buffer.isBuffer(body) ? body : new Uint8Array(0))

function ask(parts: ApiParts, request: FastifyRequest): Promise<AuthAnswer> {
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

function handBack(reply: FastifyReply, { status, headers, body }: AuthAnswer): FastifyReply {
  // Each cookie is a header of its own; Fastify keeps them apart.
  for (const [name, value] of headers) reply.header(name, value)
  return reply.code(status).send(Buffer.from(body))
}
