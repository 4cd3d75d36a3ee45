/**
 * Method, path and headers → format and operation, by the routes of the formats and by those that all formats share.
 * Pure.
 */

import type { IncomingHttpHeaders } from 'node:http'
import { endpointNames } from '../../../../contract/endpoints.ts'
import { TollgateError } from '../../../base/errors.ts'
import { RecentMap } from '../../../base/recent-map.ts'
import type { UrlFields } from '../../../wire/client-routes.ts'
import { type MethodOperations, noUrlFields } from '../../../wire/client-routes.ts'
import type { ClientFormat } from '../../../wire/format.ts'
import { clientFormats } from '../../../wire/formats.ts'
import type { GatewayOperation } from '../../request.ts'
import { unsupportedMethods, unsupportedPath } from './unsupported-table.ts'

export interface PathRequest {
  readonly method: string
  /** The request target without its query. */
  readonly path: string
  readonly query: string
  readonly headers: IncomingHttpHeaders
  /** The public base URL of this server, for error messages. */
  readonly address: string
}

export interface PathMatch {
  readonly format: ClientFormat
  readonly operation: GatewayOperation
  readonly subject: string
  readonly address: UrlFields
  readonly rejection: TollgateError | undefined
}

interface PathRoute {
  readonly operations: MethodOperations<GatewayOperation>
  /** null: the path is shared, and the headers of the request decide the format. */
  readonly format: ClientFormat | null
  /** Whether a prefix is required; without one the path is too common a word. */
  readonly needsPrefix?: boolean
}

const formats: readonly ClientFormat[] = Object.values(clientFormats)

/** The format of requests that match no other one. */
const defaultFormat = clientFormats['openai-chat']

const show = (operation: GatewayOperation): PathRoute => ({ operations: { GET: operation }, format: null })

/** `{id}` matches one segment, `{name}` at the end all that follow: names of models contain slashes. */
const paths: Readonly<Record<string, PathRoute>> = {
  ...Object.fromEntries(
    formats.flatMap((format) =>
      Object.entries(format.routes.paths).map(([path, operations]) => [path, { operations, format }]),
    ),
  ),
  models: show('list_models'),
  'models/{name}': show('show_model'),
  files: { operations: { GET: 'list_files', POST: 'upload_file' }, format: null },
  'files/{id}': { operations: { GET: 'show_file', DELETE: 'delete_file' }, format: null },
  'files/{id}/content': show('read_file'),
  credits: { ...show('show_credits'), needsPrefix: true },
  key: { ...show('show_key'), needsPrefix: true },
  'generations/{id}': { ...show('show_generation'), needsPrefix: true },
}

const exactPaths = new Map(Object.entries(paths).filter(([path]) => !path.includes('{')))

const patterns = Object.entries(paths)
  .filter(([path]) => path.includes('{'))
  .map(([path, route]) => ({ pattern: path.split('/'), route }))

/** Segments before the operation that clients add, double or leave out, and the format that each selects. */
const prefixes: ReadonlyMap<string, ClientFormat | null> = new Map<string, ClientFormat | null>([
  ['v1', null],
  ...formats.flatMap((format) => format.routes.prefixes.map((prefix) => [prefix, format] as const)),
])
const prefixesMax = 4

/** Prefixes that are part of a base URL. */
const baseSegments: ReadonlySet<string> = new Set(
  formats.flatMap(({ routes }) => routes.guide.basePath.split('/')),
)

/** The path without its prefixes, and what these say. */
interface Prefixed {
  /** The segments of the operation itself. */
  readonly rest: readonly string[]
  /** The format that a prefix selects. */
  readonly hint: ClientFormat | null
  readonly hasBase: boolean
}

type RouteRequest = PathRequest & Prefixed

/** Operations that the path of a POST alone decides, whatever its headers and query are. */
const ofPathAlone: ReadonlySet<GatewayOperation> = new Set([...endpointNames, 'count_tokens'])
const pathsRemembered = 256
const rememberedCharactersMax = 512
const remembered = new RecentMap<string, PathMatch>(pathsRemembered)

