/**
 * Listens while startup waits for the database: rejects requests, each in its client's format, and ends before the
 * server itself takes its port.
 */
import type { IncomingMessage, RequestListener } from 'node:http'
import type { Clock } from '../base/clock.ts'
import { formatId, idSource, processSlots, type RandomBytes } from '../base/ids.ts'
import { storeUnavailable } from '../base/store-wait.ts'
import { customerViewOf } from '../catalog/customer-view.ts'
import type { Config } from '../config/config.ts'
import { accept } from '../gateway/phases/accept/accept.ts'
import { sendErrorResponse } from '../gateway/responses/error-response.ts'
import { arrivalOf, clientAddressOf, clientNetworkOf, proxyCheck } from '../http/client-address.ts'
import { listen } from '../http/listen.ts'
import { plainErrorBody, plainErrorHeaders } from '../http/raw.ts'
import { createHttpServer, type HttpServer } from '../http/server.ts'
import { shownHost } from '../http/shown-host.ts'
import { retryAfterSeconds } from '../limits/headers.ts'
import { isControlPlanePath, pathOf } from './control-plane-paths.ts'

interface Answers {
  readonly dataPlane: RequestListener
  readonly controlPlane: RequestListener
  /** Makes the ID of an answer that no request of the data plane gets. */
  readonly nextRequestId: () => string
}

export interface EarlyServer {
  /** Listens on the configured address and rejects requests. */
  listen(): Promise<void>
  /** Stops listening. */
  close(): Promise<void>
  /** The configuration with the bound port, so that the server itself uses the same one. */
  configAfter(): Config
}

interface EarlyServerOptions {
  readonly config: Config
  readonly clock: Clock
  readonly random: RandomBytes
}

export function earlyServer(options: EarlyServerOptions): EarlyServer {
  const { config } = options
  let server: HttpServer | undefined
  let port: number | undefined
  return {
    async listen() {
      server = rejectingServer(options)
      const nothingStored = { get: async () => undefined, put: async () => {} }
      const alone = { ...config, threads: 1 }
      port = (await listen(server, alone, { settings: nothingStored, isFirstStart: false })).port
    },
    async close() {
      await server?.drain(0)
      server = undefined
    },
    configAfter: () =>
      port === undefined ? config : { ...config, port: { ...config.port, number: port, chosen: true } },
  }
}

function rejectingServer(options: EarlyServerOptions): HttpServer {
  const { dataPlane, controlPlane, nextRequestId } = waitingAnswers(options)
  const { limits, trustedProxies } = options.config
  return createHttpServer({
    ...{ dataPlane, controlPlane, nextRequestId, limits },
    clock: options.clock,
    isDataPlane: ({ url = '/' }) => !isControlPlanePath(pathOf(url)),
    isProxy: proxyCheck(trustedProxies),
  })
}

/** Answers while the database has not been reached. No credential is checked. */
function waitingAnswers({ config, clock, random }: EarlyServerOptions): Answers {
  const { limits, trustedProxies, publicUrl, host, port } = config
  // IDs are not stored: only IDs of one moment have to differ.
  const [high = 0, low = 0] = random(2)
  const nextId = idSource(clock, (high * 256 + low) % processSlots)
  const nextRequestId = (): string => formatId('req', nextId())
  const addressBehind = clientAddressOf(trustedProxies)
  const deps = {
    ...{ nextId, limits, clock, telemetry: null, draining: { rejects: false } },
    clientNetwork: clientNetworkOf((request: IncomingMessage) => addressBehind(arrivalOf(request))),
    // No upstream headers are shown.
    customerView: customerViewOf('none', [], { snapshot: { upstreams: [] } }),
    address: publicUrl ?? `http://${shownHost(host)}:${port.number}`,
  }
  const rejection = storeUnavailable('it was not reached yet')
  const retryAfter = String(retryAfterSeconds(rejection.details.retryAfterMs ?? 0))
  return {
    nextRequestId,
    dataPlane(request, response) {
      const context = accept(deps, request, response)
      sendErrorResponse(deps, context, context.rejection ?? rejection)
    },
    controlPlane(request, response) {
      request.resume()
      const path = pathOf(request.url ?? '/')
      const requestId = nextRequestId()
      if (path === '/livez') response.writeHead(200, { 'content-type': 'text/plain' }).end('ok\n')
      else if (path === '/readyz')
        response
          .writeHead(503, { 'content-type': 'text/plain', 'cache-control': 'no-store' })
          .end('not ready\n')
      else
        response
          .writeHead(rejection.status, [
            ...plainErrorHeaders(rejection, requestId),
            'retry-after',
            retryAfter,
          ])
          .end(plainErrorBody(rejection, requestId))
    },
  }
}
