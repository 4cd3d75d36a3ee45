/**
 * Headers and path of a request to an upstream. Headers are built from scratch: only listed headers of the caller are copied,
 * and the credential is always ours. A path is the format's, continued from the path of the upstream's URL. Pure.
 */
import type { CustomHost } from '../../contract/custom-hosts.ts'
import { assert } from '../base/assert.ts'
import type { UpstreamFormatName } from '../wire/format-names.ts'
import { upstreamFormats } from '../wire/formats.ts'
import type { UpstreamOperation } from '../wire/upstream-paths.ts'
import type { Connector, OutgoingRequest, UpstreamFailure } from './connector.ts'

/** Headers of every upstream request. No compression: the bytes are parsed while they are relayed. */
export function commonHeaders(outgoing: OutgoingRequest): string[] {
  return headersFrom(outgoing, headerOf(outgoing, 'user-agent') ?? 'tollgate')
}

/** The same headers without information about the caller: hosts would classify callers, and learn who the customers are. */
export function anonymousHeaders(outgoing: OutgoingRequest): string[] {
  return headersFrom(outgoing, 'tollgate')
}

function headersFrom({ streamed, hops, format }: OutgoingRequest, agent: string): string[] {
  return [
    'content-type',
    'application/json',
    'accept',
    streamed ? (upstreamFormats[format].acceptedStream ?? 'text/event-stream') : 'application/json',
    'accept-encoding',
    'identity',
    'user-agent',
    agent,
    ...(hops === null ? [] : [hopsHeader, String(hops)]),
  ]
}

/** The caller's headers of these names, as the caller wrote them. */
export function takenOver(outgoing: OutgoingRequest, names: readonly string[]): string[] {
  const headers: string[] = []
  for (const name of names) {
    const value = headerOf(outgoing, name)
    if (value !== undefined) headers.push(name, value)
  }
  return headers
}

/** A header's value; a repeated header is joined as HTTP allows. */
export function headerOf(outgoing: OutgoingRequest, name: string): string | undefined {
  const value = Object.hasOwn(outgoing.headers, name) ? outgoing.headers[name] : undefined
  return Array.isArray(value) ? value.join(', ') : value
}

/**
 * The count of gateways that have forwarded a request, in a header between gateways. It ends a loop: an upstream whose address
 * leads back here, directly or through another gateway. Providers' own addresses never get the header.
 */
const hopsHeader = 'x-tollgate-hops'

/** How many gateways have forwarded this request before it arrived here. Invalid values count as none. */
export function hopsOf(headers: OutgoingRequest['headers']): number {
  const written = headers[hopsHeader]
  if (written === undefined) return 0
  // A proxy may have joined several headers of this name.
  const values = [written].flat().flatMap((value) => value.split(','))
  const counts = values.map((value) => value.trim()).filter((value) => /^\d{1,6}$/.test(value))
  return Math.max(0, ...counts.map(Number))
}

/** The count for a request to this upstream; null: it is at the provider's own address. */
export function hopsTo(
  connector: Pick<Connector, 'defaultOrigin' | 'addressExample'>,
  { origin, custom }: { readonly origin: string; readonly custom?: CustomHost | undefined },
  headers: OutgoingRequest['headers'],
): number | null {
  const isProviders = connector.addressExample !== undefined || connector.defaultOrigin === origin
  return custom === undefined && isProviders ? null : hopsOf(headers) + 1
}

/**
 * The consequences of a failed attempt for a request with these headers. The gateway that the client called handles a loop; gateways
 * in between return it, because each of them would multiply the attempts, and because any client can send the header itself.
 */
export function failureFor(headers: OutgoingRequest['headers'], failure: UpstreamFailure): UpstreamFailure {
  return isForwardedLoop(headers, failure) ? { ...failure, retry: 'never', operator: false } : failure
}

/** Whether an upstream rejected a loop of a request that another gateway had forwarded. */
export function isForwardedLoop(
  headers: OutgoingRequest['headers'],
  { code }: Pick<UpstreamFailure, 'code'>,
): boolean {
  return code === 'gateway_loop' && hopsOf(headers) > 0
}

