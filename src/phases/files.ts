/**
 * Files that an account keeps at a provider: passed through as they are, and owned by the account that uploaded them. What
 * belongs to another account is answered like what does not exist, without asking the provider. Costs nothing.
 */
import type { Caller } from '../access/types.ts'
import type { Background } from '../base/background.ts'
import { type ErrorCode, TollgateError } from '../base/errors.ts'
import type { Failpoints } from '../base/failpoint.ts'
import type { NextId } from '../base/ids.ts'
import { Room } from '../base/shared-budget.ts'
import { keepsFilesStill, type Snapshot, type Upstream } from '../catalog/types.ts'
import { identityHeaders, jsonHeaders, wholeHead } from '../headers.ts'
import type { Body } from '../http/body.ts'
import { answerEarly, type Lingering } from '../http/early.ts'
import type { SharedMemory } from '../http/shared-memory.ts'
import type { FileLimits, FileRow, ProviderFiles } from '../ledger/provider-files.ts'
import type { Connector } from '../providers/connector.ts'
import { type FileHost, fileHosts } from '../providers/file-hosts-table.ts'
import {
  askForFile,
  type FileAnswer,
  type FileAsk,
  type FileAsking,
  type FileOutcome,
  fileRequest,
} from '../providers/file-requests.ts'
import { orderUpstreams, stickyHash } from '../providers/health.ts'
import { type Noting, noteFailure, toldBytes, toldFailure } from '../upstream-failure.ts'
import type { Line, Operation } from '../values.ts'

export interface FileDeps extends FileAsking, Noting {
  readonly files: ProviderFiles
  /** Memory for answers on their way. */
  readonly events: SharedMemory['events']
  readonly background: Background
  readonly failpoints: Failpoints
  readonly nextId: NextId
  readonly snapshot: Snapshot
  readonly connectorOf: (provider: string) => Connector
  readonly limits: FileAsking['limits'] &
    FileLimits &
    Lingering['limits'] & {
      readonly fileObjectBytesMax: number
      readonly answerBytesMax: number
      readonly unmeteredBytes: number
    }
}

interface FileTask {
  readonly line: Line
  readonly caller: Caller
  readonly host: FileHost
  /** Reads the body of an upload; the caller of it drops the body. */
  readonly receive: () => Promise<Body>
  /** Its share of the memory for answers. */
  readonly room: Room
}

export type FileOperation = Extract<Operation, `${string}_file` | `${string}_files`>

const works: Readonly<Record<FileOperation, (deps: FileDeps, task: FileTask) => Promise<void>>> = {
  upload_file: upload,
  list_files: list,
  show_file: show,
  read_file: read,
  delete_file: remove,
}

/** Answers a request about files; throws rows of the error table. */
export async function serveFiles(deps: FileDeps, task: Omit<FileTask, 'host' | 'room'>): Promise<void> {
  const { line } = task
  const host = fileHosts[line.dialect.name]
  const operation = line.operation as FileOperation
  if (host === undefined) {
    throw new TollgateError('not_supported', { message: 'Files are not kept in this format.' })
  }
  const { key, account } = task.caller
  const allowance = deps.events.allowance({ key, account, network: line.network })
  const room = new Room(allowance, deps.limits.unmeteredBytes)
  try {
    await works[operation](deps, { ...task, host, room })
  } finally {
    room.set(0)
  }
}

async function upload(deps: FileDeps, task: FileTask): Promise<void> {
  const { line, caller, host } = task
  // Before the body is read, and again after it: upstreams change meanwhile.
  chosenUpstream(deps, task)
  const body = await task.receive()
  try {
    const upstream = chosenUpstream(deps, task)
    const id = deps.nextId()
    const { account, key } = caller
    const file = { id, account, key, provider: host.provider, upstream: upstream.name }
    const bytes = body.bytes.length
    if ((await deps.files.reserve({ ...file, bytes, nowMs: deps.clock.wallMs() }, deps.limits)) === 'full')
      throw full(deps.limits)
    const contentType = line.request.headers['content-type'] ?? ''
    const asked = { method: 'POST', below: '', body: { contentType, bytes: body.bytes } } as const
    const answer = await answerTo(deps, task, { upstream, ...asked }).catch(async (error: unknown) => {
      await deps.files.remove(id)
      throw error
    })
    await keep(deps, task, { id, upstream, answer })
    line.client.answer(answer.status, headersOf(line, answer), answer.bytes)
  } finally {
    body.drop()
  }
}

