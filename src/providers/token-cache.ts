/**
 * Tokens and temporary keys by the credential that they were obtained with: shared by all requests, replaced before they
 * expire, and obtained once for all who wait. Kept in memory alone.
 */
import type { Clock } from '../base/clock.ts'
import type { SecretFields } from '../base/secret-fields.ts'

export interface IssuedSecret {
  readonly fields: SecretFields
  /** Wall clock; null: it does not expire. */
  readonly expiresMs: number | null
}

interface Entry {
  issued: IssuedSecret | null
  /** From then on the next one is obtained. */
  refreshAtMs: number
  /** The request that obtains the next one. */
  pending: Promise<IssuedSecret> | null
}

/** Credentials change while the program runs; the oldest are forgotten. */
const entriesMax = 1_000

export class TokenCache {
  readonly #clock: Clock
  readonly #refreshMs: number
  readonly #entries = new Map<string, Entry>()

  constructor({ clock, limits }: { readonly clock: Clock; readonly limits: { tokenRefreshMs: number } }) {
    this.#clock = clock
    this.#refreshMs = limits.tokenRefreshMs
  }

  /** The current secret of a credential; rejects where none can be obtained and the last one has expired. */
  async get(key: string, obtain: () => Promise<IssuedSecret>): Promise<IssuedSecret> {
    const entry = this.#entryOf(key)
    const { issued } = entry
    if (issued !== null && this.#clock.wallMs() < entry.refreshAtMs) return issued
    entry.pending ??= obtain().finally(() => {
      entry.pending = null
    })
    try {
      const next = await entry.pending
      if (entry.issued !== next) this.#keep(entry, next)
      return next
    } catch (error) {
      // Replacing began early enough that the last one may still be good.
      if (issued !== null && entry.issued === issued && this.#leftMs(issued) > 0) return issued
      throw error
    }
  }

  /** Forgets a secret that was rejected, unless it has been replaced already. */
  discard(key: string, issued: IssuedSecret): void {
    const entry = this.#entries.get(key)
    if (entry?.issued === issued) entry.issued = null
  }

  #keep(entry: Entry, issued: IssuedSecret): void {
    entry.issued = issued
    const leftMs = this.#leftMs(issued)
    // A token that lives shorter than the margin is used for half of its life.
    entry.refreshAtMs = this.#clock.wallMs() + Math.max(leftMs - this.#refreshMs, leftMs / 2)
  }

  #leftMs({ expiresMs }: IssuedSecret): number {
    return expiresMs === null ? Number.POSITIVE_INFINITY : expiresMs - this.#clock.wallMs()
  }

  #entryOf(key: string): Entry {
    const found = this.#entries.get(key)
    if (found !== undefined) return found
    const [oldest] = this.#entries.keys()
    if (this.#entries.size >= entriesMax && oldest !== undefined) this.#entries.delete(oldest)
    const entry: Entry = { issued: null, refreshAtMs: 0, pending: null }
    this.#entries.set(key, entry)
    return entry
  }
}
