/**
 * Counts the tokens of a request that is not made: asks the model's upstream where it counts, in the caller's
 * format or in another one, and estimates where it cannot be asked. Free: takes no hold, needs no balance, writes
 * no receipt and leaves the paid rates alone; it has a rate, places and a deadline of its own.
 */
import type { Caller } from '../access/types.ts'
import { TollgateError } from '../base/errors.ts'
import { announcedBytes, type Body } from '../http/body.ts'
import { rateHeaders } from '../limits/headers.ts'
import type { Failed } from '../providers/attempt-outcome.ts'
import type { BodyOwner } from '../tokens/body-threads.ts'
import { estimateInput } from '../tokens/estimate.ts'
import {
  type ClientCountingFormat,
  type CountRequest,
  isClientCountingFormat,
  type UpstreamCountingFormat,
  writeCount,
} from '../wire/counting.ts'
import type { BytePatch } from '../wire/dialect.ts'
import { type SourceFormat, upstreamFormats } from '../wire/formats.ts'
import { applyEdits } from '../wire/json/json.ts'
import type { GatewayDeps } from './deps.ts'
import { withWireErrors } from './error-response.ts'
import { shedLoad } from './in-flight-requests.ts'
import type { CallerOf } from './phases/authenticate.ts'
import { checkAccount } from './phases/check.ts'
import { receive, withHeaders } from './phases/decode.ts'
import {
  countAtUpstream,
  countingFormat,
  type UpstreamCountRequest,
} from './phases/reserve/upstream-input-bound.ts'
import { resolveFiles } from './phases/resolve-references/resolve-files.ts'
import { lookUpReferences } from './phases/resolve-references/resolve-references.ts'
import { route } from './phases/route.ts'
import type { Candidate, ParsedRequest, RequestContext, Route } from './request.ts'
import { identityHeaders, jsonHeaders } from './response-headers.ts'
import { publicUpstreamError, redactUpstreamBody } from './upstream-error.ts'

/** Answers with the number of input tokens; throws rows of the error table. `x-tollgate-tokens` says where it comes from. */
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
  const rates = takePlace(deps, context, caller, weightOf(announced ?? 0))
  try {
    const received = await receive(deps, caller, context)
    try {
      // A body that did not announce its length is weighed once it is there.
      if (announced === undefined) takeRate(deps, context, caller, weightOf(received.bytes.length) - 1)
      await answer(deps, context, { caller, received, rates })
    } finally {
      received.drop()
    }
  } finally {
    deps.counting.places.release(caller.account)
  }
}

type RateHeaders = readonly string[]

/** Large bodies count as several requests: one for each full piece of so many bytes, and one. */
const weighedBytes = 256 * 1024
const weightOf = (bytes: number): number => 1 + Math.floor(bytes / weighedBytes)

/** The headers that tell the rate; throws 429. */
function takeRate(
  { counting, limits, clock }: GatewayDeps,
  context: RequestContext,
  { account }: Caller,
  weight: number,
): ReturnType<typeof rateHeaders> {
  const limit = limits.countRequestsPerMinute
  const metered = counting.rates.take(account, clock.wallMs(), Math.min(weight, limit))
  const headers = rateHeaders(
    context.dialect.rateHeaders,
    { requests: metered.state, tokens: null },
    clock.wallMs(),
  )
  if (metered.kind === 'taken') return headers
  throw new TollgateError('rate_limited', {
    message: `Rate limit reached: this account may have tokens counted ${limit} times per minute; each 256 kB of a body count as one more time.`,
    facts: { scope: 'account', limit },
    retryAfterMs: metered.retryAfterMs,
    headers,
  })
}

/** The same; the place is to be given back. */
function takePlace(deps: GatewayDeps, context: RequestContext, caller: Caller, weight: number): RateHeaders {
  const { counting, limits } = deps
  const { account } = caller
  const headers = takeRate(deps, context, caller, weight)
  if (!counting.places.tryAcquire(account)) {
    const limit = limits.countsPerAccountMax
    throw new TollgateError('concurrency_limited', {
      message: `Rate limit reached: this account may have tokens of ${limit} requests counted at once.`,
      facts: { scope: 'account', limit },
      retryAfterMs: 1_000,
      headers,
    })
  }
  return Object.entries(headers).flat()
}

