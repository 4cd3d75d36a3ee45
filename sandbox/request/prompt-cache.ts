/**
 * Remembers which prompt prefixes were cached and until when, and splits an input into read, written and
 * uncached tokens the way the Messages API reports them. Bounded; the oldest use is forgotten first.
 */
import { createHash } from 'node:crypto'
import type { Clock } from '../../src/base/clock.ts'
import type { InputUsage } from '../script/script.ts'
import type { PromptCacheLifetime, Segment } from './normalized-request.ts'

const lifetimeMs: Readonly<Record<PromptCacheLifetime, number>> = { '5m': 300_000, '1h': 3_600_000 }

interface PromptCache {
  /** Charges `segments` for `model`: looks up the longest cached prefix and caches the marked ones. */
  charge(model: string, segments: readonly Segment[]): InputUsage
}

/** The hash of every prefix, each built on the one before. */
function prefixHashes(model: string, segments: readonly Segment[]): readonly string[] {
  let previous = model
  return segments.map(({ identity }) => {
    previous = createHash('sha256').update(previous).update('\0').update(identity).digest('hex')
    return previous
  })
}

function tokensOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { tokens }) => sum + tokens, 0)
}

export function promptCache(clock: Clock, entriesMax: number): PromptCache {
  // The order of insertion is the order of use.
  const expiresAtMs = new Map<string, number>()

  function remember(hash: string, lifetime: PromptCacheLifetime): void {
    expiresAtMs.delete(hash)
    expiresAtMs.set(hash, clock.monoMs() + lifetimeMs[lifetime])
    const [oldest] = expiresAtMs.keys()
    if (expiresAtMs.size > entriesMax && oldest !== undefined) expiresAtMs.delete(oldest)
  }

  return {
    charge(model, segments) {
      const lastBreakpoint = segments.findLastIndex(({ cacheLifetime }) => cacheLifetime !== null)
      if (lastBreakpoint < 0)
        return { uncached: tokensOf(segments), cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 }

      const cacheable = segments.slice(0, lastBreakpoint + 1)
      const hashes = prefixHashes(model, cacheable)
      const nowMs = clock.monoMs()
      const lastHit = hashes.findLastIndex((hash) => (expiresAtMs.get(hash) ?? 0) > nowMs)
      const written: Record<PromptCacheLifetime, number> = { '5m': 0, '1h': 0 }
      let sinceBreakpoint = 0
      for (const [index, { tokens, cacheLifetime }] of cacheable.entries()) {
        if (index > lastHit) sinceBreakpoint += tokens
        if (cacheLifetime === null) continue
        written[cacheLifetime] += sinceBreakpoint
        sinceBreakpoint = 0
        remember(hashes[index]!, cacheLifetime)
      }
      return {
        uncached: tokensOf(segments.slice(lastBreakpoint + 1)),
        cacheRead: tokensOf(cacheable.slice(0, lastHit + 1)),
        cacheWrite5m: written['5m'],
        cacheWrite1h: written['1h'],
      }
    },
  }
}
