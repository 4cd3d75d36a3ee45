/**
 * A provider on loopback that accepts chosen API keys only: it lists models, answers Chat Completions with a known usage, and
 * records which credential each request had. A key can be made to fail with a status.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { standInWhole, streams } from './stand-in.ts'

export interface KeyHost {
  readonly origin: string
  /** Requests to models, in order, each with its credential. */
  readonly requests: readonly { readonly credential: string; readonly body: string }[]
  /** Every credential that it ever received, also for lists of models. */
  readonly seen: ReadonlySet<string>
  readonly accepted: Set<string>
  /** The status that requests with this credential fail with. */
  readonly failing: Map<string, number>
  /** The connection of the next request with this credential is cut. */
  readonly dropping: Set<string>
  close(): Promise<void>
}

/** `says`: the text of its answers. */
export async function keyHost(says: string, accepted: readonly string[]): Promise<KeyHost> {
  const requests: { readonly credential: string; readonly body: string }[] = []
  const seen = new Set<string>()
  const keys = new Set(accepted)
  const failing = new Map<string, number>()
  const dropping = new Set<string>()
  const server = createServer((request, response) => {
    const credential = String(request.headers.authorization ?? '').replace(/^Bearer /, '')
    const isList = request.method === 'GET'
    seen.add(credential)
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const asked = Buffer.concat(pieces).toString()
      if (!isList) requests.push({ credential, body: asked })
      if (!isList && dropping.delete(credential)) return void request.socket.resetAndDestroy()
      const status = keys.has(credential) ? (isList ? 200 : (failing.get(credential) ?? 200)) : 401
      const error = { error: { message: `Key ${credential} failed with ${status}`, type: 'failed' } }
      const list = JSON.stringify({ data: [{ id: 'gpt-5.4-nano' }] })
      const isStream = status === 200 && /"stream": *true/.test(asked)
      const { opening, content, finish } = streams.chat
      const answer = isStream ? opening + content(says) + finish : standInWhole('chat', says)
      const type = isStream ? 'text/event-stream' : 'application/json'
      const body = status !== 200 ? JSON.stringify(error) : isList ? list : answer
      response.writeHead(status, { 'content-type': type }).end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    seen,
    accepted: keys,
    failing,
    dropping,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
