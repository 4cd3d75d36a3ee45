/**
 * A running server, composed: services → the phases' dependencies → one HTTP server with data plane and pages →
 * the local socket for the CLI. Decides nothing about requests.
 */
import type { RequestListener } from 'node:http'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { EventStreams } from '../api/event-streams.ts'
import type { Clock } from '../base/clock.ts'
import type { RandomBytes } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import { within } from '../base/within.ts'
import type { Config, ConfigResult } from '../config/config.ts'
import type { ControlDeps } from '../control/control-deps.ts'
import { dispatch } from '../control/dispatch.ts'
import { finishAccountDeletions } from '../control/me.ts'
import type { GatewayDeps } from '../gateway/deps.ts'
import { metricsText } from '../gateway/observation/metrics.ts'
import { authenticateByKey } from '../gateway/phases/authenticate.ts'
import { isAddressTaken } from '../http/listen.ts'
import { watchLedger } from '../ledger/verify/ledger-watch.ts'
import { openAdminSocket } from './admin-socket.ts'
import { openWhenReachable, untilStored } from './await-database.ts'
import { startJobs } from './background-jobs.ts'
import { builtConsole, consoleFiles } from './console-files.ts'
import { createControlPlane } from './control-plane.ts'
import { docsFiles } from './docs-files.ts'
import { type EarlyServer, earlyServer } from './early-server.ts'
import {
  beginInTurn,
  finishStart,
  type InstallationStart,
  isFirstStart,
  type ServerEndpoints,
} from './first-run.ts'
import { type Listeners, openListeners } from './listeners.ts'
import { createAuthSelector } from './playground-auth.ts'
import { liveConfig, type ReloadResult, reloadOf } from './reload.ts'
import { registerServerMetrics } from './server-metrics.ts'
import { runningStatus } from './server-status.ts'
import { openServices, type Services } from './services.ts'
import { composeDataPlane, type ServerParts } from './serving.ts'
import { shutdownOf } from './shutdown.ts'

export interface GatewayOptions {
  readonly config: Config
  readonly clock: Clock
  readonly random: RandomBytes
  readonly log: Log
  /** Ends a start that waits for its database. */
  readonly stop?: AbortSignal
  /** Reads the configuration again, for a reload; left out: as it is. */
  readonly readConfig?: () => Promise<ConfigResult>
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
  /** Reads the configuration again and takes over what can change in a running server. */
  reload(): Promise<ReloadResult>
  /** Resolves when the store or a thread is lost and the process must end. */
  readonly lost: Promise<void>
  /**
   * Serves on for `noticeMs` while it reports that it is not ready, then closes its port and lets requests end, idle connections after
   * `idleMs`; stops requests at the deadline. Resolves when none is left and what they left to write is written, or cannot be.
   */
  drain(how?: { readonly noticeMs: number; readonly idleMs: number }): Promise<void>
  /** Ends running requests with an error frame and a bill for what was delivered. */
  stopRequests(): void
  /** Gives everything back. Call it after `drain`. */
  close(): Promise<void>
}

export type GatewayResult =
  | { readonly kind: 'started'; readonly gateway: Gateway }
  | { readonly kind: 'rejected'; readonly message: string }
  /** `stop` ended the wait for the database. */
  | { readonly kind: 'stopped' }

/**
 * Opens everything and listens; what was opened is closed again when something rejects or fails. While PostgreSQL is away it
 * listens and rejects requests, and resolves once the database is there.
 */
export async function startGateway(options: GatewayOptions): Promise<GatewayResult> {
  const cleanup: Cleanup = []
  const result = await composeGateway(options, cleanup).catch(
    async (error: unknown): Promise<GatewayResult> => {
      if (isAddressTaken(error)) {
        const where = `${error.address ?? options.config.host}:${error.port ?? options.config.port.number}`
        return {
          kind: 'rejected',
          message: `The address ${where} is already in use by another program. Set TOLLGATE_PORT to another port.`,
        }
      }
      await close(cleanup)
      throw error
    },
  )
  if (result.kind !== 'started') await close(cleanup)
  return result
}

/** How to close what was opened so far, in the order in which it was opened. */
type Cleanup = (() => Promise<unknown>)[]

async function close(cleanup: Cleanup): Promise<void> {
  for (const closing of cleanup.toReversed()) await closing()
}

