/**
 * A provider inside the program, for trying and testing without keys: a real HTTP server on loopback that
 * speaks all four formats as the real ones do and meters every token it makes. It knows
 * nothing of the gateway, reaches nothing outside, and asks only for some credential, whatever it is.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../base/clock.ts'
import { type Desk, openDesk } from './desk.ts'
import { type Meter, type Metered, type MeterLimits, openMeter } from './meter.ts'
import { perform } from './perform.ts'
import { problem } from './problem.ts'
import { routeOf } from './routes.ts'

export interface SandboxLimits extends MeterLimits {
  readonly bodyBytesMax: number
  /** How deep the JSON of a body may nest. */
  readonly jsonDepthMax: number
  /** Prompt prefixes that are remembered as cached. */
  readonly cachedPrefixesMax: number
  /** JSON of answers that later requests can refer to. */
  readonly keptAnswerBytesMax: number
  readonly connectionsMax: number
  /** How long an idle connection stays open. */
  readonly keepAliveMs: number
  /** Acts of one answer in one turn of the event loop. */
  readonly actsPerTurnMax: number
}

export const sandboxLimits: SandboxLimits = {
  bodyBytesMax: 32 * 2 ** 20,
  jsonDepthMax: 256,
  requestsMax: 10_000,
  keptBodyBytesMax: 64 * 2 ** 20,
  waitersMax: 10_000,
  cachedPrefixesMax: 10_000,
  keptAnswerBytesMax: 16 * 2 ** 20,
  connectionsMax: 10_000,
  keepAliveMs: 60_000,
  actsPerTurnMax: 64,
}

export interface SandboxOptions {
  readonly clock: Clock
  /** 0, the default, takes a free one. */
  readonly port?: number
  /** Keeps the bodies and headers as received, for tests. */
  readonly keepBodies?: boolean
  readonly limits?: SandboxLimits
  /** Told what a broken invariant threw; by default it is thrown again and ends the process. */
  readonly onDefect?: (error: unknown) => void
}

export interface Sandbox {
  /** `http://127.0.0.1:port`, without version path. */
  readonly origin: string
  /** What the sandbox knows of the latest request with this `x-request-id`. */
  meter(requestId: string): Metered | undefined
  /** Every remembered request, oldest first; one id may stand there several times. */
  meters(): readonly Metered[]
  /** Requests that ever arrived. */
  requests(): number
  /** Resolves once `holds` is true of the latest request of this id, also of one that is yet to come. */
  until(requestId: string, holds: (metered: Metered) => boolean): Promise<Metered>
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

/** Collects a body of at most `bytesMax`; a longer one is told at once and not kept. */
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

function givenId({ headers }: IncomingMessage): string | undefined {
  const id = headers['x-request-id']
  return typeof id === 'string' && id !== '' && id.length <= requestIdMax ? id : undefined
}

/** What all requests of one sandbox share. */
interface House {
  readonly clock: Clock
  readonly limits: SandboxLimits
  readonly meter: Meter
  readonly desk: Desk
  readonly onDefect: (error: unknown) => void
}

/** Runs what a request caused; whatever it throws cuts this answer and is told. */
function guarded(house: House, response: ServerResponse, run: () => void): void {
  try {
    run()
  } catch (error) {
    response.destroy()
    house.onDefect(error)
  }
}

function receive(house: House, request: IncomingMessage, response: ServerResponse): void {
  const { clock, limits, meter, desk, onDefect } = house
  const unique = desk.nextUnique()
  const requestId = givenId(request) ?? `req_${unique}`
  const recorder = meter.open(requestId, `${request.method} ${request.url}`, request.headers)
  const visit = { requestId, unique, understood: recorder.understood }
  const stage = { response, clock, recorder, onDefect, actsPerTurnMax: limits.actsPerTurnMax }
  // Also while the body is still coming, when nothing is played yet.
  response.on('close', () => recorder.over('client_gone'))

  const route = routeOf(request)
  if (route.kind === 'problem') {
    request.resume()
    perform(desk.refuse(route.dialect, route.problem, visit), stage)
    return
  }
  const { dialect, address } = route
  readBody(request, limits.bodyBytesMax, (body) =>
    guarded(house, response, () => {
      if (body === undefined) {
        // What still comes of the body is not waited for.
        response.setHeader('connection', 'close')
        perform(desk.refuse(dialect, problem('too_large'), visit), stage)
        return
      }
      recorder.received(body)
      perform(desk.answer(address, body, visit), stage)
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
  const { clock, port = 0, keepBodies = false, limits = sandboxLimits, onDefect = throwLater } = options
  const meter = openMeter({ clock, keepBodies, limits })
  const server = createServer({ keepAliveTimeout: limits.keepAliveMs, noDelay: true })
  server.maxConnections = limits.connectionsMax
  const origin = await listening(server, port)
  const seed = `${origin}:${clock.wallMs()}`
  const { cachedPrefixesMax, keptAnswerBytesMax, jsonDepthMax } = limits
  const desk = openDesk({ clock, seed, cachedPrefixesMax, keptAnswerBytesMax, jsonDepthMax })
  const house: House = { clock, limits, meter, desk, onDefect }
  server.on('request', (request, response) =>
    guarded(house, response, () => receive(house, request, response)),
  )

  return {
    origin,
    meter: meter.find,
    meters: meter.all,
    requests: meter.count,
    until: meter.until,
    close: () =>
      new Promise((resolve) => {
        meter.close()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
