/** The entry of a further thread of the data plane: serves models on the port of the main thread, which serves the rest. */

import { openSecret } from '../access/secret.ts'
import { type Clock, systemClock } from '../base/clock.ts'
import { type RandomBytes, systemRandom } from '../base/ids.ts'
import { createLog, type Log } from '../base/log.ts'
import type { Config } from '../config/config.ts'
import { authenticateByKey } from '../gateway/phases/authenticate.ts'
import { arrivalOf, clientAddressOf } from '../http/client-address.ts'
import { settingsOf } from '../store/settings.ts'
import type { Port } from '../threads/port.ts'
import { greet, serveThread, threadStart } from '../threads/serve-thread.ts'
import { attachServerStore } from './open-store.ts'
import { passToMain } from './pass-to-main.ts'
import { applyServingChange } from './reload.ts'
import { stoppedFromConsole } from './server-status.ts'
import { composeDataPlane, createServer } from './serving.ts'
import type { DataPlaneNotices, DataPlaneRequests, DataPlaneSetup } from './serving-messages.ts'
import { catalogSources, openDataPlane } from './serving-services.ts'
import { applySharedChanges } from './shared-changes.ts'

const setup = threadStart.setup as DataPlaneSetup
// Filled before the ready message reaches the main thread.
const handlers: Partial<DataPlaneRequests> = {}
const main = serveThread<DataPlaneNotices>({
  handlers: handlers as DataPlaneRequests & Record<string, never>,
})

const log = createLog({
  level: setup.logLevel,
  destination: { write: (line) => main.notify('writeLog', line) },
})
try {
  Object.assign(
    handlers,
    await serveDataPlane(setup, { clock: systemClock, random: systemRandom, log, notify: main.notify }),
  )
  greet(null)
} catch (error) {
  log.fatal({ err: error }, 'a thread of the data plane cannot start')
  greet({ reason: 'failed', message: String(error) })
}

interface ThreadParts {
  readonly clock: Clock
  readonly random: RandomBytes
  readonly log: Log
  readonly notify: Port<DataPlaneNotices>['notify']
}

/** Resolves when it listens. */
async function serveDataPlane(setup: DataPlaneSetup, parts: ThreadParts): Promise<DataPlaneRequests> {
  const { notify } = parts
  const { thread, address, port } = setup
  const config = configOf(setup)
  const options = { ...parts, config, thread }
  const opened = await openParts(setup, options)
  const addressBehind = clientAddressOf(config.trustedProxies)
  const services = { ...opened.parts, clientAddress: (request: Arrived) => addressBehind(arrivalOf(request)) }
  const dataPlane = composeDataPlane(options, services, { address })
  const { deps, load } = dataPlane
  const keyed = authenticateByKey(deps)
  const server = createServer(options, {
    deps,
    callerOf() {
      deps.failpoints.reach('thread-request')
      return keyed
    },
    controlPlane: passToMain(setup.mainSocket),
    hasPlayground: false,
  })
  await server.listen(config.host, port, { shared: true })
  const watched = new Map<bigint, () => void>()
  return {
    begin: () => load.begin(),
    running: () => deps.inFlight.count,
    stop: (request) => deps.inFlight.stopRequest(request, stoppedFromConsole()),
    metrics: () => deps.metrics.registry.getMetricsAsJSON(),
    watch(account, isWatched) {
      watched.get(account)?.()
      watched.delete(account)
      if (isWatched)
        watched.set(
          account,
          services.changes.watch(account, (change) => notify('changed', account, change)),
        )
    },
    reload: (change) =>
      applyServingChange({ ...services, config, sandboxOrigin: setup.sandboxOrigin }, change),
    drain(idleMs) {
      deps.polls.stop()
      return dataPlane.drain(server, idleMs)
    },
    stopRequests: dataPlane.stopRequests,
    async close() {
      deps.polls.stop()
      await dataPlane.closeServers([server])
      await dataPlane.close()
      await opened.close()
    },
  }
}

type Arrived = Parameters<typeof arrivalOf>[0]

function configOf({ config, collector }: DataPlaneSetup): Config {
  const { telemetry } = config
  if (telemetry === null || collector === null) return config
  return { ...config, telemetry: { ...telemetry, endpoint: new URL(collector) } }
}

/** The services on the store of the main thread, which has made sure that all of this can be opened. */
async function openParts(
  { sandboxOrigin, ports, upstreamMemory }: DataPlaneSetup,
  options: Omit<ThreadParts, 'notify'> & { readonly config: Config },
) {
  const { config, random, log } = options
  const sources = catalogSources(config, sandboxOrigin)
  const store = await attachServerStore(config, { ...options, ports })
  const secret = await openSecret({
    dataFolder: config.dataFolder,
    configured: config.secret,
    random,
    settings: settingsOf(store),
  })
  if (secret.kind === 'rejected') throw new Error(secret.message)
  const dataPlane = await openDataPlane({
    ...options,
    ...{ store, sources, secret: secret.secret, as: 'thread', upstreamMemory },
  })
  const { access, catalog, providerKeys, ledger } = dataPlane.parts
  // Sessions and event streams live on the main thread, which receives the same changes.
  const identity = { forgetSessions() {} }
  const changes = { publishToAll() {} }
  store.listen(applySharedChanges({ access, catalog, providerKeys, ledger, identity, changes }, log))
  return {
    parts: dataPlane.parts,
    async close(): Promise<void> {
      await dataPlane.close()
      await store.close()
    },
  }
}
