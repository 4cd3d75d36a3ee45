/**
 * Files that an account stores at a provider: relayed unchanged, and owned by the account that uploaded them. A file of
 * another account is answered like one that does not exist, without a request to the provider. Free.
 */
import { TollgateError } from '../../base/errors.ts'
import { MemoryReservation } from '../../base/shared-budget.ts'
import type { Upstream } from '../../catalog/types.ts'
import { answerEarly } from '../../http/early-response.ts'
import type { FileRow } from '../../ledger/provider-file-types.ts'
import { fileHosts } from '../../providers/file-hosts-table.ts'
import type { ObjectResponse } from '../../providers/object-requests.ts'
import type { GatewayOperation, RequestContext } from '../request.ts'
import { identityHeaders, wholeHead } from '../responses/response-headers.ts'
import { continueUpload, startUpload, upload } from './upload.ts'
import {
  deletion,
  type FileDeps,
  type FileTask,
  factsOf,
  fitsRow,
  headersOf,
  isDeleted,
  notConfigured,
  notFound,
  outcomeOf,
  succeeded,
  upstreamOf,
} from './upload-to-upstream.ts'

export type FileOperation = Extract<
  GatewayOperation,
  `${string}_file` | `${string}_files` | `${string}_upload`
>

const handlers: Readonly<Record<FileOperation, (deps: FileDeps, task: FileTask) => Promise<void>>> = {
  upload_file: upload,
  start_upload: startUpload,
  continue_upload: continueUpload,
  list_files: list,
  show_file: show,
  read_file: read,
  delete_file: remove,
}

/** Serves a request for files; throws TollgateError. */
export async function serveFiles(deps: FileDeps, task: Omit<FileTask, 'host' | 'room'>): Promise<void> {
  const { context } = task
  const host = fileHosts[context.format.name]
  const operation = context.operation as FileOperation
  if (host === undefined) {
    throw new TollgateError('not_supported', { message: 'This format has no files endpoint.' })
  }
  const { key, account } = task.caller
  const allowance = deps.events.allowance({ key, account, network: context.network })
  const room = new MemoryReservation(allowance, deps.limits.unmeteredBytes)
  try {
    await handlers[operation](deps, { ...task, host, room })
  } finally {
    room.set(0)
  }
}

async function list(deps: FileDeps, { context, caller, host }: FileTask): Promise<void> {
  const page = host.page(new URLSearchParams(context.query))
  const nowMs = deps.clock.wallMs()
  const rows = await deps.files.page({ ...page, account: caller.account, provider: host.provider, nowMs })
  const shown = rows.slice(0, page.limit).map(({ object }): unknown => JSON.parse(object))
  // A page before a file is read backwards, and returned in the order of every other page.
  const isBackwards = page.order === 'asc' && host.pagesBackwards
  const files = isBackwards ? shown.reverse() : shown
  answerJson(deps, context, host.list(files, rows.length > page.limit))
}

async function show(deps: FileDeps, task: FileTask): Promise<void> {
  const { row, upstream } = await owned(deps, task)
  const answer = await answerAbout(deps, task, { row, upstream, below: '' })
  const facts = factsOf(deps, task.host, answer)
  if (facts?.fileId === row.fileId && fitsRow(deps, facts)) await deps.files.update(row.id, facts)
  task.context.client.answer(answer.status, headersOf(task.context, answer), answer.bytes)
}

async function read(deps: FileDeps, task: FileTask): Promise<void> {
  const { row, upstream } = await owned(deps, task)
  const answer = await answerAbout(deps, task, { row, upstream, below: '/content' })
  const { client, work } = task.context
  // The memory stays reserved until the client has received the file.
  await new Promise<void>((resolve) => {
    client.onGone(() => {
      work.interrupt({ kind: 'gone' })
      resolve()
    })
    client.onFinished(resolve)
    client.answer(answer.status, headersOf(task.context, answer), answer.bytes)
  })
}

async function remove(deps: FileDeps, task: FileTask): Promise<void> {
  const { context, host } = task
  const row = await ownedRow(deps, task)
  const upstream = upstreamOf(deps, row)
  // A file at a removed upstream can only be deleted there by the operator.
  if (upstream === undefined)
    deps.log.warn(
      { upstream: row.upstream },
      'removed a file record; the file remains on an upstream that is no longer configured',
    )
  else await deleted(deps, task, { row, upstream })
  await deps.files.remove(row.id)
  answerJson(deps, context, host.deleted(row.fileId))
}

async function deleted(
  deps: FileDeps,
  task: FileTask,
  { row, upstream }: { row: FileRow; upstream: Upstream },
): Promise<void> {
  const outcome = await deletion(deps, task, upstream, row.fileId)
  if (!isDeleted(outcome)) succeeded(deps, task, { upstream, outcome })
}

/** The account's own file and its upstream; throws the same 404 for a file of another account and for none. */
async function owned(deps: FileDeps, task: FileTask): Promise<{ row: FileRow; upstream: Upstream }> {
  const row = await ownedRow(deps, task)
  const upstream = upstreamOf(deps, row)
  if (upstream !== undefined) return { row, upstream }
  throw notConfigured()
}

async function ownedRow({ files, clock }: FileDeps, { context, caller, host }: FileTask): Promise<FileRow> {
  const of = { account: caller.account, provider: host.provider, nowMs: clock.wallMs() }
  const [row] = await files.find(of, [context.subject])
  if (row === undefined) throw notFound()
  return row
}

/** The provider's response for the caller's own file; removes the record of one that no longer exists. */
async function answerAbout(
  deps: FileDeps,
  task: FileTask,
  { row, upstream, below }: { row: FileRow; upstream: Upstream; below: string },
): Promise<ObjectResponse> {
  const ask = { upstream, method: 'GET', below: `/${row.fileId}${below}`, body: null } as const
  const outcome = await outcomeOf(deps, task, ask)
  if (outcome.kind === 'answered' && outcome.status === 404) {
    if (below === '') await deps.files.remove(row.id)
    throw notFound()
  }
  return succeeded(deps, task, { upstream, outcome })
}

function answerJson(deps: FileDeps, context: RequestContext, body: object): void {
  answerEarly(deps, context.request, context.client, {
    status: 200,
    headers: ['content-type', 'application/json', ...wholeHead, ...identityHeaders(context)],
    body: JSON.stringify(body),
  })
}
