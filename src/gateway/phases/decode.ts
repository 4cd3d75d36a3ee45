/**
 * Bounded body → the extracted fields that routing and billing need, read from the bytes, which stay unchanged.
 */
import type { Caller } from '../../access/types.ts'
import type { Clock } from '../../base/clock.ts'
import { TollgateError } from '../../base/errors.ts'
import type { BodyThreads } from '../../bodies/body-threads.ts'
import {
  type Body,
  type BodyFailure,
  type BodyLimits,
  bodyError,
  isCompressed,
  readBody,
} from '../../http/body.ts'
import type { SharedMemory } from '../../http/shared-memory.ts'
import type { ExtractedFields, ReadLimits } from '../../wire/format.ts'
import { readBetas } from '../../wire/request-fields.ts'
import type { ParsedRequest, RequestContext } from '../request.ts'
import { wireError } from '../responses/error-response.ts'

/** Field names in one of these objects, and non-ASCII field names in all of them. */
const jsonNamesMax = 256

/** Messages, content parts, tools and nested objects in a body; for a small body, 1,000 plus one per 8 bytes. */
const jsonObjectsMax = 50_000

/** Names and values in a JSON body outside its messages, instructions and tools. */
const jsonOtherValuesMax = 20_000

export interface ReceiveDeps {
  /** Memory for bodies, shared by all keys, accounts and networks. */
  readonly bodies: SharedMemory['bodies']
  readonly decompressor: SharedMemory['decompressor']
  readonly limits: BodyLimits
  readonly clock: Clock
}

export interface DecodeDeps extends ReceiveDeps {
  readonly read: ReadLimits
  readonly bodyThreads: Pick<BodyThreads, 'run'>
}

/** The configured JSON limits, as the formats' readers take them. */
export function readLimits(limits: {
  readonly jsonDepthMax: number
  readonly jsonValuesMax: number
  readonly integerMax: number
}): ReadLimits {
  return {
    depthMax: limits.jsonDepthMax,
    valuesMax: limits.jsonValuesMax,
    otherValuesMax: jsonOtherValuesMax,
    namesMax: jsonNamesMax,
    objectsMax: jsonObjectsMax,
    integerMax: limits.integerMax,
  }
}

/** JSON or a `+json` type, with any parameters. */
const jsonType = /^application\/([\w.+-]+\+)?json[ \t]*(;|$)/i

const multipartType = /^multipart\/(?:form-data|related)[ \t]*;/i

type RequestSender = Pick<Caller, 'key' | 'account'>

/** Throws TollgateError for a body that is too large, late, not JSON, or that cannot be priced. */
export async function decode(
  deps: DecodeDeps,
  caller: Caller,
  context: RequestContext,
): Promise<ParsedRequest> {
  const body = await receive(deps, caller, context)
  try {
    const { read: limits, bodyThreads } = deps
    const input = { format: context.format.name, limits, address: context.address }
    const reading = bodyThreads.run('facts', input, { body, account: caller.account, work: context.work })
    const facts = reading instanceof Promise ? await reading : reading
    removeFallbackModels(body, facts)
    return { body, facts: withHeaders(context, facts) }
  } catch (error) {
    body.drop()
    throw wireError(error)
  }
}

/** Reads the whole body, which the caller drops. Throws as `decode`, without looking into the body. */
export function receive(deps: ReceiveDeps, caller: RequestSender, context: RequestContext): Promise<Body> {
  const mediaType = context.request.headers['content-type'] ?? ''
  if (mediaType !== '' && !jsonType.test(mediaType)) {
    throw new TollgateError('unsupported_media_type', { message: 'Send the body as application/json.' })
  }
  return readWhole(deps, caller, context)
}

interface ReceiveFileDeps extends ReceiveDeps {
  readonly limits: ReceiveDeps['limits'] & {
    readonly fileBytesMax: number
    readonly fileObjectBytesMax: number
  }
}

/**
 * The whole body of an upload, which is the caller's to drop, as it was sent: a file in its multipart framing, what is said
 * of a file, or a part of one.
 */
export async function receiveFile(
  { limits, ...deps }: ReceiveFileDeps,
  caller: RequestSender,
  context: RequestContext,
  kind: 'file' | 'metadata' | 'part',
): Promise<Body> {
  if (kind === 'file' && !multipartType.test(context.request.headers['content-type'] ?? '')) {
    throw new TollgateError('unsupported_media_type', { message: 'Send the file as multipart/form-data.' })
  }
  const bytesMax = kind === 'metadata' ? limits.fileObjectBytesMax : limits.fileBytesMax
  const bodyBytesMax = Math.min(bytesMax, limits.bodyBytesMax)
  return readWhole({ ...deps, limits: { ...limits, bodyBytesMax } }, caller, context)
}

function readWhole(
  { bodies, decompressor, limits, clock }: ReceiveDeps,
  { key, account }: RequestSender,
  context: RequestContext,
): Promise<Body> {
  const { request, client, network } = context
  const reader = { allowance: bodies.allowance({ key, account, network }), limits, clock }
  const reading = isCompressed(request)
    ? decompressor.read(account, reader, request, client)
    : readBody(reader, request, client)
  return reading.then(bodyOrError)
}

function bodyOrError(outcome: Body | BodyFailure): Body {
  if (outcome.kind === 'body') return outcome
  throw bodyError(outcome)
}

const space = 0x20

/** Blanks the member that only this server reads: all positions stay, and no upstream sees it. */
export function removeFallbackModels({ bytes }: Body, { fallbackModels }: ExtractedFields): void {
  for (const { start, end } of fallbackModels?.spans ?? []) bytes.fill(space, start, end)
}

/** Adds the options from the request headers to those from the body. */
export function withHeaders({ format, request }: RequestContext, facts: ExtractedFields): ExtractedFields {
  const { options, unknown } = readBetas(format.betas, request.headers)
  if (options.length === 0 && unknown.length === 0) return facts
  return {
    ...facts,
    options: [...facts.options, ...options],
    unknownMembers: [...(facts.unknownMembers ?? []), ...unknown],
  }
}
