/**
 * Which of the caller's cache markers become cache points: of the models that take them, those of instructions and of the user's
 * texts, media and results of tools. https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html, 2026-11. Must not add a marker.
 */
import type { JsonOut } from '../json/text.ts'
import type { Capabilities } from '../translation/capabilities.ts'
import type { Adjustment, CacheLifetime, ConversationPart, ConversationTurn } from '../translation/neutral.ts'

const pointsMax = 4
const cachePoint: JsonOut = { cachePoint: { type: 'default' } }

interface CacheDeps {
  readonly capabilities: Pick<Capabilities, 'cacheBreakpoints'>
  readonly adjust: (adjustment: Adjustment) => void
}

/** Keeps the last four cache points when there are more: they cover the longest prefix. */
export class CachePoints {
  readonly #marked: ReadonlySet<ConversationPart>

  constructor(turns: readonly ConversationTurn[], deps: CacheDeps) {
    this.#marked = new Set(markedParts(turns, deps).slice(-pointsMax))
  }

  /** The cache point to write after the block of a part, if it is marked. */
  behind(part: ConversationPart): readonly JsonOut[] {
    return this.#marked.has(part) ? [cachePoint] : []
  }
}

function markedParts(
  turns: readonly ConversationTurn[],
  { capabilities, adjust }: CacheDeps,
): readonly ConversationPart[] {
  const field = 'cache_control'
  const marked = turns.flatMap((turn) => turn.parts.filter((part) => lifetimeOf(part) !== null))
  if (marked.length === 0) return []
  if (!capabilities.cacheBreakpoints) {
    adjust({ kind: 'dropped', field, why: 'the model does not support cache breakpoints' })
    return []
  }
  const ofAssistant = new Set(turns.filter(({ role }) => role === 'assistant').flatMap(({ parts }) => parts))
  const usable = marked.filter(
    (part) => !ofAssistant.has(part) && ['text', 'media', 'result'].includes(part.kind),
  )
  if (usable.length < marked.length)
    adjust({ kind: 'dropped', field, why: 'only instructions and content of the user can be marked' })
  if (usable.length > pointsMax)
    adjust({ kind: 'dropped', field, why: `at most ${pointsMax} cache breakpoints are supported` })
  if (usable.some((part) => lifetimeOf(part) === '1h'))
    adjust({ kind: 'adapted', field, why: 'cached for five minutes' })
  return usable
}

/** A mark inside a result counts for the result. */
function lifetimeOf(part: ConversationPart): CacheLifetime | null {
  if (!('cache' in part)) return null
  if (part.cache !== null || part.kind !== 'result') return part.cache
  return part.content.find(({ cache }) => cache !== null)?.cache ?? null
}
