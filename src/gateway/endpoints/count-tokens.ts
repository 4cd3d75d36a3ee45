/**
 * Counts the input tokens of a request without running it: asks the model's upstream, in the caller's format or in
 * another one, and estimates the number where no upstream can count. Free: takes no hold, needs no balance and writes
 * no receipt. It has its own rate limit, concurrency limit and deadline.
 */
import type { Caller } from '../../access/types.ts'
import { TollgateError } from '../../base/errors.ts'
import type { BodyOwner } from '../../bodies/body-threads.ts'
import { announcedBytes, type Body } from '../../http/body.ts'
import { rateHeaders } from '../../limits/headers.ts'
import type { Failed } from '../../providers/attempt-outcome.ts'
import { estimateInput } from '../../tokens/estimate.ts'
import {
  type ClientCountingFormat,
  type CountRequest,
  isClientCountingFormat,
  type UpstreamCountingFormat,
  writeCount,
} from '../../wire/counting.ts'
import type { SourceFormat } from '../../wire/format-names.ts'
import { upstreamFormats } from '../../wire/formats.ts'
import type { BytePatch } from '../../wire/json/byte-patch.ts'
import { applyEdits } from '../../wire/json/json.ts'
import { publicUpstreamError, redactUpstreamBody } from '../attempts/upstream-error.ts'
import {
  countAtUpstream,
  countingFormat,
  countingShape,
  type UpstreamCountRequest,
} from '../bounds/upstream-input-bound.ts'
import type { GatewayDeps } from '../deps.ts'
import { shedLoad } from '../observation/in-flight-requests.ts'
import type { CallerOf } from '../phases/authenticate.ts'
import { checkAccount } from '../phases/check.ts'
import { receive, removeFallbackModels, withHeaders } from '../phases/decode.ts'
import { lookUpReferences, resolveFiles } from '../phases/resolve-references.ts'
import { route, routeTo } from '../phases/route.ts'
import type { Candidate, ParsedRequest, RequestContext, TargetRoute } from '../request.ts'
import { withWireErrors } from '../responses/error-response.ts'
import { adjustedText, identityHeaders, jsonHeaders } from '../responses/response-headers.ts'
import { droppedBetas } from '../targets/adapt-to-host.ts'

/** Responds with the number of input tokens; throws TollgateError. `x-tollgate-tokens` names its source. */
export async function countTokens(
  deps: GatewayDeps,
  context: RequestContext,
  callerOf: CallerOf,
): Promise<void> {
  const caller = await callerOf(context)
  shedLoad(deps, caller.account)
  deps.inFlight.identify(context.id, caller)
  await checkAccount(deps, caller)
  const announced = announcedBytes(context.request)
  const rates = acquireSlot(deps, context, caller, weightOf(announced ?? 0))
  try {
    const received = await receive(deps, caller, context)
    try {
      // The size of a compressed body, or of one without content-length, is known once it has been read.
      const more = weightOf(received.bytes.length) - weightOf(announced ?? 0)
      if (more > 0) takeRate(deps, context, caller, more)
      await respond(deps, context, { caller, received, rates })
    } finally {
      received.drop()
    }
  } finally {
    deps.counting.places.release(caller.account)
  }
}

type RateHeaders = readonly string[]

/** A body counts as one request, and as one more for each full 256 KiB. */
const weighedBytes = 256 * 1024
const weightOf = (bytes: number): number => 1 + Math.floor(bytes / weighedBytes)

/** Returns the rate limit headers; throws 429. */
function takeRate(
  { counting, limits, clock }: GatewayDeps,
  context: RequestContext,
  { account }: Caller,
  weight: number,
): ReturnType<typeof rateHeaders> {
  const limit = limits.countRequestsPerMinute
  const metered = counting.rates.take(account, clock.wallMs(), Math.min(weight, limit))
  const headers = rateHeaders(
    context.format.rateHeaders,
    { requests: metered.state, tokens: null },
    clock.wallMs(),
  )
  if (metered.kind === 'taken') return headers
  throw new TollgateError('rate_limited', {
    message: `Rate limit reached: this account may count tokens ${limit} times per minute. Each 256 KiB of a body counts as one more request.`,
    facts: { scope: 'account', limit },
    retryAfterMs: metered.retryAfterMs,
    headers,
  })
}

/** Also acquires a concurrency slot, which the caller releases. */
function acquireSlot(
  deps: GatewayDeps,
  context: RequestContext,
  caller: Caller,
  weight: number,
): RateHeaders {
  const { counting, limits } = deps
  const { account } = caller
  const headers = takeRate(deps, context, caller, weight)
  if (!counting.places.tryAcquire(account)) {
    const limit = limits.countsPerAccountMax
    throw new TollgateError('concurrency_limited', {
      message: `Rate limit reached: the limit of concurrent counting requests of this account is ${limit}.`,
      facts: { scope: 'account', limit },
      retryAfterMs: 1_000,
      headers,
    })
  }
  return Object.entries(headers).flat()
}

