/**
 * The further threads of the data plane, as the main thread sees them: started together, asked together, ended together. One
 * that ends on its own ends the process, as a failure in the main thread does: the next start closes what it left open.
 */
import { TollgateError } from '../base/errors.ts'
import { type Log, writeAgain } from '../base/log.ts'
import type { Config } from '../config/config.ts'
import type { ServingChange } from '../config/reloading.ts'
import type { MetricValues } from '../gateway/observation/metrics.ts'
import { type OpenThread, openThread, servingMemory } from '../threads/thread.ts'
import type { DataPlaneNotices, DataPlaneRequests, DataPlaneSetup } from './serving-messages.ts'
import type { DataPlaneServices } from './serving-services.ts'
import { threadEntries } from './thread-entries.ts'

export interface DataPlaneThreads {
  begin(): void
  running(): Promise<number>
  stop(request: bigint): Promise<boolean>
  metrics(): Promise<readonly MetricValues[]>
  /** Rejects where one cannot. */
  reload(change: ServingChange): Promise<unknown>
  drain(idleMs: number): Promise<void>
  stopRequests(): void
  close(): Promise<void>
}

export interface StartThreadsOptions
  extends Omit<DataPlaneSetup, 'config' | 'collector' | 'thread' | 'logLevel' | 'ports' | 'upstreamMemory'> {
  readonly config: Config
  readonly log: Log
  readonly services: Pick<DataPlaneServices, 'store' | 'changes' | 'upstreamMemory'>
  /** A thread ended: the process must end. */
  readonly onLost: (error: Error) => void
}

type DataPlaneThread = OpenThread<DataPlaneRequests>

/** Resolves when all listen. If one cannot start, ends the others and rejects. */
export async function startDataPlaneThreads(options: StartThreadsOptions): Promise<DataPlaneThreads> {
  const { services } = options
  const threads: DataPlaneThread[] = []
  const started = await Promise.allSettled(
    services.store.ports.map(async (ports, index) => {
      threads.push(await start(options, { ...setupOf(options), ports, thread: index + 2 }))
    }),
  )
  const all = threadsAsOne(threads)
  for (const one of started) {
    if (one.status === 'fulfilled') continue
    await all.close()
    throw one.reason
  }
  services.changes.onWatched((account, isWatched) => {
    for (const { notify } of threads) notify('watch', account, isWatched)
  })
  return all
}

function setupOf({ config, log, services: { upstreamMemory }, onLost: _, ...rest }: StartThreadsOptions) {
  const { telemetry } = config
  return {
    ...rest,
    upstreamMemory,
    config: telemetry === null ? config : { ...config, telemetry: { ...telemetry, endpoint: null as never } },
    collector: telemetry?.endpoint.href ?? null,
    logLevel: log.level,
  }
}

async function start(
  { config, log, services, onLost }: StartThreadsOptions,
  setup: DataPlaneSetup,
): Promise<DataPlaneThread> {
  const notices: DataPlaneNotices = {
    writeLog: (line) => writeAgain(log, line),
    changed: (account, { topics, request }) => services.changes.publish(account, topics, request),
  }
  const opened = await openThread<DataPlaneRequests>({
    ...{ entry: threadEntries.dataPlane, name: `data plane ${setup.thread}`, setup },
    memory: servingMemory,
    moved: [setup.ports.writer, setup.ports.reader],
    handlers: { ...notices },
    waitingMax: config.limits.operationsQueuedMax,
    lostError: threadEnded,
    onLost,
  })
  if (opened.kind === 'rejected') throw new Error(`thread ${setup.thread}: ${opened.message}`)
  return opened.thread
}

function threadsAsOne(threads: readonly DataPlaneThread[]): DataPlaneThreads {
  const all = <Reply>(ask: (thread: DataPlaneThread) => Promise<Reply>): Promise<Reply[]> =>
    Promise.all(threads.map(ask))
  return {
    begin() {
      for (const { notify } of threads) notify('begin')
    },
    async running() {
      return (await all(({ call }) => call('running'))).reduce((sum, count) => sum + count, 0)
    },
    stop: async (request) => (await all(({ call }) => call('stop', request))).includes(true),
    metrics: () => all(({ call }) => call('metrics')),
    reload: (change) => all(({ call }) => call('reload', change)),
    async drain(idleMs) {
      // Threads that ended have nothing left to wait for.
      await Promise.allSettled(threads.map(({ call }) => call('drain', idleMs)))
    },
    stopRequests() {
      for (const { notify } of threads) notify('stopRequests')
    },
    async close() {
      await Promise.allSettled(threads.map(({ close }) => close()))
    },
  }
}

/** With one thread there are no others. */
export const noThreads = threadsAsOne([])

function threadEnded(reason: string): TollgateError {
  return new TollgateError('internal', { message: 'A thread of this server ended.', detail: reason })
}
