/**
 * What Node's parser accepts and this server does not: ambiguous requests, and heads
 * beyond the limits. Looks only at the head.
 */
import type { IncomingMessage } from 'node:http'
import { waitsForContinue } from './body.ts'

export interface EdgeLimits {
  readonly headersMax: number
  readonly urlBytesMax: number
}

/** Why a request is refused; `code` is a row of the error table. */
export interface Malformed {
  readonly code: 'malformed_http' | 'headers_too_large' | 'expectation_failed'
  readonly message: string
}

/** The first thing that is wrong with the head of a request, or undefined. */
export function malformation(request: IncomingMessage, limits: EdgeLimits): Malformed | undefined {
  const headers = request.rawHeaders
  if (headers.length > limits.headersMax * 2) {
    return { code: 'headers_too_large', message: `A request may have at most ${limits.headersMax} headers.` }
  }
  const target = request.url ?? ''
  if (target.length > limits.urlBytesMax) {
    return { code: 'headers_too_large', message: `A URL may have at most ${limits.urlBytesMax} bytes.` }
  }
  const reason = targetTrouble(target, request) ?? framingTrouble(headers, request)
  if (reason !== undefined) return { code: 'malformed_http', message: reason }
  if (request.headers.expect === undefined || waitsForContinue(request)) return undefined
  return {
    code: 'expectation_failed',
    message: 'The only supported Expect value is 100-continue.',
  }
}

/** Only visible ASCII without a fragment: anything else is read differently by different programs. */
const plainTarget = /^\/[!"$-~]*$/

function targetTrouble(target: string, request: IncomingMessage): string | undefined {
  if (plainTarget.test(target)) return undefined
  if (target === '*' && request.method === 'OPTIONS') return undefined
  return 'The request target must be a path that begins with "/" and contains only visible ASCII characters and no fragment.'
}

function framingTrouble(headers: readonly string[], request: IncomingMessage): string | undefined {
  let hosts = 0
  let framed = false
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!
    if (name.length === hostName.length && name.toLowerCase() === hostName) hosts += 1
    if (name.length === transferName.length && name.toLowerCase() === transferName) {
      if (headers[at + 1]!.trim().toLowerCase() !== 'chunked' || framed) {
        return 'The only supported Transfer-Encoding is "chunked", sent once.'
      }
      framed = true
    }
  }
  if (hosts > 1) return 'The Host header was sent more than once.'
  if (request.httpVersion === '1.1') return hosts === 1 ? undefined : 'The Host header is missing.'
  if (request.httpVersion !== '1.0') return 'This server supports HTTP/1.1 only.'
  const length = request.headers['content-length']
  const hasBody = framed || (length !== undefined && length !== '0')
  return hasBody ? 'A request with a body must use HTTP/1.1.' : undefined
}

const hostName = 'host'
const transferName = 'transfer-encoding'
