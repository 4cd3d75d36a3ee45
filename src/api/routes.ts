/**
 * Mounts a route for each HTTP operation of the contract: decides the actor and its permission before a body
 * is read, then assembles the input and dispatches the operation. Knows no particular operation.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Operation } from '../../contract/operation.ts'
import { type ControlErrorBody, type OperationName, operations } from '../../contract/operations.ts'
import { type ErrorCode, TollgateError } from '../base/errors.ts'
import { retryAdviceHeaders } from '../base/retry-advice.ts'
import type { Actor } from '../control/actor.ts'
import { authorizeActor } from '../control/authorize.ts'
import { type ControlReply, dispatch } from '../control/dispatch.ts'
import { actorId, authenticateActor } from './actor.ts'
import type { ApiDeps } from './api-deps.ts'
import type { Bodies } from './bodies.ts'
import type { ChangeLimiter } from './change-limiter.ts'
import { assertSameSite } from './same-site.ts'
import { retryHeaders, sendFile } from './send-response.ts'

/** Size of a body of an operation that takes a whole file, such as a price list. */
const controlDocumentBytesMax = 12 * 1024 * 1024

/** Size of a request body in the Management API. */
const controlBodyBytesMax = 1024 * 1024

type AnyOperation = Operation<
  (typeof operations)[OperationName]['input'],
  (typeof operations)[OperationName]['output']
>

export interface OperationRouteDeps {
  readonly bodies: Pick<Bodies, 'attributeTo'>
  readonly pace: ChangeLimiter
}

export function addOperations(app: FastifyInstance, deps: ApiDeps, needs: OperationRouteDeps): void {
  for (const [name, operation] of Object.entries(operations) as [OperationName, AnyOperation][]) {
    if (operation.http !== null) addOperation(app, deps, { name, operation, http: operation.http, ...needs })
  }
}

interface OperationRoute extends OperationRouteDeps {
  readonly name: OperationName
  readonly operation: AnyOperation
  readonly http: NonNullable<AnyOperation['http']>
}

function addOperation(
  app: FastifyInstance,
  deps: ApiDeps,
  { name, operation, http, bodies, pace }: OperationRoute,
): void {
  const [method, path] = http
  const { limits } = deps.control
  const actors = new WeakMap<FastifyRequest, Actor>()
  app.route<{ Params: Texts; Querystring: Texts }>({
    method,
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    bodyLimit: bodyBytesMax(operation, limits),
    async onRequest(request) {
      const actor = await authorizeRequest(deps, request, operation)
      if (actor.kind !== 'anyone') bodies.attributeTo(request, actorId(actor))
      if (operation.effect === 'changes') pace(actor)
      actors.set(request, actor)
    },
    async handler(request, reply) {
      const actor = actors.get(request)
      if (actor === undefined) throw new Error('a request is welcomed before it is handled')
      const input = inputOf(method, operation, request)
      const answer = await dispatch(deps.control, actor, name, input)
      return sendReply(request, reply, { answer, produces: operation.produces })
    },
  })
}

/** Bodies of unknown callers are small. */
function bodyBytesMax(
  { policy, inputSize }: Pick<AnyOperation, 'policy' | 'inputSize'>,
  limits: ApiDeps['control']['limits'],
): number {
  if (policy.kind === 'public') return limits.authBodyBytesMax
  return inputSize === 'document' ? controlDocumentBytesMax : controlBodyBytesMax
}

/** The actor of a request, if allowed to make it. */
async function authorizeRequest(
  deps: ApiDeps,
  { raw, method, headers }: FastifyRequest<{ Params: Texts; Querystring: Texts }>,
  { policy }: Pick<AnyOperation, 'policy'>,
): Promise<Actor> {
  const actor = await authenticateActor(deps, raw)
  assertSameSite({ method, headers }, actor.kind, deps.control.address)
  authorizeActor(deps.control, policy, actor)
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
      throw new TollgateError('invalid_value', {
        message: `${field} must be in the path only.`,
        param: field,
      })
    }
  }
  return { ...given, ...named }
}

function bodyOf(query: Texts, body: unknown): Readonly<Record<string, unknown>> {
  const [stray] = Object.keys(query)
  if (stray !== undefined) {
    throw new TollgateError('invalid_value', {
      message: `${stray} is in the query string. Send this operation's input as a JSON body.`,
      param: stray,
    })
  }
  if (body === undefined || body === null) return {}
  if (typeof body !== 'object' || Array.isArray(body)) {
    throw new TollgateError('invalid_value', { message: 'The body must be a JSON object.' })
  }
  return body as Readonly<Record<string, unknown>>
}

interface OperationReply {
  readonly answer: ControlReply
  readonly produces: AnyOperation['produces']
}

function sendReply(
  request: FastifyRequest,
  reply: FastifyReply,
  { answer, produces }: OperationReply,
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
  return sendFile(reply, body as { readonly name: string; readonly text: string })
}

/** Query parameters: a text, or an array if one is repeated. */
export type Texts = Readonly<Record<string, string | readonly string[] | undefined>>

/** Throws 400 for a parameter that came more than once and is not a list. */
export function inputOfTexts(schema: z.ZodType, texts: Texts): Readonly<Record<string, unknown>> {
  const fields = fieldsOf(schema)
  const input: [string, unknown][] = []
  for (const [name, text] of Object.entries(texts)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (text !== undefined) input.push([name, readTexts(name, field, text)])
  }
  return Object.fromEntries(input)
}

type SchemaFields = Readonly<Record<string, z.core.$ZodType | undefined>>

/** The fields of an operation's input. */
export function fieldsOf(schema: z.ZodType): SchemaFields {
  const { def } = (schema as z.core.$ZodType as z.core.$ZodObject)._zod
  return def.type === 'object' ? def.shape : {}
}

function readTexts(
  name: string,
  field: z.core.$ZodType | undefined,
  text: string | readonly string[],
): unknown {
  const kind = field === undefined ? 'string' : kindOf(field)
  if (kind === 'array') return typeof text === 'string' ? [text] : text
  if (typeof text !== 'string') {
    throw new TollgateError('invalid_value', { message: `${name} was sent more than once.`, param: name })
  }
  if (kind === 'number' && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (kind === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

/** Type of a field when present: `number`, `boolean`, `array`, or another one that is written as text. */
export function kindOf(field: z.core.$ZodType): string {
  const { def } = field._zod as z.core.$ZodTypeInternals & { def: { readonly innerType?: z.core.$ZodType } }
  return def.innerType === undefined ? def.type : kindOf(def.innerType)
}