async function composeGateway(given: GatewayOptions, cleanup: Cleanup): Promise<GatewayResult> {
  const options = { ...given, started: given.config, config: liveConfig(given.config) }
  const { config, clock, random, log } = options
  const sandbox = config.sandbox === 'on' ? await startSandbox({ clock }) : null
  if (sandbox !== null) cleanup.push(() => sandbox.close())
  const lost = watchLoss(log)
  const early = earlyServer(options)
  cleanup.push(early.close)
  const sandboxOrigin = sandbox?.origin ?? null
  const opened = await openWhenReachable(
    () =>
      openServices(config, {
        ...{ clock, random, log, sandboxOrigin },
        threads: config.threads,
        onLost: lost.store,
      }),
    { ...waitOf(options), log, onAway: early.listen },
  )
  if (opened.kind === 'stopped') return opened
  if (opened.kind === 'rejected') return { kind: 'rejected', message: opened.messages.join('\n') }
  const { services } = opened
  cleanup.push(() => services.close())
  return {
    kind: 'started',
    gateway: await listenAndServe(options, { early, services, sandbox, lost, cleanup }),
  }
}

/** How long steps of a start are repeated; without `stop` as long as it takes. */
const waitOf = ({ clock, config, stop = new AbortController().signal }: GatewayOptions) => ({
  clock,
  retryMs: config.limits.databaseRetryMs,
  stop,
})

interface OpenedServer {
  readonly early: EarlyServer
  readonly services: Services
  readonly sandbox: Sandbox | null
  readonly lost: Loss
  readonly cleanup: Cleanup
}

/** Failures that must end the process. */
interface Loss {
  readonly promise: Promise<void>
  readonly store: (error: Error) => void
  readonly thread: (error: Error) => void
}

function watchLoss(log: Log): Loss {
  const { promise, resolve } = Promise.withResolvers<void>()
  const lost = (what: string) => (error: Error) => {
    log.fatal({ err: error }, what)
    resolve()
  }
  return { promise, store: lost('the store ended'), thread: lost('a thread of the data plane ended') }
}

interface StartedOptions extends GatewayOptions {
  /** The configuration as it was given: `config` changes with each reload. */
  readonly started: Config
}

async function listenAndServe(given: StartedOptions, opened: OpenedServer): Promise<Gateway> {
  const { early, services, sandbox, lost } = opened
  const untilDone = <Result>(step: () => Promise<Result>): Promise<Result> =>
    given.config.databaseUrl === null ? step() : untilStored(step, waitOf(given))
  const isFirst = await untilDone(() => isFirstStart(services))
  const config = early.configAfter()
  const options = { ...given, config, thread: 1 }
  const addressRef = { address: '' }
  const dataPlane = composeDataPlane(options, services, addressRef)
  const { deps } = dataPlane
  const watch = watchLedger({ ...deps, limits: config.limits })
  opened.cleanup.push(async () => watch.stop())
  // Requests that arrive before the pages are loaded wait for them.
  const pages = Promise.withResolvers<RequestListener>()
  const authSelector = createAuthSelector(authenticateByKey(deps))
  const parts: ServerParts = {
    deps,
    callerOf: authSelector.callerOf,
    controlPlane: (request, response) => void pages.promise.then((answer) => answer(request, response)),
    hasPlayground: true,
  }
  await early.close()
  const listeners = await openListeners(options, parts, {
    ...{ services, isFirst },
    sandboxOrigin: sandbox?.origin ?? null,
    onLost: lost.thread,
    opened: (closing) => opened.cleanup.push(closing),
  })
  const { origin, address, threads } = listeners
  addressRef.address = address
  const reload = reloadOf(given, { services, sandbox, config, threads, metrics: deps.metrics })
  const status = runningStatus(deps, { pressure: dataPlane.load, watch, others: threads, reload })
  const control = services.control(address, status)
  await untilDone(() => finishAccountDeletions(control))
  authSelector.enablePlayground(control)
  const started = { isFinished: false }
  const ready = readiness(options, { services, deps, started })
  registerServerMetrics(deps.metrics.registry, {
    ...{ store: services.store, capacity: deps.capacity, status, isReady: ready },
    dataFolder: config.databaseUrl === null ? config.dataFolder : null,
  })
  const pagesServer = await openPages(options, { services, deps, control, ready, listeners })
  pages.resolve(pagesServer.routing)
  const admin = await openAdminSocket({
    dataFolder: config.dataFolder,
    address,
    handle: (operation, input) => dispatch(control, { kind: 'local' }, operation, input),
    limits: config.limits,
  })
  opened.cleanup.push(() => admin.close())
  const { lock } = services.store
  const begun = await beginInTurn(control, { isFirst, lock, untilDone, onTrouble: logFailure(options.log) })
  opened.cleanup.push(begun.release)
  warnUnsold(services, options.log)
  const stops = [...startJobs(options, services, deps), watch.stop]
  return {
    ...{ origin, start: begun.start, deps, services, sandbox },
    endpoints: { address, modelToTry: sandbox === null ? null : 'sandbox-echo' },
    reload,
    finishStart: (onReady) =>
      finishStart({ ...services, background: deps.background, limits: config.limits }, () => {
        void begun.release()
        started.isFinished = true
        dataPlane.load.begin()
        threads.begin()
        onReady()
      }),
    lost: lost.promise,
    ...shutdownOf({
      dataPlane,
      listeners,
      services,
      sandbox,
      stops,
      parts: [pagesServer, admin],
      release: begun.release,
    }),
  }
}

