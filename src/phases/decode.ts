/**
 * Bounded body → the few facts that routing and money need, straight from the bytes. The bytes
 * themselves stay as the caller wrote them.
 */
import { isUtf8 } from 'node:buffer'
import { type ErrorCode, TollgateError } from '../base/errors.ts'
import { type Body, type BodyFailure, type BodyReader, readBody } from '../http/body.ts'
import { wireError } from '../refusal.ts'
import type { Call, Line } from '../values.ts'
import type { ReadLimits, RequestFacts } from '../wire/codec.ts'

export interface Decoding {
  readonly bodies: BodyReader
  readonly read: ReadLimits
}

const failures: Readonly<Record<BodyFailure['kind'], readonly [code: ErrorCode, message: string]>> = {
  too_large: ['body_too_large', 'The request body is larger than this server takes.'],
  gone: ['request_timeout', 'The client left before its request was complete.'],
  timeout: ['request_timeout', 'The request body did not arrive in time.'],
  no_room: ['overloaded', 'This server holds as many request bodies as it can; try again.'],
  unsupported_encoding: ['unsupported_media_type', 'Send the body without content-encoding.'],
}

/** JSON or a format made of it, whatever its parameters. */
const jsonType = /^application\/([\w.+-]+\+)?json[ \t]*(;|$)/i

/** Throws TollgateError for a body that is too large, late, not JSON, or that says something that cannot be priced. */
export async function decode(decoding: Decoding, line: Line): Promise<Call> {
  const body = await receive(decoding, line)
  try {
    return { body, facts: readFacts(decoding.read, line, body.bytes) }
  } catch (error) {
    body.drop()
    throw error
  }
}

/** The whole body, which is the caller's to drop. Throws as `decode`, but for what the body says. */
export async function receive({ bodies }: Pick<Decoding, 'bodies'>, line: Line): Promise<Body> {
  const mediaType = line.request.headers['content-type'] ?? ''
  if (mediaType !== '' && !jsonType.test(mediaType)) {
    throw new TollgateError('unsupported_media_type', { message: 'Send the body as application/json.' })
  }
  const body = await readBody(bodies, line.request, line.client)
  if (body.kind === 'body') return body
  const [code, message] = failures[body.kind]
  throw new TollgateError(code, code === 'overloaded' ? { message, retryAfterMs: 1_000 } : { message })
}

/** What the body says; throws as `decode`. */
export function readFacts(limits: ReadLimits, line: Line, body: Uint8Array): RequestFacts {
  if (!isUtf8(body)) {
    throw new TollgateError('invalid_json', { message: 'The body is not valid UTF-8.' })
  }
  try {
    const facts = line.dialect.readRequest(body, limits, line.address)
    const byHeader = line.dialect.pricedHeaders(line.request.headers)
    return byHeader.length === 0 ? facts : { ...facts, options: [...facts.options, ...byHeader] }
  } catch (error) {
    throw wireError(error)
  }
}
