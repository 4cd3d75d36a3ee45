/**
 * Which paths of a provider's formats exist at a URL other than its own: servers behind such a URL often have Chat
 * Completions alone. An empty request names no model, so it costs nothing. Logs nothing of the host's response.
 */
import type { UpstreamFormatName } from '../wire/format-names.ts'
import { upstreamFormats } from '../wire/formats.ts'
import { readProblem } from '../wire/upstream-problem.ts'
import type { Connector } from './connector.ts'
import { type ListModelsDeps, type ModelHost, received } from './host-models.ts'
import { firstOperation, requestPath } from './outgoing-request.ts'

export interface HostPath {
  readonly format: UpstreamFormatName
  /** Where a request in the format goes, with `{model}` where the path has its name. */
  readonly url: string
  /** `untested`: not requested, or the response is inconclusive. */
  readonly state: 'found' | 'missing' | 'untested'
  /** The HTTP status of the response; null: there is none. */
  readonly status: number | null
}

/** The URLs of requests in each format of a host; sends nothing. */
export function hostPaths(connector: Connector, host: Pick<ModelHost, 'origin' | 'basePath'>): HostPath[] {
  return connector.formats.map((format) => ({
    format,
    url: host.origin + requestPath(connector, format, host.basePath),
    state: 'untested',
    status: null,
  }))
}

/** The same, with the host's response to an empty request. A provider's own API is not tested: its documentation is certain. */
export async function findHostPaths(
  asking: ListModelsDeps,
  connector: Connector,
  host: ModelHost,
): Promise<HostPath[]> {
  const paths = hostPaths(connector, host)
  const isOwn =
    connector.addressExample !== undefined || host.origin === new URL(connector.defaultOrigin).origin
  if (isOwn) return paths
  return Promise.all(paths.map((path) => askedPath(asking, { connector, host, path })))
}

interface AskedPath {
  readonly connector: Connector
  readonly host: ModelHost
  readonly path: HostPath
}

async function askedPath(asking: ListModelsDeps, { connector, host, path }: AskedPath): Promise<HostPath> {
  const { ofModel } = upstreamFormats[path.format].paths
  // With the model in the path, a status 404 may be about the model.
  if (ofModel !== null) return path
  const {
    path: target,
    headers,
    authorizer,
  } = connector.prepare({
    ...host,
    format: path.format,
    operation: firstOperation(path.format),
    model: '',
    streamed: false,
    query: '',
    headers: {},
    hops: null,
  })
  const body = [new TextEncoder().encode('{}')]
  const answer = await received(asking, {
    ...{ origin: host.origin, method: 'POST', path: target, headers, body, authorizer },
  })
  switch (answer.kind) {
    case 'failed':
      return path
    case 'list':
    case 'too_long':
      return { ...path, state: 'found', status: 200 }
    case 'rejected':
      return { ...path, state: stateOf(answer.status, answer.bytes), status: answer.status }
  }
}

const missingStatuses: readonly number[] = [404, 405, 501]

function stateOf(status: number, bytes: Uint8Array): HostPath['state'] {
  if (status >= 500 && status !== 501) return 'untested'
  if (status >= 300 && status < 400) return 'untested'
  if (!missingStatuses.includes(status)) return 'found'
  const { message, code, type } = readProblem(bytes)
  // Some servers answer a request without a model as one for a model that they do not have.
  return /\bmodel\b|model_not_found/i.test(`${message} ${code} ${type}`) ? 'found' : 'missing'
}