/** Never throws: what is wrong with the request line is in `rejection`, to be answered in the right format. */
export function matchPath(request: PathRequest): PathMatch {
  if (request.method !== 'POST') return readPath(request)
  const known = remembered.get(request.path)
  if (known !== undefined) return known
  const match = readPath(request)
  const isSame = match.rejection === undefined && ofPathAlone.has(match.operation)
  if (isSame && request.path.length <= rememberedCharactersMax) remembered.set(request.path, match)
  return match
}

/** Whether a path without its query is neither below a prefix of the API nor the path of an operation. */
export function isOutsideApi(path: string): boolean {
  const prefixed = withoutPrefixes(path)
  const found = routeAt(prefixed.rest.join('/'))
  const isOperation = found !== undefined && found.route.needsPrefix !== true
  return !hasPrefix(prefixed) && !isOperation && unsupportedPath(prefixed.rest) === undefined
}

function readPath(pathRequest: PathRequest): PathMatch {
  const request = { ...pathRequest, ...withoutPrefixes(pathRequest.path) }
  const { rest, hint, hasBase } = request
  if (rest.length === 0 && hasBase && hint?.routes.probesBase === true) {
    return { ...probe(hint), rejection: wrongMethod(request, { GET: 'probe' }) }
  }
  return matchModelMethod(request) ?? matchRoute(request)
}

function withoutPrefixes(path: string): Prefixed {
  // A base URL that ends with a slash makes two of one.
  const segments = path.split('/').filter((segment) => segment !== '')
  let hint: ClientFormat | null = null
  let hasBase = false
  let at = 0
  while (at < segments.length && at < prefixesMax) {
    const segment = segments[at] ?? ''
    const isApi = segment === 'api' && segments[at + 1] === 'v1'
    if (!isApi && !prefixes.has(segment)) break
    hint = prefixes.get(segment) ?? hint
    hasBase ||= baseSegments.has(segment)
    at += 1
  }
  return { rest: segments.slice(at), hint, hasBase }
}

const hasPrefix = ({ hint, hasBase }: Prefixed): boolean => hasBase || hint !== null

/** `models/{model}:{method}`, the colon escaped or not; undefined for every other path. */
function matchModelMethod(request: RouteRequest): PathMatch | undefined {
  const { rest } = request
  if (rest[0] !== 'models' || rest.length < 2) return undefined
  const written = rest.slice(1).join('/')
  const decoded = decodeSubject(written)
  const named = decoded ?? written
  const colon = named.lastIndexOf(':')
  if (colon < 0) return undefined
  const method = named.slice(colon + 1)
  const format =
    formats.find((one) => hasMethod(one, method)) ??
    formats.find((one) => isModelMethod(one, method, request))
  if (format === undefined) return undefined
  const instead = Object.hasOwn(unsupportedMethods, method) ? unsupportedMethods[method] : undefined
  if (instead !== undefined) return { ...probe(format), rejection: notSupported(instead) }
  const found = hasMethod(format, method) ? format.routes.modelMethods?.[method] : undefined
  if (found === undefined || colon === 0 || decoded === undefined) {
    return { ...probe(format), rejection: unknownPath(request, format) }
  }
  return {
    format,
    operation: found.operation,
    subject: '',
    address: { model: named.slice(0, colon), stream: found.stream },
    rejection: wrongMethod(request, { POST: found.operation }),
  }
}

function hasMethod({ routes }: ClientFormat, method: string): boolean {
  return routes.modelMethods !== null && Object.hasOwn(routes.modelMethods, method)
}

/** Whether the format alone has methods such as this one, which it lacks. */
function isModelMethod(
  format: ClientFormat,
  method: string,
  { hint, method: httpMethod }: RouteRequest,
): boolean {
  const { modelMethods, ownPaths } = format.routes
  if (modelMethods === null) return false
  // Names of models contain colons too: only a POST below the format's own prefix can mean nothing else.
  const isMeant = hint === format && httpMethod === 'POST'
  return ownPaths?.test(`:${method}`) === true || isMeant
}

