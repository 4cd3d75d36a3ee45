/**
 * The W3C headers by which a client's trace continues here and at an upstream.
 * Source: https://www.w3.org/TR/trace-context/
 */
import type { IncomingHttpHeaders } from 'node:http'

export interface TraceContext {
  /** 32 hexadecimal digits, not all zero. */
  readonly traceId: string
  /** 16 hexadecimal digits, not all zero: the span of the sender. */
  readonly spanId: string
  /** Whether the sender records its spans. */
  readonly isSampled: boolean
  /** The `tracestate` header; '' when absent. Forwarded unread. */
  readonly state: string
}

const parentPattern = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-|$)/
const parentCharactersMax = 255
const statePattern = /^[\x20-\x7e\t]{1,512}$/

/** The trace that a request belongs to; null where it names none, or not in the standard's form. */
export function readTraceContext(headers: IncomingHttpHeaders): TraceContext | null {
  const { traceparent, tracestate } = headers
  if (typeof traceparent !== 'string' || traceparent.length > parentCharactersMax) return null
  const found = parentPattern.exec(traceparent)
  // Version 00 has four fields; later versions may have more.
  if (found === null || (traceparent.startsWith('00') && traceparent.length !== 55)) return null
  const [, traceId = '', spanId = '', flags = '00'] = found
  const isStated = typeof tracestate === 'string' && statePattern.test(tracestate)
  const isSampled = (Number.parseInt(flags, 16) & 1) === 1
  return { traceId, spanId, isSampled, state: isStated ? tracestate : '' }
}

/** The headers that continue the trace at an upstream, as name and value in turn. */
export function traceHeaders({ traceId, spanId, isSampled, state }: TraceContext): readonly string[] {
  const parent = ['traceparent', `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`]
  return state === '' ? parent : [...parent, 'tracestate', state]
}
