/**
 * Passes requests below `/api/auth` to identity: the whole request in, the whole response out. Its only policy is
 * that pages of other sites change nothing here.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AuthResponse } from '../identity/auth-messages.ts'
import { actorId } from './actor.ts'
import type { ApiDeps } from './api-deps.ts'
import type { Bodies } from './bodies.ts'
import type { ChangeLimiter } from './change-limiter.ts'
import { otherRoutes } from './other-routes-table.ts'
import { publishPeopleChange } from './people-changes.ts'
import { assertSameSite } from './same-site.ts'

interface AuthRouteDeps {
  readonly bodies: Bodies
  readonly pace: ChangeLimiter
}

export function addAuth(app: FastifyInstance, deps: ApiDeps, { bodies, pace }: AuthRouteDeps): void {
  const { methods, path } = otherRoutes.auth
  app.register(async (auth) => {
    auth.removeAllContentTypeParsers()
    auth.addContentTypeParser('*', (request: FastifyRequest) =>
      bodies.readShallow(request, deps.control.limits.authBodyBytesMax),
    )
    auth.route({
      method: [...methods],
      url: path,
      async onRequest(request) {
        const { method, headers } = request
        const session = await deps.control.identity.authenticate(headers)
        const kind = session === null ? 'anyone' : 'person'
        assertSameSite({ method, headers }, kind, deps.control.address)
        if (session === null) return
        const actor = { ...session, kind: 'person', address: null } as const
        bodies.attributeTo(request, actorId(actor))
        if (method === 'POST') pace(actor)
      },
      handler: async (request, reply) => sendAuthResponse(reply, await answerAndPublish(deps, request)),
    })
  })
}

async function answerAndPublish(deps: ApiDeps, request: FastifyRequest): Promise<AuthResponse> {
  const { control } = deps
  if (request.method !== 'POST') return callIdentity(deps, request)
  // Before it is asked: what ends a session is still the session's.
  const session = await control.identity.authenticate(request.headers)
  const response = await callIdentity(deps, request)
  if (session === null) return response
  const [path = ''] = request.url.split('?', 1)
  await publishPeopleChange(control, {
    person: session.person.id,
    path,
    requestBody: bodyOf(request),
    response,
  })
  return response
}

const bodyOf = ({ body }: FastifyRequest): Uint8Array => (Buffer.isBuffer(body) ? body : new Uint8Array(0))

function callIdentity(deps: ApiDeps, request: FastifyRequest): Promise<AuthResponse> {
  const { method, raw, headers } = request
  const url = raw.url ?? '/'
  const cut = url.indexOf('?')
  return deps.handleAuth({
    method,
    path: cut < 0 ? url : url.slice(0, cut),
    query: cut < 0 ? '' : url.slice(cut + 1),
    headers,
    body: bodyOf(request),
    clientAddress: deps.clientAddress(raw),
  })
}

function sendAuthResponse(reply: FastifyReply, { status, headers, body }: AuthResponse): FastifyReply {
  // Each cookie is a separate header; Fastify sends them separately.
  for (const [name, value] of headers) reply.header(name, value)
  return reply.code(status).send(Buffer.from(body))
}
