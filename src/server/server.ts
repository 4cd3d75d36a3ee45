/**
 * A running server, composed: services → the phases' dependencies → one HTTP server with data plane and pages →
 * the local socket for the CLI. Decides nothing about requests.
 */

import type { RequestListener } from 'node:http'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { EventStreams } from '../api/event-streams.ts'
import type { Clock } from '../base/clock.ts'
import { TollgateError } from '../base/errors.ts'
import { formatId, type RandomBytes } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import { within } from '../base/within.ts'
import type { Config } from '../config/config.ts'
import type { ControlDeps } from '../control/control-deps.ts'
import { dispatch } from '../control/dispatch.ts'
import { finishAccountDeletions } from '../control/people/account-deletions.ts'
import type { GatewayDeps } from '../gateway/deps.ts'
import { authenticateByKey } from '../gateway/phases/authenticate.ts'
import { serve } from '../gateway/serve.ts'
import { proxyCheck } from '../http/client-address.ts'
import { answerCrossOrigin, type CrossOriginPolicy, crossOriginPolicy } from '../http/cross-origin.ts'
import { isAddressTaken, listen } from '../http/listen.ts'
import { monitorLoad, processReadings } from '../http/load-shedding.ts'
import { isReady } from '../http/readiness.ts'
import { createHttpServer, type HttpServer } from '../http/server.ts'
import { watchLedger } from '../ledger/verify/ledger-watch.ts'
import { openAdminSocket } from './admin-socket.ts'
import { startJobs } from './background-jobs.ts'
import { builtConsole, consoleFiles } from './console-files.ts'
import { type ControlPlaneDeps, createControlPlane, isControlPlanePath } from './control-plane.ts'
import { docsFiles } from './docs-files.ts'
import {
  beginInstallation,
  finishStart,
  type InstallationStart,
  isFirstStart,
  type ServerEndpoints,
} from './first-run.ts'
import { composeGatewayDeps } from './gateway-deps.ts'
import { type AuthSelector, createAuthSelector, isPlaygroundPath } from './playground-auth.ts'
import { runningStatus } from './server-status.ts'
import { openServices, type Services } from './services.ts'

export interface GatewayOptions {
  readonly config: Config
  readonly clock: Clock
  readonly random: RandomBytes
  readonly log: Log
}

export interface Gateway {
  /** Where it listens: `http://127.0.0.1:8080`. */
  readonly origin: string
  readonly start: InstallationStart
  readonly endpoints: ServerEndpoints
  /**
   * To be called when what `start` says was announced: records that until it is durable, then the server is ready.
   * A start that ends before that is repeated by the next one.
   */
  finishStart(onReady: () => void): void
  readonly deps: GatewayDeps
  readonly services: Services
  readonly sandbox: Sandbox | null
  /** Resolves when the store is lost and the process must end. */
  readonly lost: Promise<void>
  /**
   * Takes no more requests and lets running ones end; stops them at the deadline. Resolves when none is left
   * and what they left to write is written, or cannot be.
   */
  drain(): Promise<void>
  /** Ends running requests with an error frame and a bill for what was delivered. */
  stopRequests(): void
  /** Gives everything back. Call it after `drain`. */
  close(): Promise<void>
}

export type GatewayResult =
  | { readonly kind: 'started'; readonly gateway: Gateway }
  | { readonly kind: 'refused'; readonly message: string }

/** Opens everything and listens; what was opened is closed again when something refuses or fails. */
export async function startGateway(options: GatewayOptions): Promise<GatewayResult> {
  const cleanup: Cleanup = []
  const result = await composeGateway(options, cleanup).catch(
    async (error: unknown): Promise<GatewayResult> => {
      if (isAddressTaken(error)) {
        const where = `${error.address ?? options.config.host}:${error.port ?? options.config.port.number}`
        return {
          kind: 'refused',
          message: `The address ${where} is already in use by another program. Set TOLLGATE_PORT to another port.`,
        }
      }
      await close(cleanup)
      throw error
    },
  )
  if (result.kind === 'refused') await close(cleanup)
  return result
}

