/**
 * Which of the caller's cache markers go upstream: the API accepts four, and no 1-hour marker after a 5-minute
 * one. Markers are not part of the cached content, so moving them breaks no prefix:
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching. Must not add a marker.
 */
import type { CacheLifetime, ConversationPart, TextPart, Tool } from '../translation/neutral.ts'
import type { AdjustmentList } from './encode-request-adjustments.ts'

const breakpointsMax = 4
/** Breakpoints reserved for tools and instructions; the conversation gets the rest. */
const headMarksMax = 2

export interface CacheControl {
  readonly type: 'ephemeral'
  readonly ttl?: '1h'
  readonly [name: string]: string
}

export const fiveMinutes: CacheControl = { type: 'ephemeral' }
const oneHour: CacheControl = { type: 'ephemeral', ttl: '1h' }

type Cacheable = Tool | ConversationPart

/** The marks that go upstream, by what they mark. */
export class CacheBreakpoints {
  private readonly lifetimes: ReadonlyMap<Cacheable, CacheLifetime>

  constructor(lifetimes: ReadonlyMap<Cacheable, CacheLifetime>) {
    this.lifetimes = lifetimes
  }

  /** The member that marks a block, undefined where it has no mark. */
  of(part: Cacheable): CacheControl | undefined {
    const lifetime = this.lifetimes.get(part)
    if (lifetime === undefined) return undefined
    return lifetime === '1h' ? oneHour : fiveMinutes
  }
}

export const noBreakpoints = new CacheBreakpoints(new Map())

/**
 * Chooses at most four breakpoints: of more, the last two of tools and instructions and the last ones of
 * the conversation, which cover the longest prefix. `head` and `tail` are in the order of the prompt.
 */
export function chooseBreakpoints(
  head: readonly (Tool | TextPart)[],
  tail: readonly ConversationPart[],
  adjusted: AdjustmentList,
): CacheBreakpoints {
  const headParts = head.filter((part) => lifetimeOf(part) !== null)
  const tailParts = tail.filter((part) => lifetimeOf(part) !== null)
  const count = headParts.length + tailParts.length
  const tailCount = Math.min(tailParts.length, breakpointsMax - Math.min(headParts.length, headMarksMax))
  const headCount = Math.min(headParts.length, breakpointsMax - tailCount)
  if (headCount + tailCount < count)
    adjusted.dropped('cache_control', `at most ${breakpointsMax} cache breakpoints are supported`)
  const lifetimes = new Map<Cacheable, CacheLifetime>()
  let isShort = false
  for (const part of [...lastOf(headParts, headCount), ...lastOf(tailParts, tailCount)]) {
    const lifetime = lifetimeOf(part) ?? '5m'
    if (isShort && lifetime === '1h') adjusted.adapted('cache_control', 'no hour after five minutes')
    isShort ||= lifetime === '5m'
    lifetimes.set(part, isShort ? '5m' : lifetime)
  }
  return new CacheBreakpoints(lifetimes)
}

/** Whether the caller marked anything at all. */
export function hasBreakpoints(parts: readonly (Tool | ConversationPart)[]): boolean {
  return parts.some((part) => lifetimeOf(part) !== null)
}

function lastOf<Value>(values: readonly Value[], count: number): readonly Value[] {
  return values.slice(values.length - count)
}

/** A mark inside a result counts for the result. */
function lifetimeOf(part: Cacheable): CacheLifetime | null {
  if (!('cache' in part)) return null
  if (part.cache !== null || !('kind' in part) || part.kind !== 'result') return part.cache
  return part.content.find(({ cache }) => cache !== null)?.cache ?? null
}
