/**
 * Uploads of files: in one request, or resumable in parts as Google's libraries do. The URL of a resumable upload
 * contains its owner and destination, encrypted, because those libraries send no key there.
 */
import { openUpload, sealUpload, type UploadAddress } from '../../access/upload-addresses.ts'
import { TollgateError } from '../../base/errors.ts'
import type { Upstream } from '../../catalog/types.ts'
import type { FileLimits, UnfinishedFile } from '../../ledger/provider-file-types.ts'
import type { ObjectResponse } from '../../providers/object-requests.ts'
import type { RequestContext } from '../request.ts'
import {
  answerTo,
  chosenUpstream,
  deletion,
  type FileDeps,
  type FileTask,
  factsOf,
  fitsRow,
  headersOf,
  isDeleted,
  notConfigured,
  notFound,
  upstreamOf,
} from './upload-to-upstream.ts'

/** How long an upload may be continued; then its quota is released. */
const uploadMs = 24 * 3_600_000

/** A whole file in one request. */
export async function upload(deps: FileDeps, task: FileTask): Promise<void> {
  const { context, host } = task
  // Checked before the body is read and again afterwards, because upstreams can change in between.
  chosenUpstream(deps, task)
  const body = await task.receive('file')
  try {
    const upstream = chosenUpstream(deps, task)
    if (host.takesNames) rejectChosenName(metadataIn(deps, body.bytes))
    const contentType = context.request.headers['content-type'] ?? ''
    const id = deps.nextId()
    await reserve(deps, task, { id, upstream, bytes: body.bytes.length, expiresMs: null })
    const sent = { contentType, bytes: body.bytes }
    const answer = await sendUpload(deps, task, { id, upstream, sent })
    await recordUpload(deps, task, { id, upstream, answer })
    context.client.answer(answer.status, headersOf(context, answer), answer.bytes)
  } finally {
    body.drop()
  }
}

interface Reservation {
  readonly id: bigint
  readonly upstream: Upstream
  readonly bytes: number
  /** When the reservation of an unfinished upload expires; null: with the process. */
  readonly expiresMs: number | null
}

/** Reserves room for the file; throws 400 where the account has reached its limit. */
async function reserve(deps: FileDeps, { caller, host }: FileTask, of: Reservation): Promise<void> {
  const { account, key } = caller
  const file = { ...of, account, key, provider: host.provider, upstream: of.upstream.name }
  const reserved = await deps.files.reserve({ ...file, nowMs: deps.clock.wallMs() }, deps.limits)
  if (reserved === 'full') throw limitReached(deps.limits)
}

interface FirstRequest {
  readonly id: bigint
  readonly upstream: Upstream
  readonly sent: { readonly contentType: string; readonly bytes: Uint8Array }
}

/** The response to the first request of an upload; removes the reservation if it fails. */
function sendUpload(
  deps: FileDeps,
  task: FileTask,
  { id, upstream, sent }: FirstRequest,
): Promise<ObjectResponse> {
  const upload = { headers: uploadHeaders(task.context), path: null }
  const request = { method: 'POST', below: '', body: sent, upload } as const
  return answerTo(deps, task, { upstream, ...request }).catch(async (error: unknown) => {
    await deps.files.remove(id)
    throw error
  })
}

interface Uploaded {
  /** The id of its reservation. */
  readonly id: bigint
  readonly upstream: Upstream
  readonly answer: ObjectResponse
}

/** Records the owner of the uploaded file; a file without an owner is deleted at the provider. */
async function recordUpload(deps: FileDeps, task: FileTask, uploaded: Uploaded): Promise<void> {
  const { id, upstream, answer } = uploaded
  const facts = factsOf(deps, task.host, answer)
  if (facts === undefined) {
    await deps.files.remove(id)
    throw invalidFile('The upstream did not return a file object.', orphanedAt(upstream))
  }
  if (!fitsRow(deps, facts)) {
    discard(deps, task, uploaded, facts.fileId)
    throw invalidFile('The file object returned by the upstream is too large to store.', null)
  }
  deps.failpoints.reach('file-uploaded')
  const finished = await deps.files.finish(id, facts).catch((error: unknown) => {
    discard(deps, task, uploaded, facts.fileId)
    throw error
  })
  if (finished) return
  // The id belongs to another file, which must not be deleted.
  await deps.files.remove(id)
  throw invalidFile('The upstream returned the ID of another file.', `${upstream.name} repeats an id`)
}

