/**
 * Passes requests below `/api/auth` to identity: the whole request in, the whole response out. Its only policy is
 * that pages of other sites change nothing here.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { organizationOwner, personOwner } from '../control/authorize.ts'
import type { ControlDeps } from '../control/control-deps.ts'
import { type AuthResponse, parseObject } from '../identity/auth-messages.ts'
import { actorId } from './actor.ts'
import type { ApiDeps } from './api-deps.ts'
import type { Bodies } from './bodies.ts'
import type { ChangeLimiter } from './change-limiter.ts'
import { otherRoutes } from './other-routes-table.ts'
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

interface PeopleChange {
  /** Who asked. */
  readonly person: string
  /** The path from the root, as received. */
  readonly path: string
  readonly requestBody: Uint8Array
  readonly response: AuthResponse
}

/**
 * Notifies open consoles of what a response of identity changed: those of the organization, of
 * the member, and of the caller. If the notification fails, the change is still valid, and visible at the next fetch.
 */
async function publishPeopleChange(
  { ledger, changes, log }: Pick<ControlDeps, 'ledger' | 'changes' | 'log'>,
  change: PeopleChange,
): Promise<void> {
  if (change.response.status >= 400) return
  try {
    for (const owner of ownersIn(change)) {
      const account = await ledger.accountByOwner(owner)
      if (account !== undefined) changes.publish(account.id, ['people', 'account'])
    }
  } catch (error) {
    log.warn({ err: error }, 'failed to announce a change of members to open consoles')
  }
}

/** The owners of accounts that an answer names, at its top or in a member or an invitation, and of what was asked about. */
function ownersIn({ person, path, requestBody, response }: PeopleChange): ReadonlySet<string> {
  const owners = new Set([personOwner(person)])
  const whole = objectIn(response.body)
  for (const { organizationId, userId } of [whole, part(whole.member), part(whole.invitation)]) {
    if (typeof organizationId === 'string') owners.add(organizationOwner(organizationId))
    if (typeof userId === 'string') owners.add(personOwner(userId))
  }
  const { organizationId } = objectIn(requestBody)
  // Identity has made sure that it is theirs only where it is asked about organizations.
  if (path.startsWith(aboutOrganizations) && typeof organizationId === 'string') {
    owners.add(organizationOwner(organizationId))
  }
  return owners
}

const aboutOrganizations = '/api/auth/organization/'

type JsonFields = Readonly<Record<string, unknown>>
const objectIn = (body: Uint8Array): JsonFields => parseObject(Buffer.from(body).toString('utf8'))
const part = (value: unknown): JsonFields => (typeof value === 'object' && value !== null ? { ...value } : {})
