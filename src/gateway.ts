/**
 * A running server, composed: parts → phases' needs → one HTTP server with data plane and pages →
 * the local socket for the command line. Decides nothing about requests.
 */

import type { RequestListener } from 'node:http'
import { accountSuspended, keyStopped } from './access/stopped.ts'
import { openAdminSocket } from './admin-socket.ts'
import { EventStreams } from './api/event-streams.ts'
import type { App } from './app.ts'
import { Background } from './base/background.ts'
import type { Clock } from './base/clock.ts'
import { TollgateError } from './base/errors.ts'
import { failpoints } from './base/failpoint.ts'
import { formatId, type RandomBytes } from './base/ids.ts'
import type { Log } from './base/log.ts'
import { Places } from './base/places.ts'
import { within } from './base/within.ts'
import type { Config } from './config.ts'
import { builtConsole, consoleFiles } from './console-files.ts'
import { dispatch } from './control/dispatch.ts'
import type { ControlParts } from './control/parts.ts'
import { endDepartures } from './control/people/departures.ts'
import { beginInstallation, finishStart, isFirstStart, type Place, type Start } from './first-run.ts'
import { clientNetworkOf, proxyCheck } from './http/client-address.ts'
import { isAddressTaken, listen } from './http/listen.ts'
import { processReadings, watchPressure } from './http/pressure.ts'
import { isReady } from './http/readiness.ts'
import { createHttpServer, type HttpServer } from './http/server.ts'
import { openSharedMemory } from './http/shared-memory.ts'
import { watchLedger } from './ledger/watch.ts'
import { openFrontRates } from './limits/front-rates.ts'
import { RateMeter } from './limits/rate-meter.ts'
import { createMetrics } from './metrics.ts'
import { createPages, isPage, type Pages } from './pages.ts'
import { openParts, type Parts } from './parts.ts'
import { startPayments } from './payment-work.ts'
import { byKey } from './phases/authenticate.ts'
import { readLimits } from './phases/decode.ts'
import { type Door, isPlay, openDoor } from './play.ts'
import { packageFolder } from './program.ts'
import { orderUpstreams, stickyHash } from './providers/health.ts'
import { connectorOf } from './providers/registry.ts'
import { openSender } from './providers/send.ts'
import { Running } from './running.ts'
import { type Sandbox, startSandbox } from './sandbox/sandbox.ts'
import { serve } from './serve.ts'
import { serverFacts } from './server-facts.ts'
import { RefusalLog } from './usage/refusal-log.ts'

export interface GatewayOptions {
  readonly config: Config
  readonly clock: Clock
  readonly random: RandomBytes
  readonly log: Log
}

export interface Gateway {
  /** Where it listens: `http://127.0.0.1:8080`. */
  readonly origin: string
  readonly start: Start
  readonly place: Place
  /**
   * To be called when what `start` says was announced: records that until it is durable, then the server is ready.
   * A start that ends before that is repeated by the next one.
   */
  finishStart(onReady: () => void): void
  readonly app: App
  readonly parts: Parts
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
  const undo: Undo = []
  const result = await openGateway(options, undo).catch(async (error: unknown): Promise<GatewayResult> => {
    if (isAddressTaken(error)) {
      const where = `${error.address ?? options.config.host}:${error.port ?? options.config.port.number}`
      return {
        kind: 'refused',
        message: `The address ${where} is taken by another program; TOLLGATE_PORT names another port.`,
      }
    }
    await close(undo)
    throw error
  })
  if (result.kind === 'refused') await close(undo)
  return result
}

/** How to close what was opened so far, in the order in which it was opened. */
type Undo = (() => Promise<unknown>)[]

async function close(undo: Undo): Promise<void> {
  for (const closing of undo.toReversed()) await closing()
}

