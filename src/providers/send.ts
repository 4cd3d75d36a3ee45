/**
 * The only HTTP client: sends a prepared request to an upstream over HTTP/1.1 and reports the response chunk by chunk,
 * follows no redirect, has no deadline except for connecting, and decompresses what was compressed without being asked for. Does not
 * interpret the bytes.
 */
import type { Clock } from '../base/clock.ts'
import { AuthorizedExchange } from './authorized-exchange.ts'
import { Origin, type OriginOptions } from './connections.ts'
import { UpstreamExchange } from './exchange.ts'
import type { Exchange, SendLimits, UpstreamRequest } from './send-types.ts'
import { TokenCache } from './token-cache.ts'
import { tokenRequests } from './token-request.ts'

export interface Sender {
  /** Never throws for an upstream's fault or an invalid header; those arrive as `failed`. */
  send(request: UpstreamRequest): Exchange
  /** Connections to an origin that are open or being opened. */
  openSockets(origin: string): number
  /** Fails what is under way as `aborted` and closes every connection. */
  close(): Promise<void>
}

export function openSender({ limits, clock }: { limits: SendLimits; clock: Clock }): Sender {
  const options: OriginOptions = { limits, clock }
  const origins = new Map<string, Origin>()
  const sendNow = (request: UpstreamRequest): Exchange => {
    let origin = origins.get(request.origin)
    if (origin === undefined) {
      origin = new Origin(request.origin, options)
      origins.set(request.origin, origin)
    }
    const exchange = new UpstreamExchange(origin)
    exchange.begin(request)
    return exchange
  }
  const authorizing = {
    clock,
    tokens: new TokenCache({ clock, limits }),
    request: tokenRequests({ send: sendNow, clock, limits }),
  }
  return {
    send(request) {
      const { authorizer } = request
      if (authorizer === undefined) return sendNow(request)
      const exchange = new AuthorizedExchange({ authorizer, deps: authorizing, send: sendNow }, request)
      exchange.begin()
      return exchange
    },
    openSockets: (origin) => origins.get(origin)?.sockets ?? 0,
    async close() {
      await Promise.all([...origins.values()].map((origin) => origin.close()))
    },
  }
}
