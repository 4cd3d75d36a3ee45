/**
 * A provider on loopback that accepts chosen API keys only: it lists models, answers Chat Completions with a known usage, and
 * records which credential each request had. A key can be made to fail with a status.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { standInWhole } from './stand-in.ts'

export interface KeyHost {
  readonly origin: string
  /** The credentials of requests to models, in order. */
  readonly credentials: readonly string[]
  /** Every credential that it ever received, also for lists of models. */
  readonly seen: ReadonlySet<string>
  readonly accepted: Set<string>
  /** The status that requests with this credential fail with. */
  readonly failing: Map<string, number>
  close(): Promise<void>
}

/** `says`: the text of its answers. */
export async function keyHost(says: string, accepted: readonly string[]): Promise<KeyHost> {
  const credentials: string[] = []
  const seen = new Set<string>()
  const keys = new Set(accepted)
  const failing = new Map<string, number>()
  const server = createServer((request, response) => {
    const credential = String(request.headers.authorization ?? '').replace(/^Bearer /, '')
    const isList = request.method === 'GET'
    seen.add(credential)
    if (!isList) credentials.push(credential)
    request.resume()
    request.on('end', () => {
      const status = keys.has(credential) ? (isList ? 200 : (failing.get(credential) ?? 200)) : 401
      const error = { error: { message: `Key ${credential} failed with ${status}`, type: 'failed' } }
      const list = JSON.stringify({ data: [{ id: 'gpt-5.4-nano' }] })
      const body = status !== 200 ? JSON.stringify(error) : isList ? list : standInWhole('chat', says)
      response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credentials,
    seen,
    accepted: keys,
    failing,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
