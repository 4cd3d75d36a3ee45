/**
 * Upstream bytes → client bytes, with usage tapped from them; settles exactly once. The terminal event waits until the
 * charge is durable, and a truncated response never looks complete.
 */
import { TollgateError } from '../../../base/errors.ts'
import { isRetriedByLibraries, needsRetryAdvice } from '../../../base/retry-advice.ts'
import { hidesProvider } from '../../../catalog/customer-view.ts'
import { formatUsd } from '../../../ledger/rules/money.ts'
import { WireError } from '../../../wire/format.ts'
import { withoutMembers } from '../../../wire/left-out-members.ts'
import { translateWrittenResponse } from '../../../wire/translation/translate.ts'
import { withCost } from '../../../wire/usage-cost.ts'
import type {
  AnswerBody,
  NoBody,
  RejectionBody,
  RequestContext,
  RequestPlan,
  StreamedBody,
  UpstreamResponse,
} from '../../request.ts'
import { sendErrorResponse } from '../../responses/error-response.ts'
import { jsonHeaders, withBalance } from '../../responses/response-headers.ts'
import { type RelayContext, type RelayDeps, StreamRelay, settlementDelayed } from './relay-stream.ts'

/** Relays and settles; resolves when the client has been sent the last byte. */
export function relay(
  deps: RelayDeps,
  context: RequestContext,
  upstreamResponse: UpstreamResponse,
  relayContext: RelayContext,
): Promise<void> {
  switch (upstreamResponse.body.kind) {
    case 'stream':
      return relayStream(context, upstreamResponse, { body: upstreamResponse.body, relayContext, deps })
    case 'answer':
      return relayAnswer(context, upstreamResponse, { body: upstreamResponse.body, relayContext, deps })
    case 'rejection':
      return relayRejection(context, upstreamResponse, { body: upstreamResponse.body, relayContext, deps })
    case 'none':
      return relayNothing(context, upstreamResponse.body, { relayContext, deps })
  }
}

/** Delivers nothing of a stream whose hold could be lost: a killed process could not charge for it. */
async function relayStream(
  context: RequestContext,
  upstreamResponse: UpstreamResponse,
  { body, relayContext, deps }: { body: StreamedBody; relayContext: RelayContext; deps: RelayDeps },
): Promise<void> {
  const error = await relayContext.lostHold()
  if (error === null) return new StreamRelay(deps, context, { relayContext, body, upstreamResponse }).run()
  body.exchange.abort()
  const nothing = { kind: 'none', dispatched: true, reason: 'interrupted', rawUsage: null, error } as const
  return relayNothing(context, nothing, { relayContext, deps })
}

async function relayAnswer(
  context: RequestContext,
  upstreamResponse: UpstreamResponse,
  input: { body: AnswerBody; relayContext: RelayContext; deps: RelayDeps },
): Promise<void> {
  const { body, relayContext, deps } = input
  const { plan } = relayContext
  const translated = translatedAnswer(plan, body)
  if (translated === 'unreadable') return relayUnreadable(context, input)
  const result = await relayContext.settle({
    reason: context.client.gone ? 'client_abort' : 'complete',
    dispatched: true,
    report: { kind: 'final', usage: body.answer.rawUsage },
    sample: body.answer.sample,
    error: null,
    status: body.status,
  })
  deps.failpoints.reach('before-terminal-event')
  if (result.kind === 'late') return sendErrorResponse(deps, context, settlementDelayed())
  const cost = formatUsd(result.charged)
  const headers = jsonHeaders(
    context,
    [...withBalance(relayContext.headers, result.available), 'x-tollgate-cost', cost],
    upstreamResponse.upstreamHeaders,
  )
  context.client.answer(
    body.status,
    headers,
    translated === null
      ? passthroughBytes(context, upstreamResponse, { relayContext, body, cost })
      : translated(cost),
  )
}

