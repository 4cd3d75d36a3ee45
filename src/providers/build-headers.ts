/**
 * Headers of a request to an upstream, built from scratch: only listed headers of the
 * caller are copied, and the credential is always ours.
 */
import { upstreamFormats } from '../wire/formats.ts'
import type { OutgoingRequest } from './connector.ts'
import { hopsHeader } from './hops.ts'

/** Headers of every upstream request. No compression: the bytes are parsed while they are relayed. */
export function commonHeaders(outgoing: OutgoingRequest): string[] {
  return headersFrom(outgoing, headerOf(outgoing, 'user-agent') ?? 'tollgate')
}

/** The same without a word of who the caller is: hosts judge by it, and learn who the customers are. */
export function anonymousHeaders(outgoing: OutgoingRequest): string[] {
  return headersFrom(outgoing, 'tollgate')
}

function headersFrom({ streamed, hops, dialect }: OutgoingRequest, agent: string): string[] {
  return [
    'content-type',
    'application/json',
    'accept',
    streamed ? (upstreamFormats[dialect].acceptedStream ?? 'text/event-stream') : 'application/json',
    'accept-encoding',
    'identity',
    'user-agent',
    agent,
    ...(hops === null ? [] : [hopsHeader, String(hops)]),
  ]
}

/** The caller's headers of these names, as the caller wrote them. */
export function takenOver(outgoing: OutgoingRequest, names: readonly string[]): string[] {
  const headers: string[] = []
  for (const name of names) {
    const value = headerOf(outgoing, name)
    if (value !== undefined) headers.push(name, value)
  }
  return headers
}

/** One header's value; a repeated one is joined as HTTP allows. */
export function headerOf(outgoing: OutgoingRequest, name: string): string | undefined {
  const value = Object.hasOwn(outgoing.headers, name) ? outgoing.headers[name] : undefined
  return Array.isArray(value) ? value.join(', ') : value
}
