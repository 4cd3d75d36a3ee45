/**
 * Counts the tokens of a request that is not made: asks the model's upstream where it counts, in the caller's
 * format or in another one, and estimates where it cannot be asked. Free: takes no hold, needs no balance, writes
 * no receipt and leaves the paid rates alone; it has a rate, places and a deadline of its own.
 */
import type { Caller } from './access/types.ts'
import type { App } from './app.ts'
import { TollgateError } from './base/errors.ts'
import { identityHeaders, jsonHeaders } from './headers.ts'
import { announcedBytes, type Body } from './http/body.ts'
import { rateHeaders } from './limits/headers.ts'
import type { CallerOf } from './phases/authenticate.ts'
import { checkAccount } from './phases/check.ts'
import { receive, withHeaders } from './phases/decode.ts'
import { find } from './phases/find.ts'
import { granted } from './phases/grant.ts'
import { askUpstreams, type CountInquiry, countingFormat } from './phases/hold-input-upstream.ts'
import type { Failed } from './providers/attempt.ts'
import { withWireErrors } from './refusal.ts'
import { refuseOverload } from './running.ts'
import type { BodyOwner } from './tokens/body-threads.ts'
import { estimateInput } from './tokens/estimate.ts'
import { toldBytes, toldFailure } from './upstream-failure.ts'
import type { Call, Candidate, Line, Place } from './values.ts'
import type { ConversationFormat, Edit } from './wire/codec.ts'
import { type CountingFormat, type CountRequest, isCountingFormat, writeCount } from './wire/counting.ts'
import { applyEdits } from './wire/json.ts'

/** Answers with the number of input tokens; throws rows of the error table. `x-tollgate-tokens` tells where it comes from. */
export async function countTokens(app: App, line: Line, callerOf: CallerOf): Promise<void> {
  const caller = await callerOf(line)
  refuseOverload(app, caller.account)
  app.running.identify(line.id, caller)
  await checkAccount(app, caller)
  const announced = announcedBytes(line.request)
  const rates = takePlace(app, line, caller, weightOf(announced ?? 0))
  try {
    const received = await receive(app, caller, line)
    try {
      // A body that did not announce its length is weighed once it is there.
      if (announced === undefined) takeRate(app, line, caller, weightOf(received.bytes.length) - 1)
      await answer(app, line, { caller, received, rates })
    } finally {
      received.drop()
    }
  } finally {
    app.counting.places.giveBack(caller.account)
  }
}

type Headers = readonly string[]

/** Large bodies count as several requests: one for each full piece of so many bytes, and one. */
const weighedBytes = 256 * 1024
const weightOf = (bytes: number): number => 1 + Math.floor(bytes / weighedBytes)

/** The headers that tell the rate; throws 429. */
function takeRate(
  { counting, limits, clock }: App,
  line: Line,
  { account }: Caller,
  weight: number,
): ReturnType<typeof rateHeaders> {
  const limit = limits.countRequestsPerMinute
  const metered = counting.rates.take(account, clock.wallMs(), Math.min(weight, limit))
  const told = rateHeaders(line.dialect.name, { requests: metered.state, tokens: null }, clock.wallMs())
  if (metered.kind === 'taken') return told
  throw new TollgateError('rate_limited', {
    message: `Rate limit reached: this account may have tokens counted ${limit} times per minute; each 256 kB of a body count as one more time.`,
    facts: { scope: 'account', limit },
    retryAfterMs: metered.retryAfterMs,
    headers: told,
  })
}

/** The same; the place is to be given back. */
function takePlace(app: App, line: Line, caller: Caller, weight: number): Headers {
  const { counting, limits } = app
  const { account } = caller
  const told = takeRate(app, line, caller, weight)
  if (!counting.places.take(account)) {
    const limit = limits.countsPerAccountMax
    throw new TollgateError('concurrency_limited', {
      message: `Rate limit reached: this account may have tokens of ${limit} requests counted at once.`,
      facts: { scope: 'account', limit },
      retryAfterMs: 1_000,
      headers: told,
    })
  }
  return Object.entries(told).flat()
}

/** One request whose tokens are asked for, and where it would go. */
interface Question {
  readonly caller: Caller
  readonly format: CountingFormat
  readonly request: CountRequest
  readonly call: Call
  readonly place: Place
  /** Tokens of what it refers to at the provider. */
  readonly referenced: number
}

async function answer(
  app: App,
  line: Line,
  of: { caller: Caller; received: Body; rates: Headers },
): Promise<void> {
  const question = await read(app, line, of)
  try {
    const { candidates, referenced } = await granted(app, of.caller, question.call, question.place)
    const place = { ...question.place, candidates }
    const found = await counted(app, line, { ...question, place, referenced: referenced.tokens })
    if (line.work.interruption?.kind === 'stopped') throw line.work.interruption.error
    if (found === null) return
    const label = found.source === null ? [] : ['x-tollgate-tokens', found.source]
    const headers = [...identityHeaders(line), ...of.rates, ...label]
    line.client.answer(found.status, jsonHeaders(headers, found.headers), found.body)
  } finally {
    question.call.body.drop()
  }
}

async function read(
  app: App,
  line: Line,
  { caller, received }: { caller: Caller; received: Body },
): Promise<Question> {
  const format = line.dialect.name
  if (!isCountingFormat(format)) throw new RangeError(`${format} has no address that counts`)
  const reading = { format, limits: app.read, address: line.address }
  const owner = { body: received, account: caller.account, work: line.work }
  const { facts, ...request } = await withWireErrors(() =>
    app.bodyThreads.run('countRequest', reading, owner),
  )
  const isView = request.body.buffer === received.bytes.buffer
  const body = received.another(request.body, isView ? 0 : request.body.length)
  try {
    const call = { body, facts: withHeaders(line, facts) }
    const place = find(app, caller, line, call)
    return { caller, format, request, call, place, referenced: 0 }
  } catch (error) {
    body.drop()
    throw error
  }
}

