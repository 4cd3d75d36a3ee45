/**
 * A conversation as a Messages request. What a prompt cache matches comes first: model, tools, instructions,
 * messages; then every setting. Pure and deterministic: the next turn's body begins with this one's bytes,
 * without which Claude's newer models reject their own reasoning.
 */

import type { AutomaticCaching } from '../../../contract/values.ts'
import { type JsonOut, jsonText, RawJson } from '../json/text.ts'
import { jsonInstruction } from '../translation/emulation.ts'
import type {
  Conversation,
  ConversationTurn,
  EncodedRequest,
  TextPart,
  Tool,
  ToolChoice,
  TranslationTarget,
} from '../translation/neutral.ts'
import { untranslatable } from '../translation/policy.ts'
import { anthropicNames, NamedTools } from '../translation/tool-names.ts'
import { leadingSystemCount } from '../translation/turns.ts'
import { AdjustmentList } from './encode-request-adjustments.ts'
import {
  type CacheBreakpoints,
  chooseBreakpoints,
  fiveMinutes,
  hasBreakpoints,
  noBreakpoints,
} from './encode-request-cache.ts'
import { type ForcedToolPlan, planForcedTool } from './encode-request-forced-tools.ts'
import { type WrittenMessages, writeMessages } from './encode-request-messages.ts'
import { isBlank, textBlock } from './encode-request-parts.ts'
import {
  bindingHeaders,
  canBind,
  formatBlock,
  isThinking,
  metadataOf,
  samplingFields,
  stopsOf,
  type ThinkingPlan,
  thinkingPlan,
  withBinding,
  withoutThinking,
} from './encode-request-settings.ts'
import { Blocks } from './encode-request-texts.ts'
import { choiceBlock, isForced, offeredTools, toolBlocks } from './encode-request-tools.ts'

/** Throws WireError; see `UpstreamCodec.encodeRequest`. */
export function encodeRequest(original: Conversation, target: TranslationTarget): EncodedRequest {
  const { model, capabilities, automaticCaching = 'conversations' } = target
  const adjusted = new AdjustmentList()
  const names = new NamedTools(anthropicNames)
  const { instructions, turns } = split(original.turns, adjusted)
  const offered = offeredTools(original)
  const forcing = planForcedTool(original, offered, {
    capabilities,
    forcedTools: target.forcedTools ?? 'adapt',
    isFree: original.format === null && original.turns.at(-1)?.role !== 'assistant',
  })
  const conversation = unforced(original, forcing, adjusted)
  const parts = turns.flatMap((turn) => turn.parts)
  const isMarked = hasBreakpoints([...offered, ...instructions, ...parts])
  if (isMarked && !capabilities.cacheBreakpoints)
    adjusted.dropped('cache_control', 'the model does not support cache breakpoints')
  const breakpoints = capabilities.cacheBreakpoints
    ? chooseBreakpoints([...offered, ...instructions], parts, adjusted)
    : noBreakpoints
  const options = { capabilities, names, breakpoints, adjusted }
  const tools = toolBlocks(conversation, offered, options)
  const outputLimit = limitOf(conversation, capabilities.outputTokensMax, adjusted)
  const planned = thinkingPlan(conversation.reasoning, capabilities, outputLimit, adjusted)
  const keepsThoughts = !capabilities.bindsThinking || canBind(planned)
  const hasInstructions = instructions.some((part) => !isBlank(part.text))
  const written = writeMessages(turns, { ...options, keepsThoughts, hasInstructions })
  const plan = allowed(planned, written, conversation, adjusted)
  const isBound = capabilities.bindsThinking && written.hasThoughts
  const { thinking, effort } = isBound ? withBinding(plan) : plan
  const format =
    forcing.kind === 'schema'
      ? forcing.format
      : formatBlock(conversation.format, capabilities, tools.length > 0, adjusted)
  if (format !== undefined && written.isPrefilled) {
    throw untranslatable('response_format', 'a schema cannot be combined with a prefilled response')
  }
  const stops = stopsOf(conversation, capabilities, adjusted)
  const sampling = samplingFields(conversation.sampling, capabilities, isThinking(plan), adjusted)
  const isWanted = cachesItself[automaticCaching](written)
  const isCached = !isMarked && capabilities.cacheBreakpoints && isWanted
  if (isCached) adjusted.added('cache_control', 'multi-turn conversations are cached')
  const text = jsonText({
    model,
    tools: tools.length > 0 ? tools : undefined,
    system: systemOf(conversation, instructions, breakpoints, adjusted),
    messages: written.messages,
    max_tokens: outputLimit,
    thinking: thinking ?? undefined,
    output_config:
      effort === null && format === undefined ? undefined : { effort: effort ?? undefined, format },
    ...numerals(sampling),
    stop_sequences: stops.sent.length > 0 ? stops.sent : undefined,
    tool_choice: choiceBlock(conversation, tools, options),
    metadata: metadataOf(conversation, adjusted),
    cache_control: isCached ? automatic : undefined,
    stream: conversation.stream ? true : undefined,
  })
  const headers = isBound ? bindingHeaders : {}
  const callOf = forcing.kind === 'schema' ? nameOf(forcing.tool, names) : null
  const isEmulated = callOf !== null || stops.emulated.length > 0
  const emulation = isEmulated ? { callOf, stops: stops.emulated } : undefined
  return { text, adjusted: adjusted.list, names: names.names, headers, emulation }
}