/** Writes down whose the uploaded file is; one whose owner cannot be written down is deleted at the provider. */
async function keep(
  deps: FileDeps,
  task: FileTask,
  { id, upstream, answer }: { id: bigint; upstream: Upstream; answer: FileAnswer },
): Promise<void> {
  const facts = factsOf(deps, task.host, answer)
  if (facts === undefined) {
    await deps.files.remove(id)
    throw new TollgateError('upstream_invalid', {
      message: 'The upstream answered with something that is no file.',
      source: 'upstream',
      detail: `${upstream.name} may keep a file that no account owns`,
    })
  }
  deps.failpoints.reach('file-uploaded')
  try {
    await deps.files.finish(id, facts)
  } catch (error) {
    deps.background.run('delete an unowned file', async () => {
      const room = task.room.another()
      const ask = { upstream, method: 'DELETE', below: `/${facts.fileId}`, body: null } as const
      await outcomeOf(deps, { ...task, room }, ask).finally(() => room.set(0))
    })
    throw error
  }
}

async function list(deps: FileDeps, { line, caller, host }: FileTask): Promise<void> {
  const page = host.page(new URLSearchParams(line.query))
  const nowMs = deps.clock.wallMs()
  const rows = await deps.files.page({ ...page, account: caller.account, provider: host.provider, nowMs })
  const shown = rows.slice(0, page.limit).map(({ object }): unknown => JSON.parse(object))
  // A page before a file is read from there on, and shown in the order of every other page.
  const isBackwards = page.order === 'asc' && host.pagesBackwards
  const files = isBackwards ? shown.reverse() : shown
  answerJson(deps, line, host.list(files, rows.length > page.limit))
}

async function show(deps: FileDeps, task: FileTask): Promise<void> {
  const { row, upstream } = await owned(deps, task)
  const answer = await answerAbout(deps, task, { row, upstream, below: '' })
  const facts = factsOf(deps, task.host, answer)
  if (facts?.fileId === row.fileId) await deps.files.update(row.id, facts)
  task.line.client.answer(answer.status, headersOf(task.line, answer), answer.bytes)
}

async function read(deps: FileDeps, task: FileTask): Promise<void> {
  const { row, upstream } = await owned(deps, task)
  const answer = await answerAbout(deps, task, { row, upstream, below: '/content' })
  const { client, work } = task.line
  // The memory is taken until the client has the file.
  await new Promise<void>((resolve) => {
    client.onGone(() => {
      work.interrupt({ kind: 'gone' })
      resolve()
    })
    client.onFinished(resolve)
    client.answer(answer.status, headersOf(task.line, answer), answer.bytes)
  })
}

async function remove(deps: FileDeps, task: FileTask): Promise<void> {
  const { line, host } = task
  const row = await ownedRow(deps, task)
  const upstream = upstreamOf(deps, row)
  // What an upstream that is gone keeps, only its operator can delete.
  if (upstream === undefined)
    deps.log.warn({ upstream: row.upstream }, 'a file of a removed upstream is forgotten')
  else await deleted(deps, task, { row, upstream })
  await deps.files.remove(row.id)
  answerJson(deps, line, host.deleted(row.fileId))
}

async function deleted(
  deps: FileDeps,
  task: FileTask,
  { row, upstream }: { row: FileRow; upstream: Upstream },
): Promise<void> {
  const ask = { upstream, method: 'DELETE', below: `/${row.fileId}`, body: null } as const
  const outcome = await outcomeOf(deps, task, ask)
  if (outcome.kind === 'answered' && outcome.status === 404) return
  succeeded(deps, task, { upstream, outcome })
}

/** The account's own file and where it is; throws the same 404 for another account's and for none. */
async function owned(deps: FileDeps, task: FileTask): Promise<{ row: FileRow; upstream: Upstream }> {
  const row = await ownedRow(deps, task)
  const upstream = upstreamOf(deps, row)
  if (upstream !== undefined) return { row, upstream }
  throw notConfigured()
}

function notConfigured(): TollgateError {
  return new TollgateError('upstream_unavailable', {
    message: 'The upstream that keeps this file is no longer configured.',
    retryAfterMs: 60_000,
  })
}

async function ownedRow({ files, clock }: FileDeps, { line, caller, host }: FileTask): Promise<FileRow> {
  const of = { account: caller.account, provider: host.provider, nowMs: clock.wallMs() }
  const [row] = await files.find(of, [line.subject])
  if (row === undefined) throw notFound()
  return row
}

function upstreamOf({ snapshot }: FileDeps, { provider, upstream }: FileRow): Upstream | undefined {
  return snapshot.ownUpstreams.find((one) => one.name === upstream && one.provider === provider)
}

/** Where a new file goes: the same place for the same account, unless that upstream fails. */
function chosenUpstream({ snapshot, health, clock }: FileDeps, { caller, host }: FileTask): Upstream {
  const serving = snapshot.ownUpstreams.filter(({ provider }) => provider === host.provider)
  const sticky = stickyHash(caller.account, new Uint8Array(0))
  const candidates = serving.map((upstream) => ({ upstream }))
  const [first] = orderUpstreams(candidates, health.snapshot(), sticky, clock.monoMs())
  if (first !== undefined) return first.upstream
  throw new TollgateError('not_supported', {
    message: 'No upstream of this server keeps files in this format. Send their content with the request.',
    detail: `files need an upstream of ${host.provider} that serves all of its models`,
  })
}

