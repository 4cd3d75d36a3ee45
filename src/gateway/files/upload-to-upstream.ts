/** Shared by requests for files: choosing the upstream that stores them, sending to it, and translating its responses for the caller. */

import type { SecretSealer } from '../../access/sealing.ts'
import type { Caller } from '../../access/types.ts'
import type { Background } from '../../base/background.ts'
import { TollgateError } from '../../base/errors.ts'
import type { Failpoints } from '../../base/failpoint.ts'
import type { NextId } from '../../base/ids.ts'
import type { MemoryReservation } from '../../base/shared-budget.ts'
import { type Snapshot, stillStoresFiles, type Upstream } from '../../catalog/types.ts'
import type { Body } from '../../http/body.ts'
import type { ErrorResponseDeps } from '../../http/early-response.ts'
import type { SharedMemory } from '../../http/shared-memory.ts'
import type { FileFacts, FileLimits, FileRow, ProviderFiles } from '../../ledger/provider-file-types.ts'
import type { ProviderKeys } from '../../provider-keys/types.ts'
import type { Connector } from '../../providers/connector.ts'
import type { FileHost } from '../../providers/file-hosts-table.ts'
import { orderUpstreams, stickyHash } from '../../providers/health.ts'
import {
  type ObjectOutcome,
  type ObjectRequest,
  type ObjectRequestDeps,
  type ObjectResponse,
  objectRequest,
  requestObject,
} from '../../providers/object-requests.ts'
import { failureFor } from '../../providers/outgoing-request.ts'
import { upstreamFormats } from '../../wire/formats.ts'
import {
  objectFailureError,
  publicUpstreamError,
  recordUpstreamFailure,
  redactUpstreamBody,
  type UpstreamErrorDeps,
} from '../attempts/upstream-error.ts'
import type { RequestContext } from '../request.ts'
import { identityHeaders, jsonHeaders } from '../responses/response-headers.ts'
import { assertMatching, matchingUpstreams, preferenceOfRequest } from '../targets/routing.ts'

/** The body of an upload request: a file with its metadata, metadata alone, or a part of a file. */
export type UploadBody = 'file' | 'metadata' | 'part'

export interface FileDeps extends ObjectRequestDeps, UpstreamErrorDeps {
  readonly files: ProviderFiles
  /** Memory for responses in transit. */
  readonly events: SharedMemory['events']
  readonly background: Background
  readonly failpoints: Failpoints
  readonly nextId: NextId
  readonly snapshot: Snapshot
  readonly providerKeys: ProviderKeys
  readonly connectorOf: (provider: string) => Connector
  /** Where callers reach this server. */
  readonly address: string
  /** Seals upload URLs. */
  readonly uploads: SecretSealer
  readonly limits: ObjectRequestDeps['limits'] &
    FileLimits &
    ErrorResponseDeps['limits'] & {
      readonly fileObjectBytesMax: number
      readonly bodyThreadBytesMin: number
      readonly answerBytesMax: number
      readonly unmeteredBytes: number
      readonly fileBytesMax: number
    }
}

export interface FileTask {
  readonly context: RequestContext
  readonly caller: Caller
  readonly host: FileHost
  /** Reads the body of an upload; the caller of it drops the body. */
  readonly receive: (kind: UploadBody) => Promise<Body>
  /** The credentials that the request was authenticated with. */
  readonly credentials: () => readonly string[]
  /** Memory reserved for response bodies. */
  readonly room: MemoryReservation
}

/** The upstream for a new file: the same one for the same account, unless that upstream fails. */
export function chosenUpstream(
  { snapshot, health, clock, providerKeys }: FileDeps,
  { caller, host, context }: FileTask,
): Upstream {
  assertNotOnly(providerKeys, caller, host)
  const storing = snapshot.ownUpstreams.filter(({ provider }) => provider === host.provider)
  const preference = preferenceOfRequest(context, caller.policy, () => snapshot.upstreams)
  const serving = matchingUpstreams(preference, storing)
  if (serving.length === 0) assertMatching(preference, 'files', storing)
  const sticky = stickyHash(caller.account, new Uint8Array(0))
  const candidates = serving.map((upstream) => ({ upstream, priority: 1, weight: upstream.weight }))
  const [first] = orderUpstreams(candidates, { health: health.snapshot(), sticky, nowMs: clock.monoMs() })
  if (first !== undefined) return first.upstream
  throw new TollgateError('not_supported', {
    message: 'No upstream of this server stores files in this format. Send their content with the request.',
    detail: `files need an upstream of ${host.provider} that serves all of its models`,
  })
}

