/**
 * The data plane of one thread, composed: the phases' dependencies, the HTTP server in front of them, and how both end. The
 * main thread has one, and each further thread another. Decides nothing about requests.
 */
import type { IncomingMessage, RequestListener } from 'node:http'
import type { StoppedBy } from '../access/types.ts'
import { Background } from '../base/background.ts'
import type { Clock } from '../base/clock.ts'
import { TollgateError } from '../base/errors.ts'
import { failpoints } from '../base/failpoint.ts'
import { formatId, type RandomBytes } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import { KeyedSemaphore } from '../base/mutex.ts'
import { program } from '../base/program.ts'
import { within } from '../base/within.ts'
import type { Config } from '../config/config.ts'
import { UpstreamCapacity } from '../gateway/attempts/upstream-capacity.ts'
import { responsePolls } from '../gateway/background-responses/polls.ts'
import type { GatewayDeps } from '../gateway/deps.ts'
import { openModelLists } from '../gateway/endpoints/model-lists.ts'
import { InFlightRequests } from '../gateway/observation/in-flight-requests.ts'
import { createMetrics, type Metrics } from '../gateway/observation/metrics.ts'
import { UnknownMembers } from '../gateway/observation/unknown-members.ts'
import { isOutsideApi } from '../gateway/phases/accept/match-path.ts'
import type { CallerOf } from '../gateway/phases/authenticate.ts'
import { readLimits } from '../gateway/phases/decode.ts'
import { settlementObserver } from '../gateway/phases/settle/observers.ts'
import { settleResponse } from '../gateway/phases/settle/settle-durably.ts'
import { serve } from '../gateway/serve.ts'
import { openUnrequestedTiers, orderOffers } from '../gateway/targets/routing.ts'
import { clientNetworkOf, proxyCheck } from '../http/client-address.ts'
import { answerCrossOrigin, type CrossOriginPolicy, crossOriginPolicy } from '../http/cross-origin.ts'
import { type LoadMonitor, monitorLoad, processReadings } from '../http/load-shedding.ts'
import { createHttpServer, type HttpServer } from '../http/server.ts'
import { openSharedMemory } from '../http/shared-memory.ts'
import { openFrontRates } from '../limits/front-rates.ts'
import { RateMeter } from '../limits/rate-meter.ts'
import { openFirstContents } from '../providers/first-contents.ts'
import { openSender } from '../providers/send.ts'
import { openTelemetry, type Telemetry } from '../telemetry/telemetry.ts'
import { RejectionLog } from '../usage/rejection-log.ts'
import { isControlPlanePath, isPlaygroundPath, pathOf, wantsPage } from './control-plane-paths.ts'
import type { DataPlaneServices } from './serving-services.ts'

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
  const { inFlight, background, rejections } = deps
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
      rejections.flush()
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
      rejections.flush()
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

/** Accounts whose counting rate is remembered. */
const countAccountsMax = 10_000

interface ThreadOptions {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  readonly random: RandomBytes
  /** 1: the main thread, which also has the metrics of the process. */
  readonly thread: number
}

interface GatewayServices extends DataPlaneServices {
  /** The client's address behind trusted proxies. */
  readonly clientAddress: (request: IncomingMessage) => string
}

