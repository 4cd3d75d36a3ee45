/**
 * Request line and headers → Line: which dialect, which operation, under which id. The path is
 * parsed once, here. Reads no body and knows no caller.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../base/clock.ts'
import { TollgateError } from '../base/errors.ts'
import { formatId, type NextId } from '../base/ids.ts'
import { Interruptible } from '../base/interruption.ts'
import { Downstream } from '../http/downstream.ts'
import { malformation } from '../http/edge.ts'
import type { Line, Operation } from '../values.ts'
import { anthropic } from '../wire/anthropic/index.ts'
import type { Dialect } from '../wire/codec.ts'
import { openaiChat } from '../wire/openai-chat/index.ts'

export interface Accepting {
  readonly clock: Clock
  readonly nextId: NextId
  readonly pressure: { overloaded(): boolean }
  readonly draining: { readonly begun: boolean }
  readonly limits: { readonly headersMax: number; readonly urlBytesMax: number }
  /** Where callers reach this server. */
  readonly address: string
}

interface Route {
  readonly dialect: Dialect
  readonly operation: Operation
  readonly method: 'GET' | 'POST'
  /** Whether the address is served without `/v1` before it. */
  readonly bare: boolean
}

/** Addresses below the base; `*` stands for one segment, the subject. */
const routes: Readonly<Record<string, Route>> = {
  'chat/completions': { dialect: openaiChat, operation: 'generate', method: 'POST', bare: true },
  messages: { dialect: anthropic, operation: 'generate', method: 'POST', bare: true },
  models: { dialect: openaiChat, operation: 'list_models', method: 'GET', bare: true },
  'models/*': { dialect: openaiChat, operation: 'show_model', method: 'GET', bare: true },
  credits: { dialect: openaiChat, operation: 'show_credits', method: 'GET', bare: false },
  key: { dialect: openaiChat, operation: 'show_key', method: 'GET', bare: false },
  'generations/*': { dialect: openaiChat, operation: 'show_generation', method: 'GET', bare: false },
}

/** Segments before the operation that clients add, double or leave out. */
const prefixes: Readonly<Record<string, Dialect | null>> = {
  v1: null,
  openai: openaiChat,
  anthropic,
  alt: anthropic,
}
const prefixesMax = 4

interface Found {
  readonly dialect: Dialect
  readonly operation: Operation
  readonly subject: string
  readonly refusal: TollgateError | undefined
}

/** Never throws: what is wrong with the request line stands in `refusal`, to be answered in the right dialect. */
export function accept(accepting: Accepting, request: IncomingMessage, response: ServerResponse): Line {
  const id = accepting.nextId()
  const requestId = formatId('req', id)
  const url = request.url ?? '/'
  const queryStart = url.indexOf('?')
  const path = queryStart < 0 ? url : url.slice(0, queryStart)
  const found = route(accepting.address, path, request)
  const client = new Downstream(response, accepting.clock)
  const work = new Interruptible()
  client.onGone(() => work.interrupt({ kind: 'gone' }))
  return {
    id,
    requestId,
    dialect: found.dialect,
    operation: found.operation,
    subject: found.subject,
    address: { model: null, stream: false },
    query: queryStart < 0 ? '' : withoutKey(url.slice(queryStart)),
    refusal: refusal(accepting, request) ?? found.refusal,
    request,
    client,
    work,
    startedMs: accepting.clock.wallMs(),
    startedMonoMs: accepting.clock.monoMs(),
  }
}

function refusal(accepting: Accepting, request: IncomingMessage): TollgateError | undefined {
  const malformed = malformation(request, accepting.limits)
  if (malformed !== undefined) return new TollgateError(malformed.code, { message: malformed.message })
  if (accepting.draining.begun) {
    return new TollgateError('draining', {
      message: 'This server is shutting down; try again.',
      retryAfterMs: 1_000,
    })
  }
  if (accepting.pressure.overloaded()) {
    return new TollgateError('overloaded', {
      message: 'This server is at its limit; try again.',
      retryAfterMs: 2_000,
    })
  }
  return undefined
}