/** How to close what was opened so far, in the order in which it was opened. */
type Cleanup = (() => Promise<unknown>)[]

async function close(cleanup: Cleanup): Promise<void> {
  for (const closing of cleanup.toReversed()) await closing()
}

async function composeGateway(options: GatewayOptions, cleanup: Cleanup): Promise<GatewayResult> {
  const { config, clock, random, log } = options
  const sandbox = config.sandbox === 'on' ? await startSandbox({ clock }) : null
  if (sandbox !== null) cleanup.push(() => sandbox.close())
  const lost = Promise.withResolvers<void>()
  const opened = await openServices(config, {
    clock,
    random,
    log,
    sandboxOrigin: sandbox?.origin ?? null,
    onLost: (error) => {
      log.fatal({ err: error }, 'the store ended')
      lost.resolve()
    },
  })
  if (opened.kind === 'refused') return { kind: 'refused', message: opened.messages.join('\n') }
  const { services } = opened
  cleanup.push(() => services.close())
  return {
    kind: 'started',
    gateway: await listenAndServe(options, { services, sandbox, lost: lost.promise, cleanup }),
  }
}

interface OpenedServer {
  readonly services: Services
  readonly sandbox: Sandbox | null
  readonly lost: Promise<void>
  readonly cleanup: Cleanup
}

async function listenAndServe(options: GatewayOptions, opened: OpenedServer): Promise<Gateway> {
  const { config, clock, log } = options
  const { services, sandbox } = opened
  const read = processReadings(services.store.commitMs)
  const pressure = monitorLoad({ limits: config.limits, clock, read })
  const [started, draining, addressRef] = [{ isFinished: false }, { begun: false }, { address: '' }]
  const deps = composeGatewayDeps(options, services, { load: pressure, draining, addressRef })
  const watch = watchLedger({ ...deps, limits: config.limits })
  // Requests that arrive before the pages are loaded wait for them.
  const pages = Promise.withResolvers<RequestListener>()
  const authSelector = createAuthSelector(authenticateByKey(deps))
  const server = openServer(options, services, { deps, authSelector, pages: pages.promise })
  opened.cleanup.push(() => server.drain(0).finally(watch.stop))
  const origin = await listen(server, config, {
    settings: services.settings,
    isFirstStart: await isFirstStart(services),
  })
  const address = config.publicUrl ?? origin
  addressRef.address = address
  const control = services.control(address, runningStatus(deps, pressure, watch))
  await finishAccountDeletions(control)
  authSelector.enablePlayground(control)
  const streams = new EventStreams(clock, config.limits)
  const { app: fastify } = createControlPlane(
    controlPlaneDeps(options, services, { deps, control, streams, started }),
    () => server.node,
  )
  await fastify.ready()
  pages.resolve(fastify.routing)
  const admin = await openAdminSocket({
    dataFolder: config.dataFolder,
    address,
    handle: (operation, input) => dispatch(control, { kind: 'local' }, operation, input),
    limits: config.limits,
  })
  opened.cleanup.push(() => admin.close())
  const start = await beginInstallation(control)
  warnUnsold(services, log)
  const stops = [...startJobs(options, services, deps), watch.stop]
  const stopWork = (): void => {
    for (const stop of stops) stop()
  }
  const stopRequests = (): void => deps.inFlight.stopAll(shuttingDown())
  return {
    origin,
    start,
    endpoints: { address, modelToTry: sandbox === null ? null : 'sandbox-echo' },
    finishStart: (onReady) =>
      finishStart({ settings: services.settings, background: deps.background, limits: config.limits }, () => {
        started.isFinished = true
        pressure.begin()
        onReady()
      }),
    deps,
    services,
    sandbox,
    lost: opened.lost,
    stopRequests,
    drain() {
      stopWork()
      return drain(options, { deps, streams, draining, stopRequests })
    },
    async close() {
      draining.begun = true
      stopWork()
      streams.close()
      const { closeMs } = config.limits
      await within(clock, closeMs, deps.inFlight.whenIdle())
      await server.drain(closeMs)
      await fastify.close()
      await admin.close()
      pressure.stop()
      deps.refusals.flush()
      if (!(await within(clock, closeMs, deps.background.drained()))) {
        log.error({ works: deps.background.count }, 'not everything was written; the next start closes holds')
      }
      await Promise.all([deps.telemetry?.close(), deps.sender.close()])
      // A store that is lost cannot be closed; what listens must not keep the process alive for it.
      await services.close().finally(() => sandbox?.close())
    },
  }
}

