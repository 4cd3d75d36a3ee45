/**
 * The count of gateways that have forwarded a request, in a header between gateways. It ends a loop: an upstream whose address
 * leads back here, directly or through another gateway. Providers' own addresses never get the header.
 */
import type { CustomHost } from '../../contract/custom-hosts.ts'
import type { Connector, OutgoingRequest, UpstreamFailure } from './connector.ts'

export const hopsHeader = 'x-tollgate-hops'

/** How many gateways have forwarded this request before it arrived here. Invalid values count as none. */
export function hopsOf(headers: OutgoingRequest['headers']): number {
  const written = headers[hopsHeader]
  if (written === undefined) return 0
  // A proxy may have joined several headers of this name.
  const values = [written].flat().flatMap((value) => value.split(','))
  const counts = values.map((value) => value.trim()).filter((value) => /^\d{1,6}$/.test(value))
  return Math.max(0, ...counts.map(Number))
}

/** The count for a request to this upstream; null: it is at the provider's own address. */
export function hopsTo(
  connector: Pick<Connector, 'defaultOrigin' | 'addressExample'>,
  { origin, custom }: { readonly origin: string; readonly custom?: CustomHost | undefined },
  headers: OutgoingRequest['headers'],
): number | null {
  const isProviders = connector.addressExample !== undefined || connector.defaultOrigin === origin
  return custom === undefined && isProviders ? null : hopsOf(headers) + 1
}

/**
 * What a failed attempt means for a request with these headers. A loop is handled by the gateway that the client called: those in
 * between return it, because each of them would multiply the attempts, and because any client can send the header itself.
 */
export function failureFor(headers: OutgoingRequest['headers'], failure: UpstreamFailure): UpstreamFailure {
  return isForwardedLoop(headers, failure) ? { ...failure, retry: 'never', operator: false } : failure
}

/** Whether an upstream rejected a loop of a request that another gateway had forwarded. */
export function isForwardedLoop(
  headers: OutgoingRequest['headers'],
  { code }: Pick<UpstreamFailure, 'code'>,
): boolean {
  return code === 'gateway_loop' && hopsOf(headers) > 0
}