/** A file is content too: an account that wants its own key alone must not have it stored with the server's. */
function assertNotOnly(
  { of }: Pick<ProviderKeys, 'of'>,
  { account }: FileTask['caller'],
  { provider }: FileHost,
): void {
  const key = of(account).find((own) => own.provider.provider === provider)
  if (key?.use !== 'only') return
  throw new TollgateError('not_supported', {
    message: `Files are stored with this server's provider key, and the provider key of this account for ${key.provider.displayName} is set to only. Send their content with the request.`,
  })
}

export function upstreamOf(
  { snapshot }: FileDeps,
  { provider, upstream }: Pick<FileRow, 'provider' | 'upstream'>,
): Upstream | undefined {
  return snapshot.ownUpstreams.find((one) => one.name === upstream && one.provider === provider)
}

export function notConfigured(): TollgateError {
  return new TollgateError('upstream_unavailable', {
    message: 'The upstream that stores this file is no longer configured.',
    retryAfterMs: 60_000,
  })
}

export type FileCall = Pick<ObjectRequest, 'method' | 'below' | 'body' | 'upload'> & {
  readonly upstream: Upstream
}

export async function outcomeOf(
  deps: FileDeps,
  { context, host, room }: FileTask,
  ask: FileCall,
): Promise<ObjectOutcome> {
  if (!stillStoresFiles(deps.snapshot, ask.upstream)) throw notConfigured()
  const { headers } = context.request
  const request = objectRequest(deps.connectorOf(host.provider), host, {
    ...ask,
    headers,
    requestId: context.requestId,
  })
  return requestObject(deps, request, { bytesMax: deps.limits.answerBytesMax, room })
}

export async function answerTo(deps: FileDeps, task: FileTask, ask: FileCall): Promise<ObjectResponse> {
  return succeeded(deps, task, { upstream: ask.upstream, outcome: await outcomeOf(deps, task, ask) })
}

export function deletion(
  deps: FileDeps,
  task: FileTask,
  upstream: Upstream,
  fileId: string,
): Promise<ObjectOutcome> {
  return outcomeOf(deps, task, { upstream, method: 'DELETE', below: `/${fileId}`, body: null })
}

/** Whether the provider no longer has the file. */
export function isDeleted(outcome: ObjectOutcome): boolean {
  return outcome.kind === 'answered' && (outcome.status === 404 || isSuccess(outcome.status))
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** The response of a success; throws a failure as the caller sees it. */
export function succeeded(
  deps: FileDeps,
  { context, host }: FileTask,
  { upstream, outcome }: { upstream: Upstream; outcome: ObjectOutcome },
): ObjectResponse {
  if (outcome.kind !== 'answered') throw objectFailureError(outcome, 'file')
  const { status, bytes, headers } = outcome
  if (isSuccess(status)) {
    deps.health.served(upstream.name)
    return outcome
  }
  const problem = upstreamFormats[host.format].readError(redactUpstreamBody(bytes, upstream))
  const classified = deps.connectorOf(host.provider).classify(status, headers, problem)
  const failure = failureFor(context.request.headers, classified)
  recordUpstreamFailure(deps, context, { upstream, failure, status })
  throw publicUpstreamError(failure, upstream)
}

/** undefined: the response is not a file object, or too long to be parsed on the main thread. */
export function factsOf(
  { limits }: FileDeps,
  host: FileHost,
  { bytes }: ObjectResponse,
): FileFacts | undefined {
  if (bytes.length > limits.bodyThreadBytesMin) return undefined
  try {
    const object: unknown = JSON.parse(Buffer.from(bytes).toString())
    if (typeof object !== 'object' || object === null) return undefined
    const file = host.fileIn(object as Readonly<Record<string, unknown>>)
    const facts = host.read(file)
    return facts === undefined ? undefined : { ...facts, object: JSON.stringify(file) }
  } catch {
    return undefined
  }
}

/** Whether the provider's file object is small enough to be stored for lists. */
export function fitsRow({ limits }: FileDeps, { object }: FileFacts): boolean {
  return Buffer.byteLength(object) <= limits.fileObjectBytesMax
}

export function headersOf(context: RequestContext, { headers }: ObjectResponse): readonly string[] {
  const disposition = headers.get('content-disposition')
  return [
    ...jsonHeaders(context, identityHeaders(context), headers),
    ...(disposition === undefined ? [] : ['content-disposition', disposition]),
  ]
}

export function notFound(): TollgateError {
  return new TollgateError('file_not_found', { message: 'This account has no file with this ID.' })
}