function passthroughBytes(
  context: RequestContext,
  upstreamResponse: UpstreamResponse,
  { relayContext, body, cost }: { relayContext: RelayContext; body: AnswerBody; cost: string },
): Uint8Array {
  const shown = shownBytes(context, upstreamResponse, body)
  const { lifecycle, plan } = relayContext
  if (!lifecycle.showsCost) return shown
  const charge = { cost, isOwnKey: plan.ownKeyFee !== null }
  return Buffer.concat(withCost(shown, context.format.costFields, charge))
}

/** The upstream's body, without what would name a provider that is hidden. */
function shownBytes(
  { customerView }: RequestContext,
  { candidate }: UpstreamResponse,
  { bytes }: { readonly bytes: Uint8Array },
): Uint8Array {
  if (candidate === null || !hidesProvider(customerView, candidate.upstream)) return bytes
  return Buffer.concat(withoutMembers(bytes, { hidesProvider: true, hasEmptyRole: false }))
}

/** Writes the response in the caller's format once its cost is known; null: it is passed through. */
function translatedAnswer(
  { translation, format, ownKeyFee }: RequestPlan,
  { bytes, answer }: AnswerBody,
): ((cost: string) => string) | 'unreadable' | null {
  if (translation === null) return null
  const { from, to, frame } = translation
  const usage = format.toUsage(answer.rawUsage)
  try {
    const neutral = translateWrittenResponse(from, bytes, usage, translation)
    return (cost) => to.encodeResponse(neutral, frame, { usage, cost, isOwnKey: ownKeyFee !== null })
  } catch (error) {
    if (error instanceof WireError) return 'unreadable'
    throw error
  }
}

/** The upstream's response is not in its format: it is not delivered, so it is not charged. */
async function relayUnreadable(
  context: RequestContext,
  { body, relayContext, deps }: { body: AnswerBody; relayContext: RelayContext; deps: RelayDeps },
): Promise<void> {
  const error = new TollgateError('upstream_invalid', {
    message: 'The upstream sent a response that is not valid in its API format.',
    source: 'upstream',
  })
  await relayContext.settle({
    reason: 'upstream_error',
    dispatched: true,
    report: { kind: 'partial', usage: body.answer.rawUsage },
    sample: null,
    error,
    status: error.status,
  })
  sendErrorResponse(deps, context, error)
}

async function relayRejection(
  context: RequestContext,
  upstreamResponse: UpstreamResponse,
  input: { body: RejectionBody; relayContext: RelayContext; deps: RelayDeps },
): Promise<void> {
  const { body, relayContext } = input
  const { error } = body
  await relayContext.settle({
    reason: 'upstream_error',
    dispatched: true,
    report: null,
    sample: null,
    error,
    status: body.status,
  })
  const advice = needsRetryAdvice(body.status) ? ['x-should-retry', 'false'] : []
  if (context.client.headersSent || relayContext.plan.translation !== null || isForeign(context, body)) {
    return sendErrorResponse(
      input.deps,
      context,
      isRetriedByLibraries(body.status) ? withFinalStatus(error) : error,
    )
  }
  const headers = jsonHeaders(context, [...relayContext.headers, ...advice], upstreamResponse.upstreamHeaders)
  context.client.answer(body.status, headers, shownBytes(context, upstreamResponse, body))
}

/** A host's own words for a context that is too long, which the agents of the format do not know. */
function isForeign({ format }: RequestContext, { bytes, error }: RejectionBody): boolean {
  if (error.code !== 'context_too_long') return false
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return !format.contextMarks.some((mark) => body.includes(mark))
}

/** Some clients retry by status regardless of headers, so a final rejection gets a status that is not retried. */
function withFinalStatus({ code, details: { message } }: TollgateError): TollgateError {
  return new TollgateError(code, { message, source: 'upstream' })
}

async function relayNothing(
  context: RequestContext,
  body: NoBody,
  input: { relayContext: RelayContext; deps: RelayDeps },
): Promise<void> {
  await input.relayContext.settle({
    reason: body.reason,
    dispatched: body.dispatched,
    report: body.rawUsage === null ? null : { kind: 'partial', usage: body.rawUsage },
    sample: null,
    error: body.error,
    status: body.error?.status ?? 499,
  })
  if (body.error !== null) sendErrorResponse(input.deps, context, body.error)
}