/** The headers of a request in each format; null: the provider does not support it. */
export type FormatHeaders = Readonly<
  Partial<Record<UpstreamFormatName, (outgoing: OutgoingRequest) => readonly string[]>>
>

/** In the order of the table. */
export function supportedFormats(headers: FormatHeaders): Connector['formats'] {
  const [first, ...others] = Object.keys(headers) as UpstreamFormatName[]
  assert(first !== undefined, 'a provider supports at least one format')
  return [first, ...others]
}

export function headersIn(headers: FormatHeaders, outgoing: OutgoingRequest): readonly string[] {
  const build = headers[outgoing.format]
  assert(build !== undefined, `the provider does not support ${outgoing.format}`)
  return build(outgoing)
}

export function hasAddress(operation: UpstreamOperation, format: UpstreamFormatName): boolean {
  return upstreamFormats[format].paths.operations[operation] !== undefined
}

/** Path and query; throws for what the format has no path for. */
export function pathOf(outgoing: OutgoingRequest): string {
  return pathBelow(versionedBase(outgoing.format, outgoing.basePath), outgoing)
}

/** The same below a prefix that is not made of the address. */
export function pathBelow(base: string, outgoing: OutgoingRequest): string {
  const { format, operation, query, model, streamed } = outgoing
  const { ofModel, queryNames } = upstreamFormats[format].paths
  const path = upstreamFormats[format].paths.operations[operation]
  assert(path !== undefined, `${format} has no address for ${operation}`)
  return ofModel === null
    ? `${base}${path}${forwardedQuery(query, queryNames)}`
    : base + ofModel(path, { model: encodeURIComponent(model), streamed })
}

/** The parts of a query that have one of the names, as they were written. */
function forwardedQuery(query: string, names: readonly string[]): string {
  if (query === '') return ''
  const forwarded = query
    .slice(1)
    .split('&')
    .filter((part) => names.includes(part.split('=', 1)[0] ?? ''))
  return forwarded.length === 0 ? '' : `?${forwarded.join('&')}`
}

/** The operation that a format is shown and probed by: the first that it has. */
export function firstOperation(format: UpstreamFormatName): UpstreamOperation {
  const [operation] = Object.keys(upstreamFormats[format].paths.operations) as UpstreamOperation[]
  assert(operation !== undefined, 'a format has at least one operation')
  return operation
}

/** The path of the first operation of a format, for display. */
export function requestPath(
  { pathPrefix }: Pick<Connector, 'pathPrefix'>,
  format: UpstreamFormatName,
  basePath: string,
): string {
  const { operations, ofModel } = upstreamFormats[format].paths
  const path = operations[firstOperation(format)] ?? ''
  const written = ofModel === null ? path : ofModel(path, { model: '{model}', streamed: false })
  return (pathPrefix?.(format, basePath) ?? versionedBase(format, basePath)) + written
}

/** Where a format lists models, below its prefix. */
export function modelsPathOf(format: UpstreamFormatName): string {
  return upstreamFormats[format].paths.models
}

/** Where a host lists its models. */
export function modelListPath(format: UpstreamFormatName, basePath: string): string {
  return versionedBase(format, basePath) + upstreamFormats[format].paths.models
}

/** Where a host stores files: `files` for stored ones, `upload` for new ones. */
export function filePath(format: UpstreamFormatName, basePath: string, of: 'files' | 'upload'): string {
  const path = `${versionedBase(format, basePath)}/files`
  return of === 'upload' ? `${upstreamFormats[format].paths.uploadPrefix}${path}` : path
}

/** Adds the version where it is missing: operators copy addresses from a host's page with or without it. */
export function versionedBase(format: UpstreamFormatName, basePath: string): string {
  const { paths } = upstreamFormats[format]
  const { version } = paths
  if (basePath === '') return version
  return paths.isComplete(basePath) ? basePath : basePath + version
}

/** The headers of a request without a body. */
export function withoutBody(headers: readonly string[]): string[] {
  const copied: string[] = []
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? ''
    if (name !== 'content-type') copied.push(name, headers[at + 1] ?? '')
  }
  return copied
}