function openServer(
  { config, clock }: GatewayOptions,
  services: Services,
  {
    deps,
    authSelector,
    pages,
  }: { deps: GatewayDeps; authSelector: AuthSelector; pages: Promise<RequestListener> },
): HttpServer {
  const { browserOrigins, limits } = config
  const policy = crossOriginPolicy(browserOrigins, limits.preflightCacheMs)
  const serveRequest: RequestListener = (request, response) =>
    void serve(deps, request, response, authSelector.callerOf(request))
  return createHttpServer({
    dataPlane: policy === undefined ? serveRequest : withCrossOrigin(policy, serveRequest),
    controlPlane: (request, response) => void pages.then((answer) => answer(request, response)),
    isDataPlane: ({ url = '/' }) => isPlaygroundPath(url) || !isControlPlanePath(url.split('?', 1)[0] ?? '/'),
    isProxy: proxyCheck(config.trustedProxies),
    limits: config.limits,
    clock,
    nextRequestId: () => formatId('req', services.nextId()),
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

function controlPlaneDeps(
  { config }: GatewayOptions,
  services: Services,
  {
    deps,
    control,
    streams,
    started,
  }: {
    deps: GatewayDeps
    control: ControlDeps
    streams: EventStreams
    started: { readonly isFinished: boolean }
  },
): ControlPlaneDeps {
  return {
    api: {
      control,
      handleAuth: services.handleAuth,
      clientAddress: services.clientAddress,
      streams,
    },
    sendMetrics: deps.metrics,
    metricsToken: config.metricsToken,
    ready: () =>
      isReady({
        isStarted: started.isFinished,
        isDraining: deps.draining.begun,
        store: services.store,
        commitMsMax: config.limits.commitMsMax,
        read: () => isFirstStart(services),
      }),
    consoleFiles: consoleFiles(builtConsole),
    docsFiles: docsFiles(builtConsole, control.address),
  }
}

async function drain(
  { clock, config }: GatewayOptions,
  serving: {
    deps: GatewayDeps
    streams: EventStreams
    draining: { begun: boolean }
    stopRequests: () => void
  },
): Promise<void> {
  const { inFlight, background } = serving.deps
  const { drainMs, closeMs } = config.limits
  serving.draining.begun = true
  // Event-stream clients reconnect to a running server; they lose nothing.
  serving.streams.close()
  const deadlineMs = clock.monoMs() + drainMs
  const deadline = clock.after(drainMs, serving.stopRequests)
  await inFlight.whenIdle()
  deadline.cancel()
  serving.deps.refusals.flush()
  // Settlements that the store does not take now; while it is away there is no end to them.
  await within(clock, Math.max(closeMs, deadlineMs - clock.monoMs()), background.drained())
}

/** An operator must hear at the start which of the models that they could sell have no price. */
function warnUnsold({ catalog }: Services, log: Log): void {
  for (const [model, reason] of catalog.snapshot.unsold) log.debug({ model, reason }, 'model is not sold')
}

function shuttingDown(): TollgateError {
  return new TollgateError('draining', { message: 'This server is shutting down.' })
}
