/** Messages between the main thread and other data plane threads. Types only. */
import type { Change } from '../base/changes.ts'
import type { Config } from '../config/config.ts'
import type { ServingChange } from '../config/reloading.ts'
import type { MetricValues } from '../gateway/observation/metrics.ts'
import type { StorePorts } from '../store/store.ts'

/** Startup data of a thread. */
export interface DataPlaneSetup {
  /** Without the address of the collector, which is not a plain value. */
  readonly config: Config
  readonly collector: string | null
  /** 2 for the first one: the main thread is 1. */
  readonly thread: number
  readonly logLevel: string
  readonly ports: StorePorts
  /** Where all threads count the requests of upstreams. */
  readonly upstreamMemory: SharedArrayBuffer
  readonly sandboxOrigin: string | null
  /** Where the main thread listens for what only it serves. */
  readonly mainSocket: string
  /** The public URL. */
  readonly address: string
  readonly port: number
}

/** Requests from the main thread. */
export interface DataPlaneRequests {
  /** The start is over: the load of the event loop counts from now on. */
  begin(): void
  /** The number of requests with a hold. */
  running(): number
  /** Stops a request with a hold; false: it is not in flight here. */
  stop(request: bigint): boolean
  metrics(): Promise<MetricValues>
  /** Reports changes of the account from now on, or no longer. */
  watch(account: bigint, isWatched: boolean): void
  /** Takes over what was reloaded; rejects where it cannot, and nothing changed then. */
  reload(change: ServingChange): Promise<void>
  /** Takes no more connections, closes idle ones after `idleMs`; answered when no request is left. */
  drain(idleMs: number): Promise<void>
  stopRequests(): void
  /** Part of every thread that is closed in order. */
  close(): Promise<void>
}

/** Notifications to the main thread. */
export interface DataPlaneNotices {
  /** Writes a log line of JSON. */
  writeLog(line: string): void
  /** Reports a change of a watched account. */
  changed(account: bigint, change: Change): void
}
