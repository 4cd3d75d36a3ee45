/**
 * How the CLI reaches a running server: HTTP with JSON over a unix socket that only the
 * server's own user can reach, named in `server.json` in the data folder. Knows no operation;
 * never listens on a network.
 */
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { type ErrorCode, errors } from '../../contract/errors.ts'
import { isWindows, prepareSocketLocation } from './listeners.ts'

export interface AdminLimits {
  /** The largest input, and the largest answer that the client reads. */
  readonly adminBytesMax: number
  /** Time limit of an exchange. */
  readonly adminTimeoutMs: number
  readonly adminConnectionsMax: number
}

export interface AdminReply {
  readonly status: number
  readonly body: unknown
}

export interface AdminSocketOptions {
  readonly dataFolder: string
  /** The public URL, for readers of `server.json`. */
  readonly address: string
  /** Answers one operation; never rejects. */
  readonly handle: (operation: string, input: unknown) => Promise<AdminReply>
  readonly limits: AdminLimits
}

export interface AdminSocket {
  readonly socketPath: string
  /** Takes no new calls, lets running ones end, removes the socket and `server.json`. */
  close(): Promise<void>
}

const serverFileName = 'server.json'
const serverFile = z.object({ pid: z.int().positive(), socket: z.string().min(1), address: z.string() })
export type ServerFile = z.infer<typeof serverFile>

/** Listens for operations. Call it only as the owner of the data folder: what a dead server left behind is replaced. */
export async function openAdminSocket(options: AdminSocketOptions): Promise<AdminSocket> {
  const location = prepareSocketLocation(options.dataFolder, 'admin')
  const server = createServer((incoming, outgoing) => void handleConnection(options, incoming, outgoing))
  server.requestTimeout = options.limits.adminTimeoutMs
  server.headersTimeout = options.limits.adminTimeoutMs
  server.maxConnections = options.limits.adminConnectionsMax
  await listen(server, location.socketPath)
  const filePath = join(options.dataFolder, serverFileName)
  writeServerFile(filePath, { pid: process.pid, socket: location.socketPath, address: options.address })
  return {
    socketPath: location.socketPath,
    async close() {
      // Another server may have taken over the folder and its files.
      const found = findServer(options.dataFolder)
      const isOurs = found.kind === 'named' && found.server.pid === process.pid
      if (isOurs) rmSync(filePath, { force: true })
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
      })
      if (isOurs && location.folder !== null) rmSync(location.folder, { recursive: true, force: true })
    },
  }
}

function listen(server: Server, socketPath: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(socketPath, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** Atomic: a reader never sees a partial file. */
function writeServerFile(filePath: string, content: ServerFile): void {
  const draftPath = `${filePath}.${process.pid}`
  writeFileSync(draftPath, `${JSON.stringify(content)}\n`, { mode: 0o600 })
  renameSync(draftPath, filePath)
}

async function handleConnection(
  options: AdminSocketOptions,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const body = await readBody(incoming, options.limits.adminBytesMax)
  // The client is gone, and an incomplete call is not executed.
  if (body.kind === 'broken') return
  const reply = await replyTo(options, incoming, body)
  outgoing.writeHead(reply.status, { 'content-type': 'application/json', connection: 'close' })
  outgoing.end(JSON.stringify(reply.body))
}

async function replyTo(
  options: AdminSocketOptions,
  incoming: IncomingMessage,
  body: Exclude<AdminBody, { kind: 'broken' }>,
): Promise<AdminReply> {
  if (incoming.method !== 'POST') return errorReply('method_not_allowed', 'Operations require POST.')
  if (body.kind === 'too_large') return errorReply('body_too_large', 'The input is too large.')
  const input = parseJson(body.text)
  if (input === undefined) return errorReply('invalid_json', 'The input is not valid JSON.')
  return options.handle((incoming.url ?? '/').slice(1), input.value)
}

function errorReply(code: ErrorCode, message: string): AdminReply {
  return { status: errors[code].status, body: { error: { code, message } } }
}

type AdminBody =
  | { readonly kind: 'whole'; readonly text: string }
  | { readonly kind: 'too_large' }
  /** The connection ended before the message did. */
  | { readonly kind: 'broken' }

async function readBody(message: IncomingMessage, bytesMax: number): Promise<AdminBody> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    // Left open on return: a message that is too large is still to be answered.
    for await (const chunk of message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > bytesMax) return { kind: 'too_large' }
      chunks.push(chunk)
    }
  } catch {
    return { kind: 'broken' }
  }
  return { kind: 'whole', text: Buffer.concat(chunks).toString('utf8') }
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

export type FoundServer =
  | { readonly kind: 'named'; readonly server: ServerFile }
  | { readonly kind: 'none' }
  /** The socket does not belong only to the user who wrote `server.json`. */
  | { readonly kind: 'unsafe'; readonly why: string }

/** The content of `server.json`; only a call shows whether a server listens there. */
export function findServer(dataFolder: string): FoundServer {
  const filePath = join(dataFolder, serverFileName)
  const owner = statSync(filePath, { throwIfNoEntry: false })
  if (owner === undefined) return { kind: 'none' }
  const parsed = serverFile.safeParse(parseJson(readFileSync(filePath, 'utf8'))?.value)
  if (!parsed.success) return { kind: 'unsafe', why: `${filePath} is not readable as a server's file` }
  if (isWindows) return { kind: 'named', server: parsed.data }
  const folder = statSync(dirname(parsed.data.socket), { throwIfNoEntry: false })
  if (folder === undefined) return { kind: 'none' }
  // In a shared temp directory another user may have created a folder with a dead server's name.
  if (folder.uid !== owner.uid || (folder.mode & 0o077) !== 0) {
    return {
      kind: 'unsafe',
      why: `${dirname(parsed.data.socket)} does not belong to the owner of ${filePath} alone`,
    }
  }
  return { kind: 'named', server: parsed.data }
}

export type AdminCall =
  | { readonly kind: 'answered'; readonly reply: AdminReply }
  /** No server listens there any more; nothing was sent. */
  | { readonly kind: 'gone' }
  /** The connection broke in the middle: whether the operation took place is not known. */
  | { readonly kind: 'lost'; readonly why: string }

/** Runs an operation on the server. Never rejects. */
export function callServer(
  server: ServerFile,
  operation: string,
  input: unknown,
  limits: AdminLimits,
): Promise<AdminCall> {
  return new Promise((resolve) => {
    const lost = (error: Error): void => resolve({ kind: 'lost', why: error.message })
    const outgoing = request(
      {
        socketPath: server.socket,
        path: `/${operation}`,
        method: 'POST',
        agent: false,
        timeout: limits.adminTimeoutMs,
      },
      (incoming) => {
        readReply(incoming, limits.adminBytesMax).then((reply) => resolve({ kind: 'answered', reply }), lost)
      },
    )
    outgoing.on('timeout', () =>
      outgoing.destroy(new Error(`no response within ${limits.adminTimeoutMs} ms`)),
    )
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve({ kind: 'gone' })
      else lost(error)
    })
    outgoing.setHeader('content-type', 'application/json')
    outgoing.end(JSON.stringify(input))
  })
}

async function readReply(incoming: IncomingMessage, bytesMax: number): Promise<AdminReply> {
  const body = await readBody(incoming, bytesMax)
  const parsed = body.kind === 'whole' ? parseJson(body.text) : undefined
  if (parsed === undefined) throw new Error('it is not whole')
  return { status: incoming.statusCode ?? 0, body: parsed.value }
}