const orphanedAt = ({ name }: Upstream): string => `${name} may store a file that no account owns`

function invalidFile(message: string, detail: string | null): TollgateError {
  return new TollgateError('upstream_invalid', {
    message,
    source: 'upstream',
    ...(detail === null ? {} : { detail }),
  })
}

/** Deletes an unowned file at the provider, then its reservation, which counts against the limits until then. */
function discard(deps: FileDeps, task: FileTask, { id, upstream }: Uploaded, fileId: string): void {
  deps.background.run('delete an unowned file', async () => {
    const room = task.room.sibling()
    try {
      const outcome = await deletion(deps, { ...task, room }, upstream, fileId)
      if (!isDeleted(outcome)) deps.log.warn({ upstream: upstream.name }, orphanedAt(upstream))
    } finally {
      room.set(0)
      await deps.files.remove(id)
    }
  })
}

/** Starts a resumable upload of a file of announced length; the response has the URL for its parts. */
export async function startUpload(deps: FileDeps, task: FileTask): Promise<void> {
  const { context } = task
  const bytes = announcedFileBytes(deps, context)
  chosenUpstream(deps, task)
  const body = await task.receive('metadata')
  try {
    rejectChosenName(body.bytes.length === 0 ? '{}' : Buffer.from(body.bytes).toString())
    const upstream = chosenUpstream(deps, task)
    const id = deps.nextId()
    await reserve(deps, task, { id, upstream, bytes, expiresMs: deps.clock.wallMs() + uploadMs })
    const sent = { contentType: 'application/json', bytes: body.bytes }
    const answer = await sendUpload(deps, task, { id, upstream, sent })
    const path = uploadPathAt(upstream, answer)
    if (path === null) {
      await deps.files.remove(id)
      throw invalidFile('The upstream returned no upload URL.', upstream.name)
    }
    const sealed = sealUpload(deps.uploads, { id, path, credentials: task.credentials() })
    const address = `${deps.address}/upload/v1beta/files?upload_id=${sealed}&upload_protocol=resumable`
    const headers = [
      ...headersOf(context, answer),
      ...relayedUploadHeaders(answer),
      'x-goog-upload-url',
      address,
    ]
    context.client.answer(answer.status, headers, answer.bytes)
  } finally {
    body.drop()
  }
}

/** Sends a part of a file, or queries how much of it has arrived. */
export async function continueUpload(deps: FileDeps, task: FileTask): Promise<void> {
  const { context } = task
  const { address, row, upstream } = await findUpload(deps, task)
  const body = await task.receive('part')
  try {
    rejectExcess(context, body.bytes.length, row.bytes)
    const sent = { contentType: 'application/octet-stream', bytes: body.bytes }
    const request = { method: 'POST', below: '', body: sent } as const
    const upload = { headers: uploadHeaders(context), path: address.path }
    const answer = await answerTo(deps, task, { upstream, ...request, upload })
    const status = answer.headers.get('x-goog-upload-status')
    if (status === 'final') await recordUpload(deps, task, { id: row.id, upstream, answer })
    if (status === 'cancelled') await deps.files.remove(row.id)
    const headers = [...headersOf(context, answer), ...relayedUploadHeaders(answer)]
    context.client.answer(answer.status, headers, answer.bytes)
  } finally {
    body.drop()
  }
}

interface PendingUpload {
  readonly address: UploadAddress
  readonly row: UnfinishedFile
  readonly upstream: Upstream
}

/** Throws the same 404 for an upload of another account, a finished one, and one that never existed. */
async function findUpload(deps: FileDeps, { context, caller }: FileTask): Promise<PendingUpload> {
  const written = new URLSearchParams(context.query).get('upload_id') ?? ''
  const address = openUpload(deps.uploads, written)
  const row = address === undefined ? undefined : await deps.files.unfinished(address.id, deps.clock.wallMs())
  if (address === undefined || row?.account !== caller.account) throw notFound()
  const upstream = upstreamOf(deps, row)
  if (upstream === undefined) throw notConfigured()
  return { address, row, upstream }
}

