/**
 * Request line and headers → RequestContext: which dialect, which operation, under which id. The path is
 * parsed once, here. Reads no body and knows no caller.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../../../base/clock.ts'
import { TollgateError } from '../../../base/errors.ts'
import { formatId, type NextId } from '../../../base/ids.ts'
import { Interruptible } from '../../../base/interruption.ts'
import { Downstream } from '../../../http/downstream.ts'
import { malformation } from '../../../http/edge.ts'
import type { ClientFormat, DialectName, UrlFields } from '../../../wire/dialect.ts'
import { clientFormats } from '../../../wire/formats.ts'
import { ArrayFraming } from '../../../wire/gemini/encode-stream-array.ts'
import { EventPadding } from '../../../wire/stream/event-padding.ts'
import type { Operation, RequestContext } from '../../request.ts'
import { fileRoute, geminiUpload } from './file-routes.ts'
import { responseRoute } from './response-routes.ts'
import { unsupportedMethods, unsupportedPath } from './unsupported-table.ts'

export interface AcceptDeps {
  readonly clock: Clock
  readonly nextId: NextId
  readonly draining: { readonly begun: boolean }
  readonly limits: { readonly headersMax: number; readonly urlBytesMax: number }
  readonly clientNetwork: (request: IncomingMessage) => string
  /** Where callers reach this server. */
  readonly address: string
}

interface PathRoute {
  readonly dialect: ClientFormat
  readonly operation: Operation
  readonly method: 'GET' | 'POST'
  /** Whether the address is served without `/v1` before it. */
  readonly bare: boolean
}

const { anthropic, gemini } = clientFormats
const openaiChat = clientFormats['openai-chat']
const responses = clientFormats['openai-responses']
const embeddings = clientFormats['openai-embeddings']

/** Addresses below the base; `*` stands for the rest, the subject. */
const routes: Readonly<Record<string, PathRoute>> = {
  'chat/completions': { dialect: openaiChat, operation: 'generate', method: 'POST', bare: true },
  responses: { dialect: responses, operation: 'generate', method: 'POST', bare: true },
  'responses/input_tokens': { dialect: responses, operation: 'count_tokens', method: 'POST', bare: true },
  'responses/compact': { dialect: responses, operation: 'compact', method: 'POST', bare: true },
  messages: { dialect: anthropic, operation: 'generate', method: 'POST', bare: true },
  'messages/count_tokens': { dialect: anthropic, operation: 'count_tokens', method: 'POST', bare: true },
  embeddings: { dialect: embeddings, operation: 'embed', method: 'POST', bare: true },
  models: { dialect: openaiChat, operation: 'list_models', method: 'GET', bare: true },
  'models/*': { dialect: openaiChat, operation: 'show_model', method: 'GET', bare: true },
  credits: { dialect: openaiChat, operation: 'show_credits', method: 'GET', bare: false },
  key: { dialect: openaiChat, operation: 'show_key', method: 'GET', bare: false },
  'generations/*': { dialect: openaiChat, operation: 'show_generation', method: 'GET', bare: false },
}

/** What stands after the colon in `models/{model}:{method}`. */
const geminiMethods: Readonly<Record<string, { readonly operation: Operation; readonly stream: boolean }>> = {
  generateContent: { operation: 'generate', stream: false },
  streamGenerateContent: { operation: 'generate', stream: true },
  countTokens: { operation: 'count_tokens', stream: false },
}

/** Segments before the operation that clients add, double or leave out. */
const prefixes: Readonly<Record<string, ClientFormat | null>> = {
  v1: null,
  v1beta: gemini,
  upload: gemini,
  openai: openaiChat,
  anthropic,
  alt: anthropic,
}
const prefixesMax = 4

const nowhere: UrlFields = { model: null, stream: false }

interface PathMatch {
  readonly dialect: ClientFormat
  readonly operation: Operation
  readonly subject: string
  readonly address: UrlFields
  readonly refusal: TollgateError | undefined
}

/** Never throws: what is wrong with the request line stands in `refusal`, to be answered in the right dialect. */
export function accept(deps: AcceptDeps, request: IncomingMessage, response: ServerResponse): RequestContext {
  const id = deps.nextId()
  const requestId = formatId('req', id)
  const url = request.url ?? '/'
  const queryStart = url.indexOf('?')
  const path = queryStart < 0 ? url : url.slice(0, queryStart)
  const found = route(deps.address, path, request)
  const client = new Downstream(response, deps.clock)
  const work = new Interruptible()
  client.onGone(() => work.interrupt({ kind: 'gone' }))
  const query = queryStart < 0 ? '' : withoutKey(url.slice(queryStart))
  const isArray = found.address.stream && !asksForEvents(query)
  return {
    id,
    requestId,
    dialect: found.dialect,
    envelope: isArray ? new ArrayFraming() : null,
    padding: found.dialect.keepAlive === null && !isArray ? new EventPadding() : null,
    operation: found.operation,
    subject: found.subject,
    address: found.address,
    query,
    refusal: refusal(deps, request) ?? found.refusal,
    request,
    client,
    network: deps.clientNetwork(request),
    work,
    startedMs: deps.clock.wallMs(),
    startedMonoMs: deps.clock.monoMs(),
  }
}

