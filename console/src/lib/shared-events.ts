/**
 * One connection for all tabs that watch the same account: browsers allow about six to a server, and a tab that waits for
 * a seventh looks broken. One tab listens and tells the others; when it closes, the next one takes over.
 */
import type { Changed } from '../../../contract/events.ts'

export interface Watcher {
  readonly onChanged: (changed: Changed) => void
  /** Nobody listened for a while: everything may have changed. */
  readonly onGap: () => void
}

type Told = { readonly kind: 'changed'; readonly changed: Changed } | { readonly kind: 'gap' }

/** Returns how to stop. */
export function watchTogether(account: string, watcher: Watcher): () => void {
  const name = `tollgate-events:${account}`
  const channel = new BroadcastChannel(name)
  const stopping = new AbortController()
  const hear = (told: Told): void => {
    if (told.kind === 'gap') watcher.onGap()
    else watcher.onChanged(told.changed)
  }
  const tell = (told: Told): void => {
    hear(told)
    channel.postMessage(told)
  }
  channel.addEventListener('message', (event: MessageEvent<Told>) => hear(event.data))
  const listening = (): Promise<void> => listen(account, { tell, stopping })
  holdLock(name, stopping.signal, listening)
  return () => {
    stopping.abort()
    channel.close()
  }
}

interface Listening {
  readonly tell: (told: Told) => void
  readonly stopping: AbortController
}

/** Resolves when this tab has stopped. */
function listen(account: string, { tell, stopping }: Listening): Promise<void> {
  const source = new EventSource(`/api/events?account=${encodeURIComponent(account)}`)
  // The first time too: what the page shows was asked for before anybody listened.
  source.addEventListener('open', () => tell({ kind: 'gap' }))
  source.addEventListener('changed', (event: MessageEvent<string>) => {
    tell({ kind: 'changed', changed: JSON.parse(event.data) as Changed })
  })
  return new Promise((resolve) => {
    stopping.signal.addEventListener('abort', () => {
      source.close()
      resolve()
    })
  })
}

/** Browsers have locks on https and on this very machine; elsewhere each tab listens for itself. */
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
      // Whoever stops while waiting is told so by an error.
      if (!signal.aborted) throw error
    })
}