/** The path of the upload at the upstream; null: on another origin, which must not get the credential. */
function uploadPathAt({ origin }: Upstream, { headers }: ObjectResponse): string | null {
  const written = headers.get('x-goog-upload-url') ?? ''
  if (!URL.canParse(written)) return null
  const url = new URL(written)
  return url.origin === new URL(origin).origin ? url.pathname + url.search : null
}

/** Headers of the upload protocol that are relayed, in each direction. */
const sentHeaders = [
  'x-goog-upload-protocol',
  'x-goog-upload-command',
  'x-goog-upload-offset',
  'x-goog-upload-header-content-length',
  'x-goog-upload-header-content-type',
  'x-goog-upload-file-name',
]
const answeredHeaders = [
  'x-goog-upload-status',
  'x-goog-upload-size-received',
  'x-goog-upload-chunk-granularity',
]

function uploadHeaders({ request }: RequestContext): readonly string[] {
  return sentHeaders.flatMap((name) => {
    const value = request.headers[name]
    return typeof value === 'string' ? [name, value] : []
  })
}

function relayedUploadHeaders({ headers }: ObjectResponse): readonly string[] {
  return answeredHeaders.flatMap((name) => {
    const value = headers.get(name)
    return value === undefined ? [] : [name, value]
  })
}

const wholeNumber = /^\d{1,15}$/

function announcedFileBytes({ limits }: FileDeps, { request }: RequestContext): number {
  const name = 'x-goog-upload-header-content-length'
  const written = String(request.headers[name] ?? '')
  if (!wholeNumber.test(written)) {
    throw new TollgateError('invalid_value', {
      message: `${name}: must be the length of the file in bytes.`,
      param: name,
    })
  }
  if (Number(written) <= limits.fileBytesMax) return Number(written)
  throw new TollgateError('body_too_large', {
    message: `A file may have at most ${limits.fileBytesMax} bytes.`,
  })
}

/** Rejects parts beyond the reserved length. */
function rejectExcess({ request }: RequestContext, bytes: number, announced: number): void {
  const name = 'x-goog-upload-offset'
  const written = String(request.headers[name] ?? '0')
  if (wholeNumber.test(written) && Number(written) + bytes <= announced) return
  throw new TollgateError('invalid_value', {
    message: `${name}: the part must lie within the ${announced} bytes that were announced.`,
    param: name,
  })
}

/** A chosen name could collide with a file of another account, and the conflict would disclose that it exists. */
function rejectChosenName(metadata: string): void {
  const { file } = parsed(metadata) as { file?: { name?: unknown } | null }
  if (typeof file !== 'object' || file === null || (file.name ?? '') === '') return
  throw new TollgateError('invalid_value', {
    message: 'file.name: the provider assigns file names. Remove the field; displayName can be set.',
    param: 'file.name',
  })
}

function parsed(metadata: string): object {
  try {
    const value: unknown = JSON.parse(metadata)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // Rejected below, like every value that is not an object.
  }
  throw new TollgateError('invalid_json', { message: 'The file metadata must be a JSON object.' })
}

/** The first part of a multipart body, up to the length that metadata may have. */
function metadataIn({ limits }: FileDeps, body: Uint8Array): string {
  const start = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, limits.fileObjectBytesMax))
  return /\r?\n\r?\n([\s\S]*?)\r?\n--/.exec(start.toString())?.[1] ?? ''
}

function limitReached({ filesPerAccountMax, fileBytesPerAccountMax }: FileLimits): TollgateError {
  return new TollgateError('file_limit_reached', {
    message: `An account may store ${filesPerAccountMax} files with ${fileBytesPerAccountMax} bytes in total. Delete files that are no longer needed.`,
    facts: { files: filesPerAccountMax, bytes: fileBytesPerAccountMax },
  })
}
