/** What serving a request needs, composed of the services and of what belongs to this thread alone. */
import type { IncomingMessage } from 'node:http'
import { accountSuspended, keyStopped } from '../access/stopped.ts'
import { Background } from '../base/background.ts'
import type { Clock } from '../base/clock.ts'
import { failpoints } from '../base/failpoint.ts'
import type { RandomBytes } from '../base/ids.ts'
import { KeyedSemaphore } from '../base/keyed-semaphore.ts'
import type { Log } from '../base/log.ts'
import { program } from '../base/program.ts'
import type { Config } from '../config/config.ts'
import { responsePolls } from '../gateway/background-responses/polls.ts'
import type { GatewayDeps } from '../gateway/deps.ts'
import { InFlightRequests } from '../gateway/in-flight-requests.ts'
import { createMetrics, type Metrics } from '../gateway/metrics.ts'
import { openModelLists } from '../gateway/model-lists.ts'
import { readLimits } from '../gateway/phases/decode.ts'
import { settleResponse } from '../gateway/phases/settle/settle-durably.ts'
import { traceSettled } from '../gateway/request-tracing.ts'
import { orderOffers } from '../gateway/routing-strategies.ts'
import { UnknownMembers } from '../gateway/unknown-members.ts'
import { openUnrequestedTiers } from '../gateway/unrequested-tiers.ts'
import { UpstreamCapacity } from '../gateway/upstream-capacity.ts'
import { clientNetworkOf } from '../http/client-address.ts'
import { openSharedMemory } from '../http/shared-memory.ts'
import { openFrontRates } from '../limits/front-rates.ts'
import { RateMeter } from '../limits/rate-meter.ts'
import { openFirstContents } from '../providers/first-contents.ts'
import { openSender } from '../providers/send.ts'
import { openTelemetry, type Telemetry } from '../telemetry/telemetry.ts'
import { RefusalLog } from '../usage/refusal-log.ts'
import type { DataPlaneServices } from './serving-services.ts'

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

export interface GatewayServices extends DataPlaneServices {
  /** The client's address behind trusted proxies. */
  readonly clientAddress: (request: IncomingMessage) => string
}

/** `state`: what changes while the server runs. */
export function composeGatewayDeps(
  options: ThreadOptions,
  services: GatewayServices,
  state: {
    readonly load: GatewayDeps['load']
    readonly draining: GatewayDeps['draining']
    readonly addressRef: { readonly address: string }
  },
): GatewayDeps {
  const { config, clock, log, thread } = options
  const { limits } = config
  const inFlight = new InFlightRequests()
  const metrics = createMetrics(
    {
      running: inFlight,
      upstreams: () =>
        services.catalog.snapshot.upstreams.map(({ name }) => {
          return { name, isHealthy: !['cooling', 'ejected'].includes(services.health.report(name).state) }
        }),
    },
    thread === 1 && (config.metricsToken !== null || config.telemetry !== null),
    limits,
  )
  const telemetry = configuredTelemetry(options, metrics)
  const { speeds } = services
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
    speeds,
    ...{ firstContents: openFirstContents({ limits, clock }), unrequestedTiers: openUnrequestedTiers() },
    capacity,
    providerKeys: services.providerKeys,
    metrics,
    telemetry,
    nextId: services.nextId,
    order: (candidates, asked) => orderOffers({ ...services, speeds, capacity, clock }, candidates, asked),
    polls: responsePolls(() => deps, shared),
    load: state.load,
    read: readLimits(limits),
    readOnSlots: new KeyedSemaphore(limits.readOnPerAccountMax),
    refusals: refusalLog({ clock, limits }, services, { background, metrics }),
    inFlight,
    sender: openSender({ limits, clock }),
    get snapshot() {
      return services.catalog.snapshot
    },
    unknownMembers: new UnknownMembers({ ...services, background, clock }),
    ...openFrontRates(limits),
    settleResponse: (settlement, model) =>
      settleResponse(shared, settlement, (result) => {
        metrics.settled({ model, settlement, result, held: null })
        traceSettled({ telemetry, clock }, null, { model, settlement, result })
      }),
    balanceWaits: new KeyedSemaphore(limits.holdWaitersPerAccountMax),
  }
  return deps
}

function configuredTelemetry(
  { config, clock, log, random, thread }: ThreadOptions,
  metrics: Metrics,
): Telemetry | null {
  const { telemetry: settings, limits } = config
  if (settings === null) return null
  return openTelemetry({
    ...{ limits, clock, log, random, version: program.version },
    // What a thread counts is a series of its own at the collector.
    settings:
      thread === 1
        ? settings
        : { ...settings, resource: { 'tollgate.thread': String(thread), ...settings.resource } },
    sender: openSender({ limits, clock }),
    registry: metrics.registry,
    dropped: (count) => metrics.spansDropped(count),
  })
}

function refusalLog(
  options: { readonly clock: Clock; readonly limits: Config['limits'] },
  { usage, changes }: DataPlaneServices,
  { background, metrics }: Pick<GatewayDeps, 'background' | 'metrics'>,
): RefusalLog {
  return new RefusalLog({
    ...options,
    begin: (work) => background.run('refusals', work),
    write: (batch) => usage.recordRefusals(batch),
    dropped: (count) => metrics.refusalsDropped(count),
    written(accounts) {
      for (const account of accounts) changes.publish(account, ['refusals', 'requests'])
    },
  })
}