/** One request whose tokens are asked for, and where it would go. */
interface Question {
  readonly caller: Caller
  readonly format: ClientCountingFormat
  readonly request: CountRequest
  readonly parsed: ParsedRequest
  readonly route: Route
  /** Tokens of what it refers to at the provider. */
  readonly referenced: number
}

async function answer(
  deps: GatewayDeps,
  context: RequestContext,
  of: { caller: Caller; received: Body; rates: RateHeaders },
): Promise<void> {
  const question = await read(deps, context, of)
  try {
    const { candidates, referenced } = await lookUpReferences(
      deps,
      of.caller,
      question.parsed,
      question.route,
    )
    const route = { ...question.route, candidates }
    const found = await counted(deps, context, { ...question, route, referenced: referenced.tokens })
    if (context.work.interruption?.kind === 'stopped') throw context.work.interruption.error
    if (found === null) return
    const label = found.source === null ? [] : ['x-tollgate-tokens', found.source]
    const headers = [...identityHeaders(context), ...of.rates, ...label]
    context.client.answer(found.status, jsonHeaders(headers, found.headers), found.body)
  } finally {
    question.parsed.body.drop()
  }
}

async function read(
  deps: GatewayDeps,
  context: RequestContext,
  { caller, received }: { caller: Caller; received: Body },
): Promise<Question> {
  const format = context.dialect.name
  if (!isClientCountingFormat(format)) throw new RangeError(`${format} has no address that counts`)
  const reading = { format, limits: deps.read, address: context.address }
  const owner = { body: received, account: caller.account, work: context.work }
  const { facts, ...request } = await withWireErrors(() =>
    deps.bodyThreads.run('countRequest', reading, owner),
  )
  const isView = request.body.buffer === received.bytes.buffer
  const body = received.another(request.body, isView ? 0 : request.body.length)
  try {
    const call = { body, facts: withHeaders(context, facts) }
    const found = await resolveFiles(deps, caller, call, route(deps, caller, context, call))
    return { caller, format, request, ...found, referenced: 0 }
  } catch (error) {
    body.drop()
    throw error
  }
}

/** What the caller is answered; `source` null: not with a number. */
interface TokenCountResponse {
  readonly status: number
  readonly body: Uint8Array | string
  readonly headers: ReadonlyMap<string, string>
  readonly source: 'reported' | 'estimated' | 'bounded' | null
}

type ModelQuestion = Question & Pick<Candidate, 'upstreamModel'>

/** null: the client left. */
async function counted(
  deps: GatewayDeps,
  context: RequestContext,
  question: Question,
): Promise<TokenCountResponse | null> {
  // Anyone can open an account that was never credited: the operator's credential is not used for it.
  const isKnown = await deps.ledger.everCredited(question.caller.account)
  const answer = isKnown ? await asked(deps, context, question) : null
  if (answer !== null || context.work.interruption !== undefined) return answer
  return estimated(deps, context, question)
}

/** How an upstream is asked. */
interface Inquiry extends UpstreamCountRequest {
  /** The answer is in the caller's format and goes to it as it is. */
  readonly asIs: boolean
}

/** The upstream's number, or its refusal of the caller's request; null where none can be asked. */
async function asked(
  deps: GatewayDeps,
  context: RequestContext,
  question: Question,
): Promise<TokenCountResponse | null> {
  const { route, caller } = question
  const outcome = await countAtUpstream(deps, context, {
    caller,
    model: route.model,
    candidates: route.candidates,
    inquiryFor: (upstreamModel) => inquiryOf(deps, context, { ...question, upstreamModel }),
    waitMs: deps.limits.countAskMs,
  })
  if (outcome === null) return null
  const { inquiry } = outcome
  if (outcome.kind === 'refused') return refusedBy(outcome.failed, inquiry, outcome.candidate)
  const { bytes, headers } = outcome.answer
  if (inquiry.asIs) return { status: 200, body: bytes, headers, source: 'reported' }
  const body = writeCount(question.format, outcome.tokens)
  return { status: 200, body, headers: noHeaders, source: 'reported' }
}

