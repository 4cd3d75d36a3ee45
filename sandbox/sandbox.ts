/**
 * A provider inside the program, for testing without keys: a real HTTP server on loopback that
 * supports all four formats as the real ones do and meters every token it generates. It knows
 * nothing of the gateway, reaches nothing outside, and accepts any credential.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../src/base/clock.ts'
import { providerError } from './errors.ts'
import { openRequestHandler, type RequestHandler } from './handle-request.ts'
import { type LoggedRequest, openRequestLog, type RequestLog, type RequestLogLimits } from './request-log.ts'
import { routeOf } from './routes.ts'
import { playScript } from './script/player.ts'

interface SandboxLimits extends RequestLogLimits {
  readonly bodyBytesMax: number
  /** How deep the JSON of a body may nest. */
  readonly jsonDepthMax: number
  /** Prompt prefixes that are remembered as cached. */
  readonly cachedPrefixesMax: number
  /** JSON of answers that later requests can refer to. */
  readonly storedResponseBytesMax: number
  /** Responses in the background that are remembered. */
  readonly backgroundAnswersMax: number
  readonly connectionsMax: number
  /** How long an idle connection stays open. */
  readonly keepAliveMs: number
  /** Steps of one answer in one turn of the event loop. */
  readonly stepsPerTurnMax: number
}

export const sandboxLimits: SandboxLimits = {
  bodyBytesMax: 32 * 2 ** 20,
  jsonDepthMax: 256,
  requestsMax: 10_000,
  loggedBodyBytesMax: 64 * 2 ** 20,
  waitersMax: 10_000,
  cachedPrefixesMax: 10_000,
  storedResponseBytesMax: 16 * 2 ** 20,
  backgroundAnswersMax: 1_000,
  connectionsMax: 10_000,
  keepAliveMs: 60_000,
  stepsPerTurnMax: 64,
}

interface SandboxOptions {
  readonly clock: Clock
  /** 0, the default, takes a free one. */
  readonly port?: number
  /** Keeps the bodies and headers as received, for tests. */
  readonly logBodies?: boolean
  readonly limits?: SandboxLimits
  /** Receives errors of broken invariants; by default they are rethrown and end the process. */
  readonly onDefect?: (error: unknown) => void
}

export interface Sandbox {
  /** `http://127.0.0.1:port`, without version path. */
  readonly origin: string
  /** The latest request with this `x-request-id`. */
  logged(requestId: string): LoggedRequest | undefined
  /** Every stored request, oldest first; one ID may occur several times. */
  requestLog(): readonly LoggedRequest[]
  /** Requests that ever arrived. */
  requests(): number
  /** Resolves once `holds` is true of the latest request of this id, also of one that is yet to come. */
  until(requestId: string, holds: (logged: LoggedRequest) => boolean): Promise<LoggedRequest>
  /** Cuts what runs and frees the port. */
  close(): Promise<void>
}

const loopback = '127.0.0.1'
const requestIdMax = 256

function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error
  })
}

/** Collects a body of at most `bytesMax`; a longer one is rejected immediately and not stored. */
function readBody(
  request: IncomingMessage,
  bytesMax: number,
  done: (body: Buffer | undefined) => void,
): void {
  const chunks: Buffer[] = []
  let bytes = 0
  function onChunk(chunk: Buffer): void {
    bytes += chunk.length
    chunks.push(chunk)
    if (bytes <= bytesMax) return
    request.off('data', onChunk).off('end', onEnd).resume()
    done(undefined)
  }
  function onEnd(): void {
    done(Buffer.concat(chunks))
  }
  request.on('data', onChunk).on('end', onEnd)
}

function clientRequestId({ headers }: IncomingMessage): string | undefined {
  const id = headers['x-request-id']
  return typeof id === 'string' && id !== '' && id.length <= requestIdMax ? id : undefined
}

/** State shared by all requests of a sandbox. */
interface SandboxContext {
  readonly clock: Clock
  readonly limits: SandboxLimits
  readonly requestLog: RequestLog
  readonly requestHandler: RequestHandler
  readonly onDefect: (error: unknown) => void
}

/** Runs the work of a request; an error cuts its answer and is reported. */
function guarded(context: SandboxContext, response: ServerResponse, run: () => void): void {
  try {
    run()
  } catch (error) {
    response.destroy()
    context.onDefect(error)
  }
}

function receive(context: SandboxContext, request: IncomingMessage, response: ServerResponse): void {
  const { clock, limits, requestLog, requestHandler, onDefect } = context
  const unique = requestHandler.nextUnique()
  const route = routeOf(request)
  // A request that fetches an answer is not the request that made it, even with the same ID.
  const requestId = (route.kind === 'stored' ? undefined : clientRequestId(request)) ?? `req_${unique}`
  const recorder = requestLog.open(requestId, `${request.method} ${request.url}`, request.headers)
  const scope = { requestId, unique, recorder }
  const options = { response, clock, recorder, onDefect, stepsPerTurnMax: limits.stepsPerTurnMax }
  // Also set while the body is still arriving and nothing is played yet.
  response.on('close', () => recorder.over('client_gone'))

  if (route.kind === 'stored') {
    request.resume()
    playScript(requestHandler.about(route, scope), options)
    return
  }
  if (route.kind === 'error') {
    request.resume()
    playScript(requestHandler.reject(route.format, route.error, scope), options)
    return
  }
  const { format, address } = route
  readBody(request, limits.bodyBytesMax, (body) =>
    guarded(context, response, () => {
      if (body === undefined) {
        // The connection closes, because the rest of the body is not read.
        response.setHeader('connection', 'close')
        playScript(requestHandler.reject(format, providerError('too_large'), scope), options)
        return
      }
      recorder.received(body)
      playScript(requestHandler.answer(address, body, scope), options)
    }),
  )
}

function listening(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, loopback, () => {
      server.off('error', reject)
      resolve(`http://${loopback}:${(server.address() as AddressInfo).port}`)
    })
  })
}

/** Listens on loopback; rejects where the port is taken. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { clock, port = 0, logBodies = false, limits = sandboxLimits, onDefect = throwLater } = options
  const requestLog = openRequestLog({ clock, logBodies, limits })
  const server = createServer({ keepAliveTimeout: limits.keepAliveMs, noDelay: true })
  server.maxConnections = limits.connectionsMax
  const origin = await listening(server, port)
  const seed = `${origin}:${clock.wallMs()}`
  const requestHandler = openRequestHandler({ ...limits, clock, seed })
  const context: SandboxContext = { clock, limits, requestLog, requestHandler, onDefect }
  server.on('request', (request, response) =>
    guarded(context, response, () => receive(context, request, response)),
  )

  return {
    origin,
    logged: requestLog.find,
    requestLog: requestLog.all,
    requests: requestLog.count,
    until: requestLog.until,
    close: () =>
      new Promise((resolve) => {
        requestHandler.close()
        requestLog.close()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
