/**
 * The network that a request comes from. Looked up once for each connection, except where a proxy speaks for others;
 * decides nothing about them.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '../base/network.ts'

export type ClientNetwork = (request: IncomingMessage) => string

/** `clientAddress`: who is at the other end, behind trusted proxies. */
export function clientNetworkOf(clientAddress: (request: IncomingMessage) => string): ClientNetwork {
  const known = new WeakMap<Socket, string>()
  return (request) => {
    const { socket, headers } = request
    if (headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined) {
      return networkOf(clientAddress(request))
    }
    const found = known.get(socket)
    if (found !== undefined) return found
    const network = networkOf(clientAddress(request))
    known.set(socket, network)
    return network
  }
}
