/**
 * A provider on loopback that stores files as OpenAI and Anthropic do, and records its requests. Its lists contain the
 * files of all customers, as at a real provider. It knows nothing of the gateway.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface FileArrival {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

export interface FileHost {
  readonly origin: string
  readonly arrivals: FileArrival[]
  readonly files: Map<string, object>
  /** The status of the next responses to uploads. */
  uploadStatus: number
  /** Fields of the next files that it creates, in place of the usual ones. */
  uploadFields: { readonly id?: string; readonly filename?: string }
  /** Delays the responses of uploads; their files exist already. */
  uploadsWait: Promise<void>
  /** The status of the response to a deletion; null: what the host would answer. */
  deletionStatus: (id: string) => number | null
  /** The maximum number of concurrent deletions. */
  deletionsAtOnce: number
  /** The response to requests that generate or count. */
  answer: (path: string) => object
  close(): Promise<void>
}

export async function fileHost(): Promise<FileHost> {
  let count = 0
  let deletions = 0
  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host: FileHost = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals: [],
    files: new Map(),
    uploadStatus: 200,
    uploadFields: {},
    uploadsWait: Promise.resolve(),
    deletionStatus: () => null,
    deletionsAtOnce: 0,
    answer: () => ({}),
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const { method = '', url = '', headers } = request
    host.arrivals.push({ method, path: url, headers, body: Buffer.concat(parts) })
    const [status, body] = answerTo(method, url, headers)
    if (method === 'POST') await host.uploadsWait
    if (method === 'DELETE') await oneOfDeletions()
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  }

  /** Long enough for concurrent deletions to overlap. */
  async function oneOfDeletions(): Promise<void> {
    deletions += 1
    host.deletionsAtOnce = Math.max(host.deletionsAtOnce, deletions)
    for (let turns = 0; turns < 20; turns += 1) await new Promise(setImmediate)
    deletions -= 1
  }

  function answerTo(method: string, url: string, headers: IncomingMessage['headers']): [number, object] {
    const [, id, content] = /^\/v1\/files(?:\/([^/]+))?(\/content)?$/.exec(url) ?? []
    if (!url.startsWith('/v1/files')) return [200, host.answer(url)]
    if (method === 'POST') {
      if (host.uploadStatus !== 200)
        return [host.uploadStatus, { error: { message: 'bad purpose', type: 'x' } }]
      count += 1
      const usual = headers['anthropic-version'] === undefined ? openaiFile(count) : anthropicFile(count)
      const file = { ...usual, ...host.uploadFields }
      host.files.set(file.id, file)
      return [200, file]
    }
    if (id === undefined) return [200, { object: 'list', data: [...host.files.values()] }]
    const file = host.files.get(id)
    if (file === undefined) return [404, { error: { message: 'No such File object' } }]
    const rejected = method === 'DELETE' ? host.deletionStatus(id) : null
    if (rejected !== null) return [rejected, { error: { message: 'not now' } }]
    if (method === 'DELETE') host.files.delete(id)
    return [200, content === undefined ? file : { content: id }]
  }
  return host
}

const openaiFile = (count: number) => ({
  id: `file-${count}`,
  object: 'file',
  bytes: 5,
  created_at: 1,
  filename: `${count}.txt`,
  purpose: 'user_data',
  status: 'processed',
})
const anthropicFile = (count: number) => ({
  id: `file_${count}`,
  type: 'file',
  filename: `${count}.txt`,
  mime_type: 'text/plain',
  size_bytes: 5,
  created_at: '2026-01-01T00:00:00Z',
  downloadable: false,
})
