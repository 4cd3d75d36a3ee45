/**
 * Tools and the tool choice in the format of Messages. Schemas are inserted as they were written, unless the API
 * would reject them. Must not change the caller's order.
 */

import { jsonText } from '../json/text.ts'
import type { Capabilities } from '../translation/capabilities.ts'
import type { Conversation, ProviderTool, Tool, ToolChoice } from '../translation/neutral.ts'
import { untranslatable } from '../translation/policy.ts'
import type { NamedTools } from '../translation/tool-names.ts'
import type { AdjustmentList } from './encode-request-adjustments.ts'
import type { CacheBreakpoints } from './encode-request-cache.ts'
import type { Block } from './encode-request-parts.ts'
import { freeTextSchema, inputSchema, isStrictSchema } from './encode-request-schema.ts'

/** https://platform.claude.com/docs/en/build-with-claude/structured-outputs (limits) */
const strictToolsMax = 20

/** Types of the provider's tools here, by meter. */
const providerTypes: Readonly<Record<string, string>> = { web_search: 'web_search_20250305' }

export interface ToolOptions {
  readonly capabilities: Capabilities
  readonly names: NamedTools
  readonly breakpoints: CacheBreakpoints
  readonly adjusted: AdjustmentList
}

/** The tools that the caller lets the model use: all, or the ones of its choice. */
export function offeredTools({ tools, toolChoice }: Conversation): readonly Tool[] {
  if (toolChoice?.kind !== 'some') return tools
  const names = new Set(toolChoice.names)
  return tools.filter(({ name }) => names.has(name))
}

function offeredProviderTools(
  { providerTools, toolChoice }: Conversation,
  adjusted: AdjustmentList,
): readonly ProviderTool[] {
  if (toolChoice?.kind !== 'some') return providerTools
  const names = new Set(toolChoice.names)
  return providerTools.filter(({ name, pointer }) => {
    const isAllowed = names.has(name)
    if (!isAllowed) adjusted.dropped(pointer, `${name} is not in the list of allowed tools`)
    return isAllowed
  })
}

/** The caller's tools in its order, then what runs at the provider. */
export function toolBlocks(
  conversation: Conversation,
  offered: readonly Tool[],
  options: ToolOptions,
): readonly Block[] {
  const blocks: Block[] = []
  let strictTools = 0
  for (const tool of offered) {
    const isStrict = canBeStrict(tool, strictTools, options)
    if (isStrict) strictTools += 1
    blocks.push(toolBlock(tool, isStrict, options))
  }
  const usedNames = new Set(blocks.map(({ name }) => name))
  for (const { name, usesMax, pointer } of offeredProviderTools(conversation, options.adjusted)) {
    const type = Object.hasOwn(providerTypes, name) ? providerTypes[name] : undefined
    if (type === undefined || usedNames.has(name))
      options.adjusted.dropped(pointer, `${name} is not available`)
    else blocks.push({ type, name, max_uses: usesMax ?? undefined })
    usedNames.add(name)
  }
  return blocks
}

function canBeStrict(tool: Tool, strictTools: number, { capabilities, adjusted }: ToolOptions): boolean {
  if (tool.strict !== true || tool.schema === null) return false
  const canBe = capabilities.schemaOutput && strictTools < strictToolsMax && isStrictSchema(tool.schema)
  if (!canBe) adjusted.adapted(`${tool.pointer}.strict`, 'the schema is not enforced')
  return canBe
}

function toolBlock(tool: Tool, isStrict: boolean, { names, breakpoints, adjusted }: ToolOptions): Block {
  const isText = tool.form === 'text'
  const schema = isText ? null : inputSchema(tool.schema)
  if (schema?.isChanged === true) adjusted.adapted(tool.pointer, 'tool input must be an object')
  return {
    name: names.name(tool.name, tool.namespace, isText),
    description: isText ? freeTextDescription(tool, adjusted) : (tool.description ?? undefined),
    input_schema: schema?.schema ?? freeTextSchema,
    strict: isStrict ? true : undefined,
    cache_control: breakpoints.of(tool),
  }
}

/** The grammar of free text is written into the description. */
function freeTextDescription(
  { description, format, pointer }: Tool,
  adjusted: AdjustmentList,
): string | undefined {
  if (format === null) return description ?? undefined
  adjusted.adapted(pointer, 'the input format is added to the description')
  return [description ?? '', `The input has this format: ${jsonText(format)}`].join('\n\n').trim()
}

const kinds: Readonly<Record<'auto' | 'none' | 'required' | 'validated', string>> = {
  auto: 'auto',
  validated: 'auto',
  none: 'none',
  required: 'any',
}

/** Whether the model must call a tool. */
export function isForced(choice: ToolChoice | null): boolean {
  if (choice === null) return false
  return choice.kind === 'one' || choice.kind === 'required' || (choice.kind === 'some' && choice.required)
}

/** undefined where there is nothing to choose or nothing was said. */
export function choiceBlock(
  { toolChoice, parallelCalls, tools }: Conversation,
  written: readonly Block[],
  { capabilities, names, adjusted }: ToolOptions,
): Block | undefined {
  if (written.length === 0) return undefined
  const isSerial = parallelCalls === false && capabilities.parallelSwitch
  if (parallelCalls === false && !isSerial) {
    adjusted.dropped('parallel_tool_calls', 'the model decides how many tools to call')
  }
  if (toolChoice === null && !isSerial) return undefined
  if (toolChoice?.kind === 'validated')
    adjusted.adapted('tool_choice', 'treated as auto: only Gemini validates calls')
  const block = blockOf(toolChoice, tools, names)
  if (block.type === 'tool' && !written.some(({ name }) => name === block.name)) {
    throw untranslatable('tool_choice', 'unknown tool')
  }
  return block.type === 'none' || !isSerial ? block : { ...block, disable_parallel_tool_use: true }
}

function blockOf(choice: ToolChoice | null, tools: readonly Tool[], names: NamedTools): Block {
  if (choice === null) return { type: 'auto' }
  switch (choice.kind) {
    case 'some':
      return { type: choice.required ? 'any' : 'auto' }
    case 'one': {
      const { name, namespace } = choice
      const tool = tools.find((one) => one.name === name && one.namespace === namespace)
      return { type: 'tool', name: names.name(name, namespace, tool?.form === 'text') }
    }
    default:
      return { type: kinds[choice.kind] }
  }
}