/** Checks for `/readyz`. */
function readiness(
  { config, clock }: GatewayOptions,
  {
    services,
    deps,
    started,
  }: {
    readonly services: Services
    readonly deps: GatewayDeps
    readonly started: { readonly isFinished: boolean }
  },
): () => Promise<boolean> {
  const { limits } = config
  return () =>
    isReady({
      isStarted: started.isFinished,
      isDraining: deps.draining.begun,
      store: services.store,
      commitMsMax: limits.commitMsMax,
      read: () => isFirstStart(services),
      readMsMax: limits.storeWaitMs,
      clock,
    })
}

const logFailure =
  (log: Log) =>
  (error: unknown): void =>
    log.warn({ err: error }, 'the lock of a first start could not be released')

/** The control plane, composed. */
interface Pages {
  readonly routing: RequestListener
  readonly streams: EventStreams
  close(): Promise<void>
}

async function openPages(
  { config, clock }: GatewayOptions,
  {
    services,
    deps,
    control,
    ready,
    listeners: { servers, threads },
  }: {
    readonly services: Services
    readonly deps: GatewayDeps
    readonly control: ControlDeps
    readonly ready: () => Promise<boolean>
    readonly listeners: Listeners
  },
): Promise<Pages> {
  const streams = new EventStreams(clock, config.limits)
  const { app } = createControlPlane(
    {
      api: {
        control,
        handleAuth: services.handleAuth,
        clientAddress: services.clientAddress,
        streams,
      },
      metrics: metricsText(deps.metrics.registry, threads.metrics),
      metricsToken: () => config.metricsToken,
      ready,
      consoleFiles: consoleFiles(builtConsole),
      docsFiles: docsFiles(builtConsole, control.address),
    },
    () => servers[0].node,
  )
  await app.ready()
  return { routing: app.routing, streams, close: () => app.close() }
}

/** Logs at startup which models have no price and so are not sold. */
function warnUnsold({ catalog }: Services, log: Log): void {
  for (const [model, reason] of catalog.snapshot.unsold) log.debug({ model, reason }, 'model is not sold')
}

interface ReadinessParts {
  /** Everything that a start does is done. */
  readonly isStarted: boolean
  readonly isDraining: boolean
  readonly store: {
    canCommit(): boolean
    /** Duration of the present commit so far; 0 if there is none. */
    commitMs(): number
  }
  readonly commitMsMax: number
  /** Reads something from the store. */
  readonly read: () => Promise<unknown>
  /** How long that may take. */
  readonly readMsMax: number
  readonly clock: Clock
}

/** Whether this server can receive requests, as reported by `/readyz`. */
async function isReady(parts: ReadinessParts): Promise<boolean> {
  const { isStarted, isDraining, store, commitMsMax, read, readMsMax, clock } = parts
  if (!isStarted || isDraining || !store.canCommit() || store.commitMs() > commitMsMax) return false
  return within(clock, readMsMax, read()).catch(() => false)
}