async function openGateway(options: GatewayOptions, undo: Undo): Promise<GatewayResult> {
  const { config, clock, random, log } = options
  const sandbox = config.sandbox === 'on' ? await startSandbox({ clock }) : null
  if (sandbox !== null) undo.push(() => sandbox.close())
  const lost = Promise.withResolvers<void>()
  const opened = await openParts(config, {
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
  const { parts } = opened
  undo.push(() => parts.close())
  return {
    kind: 'started',
    gateway: await listening(options, { parts, sandbox, lost: lost.promise, undo }),
  }
}

interface Opened {
  readonly parts: Parts
  readonly sandbox: Sandbox | null
  readonly lost: Promise<void>
  readonly undo: Undo
}

async function listening(options: GatewayOptions, opened: Opened): Promise<Gateway> {
  const { config, clock, log } = options
  const { parts, sandbox } = opened
  const read = processReadings(parts.store.commitMs)
  const pressure = watchPressure({ limits: config.limits, clock, read })
  const [started, draining, place] = [{ isFinished: false }, { begun: false }, { address: '' }]
  const app = createApp(options, parts, { pressure, draining, place })
  const watch = watchLedger({ ...app, limits: config.limits })
  // Whoever asks before the pages are there waits for them.
  const pages = Promise.withResolvers<RequestListener>()
  const door = openDoor(byKey(app))
  const server = openServer(options, parts, { app, door, pages: pages.promise })
  opened.undo.push(() => server.drain(0).finally(watch.stop))
  const origin = await listen(server, config, {
    settings: parts.settings,
    isFirstStart: await isFirstStart(parts),
  })
  const address = config.publicUrl ?? origin
  place.address = address
  const control = parts.control(address, serverFacts(app, pressure, watch))
  await endDepartures(control)
  door.letPlay(control)
  const streams = new EventStreams(clock, config.limits)
  const { app: fastify } = createPages(
    pagesOf(options, parts, { app, control, streams, started }),
    () => server.node,
  )
  await fastify.ready()
  pages.resolve(fastify.routing)
  const admin = await openAdminSocket({
    dataFolder: config.dataFolder,
    address,
    answer: (operation, input) => dispatch(control, { kind: 'local' }, operation, input),
    limits: config.limits,
  })
  opened.undo.push(() => admin.close())
  const start = await beginInstallation(control)
  warnUnsold(parts, log)
  const stopPayments = startPayments(options, parts, { background: app.background, address })
  const stopWork = (): void => {
    stopPayments()
    watch.stop()
  }
  const stopRequests = (): void => app.running.stopAll(shuttingDown())
  return {
    origin,
    start,
    place: { address, modelToTry: sandbox === null ? null : 'sandbox-echo' },
    finishStart: (onReady) =>
      finishStart({ settings: parts.settings, background: app.background, limits: config.limits }, () => {
        started.isFinished = true
        onReady()
      }),
    app,
    parts,
    sandbox,
    lost: opened.lost,
    stopRequests,
    drain() {
      stopWork()
      return drain(options, { app, streams, draining, stopRequests })
    },
    async close() {
      draining.begun = true
      stopWork()
      streams.close()
      const { closeMs } = config.limits
      await within(clock, closeMs, app.running.whenIdle())
      await server.drain(closeMs)
      await fastify.close()
      await admin.close()
      pressure.stop()
      app.refusals.flush()
      if (!(await within(clock, closeMs, app.background.drained()))) {
        log.error({ works: app.background.count }, 'not all was written; the next start closes what is open')
      }
      await app.sender.close()
      // A store that is lost cannot be closed; what listens must not keep the process alive for it.
      await parts.close().finally(() => sandbox?.close())
    },
  }
}

function openServer(
  { config, clock }: GatewayOptions,
  parts: Parts,
  { app, door, pages }: { app: App; door: Door; pages: Promise<RequestListener> },
): HttpServer {
  return createHttpServer({
    dataPlane: (request, response) => void serve(app, request, response, door.callerOf(request)),
    controlPlane: (request, response) => void pages.then((answer) => answer(request, response)),
    isDataPlane: ({ url = '/' }) => isPlay(url) || !isPage(url.split('?', 1)[0] ?? '/'),
    isProxy: proxyCheck(config.trustedProxies),
    limits: config.limits,
    clock,
    nextRequestId: () => formatId('req', parts.nextId()),
  })
}

function pagesOf(
  { config }: GatewayOptions,
  parts: Parts,
  {
    app,
    control,
    streams,
    started,
  }: { app: App; control: ControlParts; streams: EventStreams; started: { readonly isFinished: boolean } },
): Pages {
  return {
    api: {
      control,
      answerAuth: parts.answerAuth,
      clientAddress: parts.clientAddress,
      streams,
      docsFolder: new URL('docs/', packageFolder),
    },
    metrics: app.metrics,
    metricsToken: config.metricsToken,
    ready: () =>
      isReady({
        isStarted: started.isFinished,
        isDraining: app.draining.begun,
        store: parts.store,
        commitMsMax: config.limits.commitMsMax,
        read: () => isFirstStart(parts),
      }),
    consoleFiles: consoleFiles(builtConsole),
  }
}

async function drain(
  { clock, config }: GatewayOptions,
  of: {
    app: App
    streams: EventStreams
    draining: { begun: boolean }
    stopRequests: () => void
  },
): Promise<void> {
  const { running, background } = of.app
  const { drainMs, closeMs } = config.limits
  of.draining.begun = true
  // Who watches asks again where a server is; nothing of theirs is lost.
  of.streams.close()
  const deadlineMs = clock.monoMs() + drainMs
  const deadline = clock.after(drainMs, of.stopRequests)
  await running.whenIdle()
  deadline.cancel()
  of.app.refusals.flush()
  // Settlements that the store does not take now; while it is away there is no end to them.
  await within(clock, Math.max(closeMs, deadlineMs - clock.monoMs()), background.drained())
}

function createApp(
  { config, clock, log }: GatewayOptions,
  parts: Parts,
  state: {
    readonly pressure: App['pressure']
    readonly draining: App['draining']
    readonly place: { readonly address: string }
  },
): App {
  const { limits } = config
  const running = new Running()
  const metrics = createMetrics(running, config.metricsToken)
  const background = new Background(clock, log)
  parts.ledger.onSuspended((account) => running.stopAccount(account, accountSuspended()))
  parts.access.onStopped((key, by) => running.stopKey(key, keyStopped(by)))
  return {
    get address() {
      return state.place.address
    },
    access: parts.access,
    background,
    ...openSharedMemory(limits),
    clientNetwork: clientNetworkOf(parts.clientAddress),
    clock,
    connectorOf,
    ...parts.counters,
    counting: {
      rates: new RateMeter({ perMinute: limits.countRequestsPerMinute, takersMax: limits.countAccountsMax }),
      places: new Places(limits.countsPerAccountMax),
    },
    draining: state.draining,
    failpoints: failpoints(config.failpoint ?? undefined),
    forcedTools: config.forcedTools,
    files: parts.files,
    health: parts.health,
    ledger: parts.ledger,
    limits,
    log,
    metrics,
    nextId: parts.nextId,
    order(candidates, caller, call) {
      if (candidates.length < 2) return candidates
      const { start, end } = call.facts.conversationSpan
      const sticky = stickyHash(caller.account, call.body.bytes.subarray(start, end))
      return orderUpstreams(candidates, parts.health.snapshot(), sticky, clock.monoMs())
    },
    pressure: state.pressure,
    read: readLimits(limits),
    readingOn: new Places(limits.readOnPerAccountMax),
    refusals: refusalLog({ clock, limits }, parts, { background, metrics }),
    running,
    sender: openSender({ limits, clock }),
    get snapshot() {
      return parts.catalog.snapshot
    },
    ...openFrontRates(limits),
    waiting: new Places(limits.holdWaitersPerAccountMax),
  }
}

function refusalLog(
  of: { readonly clock: Clock; readonly limits: Config['limits'] },
  { ledger, changes }: Parts,
  { background, metrics }: Pick<App, 'background' | 'metrics'>,
): RefusalLog {
  return new RefusalLog({
    ...of,
    begin: (work) => background.run('refusals', work),
    write: (lot) => ledger.refused(lot),
    dropped: (count) => metrics.refusalsDropped(count),
    written(accounts) {
      for (const account of accounts) changes.publish(account, ['refusals', 'requests'])
    },
  })
}

/** An operator must hear at the start which of the models that they could sell have no price. */
function warnUnsold({ catalog }: Parts, log: Log): void {
  for (const [model, reason] of catalog.snapshot.unsold) log.debug({ model, reason }, 'model is not sold')
}

function shuttingDown(): TollgateError {
  return new TollgateError('draining', { message: 'This server is shutting down.' })
}