function refusal(deps: AcceptDeps, request: IncomingMessage): TollgateError | undefined {
  const malformed = malformation(request, deps.limits)
  if (malformed !== undefined) return new TollgateError(malformed.code, { message: malformed.message })
  if (deps.draining.begun) {
    return new TollgateError('draining', {
      message: 'This server is shutting down; try again.',
      retryAfterMs: 1_000,
    })
  }
  return undefined
}

function route(address: string, path: string, request: IncomingMessage): PathMatch {
  // A base address that ends with a slash makes two of one.
  const segments = path.split('/').filter((segment) => segment !== '')
  let hint: ClientFormat | null = null
  let versioned = false
  let at = 0
  while (at < segments.length && at < prefixesMax) {
    const segment = segments[at] ?? ''
    const isApi = segment === 'api' && segments[at + 1] === 'v1'
    if (!isApi && !Object.hasOwn(prefixes, segment)) break
    hint = prefixes[segment] ?? hint
    versioned ||= segment === 'v1' || segment === 'v1beta' || segment === 'alt'
    at += 1
  }
  const rest = segments.slice(at)
  if (rest.length === 0 && hint === anthropic && versioned) {
    return { ...nothingThere(anthropic), refusal: wrongMethod(request, 'GET') }
  }
  const where = { address, path, request, hint, versioned: versioned || hint !== null }
  return (
    routeGemini(rest, where) ??
    routeFiles(rest, where) ??
    routeResponses(rest, where) ??
    routeRest(rest, where)
  )
}

interface At {
  readonly address: string
  readonly path: string
  readonly request: IncomingMessage
  /** The format that a prefix names. */
  readonly hint: ClientFormat | null
  readonly versioned: boolean
}

function nothingThere(dialect: ClientFormat): Omit<PathMatch, 'refusal'> {
  return { dialect, operation: 'probe', subject: '', address: nowhere }
}

/** `models/{model}:{method}`, the colon escaped or not; undefined for every other path. */
function routeGemini(rest: readonly string[], at: At): PathMatch | undefined {
  if (rest[0] !== 'models' || rest.length < 2) return undefined
  const written = rest.slice(1).join('/')
  const decoded = decodeSubject(written)
  const named = decoded ?? written
  const colon = named.lastIndexOf(':')
  const method = named.slice(colon + 1)
  const isKnown = Object.hasOwn(geminiMethods, method)
  // Only there can nothing else be meant: names of models have colons too.
  const isMeant = at.hint === gemini && at.request.method === 'POST'
  if (colon < 0 || !(isKnown || method.endsWith('Content') || isMeant)) return undefined
  const instead = Object.hasOwn(unsupportedMethods, method) ? unsupportedMethods[method] : undefined
  if (instead !== undefined) return { ...nothingThere(gemini), refusal: notSupported(instead) }
  const found = isKnown ? geminiMethods[method] : undefined
  if (found === undefined || colon === 0 || decoded === undefined || !at.versioned) {
    return { ...nothingThere(gemini), refusal: unknownPath(at, gemini) }
  }
  return {
    dialect: gemini,
    operation: found.operation,
    subject: '',
    address: { model: named.slice(0, colon), stream: found.stream },
    refusal: wrongMethod(at.request, 'POST'),
  }
}

/** undefined for every path that is no address of files. */
function routeFiles(rest: readonly string[], at: At): PathMatch | undefined {
  const route = fileRoute(rest)
  const subject = decodeSubject(route?.subject ?? '')
  if (route === undefined || subject === undefined) return undefined
  const { headers, url = '' } = at.request
  const dialect = at.hint ?? filesByHeader(headers)
  const found = routeByMethod(at.request, { ...route, subject, dialect })
  const isUpload = dialect === gemini && found.operation === 'upload_file'
  return isUpload ? { ...found, operation: geminiUpload(headers, url.slice(at.path.length)) } : found
}

/** undefined for every path that is no address of a response by its id. */
function routeResponses(rest: readonly string[], { request }: At): PathMatch | undefined {
  const route = responseRoute(rest)
  const subject = decodeSubject(route?.subject ?? '')
  if (route === undefined || subject === undefined) return undefined
  return routeByMethod(request, { ...route, subject, dialect: responses })
}

