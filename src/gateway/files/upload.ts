/**
 * Uploads of files: whole, or begun and continued in parts as Google's libraries do. The address at which an upload is
 * continued says, sealed, whose it is and where it goes, because those libraries send no key there.
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

/** A whole file in one request. */
export async function upload(deps: FileDeps, task: FileTask): Promise<void> {
  const { context, host } = task
  // Before the body is read, and again after it: upstreams change meanwhile.
  chosenUpstream(deps, task)
  const body = await task.receive('file')
  try {
    const upstream = chosenUpstream(deps, task)
    if (host.takesNames) refuseChosenName(metadataIn(deps, body.bytes))
    const contentType = context.request.headers['content-type'] ?? ''
    const id = deps.nextId()
    await reserve(deps, task, { id, upstream, bytes: body.bytes.length, expiresMs: null })
    const sent = { contentType, bytes: body.bytes }
    const answer = await sentUpload(deps, task, { id, upstream, sent })
    await keep(deps, task, { id, upstream, answer })
    context.client.answer(answer.status, headersOf(context, answer), answer.bytes)
  } finally {
    body.drop()
  }
}

interface Reservation {
  readonly id: bigint
  readonly upstream: Upstream
  readonly bytes: number
  /** When the place is free again although the upload never ended; null: with the process. */
  readonly expiresMs: number | null
}

/** Takes the place of the file; throws 400 where the account has as much as it may. */
async function reserve(deps: FileDeps, { caller, host }: FileTask, of: Reservation): Promise<void> {
  const { account, key } = caller
  const file = { ...of, account, key, provider: host.provider, upstream: of.upstream.name }
  const reserved = await deps.files.reserve({ ...file, nowMs: deps.clock.wallMs() }, deps.limits)
  if (reserved === 'full') throw full(deps.limits)
}

interface FirstRequest {
  readonly id: bigint
  readonly upstream: Upstream
  readonly sent: { readonly contentType: string; readonly bytes: Uint8Array }
}

/** The answer to the first request of an upload; the place is free again where it fails. */
function sentUpload(
  deps: FileDeps,
  task: FileTask,
  { id, upstream, sent }: FirstRequest,
): Promise<ObjectResponse> {
  const upload = { headers: uploadHeaders(task.context), path: null }
  const asked = { method: 'POST', below: '', body: sent, upload } as const
  return answerTo(deps, task, { upstream, ...asked }).catch(async (error: unknown) => {
    await deps.files.remove(id)
    throw error
  })
}

interface Uploaded {
  /** Of the row that was reserved for it. */
  readonly id: bigint
  readonly upstream: Upstream
  readonly answer: ObjectResponse
}

/** Records who owns the uploaded file; a file that gets no owner is deleted at the provider. */
async function keep(deps: FileDeps, task: FileTask, uploaded: Uploaded): Promise<void> {
  const { id, upstream, answer } = uploaded
  const facts = factsOf(deps, task.host, answer)
  if (facts === undefined) {
    await deps.files.remove(id)
    throw invalidFile('The upstream answered with something that is no file.', orphanedAt(upstream))
  }
  if (!fitsRow(deps, facts)) {
    discard(deps, task, uploaded, facts.fileId)
    throw invalidFile('What the upstream says of this file is longer than this server keeps.', null)
  }
  deps.failpoints.reach('file-uploaded')
  const finished = await deps.files.finish(id, facts).catch((error: unknown) => {
    discard(deps, task, uploaded, facts.fileId)
    throw error
  })
  if (finished) return
  // The id is another file's, so it must not be deleted.
  await deps.files.remove(id)
  throw invalidFile('The upstream gave this file the id of another file.', `${upstream.name} repeats an id`)
}

const orphanedAt = ({ name }: Upstream): string => `${name} may keep a file that no account owns`

function invalidFile(message: string, detail: string | null): TollgateError {
  return new TollgateError('upstream_invalid', {
    message,
    source: 'upstream',
    ...(detail === null ? {} : { detail }),
  })
}

/** Deletes at the provider a file that no account owns, then frees its place; until then it counts against the limits. */
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