function matchRoute(request: RouteRequest): PathMatch {
  const path = request.rest.join('/')
  const found = routeAt(path)
  const format = found?.route.format ?? formatFor(path, request)
  const instead = unsupportedPath(request.rest)
  if (instead !== undefined) return { ...probe(format), rejection: notSupported(instead) }
  const subject = decodeSubject(found?.subject ?? '')
  if (found === undefined || subject === undefined || (found.route.needsPrefix && !hasPrefix(request))) {
    return { ...probe(format), rejection: unknownPath(request, format) }
  }
  const { operations } = found.route
  const operation = operationFor(request.method, operations)
  if (operation === undefined) {
    return { ...probe(format), rejection: wrongUpgrade(format, request) ?? wrongMethod(request, operations) }
  }
  return {
    format,
    operation:
      operation === 'upload_file' ? format.routes.uploadOperation(request.headers, request.query) : operation,
    subject,
    address: noUrlFields,
    rejection: undefined,
  }
}

function routeAt(path: string): { readonly route: PathRoute; readonly subject: string } | undefined {
  const exact = exactPaths.get(path)
  if (exact !== undefined) return { route: exact, subject: '' }
  const segments = path.split('/')
  for (const { pattern, route } of patterns) {
    const subject = subjectIn(segments, pattern)
    if (subject !== undefined) return { route, subject }
  }
  return undefined
}

/** The value of the pattern's parameter; undefined: the path is another one. */
function subjectIn(segments: readonly string[], pattern: readonly string[]): string | undefined {
  if (pattern.at(-1) === '{name}') {
    const isBelow = segments.length >= pattern.length && segments[0] === pattern[0]
    return isBelow ? segments.slice(pattern.length - 1).join('/') : undefined
  }
  const at = pattern.indexOf('{id}')
  const isSame = pattern.every((segment, index) => index === at || segment === segments[index])
  return isSame && segments.length === pattern.length ? segments[at] : undefined
}

/** The prefix decides, then the path, then the headers. */
function formatFor(path: string, { hint, headers }: RouteRequest): ClientFormat {
  return (
    hint ??
    formats.find(({ routes }) => routes.ownPaths?.test(path) === true) ??
    formats.find(({ routes }) => routes.ownHeader !== null && headers[routes.ownHeader] !== undefined) ??
    defaultFormat
  )
}

function probe(format: ClientFormat): Omit<PathMatch, 'rejection'> {
  return { format, operation: 'probe', subject: '', address: noUrlFields }
}

function operationFor<Named>(
  method: string,
  operations: Readonly<Partial<Record<string, Named>>>,
): Named | undefined {
  const used = method === 'HEAD' ? 'GET' : method
  return Object.hasOwn(operations, used) ? operations[used] : undefined
}

/** undefined: the path takes the method. */
function wrongMethod(
  { method }: RouteRequest,
  operations: Readonly<Partial<Record<string, GatewayOperation>>>,
): TollgateError | undefined {
  if (operationFor(method, operations) !== undefined) return undefined
  const allow = Object.keys(operations).join(', ')
  return new TollgateError('method_not_allowed', {
    message: `This path accepts ${allow}, not ${method}.`,
    headers: { allow },
  })
}

/** Agents fall back to plain requests when the upgrade is rejected. */
function wrongUpgrade(
  { routes }: ClientFormat,
  { method, headers }: RouteRequest,
): TollgateError | undefined {
  if (!routes.triesWebSocket || method !== 'GET' || headers.upgrade === undefined) return undefined
  return new TollgateError('upgrade_required', {
    message: 'WebSocket is not supported here. Send a POST request; it can stream with server-sent events.',
  })
}

function decodeSubject(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function notSupported(message: string): TollgateError {
  return new TollgateError('not_supported', { message })
}

function unknownPath({ address, path }: PathRequest, format: ClientFormat): TollgateError {
  const shown = path.length > 200 ? `${path.slice(0, 200)}…` : path
  const { title, basePath, example } = format.routes.guide
  const base = `${address}${basePath}`
  return new TollgateError('unknown_path', {
    message: `Unknown path ${JSON.stringify(shown)}. The base URL for the ${title} format is ${base}: POST ${base}/${example}.`,
  })
}