interface RouteByMethod {
  readonly operations: Readonly<Record<string, Operation>>
  readonly subject: string
  readonly dialect: ClientFormat
}

function routeByMethod(
  { method = '' }: IncomingMessage,
  { operations, subject, dialect }: RouteByMethod,
): PathMatch {
  const used = method === 'HEAD' ? 'GET' : method
  const operation = Object.hasOwn(operations, used) ? operations[used] : undefined
  if (operation !== undefined) return { dialect, operation, subject, address: nowhere, refusal: undefined }
  const allow = Object.keys(operations).join(', ')
  const refusal = new TollgateError('method_not_allowed', {
    message: `This address takes ${allow}, not ${used}.`,
    headers: { allow },
  })
  return { ...nothingThere(dialect), refusal }
}

/** Below /v1 all providers keep files: Google's libraries too, whose version is v1 now. */
function filesByHeader(headers: IncomingHttpHeaders): ClientFormat {
  if (headers['anthropic-version'] !== undefined) return anthropic
  return headers['x-goog-api-key'] === undefined ? openaiChat : gemini
}

/** Without `alt=sse` a stream is one JSON array. */
function asksForEvents(query: string): boolean {
  return new URLSearchParams(query).get('alt') === 'sse'
}

function routeRest(rest: readonly string[], at: At): PathMatch {
  const name = rest.join('/')
  const known = Object.hasOwn(routes, name) ? name : rest.length >= 2 ? `${rest[0]}/*` : ''
  const found = Object.hasOwn(routes, known) ? routes[known] : undefined
  const subject = found !== undefined && known.endsWith('/*') ? decodeSubject(rest.slice(1).join('/')) : ''
  const dialect = chooseDialect(found, name, at)
  const instead = unsupportedPath(rest)
  if (instead !== undefined) return { ...nothingThere(dialect), refusal: notSupported(instead) }
  if (found === undefined || subject === undefined || !(found.bare || at.versioned)) {
    return { ...nothingThere(dialect), refusal: unknownPath(at, dialect) }
  }
  const refusal = wrongUpgrade(found, at.request) ?? wrongMethod(at.request, found.method)
  return { dialect, operation: found.operation, subject, address: nowhere, refusal }
}

/** Agents try a WebSocket first where the provider has one; they go on with requests when told at once. */
function wrongUpgrade({ dialect }: PathRoute, request: IncomingMessage): TollgateError | undefined {
  if (dialect !== responses || request.method !== 'GET' || request.headers.upgrade === undefined)
    return undefined
  return new TollgateError('upgrade_required', {
    message: 'This address does not speak WebSocket: send POST requests, streamed with server-sent events.',
  })
}

/** How only methods of the Gemini API are named. */
const geminiMethod = /:\w{0,40}Content$/

/** Addresses that take a body decide themselves; shared ones follow the prefix, then the headers. */
function chooseDialect(found: PathRoute | undefined, name: string, { hint, request }: At): ClientFormat {
  if (found?.method === 'POST') return found.dialect
  if (hint === anthropic || name.startsWith('messages')) return anthropic
  const lists = found?.operation === 'list_models' || found?.operation === 'show_model'
  const { headers } = request
  if (lists && headers['anthropic-version'] !== undefined) return anthropic
  if (hint === gemini || geminiMethod.test(name) || name.startsWith('cachedContents')) return gemini
  if (lists && headers['x-goog-api-key'] !== undefined) return gemini
  return found?.dialect ?? openaiChat
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

function notSupported(message: string): TollgateError {
  return new TollgateError('not_supported', { message })
}

function unknownPath(
  { address, path }: { readonly address: string; readonly path: string },
  dialect: ClientFormat,
): TollgateError {
  const shown = path.length > 200 ? `${path.slice(0, 200)}…` : path
  const hints: Readonly<Partial<Record<DialectName, string>>> = {
    anthropic: `The base address of the Messages format is ${address}/v1/alt: POST ${address}/v1/alt/v1/messages.`,
    gemini: `The base address of the Gemini format is ${address}/v1beta: POST ${address}/v1beta/models/{model}:generateContent.`,
  }
  const hint =
    hints[dialect.name] ??
    `The base address is ${address}/v1: POST ${address}/v1/chat/completions; the Messages format is at ${address}/v1/alt.`
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

/** A key in the query is the caller's secret; it is neither forwarded nor logged. */
function withoutKey(query: string): string {
  const pairs = query.slice(1).split('&')
  const kept = pairs.filter((pair) => !keyNames.has(lettersOf(pair.split('=', 1)[0] ?? '')))
  if (kept.length === pairs.length) return query
  return kept.length === 0 ? '' : `?${kept.join('&')}`
}

function lettersOf(name: string): string {
  return (decodeSubject(name) ?? name).toLowerCase().replace(/[^a-z]/g, '')
}