type Ask = Pick<FileAsk, 'method' | 'below' | 'body'> & { readonly upstream: Upstream }

async function outcomeOf(deps: FileDeps, { line, host, room }: FileTask, ask: Ask): Promise<FileOutcome> {
  if (!keepsFilesStill(deps.snapshot, ask.upstream)) throw notConfigured()
  const { headers } = line.request
  const request = fileRequest(deps.connectorOf(host.provider), host, {
    ...ask,
    headers,
    requestId: line.requestId,
  })
  return askForFile(deps, request, { bytesMax: deps.limits.answerBytesMax, room })
}

async function answerTo(deps: FileDeps, task: FileTask, ask: Ask): Promise<FileAnswer> {
  return succeeded(deps, task, { upstream: ask.upstream, outcome: await outcomeOf(deps, task, ask) })
}

/** What the provider says of the caller's own file; one that is not there any more is forgotten. */
async function answerAbout(
  deps: FileDeps,
  task: FileTask,
  { row, upstream, below }: { row: FileRow; upstream: Upstream; below: string },
): Promise<FileAnswer> {
  const ask = { upstream, method: 'GET', below: `/${row.fileId}${below}`, body: null } as const
  const outcome = await outcomeOf(deps, task, ask)
  if (outcome.kind === 'answered' && outcome.status === 404) {
    if (below === '') await deps.files.remove(row.id)
    throw notFound()
  }
  return succeeded(deps, task, { upstream, outcome })
}

/** The answer of a success; throws what a failure is to the caller. */
function succeeded(
  deps: FileDeps,
  { line, host }: FileTask,
  { upstream, outcome }: { upstream: Upstream; outcome: FileOutcome },
): FileAnswer {
  if (outcome.kind !== 'answered') throw unanswered(outcome)
  const { status, bytes, headers } = outcome
  if (status >= 200 && status < 300) {
    deps.health.served(upstream.name)
    return outcome
  }
  const problem = line.dialect.readError(toldBytes(bytes, upstream))
  const failure = deps.connectorOf(host.provider).classify(status, headers, problem)
  noteFailure(deps, line, { upstream, failure, status })
  throw toldFailure(failure, upstream)
}

type Unanswered = Exclude<FileOutcome, FileAnswer>

const unansweredRows: Readonly<Record<Unanswered['kind'], readonly [code: ErrorCode, message: string]>> = {
  failed: ['upstream_error', 'The connection to the upstream failed.'],
  late: ['upstream_timeout', 'The upstream did not answer in time.'],
  no_room: ['overloaded', 'This server relays as many files as it can; try again.'],
  too_large: ['upstream_invalid', 'The file is larger than this server relays.'],
}

function unanswered(outcome: Unanswered): TollgateError {
  const [code, message] = unansweredRows[outcome.kind]
  const detail = outcome.kind === 'failed' ? outcome.failure.detail : outcome.kind
  return new TollgateError(code, { message, source: 'upstream', detail })
}

/** undefined: the answer is no file object, or a larger one than is kept. */
function factsOf({ limits }: FileDeps, host: FileHost, { bytes }: FileAnswer) {
  if (bytes.length > limits.fileObjectBytesMax) return undefined
  try {
    const object: unknown = JSON.parse(Buffer.from(bytes).toString())
    if (typeof object !== 'object' || object === null) return undefined
    const facts = host.read(object as Readonly<Record<string, unknown>>)
    return facts === undefined ? undefined : { ...facts, object: JSON.stringify(object) }
  } catch {
    return undefined
  }
}

function headersOf(line: Line, { headers }: FileAnswer): readonly string[] {
  const disposition = headers.get('content-disposition')
  return [
    ...jsonHeaders(identityHeaders(line), headers),
    ...(disposition === undefined ? [] : ['content-disposition', disposition]),
  ]
}

function answerJson(deps: FileDeps, line: Line, body: object): void {
  answerEarly(deps, line.request, line.client, {
    status: 200,
    headers: ['content-type', 'application/json', ...wholeHead, ...identityHeaders(line)],
    body: JSON.stringify(body),
  })
}

function notFound(): TollgateError {
  return new TollgateError('file_not_found', { message: 'No file of this account has this id.' })
}

function full({ filesPerAccountMax, fileBytesPerAccountMax }: FileLimits): TollgateError {
  return new TollgateError('file_limit_reached', {
    message: `An account may keep ${filesPerAccountMax} files of ${fileBytesPerAccountMax} bytes together. Delete some that are not needed any more.`,
    facts: { files: filesPerAccountMax, bytes: fileBytesPerAccountMax },
  })
}