async function inquiryOf(
  deps: GatewayDeps,
  context: RequestContext,
  question: ModelQuestion,
): Promise<Inquiry | null> {
  const { format, parsed, route } = question
  const isOwn = parsed.facts.canPassThrough && parsed.facts.writtenAs === format
  const counted = countingFormat(route, isOwn ? [format] : [])
  if (counted === undefined) return null
  if (isOwn && counted === format) return asItIs(deps, context, question)
  return translated(deps, context, { question, format: counted })
}

async function asItIs(deps: GatewayDeps, context: RequestContext, question: ModelQuestion): Promise<Inquiry> {
  const { format, request, parsed, upstreamModel } = question
  const reading = { format, limits: deps.read, address: context.address }
  const marks = await withWireErrors(() =>
    deps.bodyThreads.run('stripCarriers', reading, ownerOf(context, question)),
  )
  const isAlias = upstreamModel !== parsed.facts.model
  const edits: BytePatch[] = [
    ...request.restoring,
    ...upstreamFormats[format].patchRequest(parsed.facts, isAlias ? { model: upstreamModel } : {}),
    ...marks,
  ]
  if (isAlias && request.modelSpan !== null) {
    edits.push({ ...request.modelSpan, text: JSON.stringify(`models/${upstreamModel}`) })
  }
  edits.sort((a, b) => a.start - b.start)
  return {
    format,
    body: [request.before, ...applyEdits(parsed.body.bytes, edits), request.after],
    headers: context.request.headers,
    query: context.query,
    asIs: true,
  }
}

async function translated(
  deps: GatewayDeps,
  context: RequestContext,
  { question, format }: { question: ModelQuestion; format: UpstreamCountingFormat },
): Promise<Inquiry> {
  const { route, upstreamModel } = question
  const { model, connector } = route
  const capabilities = connector.capabilities(model.upstreamModel)
  const asked = {
    format: writtenFormat(question),
    to: format,
    target: {
      model: upstreamModel,
      capabilities: { ...capabilities, outputTokensMax: model.outputTokensMax },
    },
    limits: deps.read,
    address: context.address,
  }
  const owner = ownerOf(context, question)
  const made = await withWireErrors(() => deps.bodyThreads.run('countTranslated', asked, owner))
  const headers = { ...context.request.headers, ...made.headers }
  return { format, body: [made.bytes], headers, query: '', asIs: false }
}

function writtenFormat({ parsed, format }: Question): SourceFormat {
  const { writtenAs } = parsed.facts
  return writtenAs ?? format
}

function ownerOf({ work }: RequestContext, { parsed, caller }: Question): BodyOwner {
  return { body: parsed.body, account: caller.account, work }
}

/** The provider's own words: byte for byte where they are in the caller's format. */
function refusedBy(
  { failure, rejection, headers }: Failed,
  { asIs }: Inquiry,
  { upstream }: Candidate,
): TokenCountResponse {
  if (asIs && rejection !== null) {
    return {
      status: rejection.status,
      body: redactUpstreamBody(rejection.bytes, upstream),
      headers,
      source: null,
    }
  }
  throw publicUpstreamError(failure, upstream)
}

const noHeaders: ReadonlyMap<string, string> = new Map()

async function estimated(
  deps: GatewayDeps,
  context: RequestContext,
  question: Question,
): Promise<TokenCountResponse> {
  const { parsed, route, format, referenced, caller } = question
  const reading = {
    format: writtenFormat(question),
    limits: deps.read,
    address: context.address,
    to: { model: route.model.upstreamModel, format: route.dialect.name },
  }
  const load = await withWireErrors(() => deps.bodyThreads.run('load', reading, ownerOf(context, question)))
  parsed.body.drop()
  const { tokens, source } = await estimateInput(deps.counter, load, caller.account)
  const body = writeCount(format, tokens + referenced)
  const label = source === 'counted' ? 'estimated' : 'bounded'
  return { status: 200, body, headers: noHeaders, source: label }
}
