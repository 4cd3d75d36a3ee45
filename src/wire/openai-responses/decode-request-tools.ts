/**
 * The tools of a Responses request: the caller's own, grouped in namespaces or not, and those that the
 * provider runs. Schemas stay unchanged text. Must not decide which of them another format supports.
 */

import type { View } from '../json/view.ts'
import type { ProviderTool, Tool, ToolChoice } from '../translation/neutral.ts'
import type { ResponsesFieldList } from './decode-request-fields.ts'

/** Undated types of tools at the provider by the names that all formats share. */
const sharedNames: Readonly<Record<string, string>> = {
  web_search_preview: 'web_search',
  code_interpreter: 'code_execution',
}
/** Provider-defined tools that the caller runs. No other format has them, and the caller's agent needs them. */
const callerRunTypes = [
  'local_shell',
  'shell',
  'apply_patch',
  'computer',
  'computer_use',
  'computer_use_preview',
]
/** Four times what OpenAI takes. */
const namespaceCharactersMax = 256
/** Members of a tool that say how it is offered, not what it is. */
const offers = ['defer_loading', 'allowed_callers', 'async', 'output_schema']

/** Collects while lists of tools are read; they are at the top level and in items. */
export class ResponsesToolDecoder {
  readonly tools: Tool[] = []
  readonly providerTools: ProviderTool[] = []
  private readonly fields: ResponsesFieldList
  private readonly usesMax: number | null
  /** A repeated declaration, as tool search returns it, is the same tool. */
  private readonly known = new Set<string>()

  constructor(fields: ResponsesFieldList, usesMax: number | null) {
    this.fields = fields
    this.usesMax = usesMax
  }

  read(tools: View): void {
    for (const tool of tools.items()) this.readTool(tool, null)
  }

  /** The namespace that a call names; none where the tool was declared without, since OpenAI gives added tools their own. */
  namespaceOf(name: string, namespace: string | null): string | null {
    const isPlain = this.known.has(keyOf(null, name)) && !this.known.has(keyOf(namespace, name))
    return isPlain ? null : namespace
  }

  private readTool(tool: View, namespace: string | null): void {
    const type = tool.get('type')?.text() ?? 'function'
    if (type === 'function' || type === 'custom') return this.add(callerTool(tool, namespace, type), tool)
    if (type === 'namespace') return this.readNamespace(tool)
    const undated = type.replace(/_\d{4}_\d{2}_\d{2}$/, '')
    if (undated === 'tool_search' || callerRunTypes.includes(undated)) {
      return this.fields.note(`tools[type=${undated}]`, tool.pointer)
    }
    const name = Object.hasOwn(sharedNames, undated) ? (sharedNames[undated] ?? undated) : undated
    this.providerTools.push({ name, usesMax: this.usesMax, pointer: tool.pointer })
  }

  /** Reads a namespace; its description is attached to its first tool. */
  private readNamespace(group: View): void {
    const name = namespaceName(group.get('name'))
    const first = this.tools.length
    for (const tool of group.get('tools')?.items() ?? []) this.readTool(tool, name)
    const [led] = this.tools.slice(first)
    const about = group.get('description')?.text() ?? ''
    if (led === undefined || about === '') return
    const description = led.description === null ? about : `${about}\n\n${led.description}`
    this.tools[first] = { ...led, description }
  }

  private add(tool: Tool, view: View): void {
    for (const name of offers) {
      const value = view.get(name)
      if (value !== undefined && value.kind !== 'false') this.fields.note(`tools[].${name}`, value.pointer)
    }
    const key = keyOf(tool.namespace, tool.name)
    if (this.known.has(key)) return
    this.known.add(key)
    this.tools.push(tool)
  }
}

/** A namespace becomes part of the name of each of its tools, so a long one would be written as often as it has tools. */
function namespaceName(name: View | undefined): string {
  const text = name?.text() ?? ''
  if (name !== undefined && text.length > namespaceCharactersMax)
    throw name.invalid(`a string of at most ${namespaceCharactersMax} characters`)
  return text
}

function keyOf(namespace: string | null, name: string): string {
  return JSON.stringify([namespace, name])
}

/** Some clients send a function nested, as chat has it. */
function callerTool(tool: View, namespace: string | null, type: 'function' | 'custom'): Tool {
  const named = tool.get(type) ?? tool
  const format = named.get('format')
  const isGrammar = format !== undefined && format.get('type')?.text() !== 'text'
  return {
    name: (named.get('name') ?? named).text(),
    namespace,
    description: named.get('description')?.text() ?? null,
    form: type === 'function' ? 'json' : 'text',
    schema: type === 'function' ? (named.get('parameters')?.raw ?? null) : null,
    format: type === 'custom' && isGrammar ? format.raw : null,
    strict: named.get('strict')?.flag() ?? null,
    cache: null,
    pointer: tool.pointer,
  }
}

/** null also for a choice of the provider's tools, which the given fields name. */
export function readToolChoice(choice: View | undefined, tools: readonly Tool[]): ToolChoice | null {
  if (choice === undefined) return null
  if (choice.isText) {
    const kind = choice.text()
    const isKnown = kind === 'auto' || kind === 'none' || kind === 'required' || kind === 'validated'
    if (isKnown) return { kind }
    throw choice.invalid('auto, none, required, validated or an object')
  }
  const type = choice.get('type')?.text()
  if (type === 'allowed_tools') return allowedTools(choice, tools)
  if (type !== 'function' && type !== 'custom') return null
  const name = choice.get('name') ?? choice.get(type)?.get('name')
  if (name === undefined) throw choice.invalid('an object with the name of a tool')
  return { kind: 'one', name: name.text(), namespace: choice.get('namespace')?.text() ?? null }
}

/** Each name once: a choice may name a large namespace many times. */
function allowedTools(choice: View, tools: readonly Tool[]): ToolChoice {
  const byNamespace = Map.groupBy(tools, ({ namespace }) => namespace)
  const names = new Set<string>()
  for (const tool of choice.get('tools')?.items() ?? []) {
    const name = tool.get('name')?.text() ?? ''
    if (tool.get('type')?.text() !== 'namespace') names.add(name)
    else {
      for (const inner of byNamespace.get(name) ?? []) names.add(inner.name)
      byNamespace.delete(name)
    }
  }
  names.delete('')
  return { kind: 'some', required: choice.get('mode')?.text() === 'required', names: [...names] }
}
