/**
 * Answers where no dialect is known: to bytes that are no HTTP request, and to requests that nobody
 * was asked about. One JSON shape that clients of either format can read.
 */
import { STATUS_CODES } from 'node:http'
import type { TollgateError } from '../base/errors.ts'

/** The JSON body of an error of the table. */
export function plainErrorBody(error: TollgateError, requestId: string): string {
  const type = error.status >= 500 ? 'api_error' : 'invalid_request_error'
  return JSON.stringify({
    type: 'error',
    error: { type, message: error.message, param: null, code: error.code },
    request_id: requestId,
  })
}

/** A whole HTTP answer as bytes for a socket, after which the connection closes. */
export function rawAnswer(error: TollgateError, requestId: string): string {
  const body = plainErrorBody(error, requestId)
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}`,
    'content-type: application/json',
    `x-request-id: ${requestId}`,
    `request-id: ${requestId}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}
