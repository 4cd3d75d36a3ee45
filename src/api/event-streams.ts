/**
 * Streams of server-sent events to the watchers of an account: bounded in number, ended when the watcher may no longer
 * watch, when they read too slowly, and when the server stops. Knows no accounts and no HTTP but the response it writes.
 */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { type Changed, changed } from '../../contract/events.ts'
import type { Change } from '../base/changes.ts'
import type { Clock, Timer } from '../base/clock.ts'
import { formatId } from '../base/ids.ts'

/** Unsent bytes of an event stream before it is closed. */
const eventsUnsentBytesMax = 64 * 1024

export interface EventStreamsLimits {
  readonly eventStreamsMax: number
  readonly eventStreamsPerWatcherMax: number
  readonly eventStreamsPerNetworkMax: number
  readonly eventsKeepAliveMs: number
  readonly eventsRecheckMs: number
}

export interface Watcher {
  /** Whose streams are counted together: a person or a management key. */
  readonly name: string
  /** Where they watch from: bounds callers with many names. */
  readonly network: string
  readonly account: bigint
  /** Returns how to stop. */
  readonly watch: (listener: (change: Change) => void) => () => void
  /** Asked now and then; never rejects. */
  readonly isStillAuthorized: () => Promise<boolean>
}

/** `full`: too many streams, of this watcher, from their network or in all. `closed`: the server ends. `gone`: the watcher has left. */
export type StreamOpening = 'open' | 'gone' | 'full' | 'closed'

export class EventStreams {
  readonly #clock: Clock
  readonly #limits: EventStreamsLimits
  readonly #streams = new Set<Stream>()
  readonly #counts = new Map<string, number>()
  #closed = false

  constructor(clock: Clock, limits: EventStreamsLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  get count(): number {
    return this.#streams.size
  }

  /** Begins the answer, unless it rejects; the stream ends with the answer. */
  open(watcher: Watcher, response: ServerResponse, headers: OutgoingHttpHeaders): StreamOpening {
    if (this.#closed) return 'closed'
    // Close was already emitted, so this stream would never be released.
    if (response.closed || response.destroyed) return 'gone'
    const { eventStreamsMax, eventStreamsPerWatcherMax, eventStreamsPerNetworkMax } = this.#limits
    const [name, network] = countedAs(watcher)
    if (this.#streams.size >= eventStreamsMax) return 'full'
    if (this.#count(name) >= eventStreamsPerWatcherMax) return 'full'
    if (this.#count(network) >= eventStreamsPerNetworkMax) return 'full'
    for (const key of [name, network]) this.#counts.set(key, this.#count(key) + 1)
    response.writeHead(200, { ...headers, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
    const stream = new Stream(watcher, response, { clock: this.#clock, limits: this.#limits })
    this.#streams.add(stream)
    response.once('close', () => this.#leave(stream, watcher))
    stream.begin()
    return 'open'
  }

  /** Ends all streams and opens no more; clients ask again elsewhere or later. */
  close(): void {
    this.#closed = true
    for (const stream of [...this.#streams]) stream.end()
  }

  #count(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  #leave(stream: Stream, watcher: Watcher): void {
    stream.forget()
    this.#streams.delete(stream)
    for (const key of countedAs(watcher)) {
      const count = this.#count(key)
      if (count <= 1) this.#counts.delete(key)
      else this.#counts.set(key, count - 1)
    }
  }
}

const countedAs = ({ name, network }: Watcher) => [`watcher ${name}`, `network ${network}`] as const

/** How long a client waits before it asks again after a stream ended. */
const retryMs = 2_000

class Stream {
  readonly #watcher: Watcher
  readonly #response: ServerResponse
  readonly #clock: Clock
  readonly #limits: EventStreamsLimits
  readonly #timers = new Map<'alive' | 'recheck', Timer>()
  #stopWatching: () => void = () => {}
  #ended = false

  constructor(
    watcher: Watcher,
    response: ServerResponse,
    { clock, limits }: { readonly clock: Clock; readonly limits: EventStreamsLimits },
  ) {
    this.#watcher = watcher
    this.#response = response
    this.#clock = clock
    this.#limits = limits
  }

  begin(): void {
    const account = formatId('acct', this.#watcher.account)
    // Subscribed before `ready` is sent, so that no later change is missed.
    this.#stopWatching = this.#watcher.watch((change) => this.#tell(account, change))
    this.#write(`retry: ${retryMs}\nevent: ready\ndata: ${JSON.stringify({ account })}\n\n`)
    this.#keepAlive()
    this.#recheckLater()
  }

  end(): void {
    this.forget()
    this.#response.end()
  }

  /** Nothing is written any more. */
  forget(): void {
    this.#ended = true
    this.#stopWatching()
    for (const timer of this.#timers.values()) timer.cancel()
  }

  #tell(account: string, { topics, request }: Change): void {
    const event: Changed = changed.parse({
      account,
      topics,
      ...(request === null ? {} : { request: formatId('req', request) }),
    })
    this.#write(`event: changed\ndata: ${JSON.stringify(event)}\n\n`)
  }

  #keepAlive(): void {
    this.#after('alive', this.#limits.eventsKeepAliveMs, () => {
      this.#write(':\n\n')
      this.#keepAlive()
    })
  }

  #recheckLater(): void {
    this.#after('recheck', this.#limits.eventsRecheckMs, () => void this.#recheck())
  }

  async #recheck(): Promise<void> {
    const may = await this.#watcher.isStillAuthorized()
    if (this.#ended) return
    if (may) this.#recheckLater()
    else this.end()
  }

  #after(name: 'alive' | 'recheck', delayMs: number, run: () => void): void {
    if (!this.#ended) this.#timers.set(name, this.#clock.after(delayMs, run))
  }

  #write(text: string): void {
    if (this.#ended) return
    this.#response.write(text)
    // A client that does not read is disconnected: it refetches what it missed when it reconnects.
    if (this.#response.writableLength <= eventsUnsentBytesMax) return
    this.forget()
    this.#response.destroy()
  }
}