/** Dependencies of serving requests, composed of the services and this thread's own state. `state`: changes while the server runs. */
function composeGatewayDeps(
  options: ThreadOptions,
  services: GatewayServices,
  state: {
    readonly load: GatewayDeps['load']
    readonly draining: GatewayDeps['draining']
    readonly addressRef: { readonly address: string }
  },
): GatewayDeps {
  const { config, clock, log } = options
  const { limits } = config
  const inFlight = new InFlightRequests()
  const metrics = openMetrics(options, services, inFlight)
  const telemetry = configuredTelemetry(options, metrics)
  const capacity = new UpstreamCapacity(clock, services.upstreamMemory)
  const background = new Background(clock, log)
  services.access.onStopped((key, by) => inFlight.stopKey(key, keyStopped(by)))
  const { ledger } = services
  const shared = {
    ledger,
    background,
    clock,
    log,
    limits,
    failpoints: failpoints(config.failpoint ?? undefined),
  }
  const unrequestedTiers = openUnrequestedTiers()
  const observeSettlement = settlementObserver({
    ...services,
    ...shared,
    metrics,
    telemetry,
    unrequestedTiers,
  })
  ledger.onSuspended((account) => {
    inFlight.stopAccount(account, accountSuspended())
    deps.polls.pollNow(account)
  })
  const deps: GatewayDeps = {
    get address() {
      return state.addressRef.address
    },
    ...shared,
    access: services.access,
    ...openSharedMemory(limits),
    clientNetwork: clientNetworkOf(services.clientAddress),
    ...{ customerView: services.customerView, connectorOf: services.connectorOf },
    ...services.counters,
    modelLists: openModelLists(limits),
    counting: {
      rates: new RateMeter({ perMinute: limits.countRequestsPerMinute, takersMax: countAccountsMax }),
      places: new KeyedSemaphore(limits.countsPerAccountMax),
    },
    draining: state.draining,
    forcedTools: config.forcedTools,
    files: services.files,
    uploads: services.uploads,
    ...{ health: services.health, offerStatistics: services.offerStatistics },
    observeSettlement,
    firstContents: openFirstContents({ limits, clock }),
    unrequestedTiers,
    capacity,
    providerKeys: services.providerKeys,
    metrics,
    telemetry,
    nextId: services.nextId,
    order: (candidates, asked) => orderOffers({ ...services, capacity, clock }, candidates, asked),
    polls: responsePolls(() => deps, shared),
    load: state.load,
    read: readLimits(limits),
    readOnSlots: new KeyedSemaphore(limits.readOnPerAccountMax),
    rejections: rejectionLog({ clock, limits }, services, { background, metrics }),
    inFlight,
    sender: openSender({ limits, clock }),
    get snapshot() {
      return services.catalog.snapshot
    },
    unknownMembers: new UnknownMembers({ ...services, background, clock }),
    ...openFrontRates(limits),
    settleResponse: (settlement, model) =>
      settleResponse(shared, settlement, (result) =>
        observeSettlement({ model, settlement, result, held: null, served: null }),
      ),
    balanceWaits: new KeyedSemaphore(limits.holdWaitersPerAccountMax),
  }
  return deps
}

function openMetrics(
  { config, thread }: ThreadOptions,
  { catalog, health }: DataPlaneServices,
  running: InFlightRequests,
): Metrics {
  const hasReader = thread === 1 && (config.metricsToken !== null || config.telemetry !== null)
  const upstreams = () =>
    catalog.snapshot.upstreams.map(({ name }) => {
      return { name, isHealthy: !['cooling', 'ejected'].includes(health.report(name).state) }
    })
  return createMetrics({ running, upstreams }, hasReader, config.limits)
}

function configuredTelemetry(
  { config, clock, log, random, thread }: ThreadOptions,
  metrics: Metrics,
): Telemetry | null {
  const { telemetry: settings, limits } = config
  if (settings === null) return null
  return openTelemetry({
    ...{ limits, clock, log, random, version: program.version },
    // Each thread's counts are a separate series at the collector.
    settings:
      thread === 1
        ? settings
        : { ...settings, resource: { 'tollgate.thread': String(thread), ...settings.resource } },
    sender: openSender({ limits, clock }),
    registry: metrics.registry,
    dropped: (count) => metrics.spansDropped(count),
  })
}

function rejectionLog(
  options: { readonly clock: Clock; readonly limits: Config['limits'] },
  { usage, changes }: DataPlaneServices,
  { background, metrics }: Pick<GatewayDeps, 'background' | 'metrics'>,
): RejectionLog {
  return new RejectionLog({
    ...options,
    begin: (work) => background.run('rejections', work),
    write: (batch) => usage.recordRejections(batch),
    dropped: (count) => metrics.rejectionsDropped(count),
    written(accounts) {
      for (const account of accounts) changes.publish(account, ['rejections', 'requests'])
    },
  })
}

const stoppedWords: Readonly<Record<StoppedBy, string>> = {
  revoked: 'was revoked',
  disabled: 'was disabled',
  expired: 'expired',
}

/** Why a running request ends when its key or account may no longer run it, as reported to its caller. */
function accountSuspended(): TollgateError {
  return new TollgateError('account_suspended', {
    message: 'The account was suspended while this request ran.',
  })
}

function keyStopped(by: StoppedBy): TollgateError {
  return new TollgateError('key_revoked_midway', {
    message: `The API key ${stoppedWords[by]} while this request ran.`,
  })
}
