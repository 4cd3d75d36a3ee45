/** How a server ends: what listens in its threads side by side, then what they use. */
import type { Listeners } from './listeners.ts'
import type { DataPlane } from './serving.ts'

export interface Shutdown {
  stopRequests(): void
  drain(how?: { readonly noticeMs: number; readonly idleMs: number }): Promise<void>
  close(): Promise<void>
}

interface RunningParts {
  readonly dataPlane: DataPlane
  readonly listeners: Listeners
  readonly services: { close(): Promise<void> }
  readonly sandbox: { close(): Promise<void> } | null
  /** How to stop the background jobs. */
  readonly stops: readonly (() => void)[]
  readonly parts: readonly [
    { readonly streams: { close(): void }; close(): Promise<void> },
    { close(): Promise<void> },
  ]
  /** Lets other servers on the database begin. */
  readonly release: () => Promise<void>
}

/** How a server ends: what listens in its threads side by side, then what they use. */
export function shutdownOf({
  dataPlane,
  listeners: { servers, threads, removeSocket },
  services,
  sandbox,
  stops,
  parts: [pages, admin],
  release,
}: RunningParts): Shutdown {
  const notice = Promise.withResolvers<void>()
  /** Ends early where the server is closed. */
  const pause = async (ms: number): Promise<void> => {
    const timer = dataPlane.deps.clock.after(ms, notice.resolve)
    await notice.promise
    timer.cancel()
  }
  const beginEnd = (): void => {
    for (const stop of stops) stop()
    // Event-stream clients reconnect to a running server; they lose nothing.
    pages.streams.close()
  }
  return {
    stopRequests() {
      dataPlane.stopRequests()
      threads.stopRequests()
    },
    async drain({ noticeMs, idleMs } = { noticeMs: 0, idleMs: 0 }) {
      dataPlane.announceEnd()
      if (noticeMs > 0) await pause(noticeMs)
      beginEnd()
      await Promise.all([dataPlane.drain(servers[0], idleMs), threads.drain(idleMs)])
    },
    async close() {
      notice.resolve()
      beginEnd()
      await Promise.all([dataPlane.closeServers(servers), threads.close()])
      removeSocket()
      await pages.close()
      await admin.close()
      await release()
      await dataPlane.close()
      // A store that is lost cannot be closed; what listens must not keep the process alive for it.
      await services.close().finally(() => sandbox?.close())
    },
  }
}
