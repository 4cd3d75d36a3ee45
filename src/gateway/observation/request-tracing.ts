/** Where requests meet telemetry: what their traces say of them. Without telemetry each function does nothing. */

import type { IncomingMessage } from 'node:http'
import { endpoints, isEndpoint } from '../../../contract/endpoints.ts'
import { type Clock, steadyClock } from '../../base/clock.ts'
import { formatId } from '../../base/ids.ts'
import type { Settled, Settlement } from '../../ledger/types.ts'
import type { AttemptOutcome } from '../../providers/attempt-outcome.ts'
import type { RequestTrace } from '../../telemetry/request-trace.ts'
import type { Telemetry } from '../../telemetry/telemetry.ts'
import type { UpstreamOperation } from '../../wire/upstream-paths.ts'
import type { Candidate, RequestContext } from '../request.ts'
import type { InFlightRequests } from './in-flight-requests.ts'

export interface TracingDeps {
  /** null: not configured. */
  readonly telemetry: Telemetry | null
  readonly clock: Clock
}

/** The OpenTelemetry name of an operation. */
const operationName = (operation: UpstreamOperation): string =>
  operation === 'count_tokens' ? operation : endpoints[operation].traced

/** OpenTelemetry names of providers, where they differ from ours. */
const providerNames: Readonly<Record<string, string>> = {
  google: 'gcp.gemini',
  vertex: 'gcp.vertex_ai',
  azure: 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  mistral: 'mistral_ai',
  xai: 'x_ai',
}
const providerName = (provider: string): string => providerNames[provider] ?? provider

export function beginTrace(
  { telemetry, clock }: TracingDeps,
  { headers }: IncomingMessage,
  started: { readonly startedMs: number; readonly startedMonoMs: number },
): RequestTrace | null {
  if (telemetry === null) return null
  return telemetry.begin(headers, () => started.startedMs + clock.monoMs() - started.startedMonoMs)
}

interface TracedAttempt {
  readonly operation: UpstreamOperation
  readonly headers: readonly string[]
  /** Whether the address is the operator's own, and not a provider's. */
  readonly isOperators: boolean
}

/** An attempt begins: its request's headers, with those that continue the trace at the upstream; name and value in turn. */
export function traceAttempt(
  { trace }: Pick<RequestContext, 'trace'>,
  { upstream, upstreamModel }: Candidate,
  { operation, headers, isOperators }: TracedAttempt,
): readonly string[] {
  if (trace === null) return headers
  const provider = providerName(upstream.provider)
  const target = { upstream: upstream.name, provider, model: upstreamModel }
  const started = { ...target, isOperators, operation: operationName(operation) }
  return [...headers, ...trace.attemptStarted(started)]
}

export function traceOutcome({ trace }: Pick<RequestContext, 'trace'>, outcome: AttemptOutcome): void {
  if (trace === null) return
  if (outcome.kind === 'interrupted')
    return trace.attemptAnswered({ status: null, failure: 'client_closed', firstByteMs: null })
  const { status, firstByteMs } = outcome
  const failure = outcome.kind === 'failed' ? outcome.failure.code : null
  trace.attemptAnswered({ status, failure, firstByteMs })
}

/** `context`: null for background responses, whose request has ended. */
export function traceSettled(
  { telemetry, clock }: TracingDeps,
  context: RequestContext | null,
  { model, settlement, result }: { model: string; settlement: Settlement; result: Settled },
): void {
  if (telemetry === null) return
  const { receipt } = settlement
  const usage = {
    ...{ model, provider: providerName(receipt.provider), tokens: receipt },
    ...{ endReason: receipt.endReason, charged: result.charged },
  }
  const endedMs = context === null ? clock.wallMs() : steadyClock(clock, context).wallMs()
  const operation = context !== null && isEndpoint(context.operation) ? context.operation : 'generate'
  telemetry.settled(context?.trace ?? null, usage, {
    operation: operationName(operation),
    seconds: Math.max(0, endedMs - receipt.startedMs) / 1_000,
  })
}

/** `outcome`: `ok`, or a code of the error table. */
export function traceEnd(
  { telemetry, inFlight }: TracingDeps & { readonly inFlight: Pick<InFlightRequests, 'ownerOf'> },
  context: RequestContext,
  { outcome, status }: { readonly outcome: string; readonly status: number },
): void {
  if (telemetry === null || context.trace === null) return
  const owner = inFlight.ownerOf(context.id) ?? null
  telemetry.ended(context.trace, {
    method: context.request.method ?? '',
    path: routeOf(context),
    status,
    outcome,
    isIdentified: owner !== null,
    attributes: {
      'tollgate.request.id': context.requestId,
      'tollgate.format': context.format.name,
      'tollgate.account.id': owner === null ? undefined : formatId('acct', owner.account),
      'tollgate.key.id': owner === null ? undefined : formatId('key', owner.key),
    },
  })
}

/** The path without names and IDs, so that there are few different ones; null: it is not one of this server. */
function routeOf({ request, subject, rejection }: RequestContext): string | null {
  if (rejection !== undefined) return null
  const path = (request.url ?? '/').split('?', 1)[0] ?? '/'
  const segments = path.split('/').filter((segment) => segment !== '')
  const models = segments.indexOf('models')
  if (models >= 0 && models < segments.length - 1) {
    const method = /(?::|%3a)(\w+)$/i.exec(path)?.[1]
    const isMethod = subject === '' && method !== undefined
    return `/${segments.slice(0, models + 1).join('/')}/{model}${isMethod ? `:${method}` : ''}`
  }
  const names = subject.split('/')
  return `/${segments.map((segment) => (names.includes(decoded(segment)) ? '{id}' : segment)).join('/')}`
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
