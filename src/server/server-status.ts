/** The state of the running server as control-plane operations see it; also for when no server runs. */

import type { Clock } from '../base/clock.ts'
import { TollgateError } from '../base/errors.ts'
import { formatId } from '../base/ids.ts'
import { program } from '../base/program.ts'
import { parseAddress } from '../catalog/upstreams/upstream-address.ts'
import { type Limits, limitDefaults } from '../config/config.ts'
import type { AskedHost, DownloadedText, ServerStatus } from '../control/control-deps.ts'
import { LastCheckedHost } from '../control/upstream-hosts.ts'
import type { GatewayDeps } from '../gateway/deps.ts'
import type { LoadMonitor } from '../http/load-shedding.ts'
import type { LedgerWatch } from '../ledger/verify/ledger-watch.ts'
import { type ListModelsDeps, listHostModels, testCredential } from '../providers/host-models.ts'
import { findHostPaths, type HostPath, hostPaths } from '../providers/host-paths.ts'
import { connectorOfUpstream } from '../providers/registry.ts'
import { openSender, type Sender } from '../providers/send.ts'
import type { SendFailure } from '../providers/send-types.ts'
import type { DataPlaneThreads } from './serving-threads.ts'

const noServer = {
  names: [],
  problem: 'No server is running.',
  credential: 'untested',
  hostMessage: null,
} as const

/** On the command line without a server nothing runs, and nothing can be stopped. */
export function offlineStatus(clock: Clock, limits: Limits = limitDefaults): ServerStatus {
  return {
    startedMs: clock.wallMs(),
    version: program.version,
    running: async () => 0,
    stop: async () => false,
    draining: () => false,
    async reload() {
      return { kind: 'rejected', mistakes: [noServer.problem] }
    },
    memoryBytes,
    eventLoopDelayMs: () => 0,
    listHostModels: async () => noServer,
    testCredential: async () => noServer,
    findPaths: async (host) => pathsOf(host),
    async downloadText(url) {
      const sender = openSender({ limits, clock })
      try {
        return await downloadText({ sender, clock, limits }, url)
      } finally {
        await sender.close()
      }
    },
    pathsOf,
    checkedHost: new LastCheckedHost(clock),
    ledgerReport: () => ({ checkedMs: null, contradictions: 0 }),
  }
}

/** The same for a command without a server: it opens its own connections to hosts. */
export function commandStatus(clock: Clock, limits: Limits): ServerStatus {
  const withSender = async <Answer>(ask: (asking: ListModelsDeps) => Promise<Answer>): Promise<Answer> => {
    const sender = openSender({ limits, clock })
    try {
      return await ask({ sender, clock, limits })
    } finally {
      await sender.close()
    }
  }
  return {
    ...offlineStatus(clock, limits),
    listHostModels: (host) =>
      withSender((asking) => listHostModels(asking, connectorOfUpstream(host), modelHost(host, 0n))),
    testCredential: (host) =>
      withSender((asking) => testCredential(asking, connectorOfUpstream(host), modelHost(host, 0n))),
    findPaths: (host) =>
      withSender((asking) => findHostPaths(asking, connectorOfUpstream(host), modelHost(host, 0n))),
  }
}

function modelHost(host: AskedHost, requestId: bigint) {
  const { origin, basePath } = parseAddress(host.url ?? connectorOfUpstream(host).defaultOrigin)
  return { origin, basePath, credential: host.credential, requestId: formatId('req', requestId) }
}

/** Where requests in each format go. */
function pathsOf(host: Omit<AskedHost, 'credential'>): readonly HostPath[] {
  const connector = connectorOfUpstream(host)
  return hostPaths(connector, parseAddress(host.url ?? connector.defaultOrigin))
}

interface RunningParts {
  readonly pressure: Pick<LoadMonitor, 'readings'>
  readonly watch: Pick<LedgerWatch, 'report'>
  readonly others: Pick<DataPlaneThreads, 'running' | 'stop'>
  readonly reload: ServerStatus['reload']
}

export function runningStatus(
  { clock, inFlight, draining, sender, limits, nextId }: GatewayDeps,
  { pressure, watch, others, reload }: RunningParts,
): ServerStatus {
  const asking = { sender, clock, limits }
  const hostOf = (host: AskedHost) => modelHost(host, nextId())
  return {
    startedMs: clock.wallMs(),
    version: program.version,
    running: async () => inFlight.count + (await others.running()),
    stop: async (request) =>
      inFlight.stopRequest(request, stoppedFromConsole()) || (await others.stop(request)),
    draining: () => draining.begun,
    reload,
    memoryBytes,
    eventLoopDelayMs: () => pressure.readings.eventLoopDelayMs,
    listHostModels: (host) => listHostModels(asking, connectorOfUpstream(host), hostOf(host)),
    testCredential: (host) => testCredential(asking, connectorOfUpstream(host), hostOf(host)),
    findPaths: (host) => findHostPaths(asking, connectorOfUpstream(host), hostOf(host)),
    downloadText: (url) => downloadText(asking, url),
    pathsOf,
    checkedHost: new LastCheckedHost(clock),
    ledgerReport: watch.report,
  }
}

function memoryBytes(): number {
  return process.memoryUsage.rss()
}

export function stoppedFromConsole(): TollgateError {
  return new TollgateError('request_stopped', { message: 'The request was stopped from the console.' })
}

/** Time to download a price list. */
const priceListMs = 30_000

interface DownloadDeps {
  readonly sender: Pick<Sender, 'send'>
  readonly clock: Clock
  readonly limits: { readonly priceListBytesMax: number }
}

/** Never throws for what the host does. */
function downloadText({ sender, clock, limits }: DownloadDeps, url: URL): Promise<DownloadedText> {
  return new Promise((resolve) => {
    const headers = ['accept', 'application/json', 'accept-encoding', 'identity', 'user-agent', 'tollgate']
    const path = `${url.pathname}${url.search}`
    const exchange = sender.send({ origin: url.origin, method: 'GET', path, headers, body: [] })
    const chunks: Uint8Array[] = []
    let length = 0
    const timer = clock.after(priceListMs, () => stop('The download took too long.'))
    const finish = (result: DownloadedText): void => {
      timer.cancel()
      resolve(result)
    }
    const stop = (message: string): void => {
      exchange.abort()
      finish({ kind: 'failed', message })
    }
    exchange.listen({
      head(status) {
        const problem = headProblem(status)
        if (problem !== undefined) stop(problem)
      },
      chunk(bytes) {
        length += bytes.length
        if (length <= limits.priceListBytesMax) chunks.push(bytes)
        else stop(`The list is larger than ${limits.priceListBytesMax} bytes.`)
      },
      end: () => finish({ kind: 'text', text: Buffer.concat(chunks).toString('utf8') }),
      failed: ({ kind }) => finish({ kind: 'failed', message: failures[kind] }),
    })
  })
}

function headProblem(status: number): string | undefined {
  if (status >= 300 && status < 400) {
    return `The URL redirects (HTTP ${status}), which is not followed. Enter the final URL.`
  }
  return status === 200 ? undefined : `The host did not return the list (HTTP ${status}).`
}

const failures: Readonly<Record<SendFailure['kind'], string>> = {
  refused: 'Could not connect to this URL.',
  connect_timeout: 'Could not connect to this URL.',
  dns: 'Host name not found.',
  tls: "The host's certificate is not valid.",
  reset: 'The host closed the connection.',
  aborted: 'The server is shutting down.',
  protocol: 'The server at this URL does not speak HTTP.',
  credential: 'The request could not be authorized.',
}
