/**
 * Writes the head of an HTTP/1.1 request, or says why it cannot be one: nothing in a name, value or path may end its
 * line, and what frames the message is written here alone.
 */
import type { UpstreamRequest } from '../send-types.ts'

export type RequestHead =
  | { readonly kind: 'head'; readonly text: string }
  | { readonly kind: 'invalid'; readonly reason: string }

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const forbiddenInValue = /[^\t\x20-\x7e\x80-\xff]/
const pathForm = /^\/[\x21-\x7e\x80-\xff]*$/

/** Headers that decide where a message ends and what becomes of the connection. */
const framing: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Methods whose requests state the length of their body even where it is empty. */
const withBody: ReadonlySet<string> = new Set(['POST', 'PUT'])

/** The head as text of one byte for each character, with the empty line. */
export function requestHead(host: string, request: UpstreamRequest, bodyBytes: number): RequestHead {
  const { method, path, headers } = request
  if (!pathForm.test(path)) return { kind: 'invalid', reason: 'invalid request path' }
  let text = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at]!
    const value = headers[at + 1]!
    if (!token.test(name) || framing.has(name.toLowerCase())) {
      return { kind: 'invalid', reason: `invalid header ${JSON.stringify(name)}` }
    }
    if (forbiddenInValue.test(value)) return { kind: 'invalid', reason: `invalid value of header ${name}` }
    text += `${name}: ${value}\r\n`
  }
  if (bodyBytes > 0 || withBody.has(method)) text += `content-length: ${bodyBytes}\r\n`
  return { kind: 'head', text: `${text}\r\n` }
}