/** Begins an upload of a file whose length is announced; the answer has the address for its parts. */
export async function startUpload(deps: FileDeps, task: FileTask): Promise<void> {
  const { context } = task
  const bytes = announcedFileBytes(deps, context)
  chosenUpstream(deps, task)
  const body = await task.receive('metadata')
  try {
    refuseChosenName(body.bytes.length === 0 ? '{}' : Buffer.from(body.bytes).toString())
    const upstream = chosenUpstream(deps, task)
    const id = deps.nextId()
    await reserve(deps, task, { id, upstream, bytes, expiresMs: deps.clock.wallMs() + deps.limits.uploadMs })
    const sent = { contentType: 'application/json', bytes: body.bytes }
    const answer = await sentUpload(deps, task, { id, upstream, sent })
    const path = continuedAt(upstream, answer)
    if (path === null) {
      await deps.files.remove(id)
      throw invalidFile('The upstream did not say where to send the file.', upstream.name)
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

/** A part of a file, the last one among them, or a question how much has arrived. */
export async function continueUpload(deps: FileDeps, task: FileTask): Promise<void> {
  const { context } = task
  const { address, row, upstream } = await continued(deps, task)
  const body = await task.receive('part')
  try {
    refuseExcess(context, body.bytes.length, row.bytes)
    const sent = { contentType: 'application/octet-stream', bytes: body.bytes }
    const asked = { method: 'POST', below: '', body: sent } as const
    const upload = { headers: uploadHeaders(context), path: address.path }
    const answer = await answerTo(deps, task, { upstream, ...asked, upload })
    const status = answer.headers.get('x-goog-upload-status')
    if (status === 'final') await keep(deps, task, { id: row.id, upstream, answer })
    if (status === 'cancelled') await deps.files.remove(row.id)
    const headers = [...headersOf(context, answer), ...relayedUploadHeaders(answer)]
    context.client.answer(answer.status, headers, answer.bytes)
  } finally {
    body.drop()
  }
}

interface Continued {
  readonly address: UploadAddress
  readonly row: UnfinishedFile
  readonly upstream: Upstream
}

/** Throws the same 404 for an upload of another account, one that ended, and one that never began. */
async function continued(deps: FileDeps, { context, caller }: FileTask): Promise<Continued> {
  const written = new URLSearchParams(context.query).get('upload_id') ?? ''
  const address = openUpload(deps.uploads, written)
  const row = address === undefined ? undefined : await deps.files.unfinished(address.id, deps.clock.wallMs())
  if (address === undefined || row?.account !== caller.account) throw notFound()
  const upstream = upstreamOf(deps, row)
  if (upstream === undefined) throw notConfigured()
  return { address, row, upstream }
}

/** Where the upload goes on at the upstream; null: nowhere that the credential may be sent to. */
function continuedAt({ origin }: Upstream, { headers }: ObjectResponse): string | null {
  const written = headers.get('x-goog-upload-url') ?? ''
  if (!URL.canParse(written)) return null
  const url = new URL(written)
  return url.origin === new URL(origin).origin ? url.pathname + url.search : null
}

/** Headers of the upload protocol that travel, in each direction. */
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
    message: `A file has at most ${limits.fileBytesMax} bytes here.`,
  })
}

/** No more is sent than was reserved. */
function refuseExcess({ request }: RequestContext, bytes: number, announced: number): void {
  const name = 'x-goog-upload-offset'
  const written = String(request.headers[name] ?? '0')
  if (wholeNumber.test(written) && Number(written) + bytes <= announced) return
  throw new TollgateError('invalid_value', {
    message: `${name}: the part must lie within the ${announced} bytes that were announced.`,
    param: name,
  })
}

/** A name that the caller chooses could be another account's, and the refusal would say so. */
function refuseChosenName(metadata: string): void {
  const { file } = parsed(metadata) as { file?: { name?: unknown } | null }
  if (typeof file !== 'object' || file === null || (file.name ?? '') === '') return
  throw new TollgateError('invalid_value', {
    message:
      'file.name: files get their names from the provider. Leave it out; displayName is free to choose.',
    param: 'file.name',
  })
}

function parsed(metadata: string): object {
  try {
    const value: unknown = JSON.parse(metadata)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // Refused below, like every other value that is no object.
  }
  throw new TollgateError('invalid_json', { message: 'What is said of the file must be a JSON object.' })
}

/** The first part of a multipart body, as far as it can be what is said of the file. */
function metadataIn({ limits }: FileDeps, body: Uint8Array): string {
  const start = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, limits.fileObjectBytesMax))
  return /\r?\n\r?\n([\s\S]*?)\r?\n--/.exec(start.toString())?.[1] ?? ''
}

function full({ filesPerAccountMax, fileBytesPerAccountMax }: FileLimits): TollgateError {
  return new TollgateError('file_limit_reached', {
    message: `An account may keep ${filesPerAccountMax} files of ${fileBytesPerAccountMax} bytes together. Delete some that are no longer needed.`,
    facts: { files: filesPerAccountMax, bytes: fileBytesPerAccountMax },
  })
}