function nameOf({ name, namespace, form }: Tool, names: NamedTools): string {
  return names.name(name, namespace, form === 'text')
}

/** The same without a choice that the model cannot be forced to. */
function unforced(
  conversation: Conversation,
  forcing: ForcedToolPlan,
  adjusted: AdjustmentList,
): Conversation {
  switch (forcing.kind) {
    case 'as_asked':
      return conversation
    case 'auto':
      adjusted.adapted('tool_choice', 'auto: the model does not support forced tool calls')
      return { ...conversation, toolChoice: freed(conversation.toolChoice) }
    case 'schema':
      adjusted.adapted('tool_choice', 'the tool input is requested as structured output')
      return { ...conversation, toolChoice: { kind: 'none' }, parallelCalls: null }
  }
}

/** The same tools to choose from. */
function freed(choice: ToolChoice | null): ToolChoice {
  return choice?.kind === 'some' ? { ...choice, required: false } : { kind: 'auto' }
}

/**
 * Where the native provider caches prompts automatically, the caller sets no markers and still expects it.
 * Writing costs a quarter more than reading uncached, and a hit a tenth: so only what is likely to repeat is
 * cached, which is a request that continues after an earlier response or a tool result.
 */
const automatic = fiveMinutes

const cachesItself: Readonly<Record<AutomaticCaching, (written: WrittenMessages) => boolean>> = {
  conversations: ({ userTurns }) => userTurns > 1,
  always: () => true,
  never: () => false,
}

function numerals(fields: Readonly<Record<string, string>>): Record<string, JsonOut> {
  return Object.fromEntries(Object.entries(fields).map(([name, digits]) => [name, new RawJson(digits)]))
}

/** The instructions at the beginning, and the turns after them. */
function split(
  all: readonly ConversationTurn[],
  adjusted: AdjustmentList,
): { instructions: readonly TextPart[]; turns: readonly ConversationTurn[] } {
  const count = leadingSystemCount(all)
  const instructions: TextPart[] = []
  for (const part of all.slice(0, count).flatMap(({ parts }) => parts)) {
    if (part.kind === 'text') instructions.push(part)
    if (part.kind === 'media') throw untranslatable(part.pointer, 'instructions must be text')
    if (part.kind === 'other') adjusted.dropped(part.pointer, `${part.type} is not supported by the model`)
  }
  return { instructions, turns: all.slice(count) }
}

/** The limit that the format demands: the caller's, else all that the model can give. */
function limitOf({ outputLimit }: Conversation, outputTokensMax: number, adjusted: AdjustmentList): number {
  if (outputLimit === null || outputLimit === outputTokensMax) return outputTokensMax
  if (outputLimit > outputTokensMax) adjusted.adapted('max_tokens', `at most ${outputTokensMax}`)
  // 0 would mean to warm the cache and to say nothing.
  return Math.max(1, Math.min(outputLimit, outputTokensMax))
}

/** Budgeted thinking goes neither with a forced tool nor with a tool loop or an answer that began without it. */
function allowed(
  plan: ThinkingPlan,
  { loopLacksThought, isPrefilled }: WrittenMessages,
  { toolChoice, tools }: Conversation,
  adjusted: AdjustmentList,
): ThinkingPlan {
  if (plan.thinking?.type !== 'enabled') return plan
  if (loopLacksThought) return withoutThinking(adjusted, 'the current tool loop started without reasoning')
  if (isPrefilled) return withoutThinking(adjusted, 'the response was prefilled without reasoning')
  if (isForced(toolChoice) && tools.length > 0) {
    return withoutThinking(adjusted, 'a forced tool call cannot be combined with reasoning')
  }
  return plan
}

/** A text where there is one instruction without a mark, blocks where there are more. */
function systemOf(
  { format }: Conversation,
  instructions: readonly TextPart[],
  breakpoints: CacheBreakpoints,
  adjusted: AdjustmentList,
): JsonOut | undefined {
  const texts = new Blocks()
  for (const part of instructions) texts.addText(part.text, breakpoints.of(part))
  if (texts.lostBlank) adjusted.adapted('system', 'a whitespace-only instruction')
  const blocks = texts.list
  if (format?.kind === 'json') {
    adjusted.adapted('response_format', 'an instruction to answer in JSON')
    blocks.push(textBlock(jsonInstruction))
  }
  const [only] = blocks
  if (only === undefined) return undefined
  return blocks.length === 1 && only.cache_control === undefined ? only.text : blocks
}
