/**
 * A provider on loopback that stores files as Google does: resumable uploads at a separate URL, or one multipart
 * request. It knows nothing of the gateway.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface GeminiFileHost {
  readonly origin: string
  readonly arrivals: { readonly path: string; readonly headers: IncomingMessage['headers'] }[]
  /** By name: the bytes that arrived. */
  readonly files: Map<string, Buffer>
  /** The origin where the next uploads continue; null: this host. */
  uploadOrigin: string | null
  close(): Promise<void>
}

export async function geminiFileHost(): Promise<GeminiFileHost> {
  const uploads = new Map<string, { length: number; parts: Buffer[]; mimeType: string }>()
  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const host: GeminiFileHost = {
    ...{ origin, arrivals: [], files: new Map(), uploadOrigin: null },
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
  let count = 0

  const fileOf = (name: string, mimeType = 'application/pdf') => ({
    name,
    mimeType,
    sizeBytes: String(host.files.get(name)?.length ?? 0),
    expirationTime: '2099-01-01T00:00:00.123456Z',
    uri: `https://generativelanguage.googleapis.com/v1beta/${name}`,
    state: 'ACTIVE',
  })
  const keep = (bytes: Buffer, mimeType: string) => {
    count += 1
    const name = `files/f${count}`
    host.files.set(name, bytes)
    return { file: fileOf(name, mimeType) }
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { url = '', headers } = request
    host.arrivals.push({ path: url, headers })
    const [status, body, more = {}] = answerTo(request, Buffer.concat(chunks))
    response.writeHead(status, { 'content-type': 'application/json', ...more })
    response.end(body === null ? '' : JSON.stringify(body))
  }

  type Reply = [status: number, body: object | null, headers?: Record<string, string>]

  function answerTo({ method, url = '', headers }: IncomingMessage, body: Buffer): Reply {
    const { pathname, searchParams } = new URL(url, origin)
    if (pathname === '/upload/v1beta/files') {
      const id = searchParams.get('upload_id')
      if (id !== null) return continued(id, headers, body)
      if (headers['x-goog-upload-protocol'] !== 'resumable') return [200, keep(body, 'text/plain')]
      count += 1
      uploads.set(`u${count}`, {
        length: Number(headers['x-goog-upload-header-content-length']),
        parts: [],
        mimeType: String(headers['x-goog-upload-header-content-type']),
      })
      const address = `${host.uploadOrigin ?? origin}${pathname}?upload_id=u${count}&upload_protocol=resumable`
      return [200, null, { 'x-goog-upload-url': address, 'x-goog-upload-status': 'active' }]
    }
    if (pathname.endsWith(':generateContent')) return [200, generated]
    const name = pathname.slice('/v1beta/'.length)
    if (!host.files.has(name)) return [404, { error: { code: 404, message: 'none', status: 'NOT_FOUND' } }]
    if (method !== 'DELETE') return [200, fileOf(name)]
    host.files.delete(name)
    return [200, {}]
  }

  function continued(id: string, headers: IncomingMessage['headers'], body: Buffer): Reply {
    const upload = uploads.get(id)
    const command = String(headers['x-goog-upload-command'])
    if (upload === undefined) return [404, null]
    const received = () => upload.parts.reduce((sum, part) => sum + part.length, 0)
    const state = (status: string) => ({
      'x-goog-upload-status': status,
      'x-goog-upload-size-received': String(received()),
    })
    if (command === 'query') return [200, null, state('active')]
    if (command === 'cancel') {
      uploads.delete(id)
      return [200, null, state('cancelled')]
    }
    if (Number(headers['x-goog-upload-offset']) !== received()) return [400, { error: { code: 400 } }]
    upload.parts.push(body)
    if (!command.includes('finalize')) return [200, null, state('active')]
    if (received() !== upload.length) return [400, { error: { code: 400 } }]
    uploads.delete(id)
    return [200, keep(Buffer.concat(upload.parts), upload.mimeType), state('final')]
  }
  return host
}

const generated = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'A file.' }] }, finishReason: 'STOP', index: 0 }],
  usageMetadata: { promptTokenCount: 40, candidatesTokenCount: 2, totalTokenCount: 42 },
  modelVersion: 'gemini-2.5-flash',
}