/** A token-counting request and its route. */
interface CountedRequest {
  readonly caller: Caller
  readonly format: ClientCountingFormat
  readonly request: CountRequest
  readonly parsed: ParsedRequest
  readonly route: TargetRoute
  /** Tokens of provider-side state that it references. */
  readonly referenced: number
}

async function respond(
  deps: GatewayDeps,
  context: RequestContext,
  of: { caller: Caller; received: Body; rates: RateHeaders },
): Promise<void> {
  const counted = await readRequest(deps, context, of)
  try {
    const { candidates, referenced } = await lookUpReferences(deps, of.caller, counted.parsed, counted.route)
    const route = { ...counted.route, candidates }
    const response = await countedResponse(deps, context, {
      ...counted,
      route,
      referenced: referenced.tokens,
    })
    if (context.work.interruption?.kind === 'stopped') throw context.work.interruption.error
    if (response === null) return
    const label = response.source === null ? [] : ['x-tollgate-tokens', response.source]
    const dropped = droppedBetas(route, context)
    const adjusted = dropped.length === 0 ? [] : ['x-tollgate-adjusted', adjustedText(dropped)]
    const headers = [...identityHeaders(context), ...of.rates, ...label, ...adjusted]
    context.client.answer(response.status, jsonHeaders(context, headers, response.headers), response.body)
  } finally {
    counted.parsed.body.drop()
  }
}

async function readRequest(
  deps: GatewayDeps,
  context: RequestContext,
  { caller, received }: { caller: Caller; received: Body },
): Promise<CountedRequest> {
  const format = context.format.name
  if (!isClientCountingFormat(format)) throw new RangeError(`${format} has no counting endpoint`)
  const reading = { format, limits: deps.read, address: context.address }
  const owner = { body: received, account: caller.account, work: context.work }
  const { facts, ...request } = await withWireErrors(() =>
    deps.bodyThreads.run('countRequest', reading, owner),
  )
  const isView = request.body.buffer === received.bytes.buffer
  const body = received.another(request.body, isView ? 0 : request.body.length)
  removeFallbackModels(body, facts)
  try {
    const call = { body, facts: withHeaders(context, facts) }
    deps.unknownMembers.assertNoneRejected(context, call)
    const response = await resolveFiles(deps, caller, call, route(deps, caller, context, call))
    const [first] = response.route.candidates
    if (first === undefined) throw new RangeError('a route without candidates')
    const toFirst = routeTo(first.target, response.route)
    return { caller, format, request, parsed: response.parsed, route: toFirst, referenced: 0 }
  } catch (error) {
    body.drop()
    throw error
  }
}

/** `source` null: the response is not a count. */
interface TokenCountResponse {
  readonly status: number
  readonly body: Uint8Array | string
  readonly headers: ReadonlyMap<string, string>
  readonly source: 'reported' | 'estimated' | 'bounded' | null
}

type CountedRequestAt = CountedRequest & Pick<Candidate, 'upstreamModel'>

/** null: the client disconnected. */
async function countedResponse(
  deps: GatewayDeps,
  context: RequestContext,
  counted: CountedRequest,
): Promise<TokenCountResponse | null> {
  // Anyone can open an account; the operator's credential is used only for accounts that were credited.
  const isOwnKey = counted.route.ownKeyFee !== null
  const isKnown = isOwnKey || (await deps.ledger.everCredited(counted.caller.account))
  const answer = isKnown ? await askUpstream(deps, context, counted) : null
  if (answer !== null || context.work.interruption !== undefined) return answer
  return estimatedResponse(deps, context, counted)
}

interface UpstreamRequest extends UpstreamCountRequest {
  /** The response is in the caller's format and is relayed unchanged. */
  readonly isPassthrough: boolean
}

/** The upstream's count, or its rejection of the caller's request; null where no upstream can count. */
async function askUpstream(
  deps: GatewayDeps,
  context: RequestContext,
  counted: CountedRequest,
): Promise<TokenCountResponse | null> {
  const { route, caller } = counted
  const outcome = await countAtUpstream(deps, context, {
    caller,
    candidates: route.candidates,
    requestFor: (upstreamModel) => upstreamRequestFor(deps, context, { ...counted, upstreamModel }),
    waitMs: deps.limits.countAskMs,
  })
  if (outcome === null) return null
  const { countRequest } = outcome
  if (outcome.kind === 'rejected') return rejectedBy(outcome.failed, countRequest, outcome.candidate)
  const { bytes, headers } = outcome.answer
  if (countRequest.isPassthrough) return { status: 200, body: bytes, headers, source: 'reported' }
  const body = writeCount(counted.format, outcome.tokens)
  return { status: 200, body, headers: noHeaders, source: 'reported' }
}

