/**
 * One connection for all tabs that watch the same account: browsers allow about six to a server, and a tab that waits for
 * a seventh looks broken. One tab listens and tells the others; when it closes, the next one takes over.
 */
import type { Changed } from '../../../contract/events.ts'
import { whenThere } from './connection.ts'

export interface Watcher {
  readonly onChanged: (changed: Changed) => void
  /** Nobody listened for a while: everything may have changed. */
  readonly onGap: () => void
}

type Told =
  | { readonly kind: 'changed'; readonly changed: Changed }
  | { readonly kind: 'gap' }
  | { readonly kind: 'lost' }

/** How long after each refusal in turn the stream is asked for again; after the last one too. */
const againMs = [1_000, 2_000, 5_000, 10_000, 30_000] as const

/** Returns how to stop. */
export function watchTogether(account: string, watcher: Watcher): () => void {
  const name = `tollgate-events:${account}`
  const channel = new BroadcastChannel(name)
  const stopping = new AbortController()
  const hear = (told: Told): void => {
    if (told.kind === 'changed') watcher.onChanged(told.changed)
    else if (told.kind === 'gap') watcher.onGap()
    else void whenThere()
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
function listen(account: string, { tell, stopping: { signal } }: Listening): Promise<void> {
  let refusals = 0
  const open = (): void => {
    const source = new EventSource(`/api/events?account=${encodeURIComponent(account)}`)
    const close = (): void => source.close()
    signal.addEventListener('abort', close)
    // The first time too: what the page shows was asked for before anybody listened.
    source.addEventListener('open', () => {
      refusals = 0
      tell({ kind: 'gap' })
    })
    source.addEventListener('changed', (event: MessageEvent<string>) => {
      tell({ kind: 'changed', changed: JSON.parse(event.data) as Changed })
    })
    source.addEventListener('error', () => {
      tell({ kind: 'lost' })
      // Browsers connect again by themselves, but not after an answer that is no stream: a refusal, or a proxy's.
      if (signal.aborted || source.readyState !== EventSource.CLOSED) return
      signal.removeEventListener('abort', close)
      tell({ kind: 'gap' })
      const timer = setTimeout(open, againMs[Math.min(refusals, againMs.length - 1)])
      refusals += 1
      signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
    })
  }
  open()
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve())
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
