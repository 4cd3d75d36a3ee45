/**
 * Caches authenticated sessions for a few seconds, so that a page with many requests reads its session once. Any change
 * clears the cache. Verifies only the cookie's signature itself.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../../base/clock.ts'
import type { AuthenticatedSession } from '../types.ts'
import { hashToken, sessionTokenOf } from './session-token.ts'

const sessionsCachedMax = 10_000

export interface SessionCacheLimits {
  readonly sessionCachedMs: number
}

export interface SessionCacheDeps {
  readonly clock: Clock
  readonly limits: SessionCacheLimits
  /** Signs cookies. */
  readonly secret: string
  /** The public URL. */
  readonly address: () => string
  /** Reads the session whose token has this hash. */
  readonly read: (hash: string) => Promise<AuthenticatedSession | null>
}

export interface SessionCache {
  /** null: not signed in. */
  authenticate(headers: Pick<IncomingHttpHeaders, 'cookie'>): Promise<AuthenticatedSession | null>
  clear(): void
}

interface CachedSession {
  readonly untilMs: number
  readonly session: AuthenticatedSession | null
}

/** A bounded cache; the oldest entry is evicted first. */
export function openSessionCache(deps: SessionCacheDeps): SessionCache {
  const { clock, limits, secret, address, read } = deps
  const cached = new Map<string, CachedSession>()
  // A session that was read before a change must not be cached after it.
  let generation = 0
  return {
    async authenticate(headers) {
      const presented = sessionTokenOf(headers, { address: address(), secret })
      if (presented === undefined) return null
      const hash = hashToken(presented)
      const known = cached.get(hash)
      if (known !== undefined && clock.monoMs() < known.untilMs) return known.session
      cached.delete(hash)
      const startGeneration = generation
      const session = await read(hash)
      if (startGeneration === generation) {
        cached.set(hash, { untilMs: clock.monoMs() + limits.sessionCachedMs, session })
        for (const oldest of cached.keys()) {
          if (cached.size <= sessionsCachedMax) break
          cached.delete(oldest)
        }
      }
      return session
    },
    clear() {
      generation += 1
      cached.clear()
    },
  }
}
