/**
 * An upstream that answers as the sandbox does under any model name, and records every body: so models of real
 * families, with their capabilities, are served by an upstream that validates its requests. It
 * replaces the name, and changes nothing else unless configured.
 */
import { request as ask, createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ConversationFormat } from '../../src/wire/format-names.ts'

export interface RelayedRequest {
  readonly format: ConversationFormat
  /** The model name that the gateway sent. */
  readonly model: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
  /** Status of the response, once it started. */
  status: number
}

export interface RelayUpstream {
  readonly origin: string
  /** In the order of arrival. */
  readonly requests: readonly RelayedRequest[]
  close(): Promise<void>
}

export interface Relaying {
  /** The sandbox's name for a model that is requested in a format. */
  rename(format: ConversationFormat, model: string): string
  /** Replaces a body that the sandbox would reject and the model would not. */
  lenient?(model: string, body: string): string
}

const geminiPath = /^(\/v1(?:beta)?\/models\/)([^/]+)(:[A-Za-z]+.*)$/
const modelMember = /"model"\s*:\s*"([^"]*)"/

function formatOf(path: string): ConversationFormat {
  if (path.startsWith('/v1/chat/completions')) return 'openai-chat'
  if (path.startsWith('/v1/responses')) return 'openai-responses'
  return path.startsWith('/v1/messages') ? 'anthropic' : 'gemini'
}

interface Renamed {
  readonly model: string
  readonly path: string
  readonly body: string
}

function renamed(
  format: ConversationFormat,
  path: string,
  body: string,
  { rename, lenient = (_, same) => same }: Relaying,
): Renamed {
  const [, before = '', named = '', method = ''] = geminiPath.exec(path) ?? []
  if (named !== '') {
    const model = decodeURIComponent(named)
    const name = encodeURIComponent(rename(format, model))
    return { model, path: `${before}${name}${method}`, body: lenient(model, body) }
  }
  const model = modelMember.exec(body)?.[1] ?? ''
  const written = JSON.stringify(rename(format, model))
  return { model, path, body: lenient(model, body).replace(modelMember, () => `"model":${written}`) }
}

/** Listens on loopback and forwards to `origin`. */
export async function relayUpstream(origin: string, relaying: Relaying): Promise<RelayUpstream> {
  const requests: RelayedRequest[] = []

  function relay(incoming: IncomingMessage, outgoing: ServerResponse, bytes: Buffer): void {
    const { url: path = '', method = '', headers } = incoming
    const format = formatOf(path)
    const body = bytes.toString('utf8')
    const asked = renamed(format, path, body, relaying)
    const recorded: RelayedRequest = { format, model: asked.model, headers, body, status: 0 }
    requests.push(recorded)
    const sent = Buffer.from(asked.body)
    const passed = { ...headers, host: new URL(origin).host, 'content-length': String(sent.length) }
    const upstream = ask(origin + asked.path, { method, headers: passed }, (answer) => {
      recorded.status = answer.statusCode ?? 0
      outgoing.writeHead(recorded.status, answer.headers)
      answer.pipe(outgoing)
    })
    upstream.on('error', () => outgoing.destroy())
    outgoing.on('close', () => upstream.destroy())
    upstream.end(sent)
  }

  const server = createServer({ noDelay: true }, (incoming, outgoing) => {
    const parts: Buffer[] = []
    incoming.on('data', (part: Buffer) => parts.push(part))
    incoming.on('end', () => relay(incoming, outgoing, Buffer.concat(parts)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
