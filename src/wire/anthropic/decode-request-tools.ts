/**
 * Tools of a Messages request: the caller's own, and those that run at the provider. A tool that the caller runs
 * with a schema that only Claude has is rejected. Must not look into schemas.
 */

import type { View } from '../json/view.ts'
import type { CacheLifetime, Conversation, ProviderTool, Tool, ToolChoice } from '../translation/neutral.ts'
import { untranslatable } from '../translation/policy.ts'
import type { MessagesFieldList } from './decode-request-fields.ts'
import { cacheOf } from './decode-request-parts.ts'
import { callerTools, meters } from './request-price-table.ts'

const custom = 'custom'
/** Tool fields that no other format has. */
const toolFields = ['defer_loading', 'input_examples', 'allowed_callers', 'eager_input_streaming']
const searchFields = ['allowed_domains', 'blocked_domains', 'user_location', 'max_content_tokens']

export class MessagesToolDecoder {
  readonly tools: Tool[] = []
  readonly providerTools: ProviderTool[] = []
  private readonly fields: MessagesFieldList
  private readonly integerMax: number

  constructor(fields: MessagesFieldList, integerMax: number) {
    this.fields = fields
    this.integerMax = integerMax
  }

  readAll(tools: View | undefined): void {
    for (const tool of tools?.items() ?? []) this.read(tool)
  }

  read(tool: View): void {
    const type = tool.get('type')?.text() ?? custom
    const undated = type.replace(/_\d{8}$/, '')
    if (undated === custom) this.readOwn(tool)
    else if (callerTools.includes(undated)) throw untranslatable(tool.pointer, `only Claude supports ${type}`)
    else this.readProviders(tool, undated)
  }

  private readOwn(tool: View): void {
    const name = tool.get('name')
    if (name === undefined) throw tool.invalid('a tool with a name')
    this.note(tool, toolFields)
    this.tools.push({
      name: name.text(),
      namespace: null,
      description: tool.get('description')?.text() ?? null,
      form: 'json',
      schema: tool.get('input_schema')?.raw ?? null,
      format: null,
      strict: tool.get('strict')?.flag() ?? null,
      cache: this.cache(tool),
      pointer: tool.pointer,
    })
  }

  private readProviders(tool: View, undated: string): void {
    this.note(tool, searchFields)
    this.cache(tool)
    this.providerTools.push({
      name: Object.hasOwn(meters, undated) ? (meters[undated] ?? undated) : undated,
      usesMax: tool.get('max_uses')?.integer(0, this.integerMax) ?? null,
      pointer: tool.pointer,
    })
  }

  private cache(tool: View): CacheLifetime | null {
    return cacheOf(tool, 'tools[].cache_control', this.fields)
  }

  private note(tool: View, names: readonly string[]): void {
    for (const name of names) {
      const value = tool.get(name)
      if (value !== undefined && value.kind !== 'false') this.fields.note(`tools[].${name}`, value.pointer)
    }
  }
}

const kinds: Readonly<Record<string, 'auto' | 'none' | 'required' | 'validated'>> = {
  auto: 'auto',
  none: 'none',
  any: 'required',
  validated: 'validated',
}

export function choiceOf(choice: View | undefined): Pick<Conversation, 'toolChoice' | 'parallelCalls'> {
  if (choice === undefined) return { toolChoice: null, parallelCalls: null }
  const isSerial = choice.get('disable_parallel_tool_use')?.flag() ?? false
  return { toolChoice: kindOf(choice), parallelCalls: isSerial ? false : null }
}

function kindOf(choice: View): ToolChoice {
  const type = choice.get('type')?.text() ?? ''
  const name = choice.get('name')
  if (type === 'tool' && name !== undefined) return { kind: 'one', name: name.text(), namespace: null }
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined
  if (kind === undefined) throw choice.invalid('of type auto, any, tool (with its name) or none')
  return { kind }
}
