/**
 * Bounded body → the few facts that routing and money need, straight from the bytes. The bytes
 * themselves stay as the caller wrote them.
 */
import type { Caller } from '../access/types.ts'
import type { Clock } from '../base/clock.ts'
import { TollgateError } from '../base/errors.ts'
import { type Body, type BodyLimits, bodyError, readBody } from '../http/body.ts'
import type { SharedMemory } from '../http/shared-memory.ts'
import { wireError } from '../refusal.ts'
import type { BodyThreads } from '../tokens/body-threads.ts'
import type { Call, Line } from '../values.ts'
import type { ReadLimits, RequestFacts } from '../wire/codec.ts'

export interface Receiving {
  /** Memory for bodies, shared by all keys, accounts and networks. */
  readonly bodies: SharedMemory['bodies']
  readonly limits: BodyLimits
  readonly clock: Clock
}

export interface Decoding extends Receiving {
  readonly read: ReadLimits
  readonly bodyThreads: Pick<BodyThreads, 'run'>
}

/** What a body may have, as the formats' readers take it. */
export function readLimits(limits: {
  readonly jsonDepthMax: number
  readonly jsonValuesMax: number
  readonly jsonOtherValuesMax: number
  readonly jsonNamesMax: number
  readonly jsonObjectsMax: number
  readonly integerMax: number
}): ReadLimits {
  return {
    depthMax: limits.jsonDepthMax,
    valuesMax: limits.jsonValuesMax,
    otherValuesMax: limits.jsonOtherValuesMax,
    namesMax: limits.jsonNamesMax,
    objectsMax: limits.jsonObjectsMax,
    integerMax: limits.integerMax,
  }
}

/** JSON or a format made of it, whatever its parameters. */
const jsonType = /^application\/([\w.+-]+\+)?json[ \t]*(;|$)/i

const multipartType = /^multipart\/form-data[ \t]*;/i

type Sender = Pick<Caller, 'key' | 'account'>

/** Throws TollgateError for a body that is too large, late, not JSON, or that says something that cannot be priced. */
export async function decode(decoding: Decoding, caller: Caller, line: Line): Promise<Call> {
  const body = await receive(decoding, caller, line)
  try {
    const { read: limits, bodyThreads } = decoding
    const asked = { format: line.dialect.name, limits, address: line.address }
    const facts = await bodyThreads.run('facts', asked, { body, account: caller.account, work: line.work })
    return { body, facts: withHeaders(line, facts) }
  } catch (error) {
    body.drop()
    throw wireError(error)
  }
}

/** The whole body, which is the caller's to drop. Throws as `decode`, but for what the body says. */
export async function receive(receiving: Receiving, caller: Sender, line: Line): Promise<Body> {
  const mediaType = line.request.headers['content-type'] ?? ''
  if (mediaType !== '' && !jsonType.test(mediaType)) {
    throw new TollgateError('unsupported_media_type', { message: 'Send the body as application/json.' })
  }
  return whole(receiving, caller, line)
}

/** The whole body of an upload, which is the caller's to drop: as it was sent, multipart framing included. */
export async function receiveFile(
  { bodies, clock, limits }: Receiving & { readonly limits: { readonly fileBytesMax: number } },
  caller: Sender,
  line: Line,
): Promise<Body> {
  if (!multipartType.test(line.request.headers['content-type'] ?? '')) {
    throw new TollgateError('unsupported_media_type', { message: 'Send the file as multipart/form-data.' })
  }
  const bodyBytesMax = Math.min(limits.fileBytesMax, limits.bodyBytesMax)
  return whole({ bodies, clock, limits: { ...limits, bodyBytesMax } }, caller, line)
}

async function whole(
  { bodies, limits, clock }: Receiving,
  { key, account }: Sender,
  line: Line,
): Promise<Body> {
  const allowance = bodies.allowance({ key, account, network: line.network })
  const body = await readBody({ allowance, limits, clock }, line.request, line.client)
  if (body.kind === 'body') return body
  throw bodyError(body)
}

/** What the body says, and what the headers say beside it. */
export function withHeaders({ dialect, request }: Line, facts: RequestFacts): RequestFacts {
  const byHeader = dialect.pricedHeaders(request.headers)
  return byHeader.length === 0 ? facts : { ...facts, options: [...facts.options, ...byHeader] }
}
