/**
 * Request line and headers → RequestContext: which format, which operation, under which ID. Reads no body and knows
 * no caller.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { TollgateError } from '../../../base/errors.ts'
import { formatId, type NextId } from '../../../base/ids.ts'
import { Interruptible } from '../../../base/interruption.ts'
import type { CustomerView } from '../../../catalog/customer-view.ts'
import { Downstream } from '../../../http/downstream.ts'
import { malformation } from '../../../http/server.ts'
import { hopsOf } from '../../../providers/outgoing-request.ts'
import { EventPadding } from '../../../wire/stream/event-padding.ts'
import { beginTrace, type TracingDeps } from '../../observation/request-tracing.ts'
import type { RequestContext } from '../../request.ts'
import { matchPath } from './match-path.ts'

export interface AcceptDeps extends TracingDeps {
  readonly nextId: NextId
  readonly draining: { readonly rejects: boolean }
  readonly limits: { readonly headersMax: number; readonly urlBytesMax: number; readonly hopsMax: number }
  readonly clientNetwork: (request: IncomingMessage) => string
  /** The public base URL of this server. */
  readonly address: string
  readonly customerView: CustomerView
}

/** Never throws: an error of the request line is in `rejection`, so that it is answered in the request's format. */
export function accept(deps: AcceptDeps, request: IncomingMessage, response: ServerResponse): RequestContext {
  const id = deps.nextId()
  const requestId = formatId('req', id)
  const url = request.url ?? '/'
  const queryStart = url.indexOf('?')
  const path = queryStart < 0 ? url : url.slice(0, queryStart)
  const search = queryStart < 0 ? '' : url.slice(queryStart)
  const { method = '', headers } = request
  const found = matchPath({ method, path, query: search, headers, address: deps.address })
  const client = new Downstream(response, deps.clock)
  const work = new Interruptible()
  const started = { startedMs: deps.clock.wallMs(), startedMonoMs: deps.clock.monoMs() }
  client.onGone(() => work.interrupt({ kind: 'gone' }))
  const envelope = found.address.stream ? (found.format.streamEnvelope?.(search) ?? null) : null
  return {
    id,
    requestId,
    format: found.format,
    envelope,
    padding: found.format.keepAlive === null && envelope === null ? new EventPadding() : null,
    operation: found.operation,
    subject: found.subject,
    address: found.address,
    query: withoutKey(search),
    rejection: rejection(deps, request) ?? found.rejection,
    request,
    client,
    network: deps.clientNetwork(request),
    customerView: deps.customerView,
    work,
    ...started,
    trace: beginTrace(deps, request, started),
  }
}

function rejection(deps: AcceptDeps, request: IncomingMessage): TollgateError | undefined {
  const malformed = malformation(request, deps.limits)
  if (malformed !== undefined) return new TollgateError(malformed.code, { message: malformed.message })
  if (hopsOf(request.headers) > deps.limits.hopsMax) {
    return new TollgateError('gateway_loop', {
      message: `This request was forwarded by more than ${deps.limits.hopsMax} gateways: an upstream of one of them leads back to it.`,
    })
  }
  if (deps.draining.rejects) {
    return new TollgateError('draining', {
      message: 'This server is shutting down. Try again.',
      retryAfterMs: 1_000,
    })
  }
  return undefined
}

/** Query parameters that carry an API key, reduced to lower-case letters. */
const keyNames: ReadonlySet<string> = new Set([
  'key',
  'apikey',
  'xapikey',
  'xgoogapikey',
  'accesstoken',
  'token',
  'authorization',
])

/** Removes API keys from a query, so that they are neither forwarded nor logged. */
function withoutKey(query: string): string {
  if (query === '') return ''
  const pairs = query.slice(1).split('&')
  const others = pairs.filter((pair) => !keyNames.has(lettersOf(pair.split('=', 1)[0] ?? '')))
  if (others.length === pairs.length) return query
  return others.length === 0 ? '' : `?${others.join('&')}`
}

function lettersOf(name: string): string {
  return decodedName(name)
    .toLowerCase()
    .replace(/[^a-z]/g, '')
}

function decodedName(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