function route(address: string, path: string, request: IncomingMessage): Found {
  const segments = withoutLastSlashes(path).split('/').slice(1)
  let hint: Dialect | null = null
  let versioned = false
  let at = 0
  while (at < segments.length && at < prefixesMax) {
    const segment = segments[at] ?? ''
    const isApi = segment === 'api' && segments[at + 1] === 'v1'
    if (!isApi && !Object.hasOwn(prefixes, segment)) break
    hint = prefixes[segment] ?? hint
    versioned ||= segment === 'v1' || segment === 'alt'
    at += 1
  }
  const rest = segments.slice(at)
  if (rest.length === 0 && hint === anthropic && versioned) {
    return { dialect: anthropic, operation: 'probe', subject: '', refusal: wrongMethod(request, 'GET') }
  }
  return routeRest(rest, hint, { address, path, request, versioned: versioned || hint !== null })
}

/** Not by a pattern: those try again at every slash of a path that is made of them. */
function withoutLastSlashes(path: string): string {
  let end = path.length
  while (end > 0 && path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}

function routeRest(
  rest: readonly string[],
  hint: Dialect | null,
  at: { address: string; path: string; request: IncomingMessage; versioned: boolean },
): Found {
  const name = rest.join('/')
  const known = Object.hasOwn(routes, name) ? name : rest.length >= 2 ? `${rest[0]}/*` : ''
  const found = Object.hasOwn(routes, known) ? routes[known] : undefined
  const subject = found !== undefined && known.endsWith('/*') ? decodeSubject(rest.slice(1).join('/')) : ''
  const dialect = chooseDialect(found, hint, { name, request: at.request })
  if (found === undefined || subject === undefined || !(found.bare || at.versioned)) {
    return { dialect, operation: 'probe', subject: '', refusal: unknownPath(at, dialect) }
  }
  return { dialect, operation: found.operation, subject, refusal: wrongMethod(at.request, found.method) }
}

/** Paths that generate decide themselves; shared ones follow the prefix, then the version header. */
function chooseDialect(
  found: Route | undefined,
  hint: Dialect | null,
  by: { name: string; request: IncomingMessage },
): Dialect {
  if (found?.operation === 'generate') return found.dialect
  if (hint === anthropic || by.name.startsWith('messages')) return anthropic
  const lists = found?.operation === 'list_models' || found?.operation === 'show_model'
  return lists && by.request.headers['anthropic-version'] !== undefined ? anthropic : openaiChat
}

function decodeSubject(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function wrongMethod(request: IncomingMessage, method: 'GET' | 'POST'): TollgateError | undefined {
  const used = request.method ?? ''
  if (used === method || (method === 'GET' && used === 'HEAD')) return undefined
  return new TollgateError('method_not_allowed', {
    message: `This address takes ${method}, not ${used}.`,
    headers: { allow: method },
  })
}

function unknownPath(
  { address, path }: { readonly address: string; readonly path: string },
  dialect: Dialect,
): TollgateError {
  const shown = path.length > 200 ? `${path.slice(0, 200)}…` : path
  const hint =
    dialect === anthropic
      ? `The base address of the Messages format is ${address}/v1/alt: POST ${address}/v1/alt/v1/messages.`
      : `The base address is ${address}/v1: POST ${address}/v1/chat/completions; the Messages format is at ${address}/v1/alt.`
  return new TollgateError('unknown_path', {
    message: `There is nothing at ${JSON.stringify(shown)}. ${hint}`,
  })
}

/** Names under which clients put a key into a query, letters alone. */
const keyNames: ReadonlySet<string> = new Set([
  'key',
  'apikey',
  'xapikey',
  'xgoogapikey',
  'accesstoken',
  'token',
  'authorization',
])

/** A key in the query is nobody's business but the caller's; it goes neither upstream nor into a log. */
function withoutKey(query: string): string {
  const pairs = query.slice(1).split('&')
  const kept = pairs.filter((pair) => !keyNames.has(lettersOf(pair.split('=', 1)[0] ?? '')))
  if (kept.length === pairs.length) return query
  return kept.length === 0 ? '' : `?${kept.join('&')}`
}

function lettersOf(name: string): string {
  return (decodeSubject(name) ?? name).toLowerCase().replace(/[^a-z]/g, '')
}
