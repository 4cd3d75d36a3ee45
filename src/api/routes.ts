/**
 * One route for each operation of the contract that is on HTTP: who asks and whether they may is decided before a body
 * is read, then the input is put together and the operation dispatched. Knows no particular operation.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Operation } from '../../contract/operation.ts'
import { type ControlErrorBody, type OperationName, operations } from '../../contract/operations.ts'
import { type ErrorCode, TollgateError } from '../base/errors.ts'
import { retryAdviceHeaders } from '../base/retry-advice.ts'
import type { Actor } from '../control/actor.ts'
import { authorizeActor } from '../control/authorize.ts'
import { type ControlReply, dispatch } from '../control/dispatch.ts'
import { actorOf, nameOf } from './actor.ts'
import { answerFile, retryHeaders } from './answers.ts'
import type { ApiParts } from './api-parts.ts'
import type { Bodies } from './bodies.ts'
import type { Pace } from './pace.ts'
import { inputOfTexts, type Texts } from './query-input.ts'
import { mustBeSameSite } from './same-site.ts'

type AnyOperation = Operation<
  (typeof operations)[OperationName]['input'],
  (typeof operations)[OperationName]['output']
>

export interface OperationsNeeds {
  readonly bodies: Pick<Bodies, 'knownAs'>
  readonly pace: Pace
}

export function addOperations(app: FastifyInstance, parts: ApiParts, needs: OperationsNeeds): void {
  for (const [name, operation] of Object.entries(operations) as [OperationName, AnyOperation][]) {
    if (operation.http !== null) addOperation(app, parts, { name, operation, http: operation.http, ...needs })
  }
}

interface Row extends OperationsNeeds {
  readonly name: OperationName
  readonly operation: AnyOperation
  readonly http: NonNullable<AnyOperation['http']>
}

function addOperation(
  app: FastifyInstance,
  parts: ApiParts,
  { name, operation, http, bodies, pace }: Row,
): void {
  const [method, path] = http
  const { limits } = parts.control
  const actors = new WeakMap<FastifyRequest, Actor>()
  app.route<{ Params: Texts; Querystring: Texts }>({
    method,
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    // Whoever is not known has little to say.
    bodyLimit: operation.policy.of === 'everybody' ? limits.authBodyBytesMax : limits.controlBodyBytesMax,
    async onRequest(request) {
      const actor = await welcome(parts, request, operation)
      if (actor.kind !== 'anyone') bodies.knownAs(request, nameOf(actor))
      if (operation.effect === 'changes') pace(actor)
      actors.set(request, actor)
    },
    async handler(request, reply) {
      const actor = actors.get(request)
      if (actor === undefined) throw new Error('a request is welcomed before it is handled')
      const input = inputOf(method, operation, request)
      const answer = await dispatch(parts.control, actor, name, input)
      return answered(request, reply, { answer, produces: operation.produces })
    },
  })
}

/** Who asks, when they may ask this at all. */
async function welcome(
  parts: ApiParts,
  { raw, method, headers }: FastifyRequest<{ Params: Texts; Querystring: Texts }>,
  { policy }: Pick<AnyOperation, 'policy'>,
): Promise<Actor> {
  const actor = await actorOf(parts, raw)
  mustBeSameSite({ method, headers }, actor.kind, parts.control.address)
  authorizeActor(parts.control, policy, actor)
  return actor
}

function inputOf(
  method: string,
  { input: schema }: Pick<AnyOperation, 'input'>,
  { params, query, body }: FastifyRequest<{ Params: Texts; Querystring: Texts }>,
): unknown {
  const named = inputOfTexts(schema, params)
  const given = method === 'GET' ? inputOfTexts(schema, query) : bodyOf(query, body)
  for (const field of Object.keys(named)) {
    if (Object.hasOwn(given, field)) {
      throw new TollgateError('invalid_value', { message: `${field} stands in the path.`, param: field })
    }
  }
  return { ...given, ...named }
}

function bodyOf(query: Texts, body: unknown): Readonly<Record<string, unknown>> {
  const [stray] = Object.keys(query)
  if (stray !== undefined) {
    throw new TollgateError('invalid_value', {
      message: `${stray} stands in the query; this operation takes its input as a JSON body.`,
      param: stray,
    })
  }
  if (body === undefined || body === null) return {}
  if (typeof body !== 'object' || Array.isArray(body)) {
    throw new TollgateError('invalid_value', { message: 'The body must be a JSON object.' })
  }
  return body as Readonly<Record<string, unknown>>
}

interface Answered {
  readonly answer: ControlReply
  readonly produces: AnyOperation['produces']
}

function answered(
  request: FastifyRequest,
  reply: FastifyReply,
  { answer, produces }: Answered,
): FastifyReply {
  const { status, body, retryAfterMs } = answer
  if (status !== 200) {
    const { error } = body as ControlErrorBody
    const requestId = error.requestId ?? request.id
    return reply
      .headers({
        ...retryHeaders(retryAfterMs),
        ...retryAdviceHeaders({ code: error.code as ErrorCode, status }),
        'x-request-id': requestId,
      })
      .code(status)
      .send({ error: { ...error, requestId } })
  }
  if (produces === 'json') return reply.send(body)
  return answerFile(reply, body as { readonly name: string; readonly text: string })
}
