/**
 * Results of tools as Messages blocks. Throws WireError naming media that the model does not accept.
 */

import type { JsonOut } from '../json/text.ts'
import type { Capabilities } from '../translation/capabilities.ts'
import type { ResultPart } from '../translation/neutral.ts'
import { untranslatable } from '../translation/policy.ts'
import type { AdjustmentList } from './encode-request-adjustments.ts'
import type { CacheBreakpoints } from './encode-request-cache.ts'
import { type Block, mediaBlock } from './encode-request-parts.ts'
import { Blocks } from './encode-request-texts.ts'

export interface ResultOptions {
  readonly capabilities: Capabilities
  readonly breakpoints: CacheBreakpoints
  readonly adjusted: AdjustmentList
}

/** A result under the id of its call. */
export function resultBlock(result: ResultPart, id: string, options: ResultOptions): Block {
  return {
    type: 'tool_result',
    tool_use_id: id,
    content: resultContent(result, options),
    is_error: result.isError ? true : undefined,
    cache_control: options.breakpoints.of(result),
  }
}

function resultContent(result: ResultPart, { capabilities, adjusted }: ResultOptions): JsonOut | undefined {
  const blocks = new Blocks()
  if (result.json !== null) blocks.addText(result.json)
  for (const part of result.content) {
    if (part.kind === 'text') blocks.addText(part.text)
    else if (capabilities.resultMedia) blocks.add(mediaBlock(part, capabilities))
    else throw untranslatable(part.pointer, 'tool results must be text')
  }
  if (blocks.lostBlank) adjusted.adapted(result.pointer, 'a whitespace-only result becomes empty')
  const [only] = blocks.list
  if (only === undefined) return undefined
  return blocks.list.length === 1 && only.type === 'text' ? only.text : blocks.list
}
