/**
 * The upstream paths: those of a format, continued from the path of an upstream's URL. Pure.
 */

import { assert } from '../base/assert.ts'
import type { UpstreamFormatName } from '../wire/format-names.ts'
import { upstreamFormats } from '../wire/formats.ts'
import type { UpstreamOperation } from '../wire/upstream-paths.ts'
import type { Connector, OutgoingRequest } from './connector.ts'

/** Whether a format has a path for it. */
export function hasAddress(operation: UpstreamOperation, dialect: UpstreamFormatName): boolean {
  return upstreamFormats[dialect].paths.operations[operation] !== null
}

/** Path and query; throws for what the format has no path for. */
export function pathOf(outgoing: OutgoingRequest): string {
  return pathBelow(versionedBase(outgoing.dialect, outgoing.basePath), outgoing)
}

/** The same below a prefix that is not made of the address. */
export function pathBelow(base: string, outgoing: OutgoingRequest): string {
  const { dialect, operation, query, model, streamed } = outgoing
  const { ofModel, queryNames } = upstreamFormats[dialect].paths
  const path = upstreamFormats[dialect].paths.operations[operation]
  assert(path !== null, `${dialect} has no address for ${operation}`)
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

/** Where a host is asked for an answer in a format, as people read it. */
export function requestPath(
  { pathPrefix }: Pick<Connector, 'pathPrefix'>,
  dialect: UpstreamFormatName,
  basePath: string,
): string {
  const { operations, ofModel } = upstreamFormats[dialect].paths
  const path = operations.generate ?? operations.embed ?? ''
  const written = ofModel === null ? path : ofModel(path, { model: '{model}', streamed: false })
  return (pathPrefix?.(dialect, basePath) ?? versionedBase(dialect, basePath)) + written
}

/** Where a format lists models, below its prefix. */
export function modelsPathOf(dialect: UpstreamFormatName): string {
  return upstreamFormats[dialect].paths.models
}

/** Where a host lists its models. */
export function modelListPath(dialect: UpstreamFormatName, basePath: string): string {
  return versionedBase(dialect, basePath) + upstreamFormats[dialect].paths.models
}

/** Where a host stores files: `files` for stored ones, `upload` for new ones. */
export function filePath(dialect: UpstreamFormatName, basePath: string, of: 'files' | 'upload'): string {
  const path = `${versionedBase(dialect, basePath)}/files`
  return of === 'upload' ? `${upstreamFormats[dialect].paths.uploadPrefix}${path}` : path
}

/** What operators copy from a host's page ends before the version or after it: both are understood. */
export function versionedBase(dialect: UpstreamFormatName, basePath: string): string {
  const { paths } = upstreamFormats[dialect]
  const { version } = paths
  if (basePath === '') return version
  return paths.isComplete(basePath) ? basePath : basePath + version
}
