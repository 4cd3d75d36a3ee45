/**
 * Responses outside of any format: to bytes that are not an HTTP request, and to requests rejected before routing. One
 * JSON shape that clients of every format can read.
 */
import { STATUS_CODES } from 'node:http'
import type { TollgateError } from '../base/errors.ts'
import { retryAdviceHeaders } from '../base/retry-advice.ts'

/** The JSON body of an error of the table. */
export function plainErrorBody(error: TollgateError, requestId: string): string {
  const type = error.status >= 500 ? 'api_error' : 'invalid_request_error'
  return JSON.stringify({
    type: 'error',
    error: { type, message: error.message, param: null, code: error.code },
    request_id: requestId,
  })
}

/** The headers of such a response, except its length. */
export function plainErrorHeaders(error: TollgateError, requestId: string): readonly string[] {
  return [
    ...Object.entries(retryAdviceHeaders(error)).flat(),
    ...['content-type', 'application/json'],
    ...['x-request-id', requestId],
    ...['request-id', requestId],
    ...['x-content-type-options', 'nosniff'],
    ...['cache-control', 'no-store'],
  ]
}

/** A whole HTTP answer as bytes for a socket, after which the connection closes. */
export function rawAnswer(error: TollgateError, requestId: string): string {
  const body = plainErrorBody(error, requestId)
  const head = [`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}`]
  const headers = [
    ...plainErrorHeaders(error, requestId),
    ...['content-length', String(Buffer.byteLength(body))],
    ...['connection', 'close'],
  ]
  for (let at = 0; at < headers.length; at += 2) head.push(`${headers[at]}: ${headers[at + 1]}`)
  return `${head.join('\r\n')}\r\n\r\n${body}`
}
