/**
 * Requests for files and stored responses to a provider: built like every other request, sent once, with a bounded
 * response. Its meaning for the caller is decided elsewhere.
 */
import type { Clock } from '../base/clock.ts'
import type { MemoryReservation } from '../base/shared-budget.ts'
import type { Connector } from './connector.ts'
import type { FileHost } from './file-hosts-table.ts'
import { filePath, hopsTo } from './outgoing-request.ts'
import type { Sender } from './send.ts'
import type { SendFailure, UpstreamRequest } from './send-types.ts'

export interface ObjectRequest {
  readonly method: UpstreamRequest['method']
  /** The path below the files path: '' or `/{id}`. */
  readonly below: string
  readonly upstream: { readonly origin: string; readonly basePath: string; readonly credential: string }
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly requestId: string
  /** The headers and path of an upload; path null: it starts at the files path. */
  readonly upload?: { readonly headers: readonly string[]; readonly path: string | null }
  /** null: without a body. */
  readonly body: { readonly contentType: string; readonly bytes: Uint8Array } | null
}

/** Pure. */
export function objectRequest(connector: Connector, host: FileHost, ask: ObjectRequest): UpstreamRequest {
  const { upstream, body, below } = ask
  const prepared = connector.prepare({
    format: host.format,
    operation: 'generate',
    model: '',
    basePath: upstream.basePath,
    credential: upstream.credential,
    streamed: false,
    query: '',
    headers: withBetas(ask.headers, host.betas),
    requestId: ask.requestId,
    hops: hopsTo(connector, upstream, ask.headers),
  })
  const headers = body === null ? [] : ['content-type', body.contentType]
  for (let at = 0; at < prepared.headers.length; at += 2) {
    const name = prepared.headers[at] ?? ''
    if (name !== 'content-type' && name !== 'accept') headers.push(name, prepared.headers[at + 1] ?? '')
  }
  return {
    origin: upstream.origin,
    method: ask.method,
    path:
      ask.upload?.path ??
      filePath(host.format, upstream.basePath, body === null ? 'files' : 'upload') + below,
    headers: [...headers, ...(ask.upload?.headers ?? [])],
    body: body === null ? [] : [body.bytes],
  }
}

function withBetas(headers: ObjectRequest['headers'], betas: readonly string[]): ObjectRequest['headers'] {
  if (betas.length === 0) return headers
  const written = [headers['anthropic-beta'] ?? []].flat().flatMap((value) => value.split(','))
  const names = new Set([...written.map((name) => name.trim()).filter((name) => name !== ''), ...betas])
  return { ...headers, 'anthropic-beta': [...names].join(',') }
}

export interface ObjectRequestDeps {
  readonly sender: Sender
  readonly clock: Clock
  readonly limits: { readonly fileAnswerMs: number }
}

export interface ObjectResponse {
  readonly kind: 'answered'
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly bytes: Uint8Array
}

export type ObjectOutcome =
  | ObjectResponse
  | { readonly kind: 'failed'; readonly failure: SendFailure }
  | { readonly kind: 'late' | 'too_large' | 'no_room' }

/** Why there is no response. */
export type ObjectFailure = Exclude<ObjectOutcome, ObjectResponse>

export interface AnswerBounds {
  readonly bytesMax: number
  /** Memory for the response, released by the caller. */
  readonly room: MemoryReservation
}

/** Returns the full response within these bounds; retries once if a kept-alive connection had already closed. */
export async function requestObject(
  asking: ObjectRequestDeps,
  request: UpstreamRequest,
  bounds: AnswerBounds,
): Promise<ObjectOutcome> {
  const first = await sendOnce(asking, request, bounds)
  return first.kind === 'failed' && first.failure.stale ? sendOnce(asking, request, bounds) : first
}

function sendOnce(
  { sender, clock, limits }: ObjectRequestDeps,
  request: UpstreamRequest,
  bounds: AnswerBounds,
): Promise<ObjectOutcome> {
  return new Promise((resolve) => {
    const exchange = sender.send(request)
    const chunks: Uint8Array[] = []
    let length = 0
    let head: Pick<ObjectResponse, 'status' | 'headers'> = { status: 0, headers: new Map() }
    const timer = clock.after(limits.fileAnswerMs, () => stop('late'))
    const finish = (outcome: ObjectOutcome): void => {
      timer.cancel()
      resolve(outcome)
    }
    const stop = (kind: 'late' | 'too_large' | 'no_room'): void => {
      exchange.abort()
      finish({ kind })
    }
    exchange.listen({
      head(status, headers) {
        head = { status, headers }
      },
      chunk(bytes) {
        length += bytes.length
        if (length > bounds.bytesMax) stop('too_large')
        else if (bounds.room.set(length) !== undefined) stop('no_room')
        else chunks.push(bytes)
      },
      end: () => finish({ kind: 'answered', ...head, bytes: Buffer.concat(chunks) }),
      failed: (failure) => finish({ kind: 'failed', failure }),
    })
  })
}
