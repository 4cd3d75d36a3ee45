/**
 * The data plane of one thread, composed: the phases' dependencies, the HTTP server in front of them, and how both end. The
 * main thread has one, and each further thread another. Decides nothing about requests.
 */
import type { RequestListener } from 'node:http'
import type { Clock } from '../base/clock.ts'
import { TollgateError } from '../base/errors.ts'
import { formatId, type RandomBytes } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import { within } from '../base/within.ts'
import type { Config } from '../config/config.ts'
import type { GatewayDeps } from '../gateway/deps.ts'
import { isOutsideApi } from '../gateway/phases/accept/match-path.ts'
import type { CallerOf } from '../gateway/phases/authenticate.ts'
import { serve } from '../gateway/serve.ts'
import { proxyCheck } from '../http/client-address.ts'
import { answerCrossOrigin, type CrossOriginPolicy, crossOriginPolicy } from '../http/cross-origin.ts'
import { type LoadMonitor, monitorLoad, processReadings } from '../http/load-shedding.ts'
import { createHttpServer, type HttpServer } from '../http/server.ts'
import { isControlPlanePath, isPlaygroundPath, pathOf, wantsPage } from './control-plane-paths.ts'
import { composeGatewayDeps, type GatewayServices } from './gateway-deps.ts'

export interface DataPlaneOptions {
  readonly config: Config
  readonly clock: Clock
  readonly random: RandomBytes
  readonly log: Log
  /** 1: the main thread. */
  readonly thread: number
}

export interface DataPlane {
  readonly deps: GatewayDeps
  readonly load: LoadMonitor
  /** Tells balancers that ask; requests are served as before. */
  announceEnd(): void
  /** Closes the port and lets connections and requests end, idle connections after `idleMs`; stops requests at the deadline. */
  drain(server: HttpServer, idleMs: number): Promise<void>
  /** Ends running requests with an error frame and a bill for what was delivered. */
  stopRequests(): void
  /** Closes what listens, after `drain` where there is time for it. */
  closeServers(servers: readonly HttpServer[]): Promise<void>
  /** Afterwards: writes what is left to write, and ends. */
  close(): Promise<void>
}

/** `addressRef`: the public URL, as soon as it is known. */
export function composeDataPlane(
  options: DataPlaneOptions,
  services: GatewayServices,
  addressRef: { readonly address: string },
): DataPlane {
  const { config, clock, log } = options
  const { limits } = config
  const read = processReadings(services.store.commitMs)
  const load = monitorLoad({ limits: config.limits, clock, read })
  const draining = { begun: false, rejects: false }
  const deps = composeGatewayDeps(options, services, { load, draining, addressRef })
  const { inFlight, background, refusals } = deps
  const stopRequests = (): void => inFlight.stopAll(shuttingDown())
  return {
    deps,
    load,
    stopRequests,
    announceEnd() {
      draining.begun = true
    },
    async drain(server, idleMs) {
      draining.begun = true
      const deadlineMs = clock.monoMs() + limits.drainMs
      const isOver = Promise.withResolvers<void>()
      const deadline = clock.after(limits.drainMs, () => {
        draining.rejects = true
        stopRequests()
        isOver.resolve()
      })
      await Promise.race([server.windDown(idleMs), isOver.promise])
      draining.rejects = true
      await inFlight.whenIdle()
      deadline.cancel()
      refusals.flush()
      // Settlements that the store does not take now; while it is away there is no end to them.
      await within(clock, Math.max(limits.closeMs, deadlineMs - clock.monoMs()), background.drained())
    },
    async closeServers(servers) {
      draining.begun = true
      draining.rejects = true
      await within(clock, limits.closeMs, inFlight.whenIdle())
      await Promise.all(servers.map((server) => server.drain(limits.closeMs)))
    },
    async close() {
      load.stop()
      refusals.flush()
      if (!(await within(clock, limits.closeMs, background.drained()))) {
        log.error({ works: background.count }, 'not everything was written; the next start closes holds')
      }
      await Promise.all([deps.telemetry?.close(), deps.sender.close()])
    },
  }
}

export interface ServerParts {
  readonly deps: GatewayDeps
  readonly callerOf: (request: Parameters<RequestListener>[0]) => CallerOf
  /** Everything that is not the data plane's. */
  readonly controlPlane: RequestListener
  /** Whether the playground is served here, by its session. */
  readonly hasPlayground: boolean
  /** Left out: the proxies of the configuration. */
  readonly isProxy?: (address: string) => boolean
}

export function createServer({ config, clock }: DataPlaneOptions, parts: ServerParts): HttpServer {
  const { deps, callerOf, controlPlane, hasPlayground } = parts
  const { browserOrigins, limits, trustedProxies } = config
  const policy = crossOriginPolicy(browserOrigins)
  const serveRequest: RequestListener = (request, response) =>
    void serve(deps, request, response, callerOf(request))
  return createHttpServer({
    dataPlane: policy === undefined ? serveRequest : withCrossOrigin(policy, serveRequest),
    controlPlane,
    isDataPlane(request) {
      const { url = '/' } = request
      if (isPlaygroundPath(url)) return hasPlayground
      const path = pathOf(url)
      return !isControlPlanePath(path) && !(wantsPage(request) && isOutsideApi(path))
    },
    isProxy: parts.isProxy ?? proxyCheck(trustedProxies),
    limits,
    clock,
    nextRequestId: () => formatId('req', deps.nextId()),
  })
}

/** The playground is for the console's own pages: it is authenticated by a cookie. */
function withCrossOrigin(policy: CrossOriginPolicy, serveRequest: RequestListener): RequestListener {
  return (request, response) => {
    const isForKeys = !isPlaygroundPath(request.url ?? '/')
    if (isForKeys && answerCrossOrigin(policy, request, response)) return
    serveRequest(request, response)
  }
}

function shuttingDown(): TollgateError {
  return new TollgateError('draining', { message: 'This server is shutting down.' })
}