async function upstreamRequestFor(
  deps: GatewayDeps,
  context: RequestContext,
  counted: CountedRequestAt,
): Promise<UpstreamRequest | null> {
  const { format, parsed, route } = counted
  const isOwn = parsed.facts.canPassThrough && parsed.facts.writtenAs === format
  const upstream = countingFormat(route, isOwn ? [format] : [])
  if (upstream === undefined) return null
  if (!isOwn || upstream !== format) return translatedRequest(deps, context, { counted, format: upstream })
  return countingShape(route.connector, format) === format
    ? passthroughRequest(deps, context, counted)
    : hostedRequest(deps, context, counted)
}

/** The request in its own format, as a host takes it that counts otherwise than the format's vendor. */
async function hostedRequest(
  deps: GatewayDeps,
  context: RequestContext,
  counted: CountedRequestAt,
): Promise<UpstreamRequest> {
  const { format } = counted
  const owner = ownerOf(context, counted)
  const reading = { format, limits: deps.read, address: context.address }
  const edits = await withWireErrors(() => deps.bodyThreads.run('stripCarriers', reading, owner))
  const input = { ...translationInput(deps, context, counted, format), edits }
  const { bytes } = await withWireErrors(() => deps.bodyThreads.run('countEdited', input, owner))
  const { headers } = context.request
  return { format, shape: input.shape, body: [bytes], headers, query: '', isPassthrough: false }
}

async function passthroughRequest(
  deps: GatewayDeps,
  context: RequestContext,
  counted: CountedRequestAt,
): Promise<UpstreamRequest> {
  const { format, request, parsed, upstreamModel } = counted
  const reading = { format, limits: deps.read, address: context.address }
  const carrierPatches = await withWireErrors(() =>
    deps.bodyThreads.run('stripCarriers', reading, ownerOf(context, counted)),
  )
  const isAlias = upstreamModel !== parsed.facts.model
  const edits: BytePatch[] = [
    ...request.restoring,
    ...upstreamFormats[format].patchRequest(parsed.facts, isAlias ? { model: upstreamModel } : {}),
    ...carrierPatches,
  ]
  if (isAlias && request.modelSpan !== null) {
    edits.push({ ...request.modelSpan, text: JSON.stringify(`models/${upstreamModel}`) })
  }
  edits.sort((a, b) => a.start - b.start)
  return {
    format,
    shape: format,
    body: [request.before, ...applyEdits(parsed.body.bytes, edits), request.after],
    headers: context.request.headers,
    query: context.query,
    isPassthrough: true,
  }
}

async function translatedRequest(
  deps: GatewayDeps,
  context: RequestContext,
  { counted, format }: { counted: CountedRequestAt; format: UpstreamCountingFormat },
): Promise<UpstreamRequest> {
  const input = translationInput(deps, context, counted, format)
  const owner = ownerOf(context, counted)
  const translated = await withWireErrors(() => deps.bodyThreads.run('countTranslated', input, owner))
  const headers = { ...context.request.headers, ...translated.headers }
  return { format, shape: input.shape, body: [translated.bytes], headers, query: '', isPassthrough: false }
}

function translationInput<To extends UpstreamCountingFormat>(
  { read: limits }: Pick<GatewayDeps, 'read'>,
  { address }: RequestContext,
  counted: CountedRequestAt,
  to: To,
) {
  const { model, connector } = counted.route
  const capabilities = {
    ...connector.capabilities(model.upstreamModel),
    outputTokensMax: model.outputTokensMax,
  }
  const target = { model: counted.upstreamModel, capabilities }
  const shape = countingShape(connector, to)
  return { format: writtenFormat(counted), to, shape, target, limits, address }
}

function writtenFormat({ parsed, format }: CountedRequest): SourceFormat {
  const { writtenAs } = parsed.facts
  return writtenAs ?? format
}

function ownerOf({ work }: RequestContext, { parsed, caller }: CountedRequest): BodyOwner {
  return { body: parsed.body, account: caller.account, work }
}

/** The provider's own error body where it is in the caller's format. */
function rejectedBy(
  { failure, rejection, headers, status }: Failed,
  { isPassthrough }: UpstreamRequest,
  { upstream }: Candidate,
): TokenCountResponse {
  if (isPassthrough && rejection !== null) {
    return {
      status: rejection.status,
      body: redactUpstreamBody(rejection.bytes, upstream),
      headers,
      source: null,
    }
  }
  throw publicUpstreamError(failure, upstream, status)
}

const noHeaders: ReadonlyMap<string, string> = new Map()

async function estimatedResponse(
  deps: GatewayDeps,
  context: RequestContext,
  counted: CountedRequest,
): Promise<TokenCountResponse> {
  const { parsed, route, format, referenced, caller } = counted
  const reading = {
    format: writtenFormat(counted),
    limits: deps.read,
    address: context.address,
    to: { model: route.model.upstreamModel, format: route.format.name },
  }
  const load = await withWireErrors(() => deps.bodyThreads.run('load', reading, ownerOf(context, counted)))
  parsed.body.drop()
  const { tokens, source } = await estimateInput(deps.counter, load, caller.account)
  const body = writeCount(format, tokens + referenced)
  const label = source === 'counted' ? 'estimated' : 'bounded'
  return { status: 200, body, headers: noHeaders, source: label }
}