/** What the caller is answered; `source` null: not with a number. */
interface Found {
  readonly status: number
  readonly body: Uint8Array | string
  readonly headers: ReadonlyMap<string, string>
  readonly source: 'reported' | 'estimated' | 'bounded' | null
}

type Named = Question & Pick<Candidate, 'upstreamModel'>

/** null: nobody is there to be told. */
async function counted(app: App, line: Line, question: Question): Promise<Found | null> {
  // An account that was never credited may be anybody's: the operator's credential is not used for it.
  const isKnown = await app.ledger.everCredited(question.caller.account)
  const told = isKnown ? await asked(app, line, question) : null
  if (told !== null || line.work.interruption !== undefined) return told
  return estimated(app, line, question)
}

/** How an upstream is asked. */
interface Inquiry extends CountInquiry {
  /** The answer is in the caller's format and goes to it as it is. */
  readonly asIs: boolean
}

/** The upstream's number, or its refusal of the caller's request; null where none can be asked. */
async function asked(app: App, line: Line, question: Question): Promise<Found | null> {
  const { place, caller } = question
  const outcome = await askUpstreams(app, line, {
    caller,
    model: place.model,
    candidates: place.candidates,
    inquiryFor: (upstreamModel) => inquiryOf(app, line, { ...question, upstreamModel }),
    waitMs: app.limits.countAskMs,
  })
  if (outcome === null) return null
  const { inquiry } = outcome
  if (outcome.kind === 'refused') return refusedBy(outcome.failed, inquiry, outcome.candidate)
  const { bytes, headers } = outcome.answer
  if (inquiry.asIs) return { status: 200, body: bytes, headers, source: 'reported' }
  const body = writeCount(question.format, outcome.tokens)
  return { status: 200, body, headers: noHeaders, source: 'reported' }
}

async function inquiryOf(app: App, line: Line, question: Named): Promise<Inquiry | null> {
  const { format, call, place } = question
  const isOwn = call.facts.asIs && call.facts.writtenAs === format
  const counted = countingFormat(place, isOwn ? [format] : [])
  if (counted === undefined) return null
  if (isOwn && counted === format) return asItIs(app, line, question)
  return translated(app, line, { question, format: counted })
}

async function asItIs(app: App, line: Line, question: Named): Promise<Inquiry> {
  const { format, request, call, upstreamModel } = question
  const reading = { format, limits: app.read, address: line.address }
  const marks = await withWireErrors(() => app.bodyThreads.run('marks', reading, ownerOf(line, question)))
  const isAlias = upstreamModel !== call.facts.model
  const edits: Edit[] = [
    ...request.restoring,
    ...line.dialect.spliceRequest(call.facts, isAlias ? { model: upstreamModel } : {}),
    ...marks,
  ]
  if (isAlias && request.modelSpan !== null) {
    edits.push({ ...request.modelSpan, text: JSON.stringify(`models/${upstreamModel}`) })
  }
  edits.sort((a, b) => a.start - b.start)
  return {
    format,
    body: [request.before, ...applyEdits(call.body.bytes, edits), request.after],
    headers: line.request.headers,
    query: line.query,
    asIs: true,
  }
}

async function translated(
  app: App,
  line: Line,
  { question, format }: { question: Named; format: CountingFormat },
): Promise<Inquiry> {
  const { place, upstreamModel } = question
  const { model, connector } = place
  const capabilities = connector.capabilities(model.upstreamModel)
  const asked = {
    format: writtenFormat(question),
    to: format,
    target: {
      model: upstreamModel,
      capabilities: { ...capabilities, outputTokensMax: model.outputTokensMax },
    },
    limits: app.read,
    address: line.address,
  }
  const owner = ownerOf(line, question)
  const made = await withWireErrors(() => app.bodyThreads.run('countTranslated', asked, owner))
  const headers = { ...line.request.headers, ...made.headers }
  return { format, body: [made.bytes], headers, query: '', asIs: false }
}

function writtenFormat({ call, format }: Question): ConversationFormat {
  const { writtenAs } = call.facts
  return writtenAs === 'openai-embeddings' ? format : writtenAs
}

function ownerOf({ work }: Line, { call, caller }: Question): BodyOwner {
  return { body: call.body, account: caller.account, work }
}

/** The provider's own words: byte for byte where they are in the caller's format. */
function refusedBy(
  { failure, rejection, headers }: Failed,
  { asIs }: Inquiry,
  { upstream }: Candidate,
): Found {
  if (asIs && rejection !== null) {
    return { status: rejection.status, body: toldBytes(rejection.bytes, upstream), headers, source: null }
  }
  throw toldFailure(failure, upstream)
}

const noHeaders: ReadonlyMap<string, string> = new Map()

async function estimated(app: App, line: Line, question: Question): Promise<Found> {
  const { call, place, format, referenced, caller } = question
  const reading = {
    format: writtenFormat(question),
    limits: app.read,
    address: line.address,
    to: { model: place.model.upstreamModel, format: place.dialect.name },
  }
  const load = await withWireErrors(() => app.bodyThreads.run('load', reading, ownerOf(line, question)))
  call.body.drop()
  const { tokens, source } = await estimateInput(app.counter, load, caller.account)
  const body = writeCount(format, tokens + referenced)
  const label = source === 'counted' ? 'estimated' : 'bounded'
  return { status: 200, body, headers: noHeaders, source: label }
}
