/**
 * Responds to a request whose body may still be in transit, so that the response arrives: closing while a
 * client still sends makes its kernel discard the response. Discards what it reads.
 */
import type { IncomingMessage } from 'node:http'
import { free } from '../base/array-memory.ts'
import type { Clock } from '../base/clock.ts'
import { announcedBytes } from './body.ts'
import type { Downstream, FlatHeaders } from './downstream.ts'

export interface EarlyResponse {
  readonly status: number
  readonly headers: FlatHeaders
  readonly body: Uint8Array | string
}

export interface ErrorResponseDeps {
  readonly limits: {
    /** A remainder of at most this size is read to its end, and the connection is reused. */
    readonly restBytesMax: number
    /** How much of a larger remainder is discarded, and for how long, before the connection closes. */
    readonly lingerBytesMax: number
    readonly lingerMs: number
  }
  readonly clock: Clock
}

/** Sends a whole response, whether or not the request's body was read; nothing can be written afterwards. */
export function answerEarly(
  deps: ErrorResponseDeps,
  request: IncomingMessage,
  client: Downstream,
  answer: EarlyResponse,
): void {
  if (client.gone) return
  const { status, headers, body } = answer
  const isKept = client.keepsConnection && willEndSoon(request, deps.limits.restBytesMax)
  if (request.complete || isKept) {
    client.answer(status, headers, body)
    // Node drains the request after the response only if reading has not begun.
    request.resume()
    return
  }
  const length = String(typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength)
  client.begin(status, [...headers, 'content-length', length, 'connection', 'close'])
  client.write(body)
  swallow(deps, request, client)
}

/** A client that waits for `100 Continue` may not send its body, so the connection cannot be reused. */
function willEndSoon(request: IncomingMessage, restBytesMax: number): boolean {
  const bytes = announcedBytes(request)
  return bytes !== undefined && bytes <= restBytesMax && request.headers.expect === undefined
}

function swallow({ limits, clock }: ErrorResponseDeps, request: IncomingMessage, client: Downstream): void {
  let swallowedBytes = 0
  const timer = clock.after(limits.lingerMs, finish)
  function finish(): void {
    timer.cancel()
    request.off('data', count)
    request.off('end', finish)
    request.off('close', finish)
    client.end()
  }
  function count(chunk: Uint8Array): void {
    swallowedBytes += chunk.byteLength
    // Many rejected uploads at a time bring garbage faster than it is collected.
    free(chunk)
    if (swallowedBytes > limits.lingerBytesMax) finish()
  }
  request.on('data', count)
  request.once('end', finish)
  request.once('close', finish)
  request.resume()
}
