/**
 * Who is signed in, remembered for a few seconds, so that a page with many questions reads its session once. Forgets all
 * of them whenever any changes; judges nothing but the signature of a cookie.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../../base/clock.ts'
import type { SignedIn } from '../types.ts'
import { hashToken, sessionTokenOf } from './session-token.ts'

export interface SessionCacheLimits {
  readonly sessionCachedMs: number
  readonly sessionsCachedMax: number
}

export interface SessionCacheDeps {
  readonly clock: Clock
  readonly limits: SessionCacheLimits
  /** Signs cookies. */
  readonly secret: string
  /** Where people reach the server. */
  readonly address: () => string
  /** Reads the session whose token has this hash. */
  readonly read: (hash: string) => Promise<SignedIn | null>
}

export interface SessionCache {
  /** null: nobody is signed in. */
  signedIn(headers: Pick<IncomingHttpHeaders, 'cookie'>): Promise<SignedIn | null>
  forget(): void
}

interface Kept {
  readonly untilMs: number
  readonly signedIn: SignedIn | null
}

export function openSessionCache(parts: SessionCacheDeps): SessionCache {
  const { clock, limits, secret, address, read } = parts
  const kept = new Map<string, Kept>()
  // What was read before something changed must not be kept after it.
  let generation = 0
  return {
    async signedIn(headers) {
      const presented = sessionTokenOf(headers, { address: address(), secret })
      if (presented === undefined) return null
      const hash = hashToken(presented)
      const known = kept.get(hash)
      if (known !== undefined && clock.monoMs() < known.untilMs) return known.signedIn
      kept.delete(hash)
      const begun = generation
      const signedIn = await read(hash)
      if (begun === generation) {
        kept.set(hash, { untilMs: clock.monoMs() + limits.sessionCachedMs, signedIn })
        for (const oldest of kept.keys()) {
          if (kept.size <= limits.sessionsCachedMax) break
          kept.delete(oldest)
        }
      }
      return signedIn
    },
    forget() {
      generation += 1
      kept.clear()
    },
  }
}
