/**
 * Shares a connection among all tabs of an account: browsers allow about six per server, and a tab that waits
 * for a seventh looks broken. One tab listens and relays; when it closes, the next takes over.
 */
import type { Changed } from '../../../contract/events.ts'
import { whenThere } from './connection.ts'

export interface Watcher {
  readonly onChanged: (changed: Changed) => void
  /** Disconnected for a while: everything may have changed. */
  readonly onGap: () => void
}

type TabMessage =
  | { readonly kind: 'changed'; readonly changed: Changed }
  | { readonly kind: 'gap' }
  | { readonly kind: 'lost' }

/** Delays between reconnects after each failure; the last one repeats. */
const againMs = [1_000, 2_000, 5_000, 10_000, 30_000] as const

/** Returns the function that stops it. */
export function watchTogether(account: string, watcher: Watcher): () => void {
  const name = `tollgate-events:${account}`
  const channel = new BroadcastChannel(name)
  const stopping = new AbortController()
  const receive = (message: TabMessage): void => {
    if (message.kind === 'changed') watcher.onChanged(message.changed)
    else if (message.kind === 'gap') watcher.onGap()
    else void whenThere()
  }
  const relay = (message: TabMessage): void => {
    receive(message)
    channel.postMessage(message)
  }
  channel.addEventListener('message', (event: MessageEvent<TabMessage>) => receive(event.data))
  const listening = (): Promise<void> => listen(account, { relay, stopping })
  holdLock(name, stopping.signal, listening)
  return () => {
    stopping.abort()
    channel.close()
  }
}

interface Listening {
  readonly relay: (message: TabMessage) => void
  readonly stopping: AbortController
}

/** Resolves when this tab has stopped. */
function listen(account: string, { relay, stopping: { signal } }: Listening): Promise<void> {
  let rejections = 0
  const open = (): void => {
    const source = new EventSource(`/api/events?account=${encodeURIComponent(account)}`)
    const close = (): void => source.close()
    signal.addEventListener('abort', close)
    // The first time too: the page was fetched before the connection was open.
    source.addEventListener('open', () => {
      rejections = 0
      relay({ kind: 'gap' })
    })
    source.addEventListener('changed', (event: MessageEvent<string>) => {
      relay({ kind: 'changed', changed: JSON.parse(event.data) as Changed })
    })
    source.addEventListener('error', () => {
      relay({ kind: 'lost' })
      // Browsers reconnect on their own, but not after a response that is not a stream: an error, or a proxy's.
      if (signal.aborted || source.readyState !== EventSource.CLOSED) return
      signal.removeEventListener('abort', close)
      relay({ kind: 'gap' })
      const timer = setTimeout(open, againMs[Math.min(rejections, againMs.length - 1)])
      rejections += 1
      signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
    })
  }
  open()
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve())
  })
}

/** Browsers have locks on https and loopback; elsewhere each tab listens for itself. */
function holdLock(name: string, signal: AbortSignal, listening: () => Promise<void>): void {
  if (!('locks' in navigator)) {
    void listening()
    return
  }
  void navigator.locks
    .request(name, { ifAvailable: true }, async (lock) => {
      if (lock === null) return 'taken'
      if (!signal.aborted) await listening()
      return 'held'
    })
    .then((outcome) => {
      if (outcome === 'held' || signal.aborted) return
      return navigator.locks.request(name, { signal }, listening)
    })
    .catch((error: unknown) => {
      // A tab that stops while waiting gets an error.
      if (!signal.aborted) throw error
    })
}
