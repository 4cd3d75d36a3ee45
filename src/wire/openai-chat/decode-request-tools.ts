/**
 * The tools of a chat request and the tool choice → neutral ones: nested as the format has them, flat as
 * Responses has them, with `input_schema` as Messages has them, and the oldest form, `functions`. Schemas stay
 * the text that the caller wrote.
 */
import { RawJson } from '../json/text.ts'
import type { View } from '../json/view.ts'
import type { Tool, ToolChoice } from '../translation/neutral.ts'
import { type ChatFieldList, readCache, textOrNull } from './decode-request-parts.ts'

/** `tools` and `functions`, in this order. Throws WireError naming the place. */
export function readTools(body: View, fields: ChatFieldList): readonly Tool[] {
  const tools = (body.get('tools')?.items() ?? []).map((tool) => toolOf(tool, fields))
  const functions = (body.get('functions')?.items() ?? []).map((named) => declared(named, named, fields))
  return [...tools, ...functions]
}

function toolOf(tool: View, fields: ChatFieldList): Tool {
  const custom = tool.get('custom')
  const isCustom =
    custom !== undefined ||
    (textOrNull(tool.get('type')) === 'custom' && tool.get('input_schema') === undefined)
  return isCustom
    ? freeText(custom ?? tool, tool, fields)
    : declared(tool.get('function') ?? tool, tool, fields)
}

function declared(named: View, tool: View, fields: ChatFieldList): Tool {
  const strict = named.get('strict') ?? tool.get('strict')
  if (strict !== undefined) fields.push({ name: 'tools[].function.strict', pointer: strict.pointer })
  const schema = named.get('parameters') ?? named.get('input_schema')
  if (schema !== undefined && schema.kind !== 'object') throw schema.invalid('an object')
  return {
    ...nameOf(named),
    form: 'json',
    schema: schema?.raw ?? null,
    format: null,
    strict: strict?.flag() ?? null,
    cache:
      readCache(tool, fields, 'tools[]') ?? (named === tool ? null : readCache(named, fields, 'tools[]')),
    pointer: tool.pointer,
  }
}

function freeText(named: View, tool: View, fields: ChatFieldList): Tool {
  const format = named.get('format')
  fields.push({ name: 'tools[].custom', pointer: tool.pointer })
  return {
    ...nameOf(named),
    form: 'text',
    schema: null,
    format: format === undefined ? null : flatFormat(format),
    strict: null,
    cache: readCache(tool, fields, 'tools[]'),
    pointer: tool.pointer,
  }
}

function nameOf(named: View): Pick<Tool, 'name' | 'namespace' | 'description'> {
  const name = named.get('name')
  if (name === undefined) throw named.invalid('a tool with a name')
  return { name: name.text(), namespace: null, description: named.get('description')?.text() ?? null }
}

/** A grammar is a nested object here and flat in Responses, whose form is the neutral one. */
function flatFormat(format: View): RawJson | null {
  if (textOrNull(format.get('type')) === 'text') return null
  const grammar = format.get('grammar')
  if (grammar === undefined || grammar.kind !== 'object') return format.raw
  const members = grammar.members().map(([name, value]) => `,${JSON.stringify(name)}:${value.written}`)
  return new RawJson(`{"type":"grammar"${members.join('')}}`)
}

/** `tool_choice`, or `function_call`; null: the caller leaves it open. */
export function readToolChoice(body: View): ToolChoice | null {
  const choice = body.get('tool_choice')
  if (choice !== undefined) return choice.isText ? wordChoice(choice) : objectChoice(choice)
  const legacy = body.get('function_call')
  if (legacy === undefined) return null
  return legacy.isText ? wordChoice(legacy) : named(legacy)
}

function wordChoice(choice: View): ToolChoice {
  const word = choice.text()
  if (word === 'auto' || word === 'none' || word === 'required') return { kind: word }
  if (word === 'any') return { kind: 'required' }
  // Some agents name the mode of the model that they ask for.
  if (word === 'validated') return { kind: 'validated' }
  throw choice.invalid('none, auto, required, validated, or an object that names a tool')
}

function objectChoice(choice: View): ToolChoice {
  const type = textOrNull(choice.get('type'))
  if (type === 'auto' || type === 'none' || type === 'validated') return { kind: type }
  if (type === 'any') return { kind: 'required' }
  if (type === 'allowed_tools') return allowed(choice.get('allowed_tools') ?? choice)
  return named(choice.get('function') ?? choice.get('custom') ?? choice)
}

function named(choice: View): ToolChoice {
  const name = choice.get('name')
  if (name === undefined) throw choice.invalid('an object that names a tool')
  return { kind: 'one', name: name.text(), namespace: null }
}

function allowed(choice: View): ToolChoice {
  const names = (choice.get('tools')?.items() ?? []).flatMap((tool) => {
    const name = (tool.get('function') ?? tool.get('custom') ?? tool).get('name')
    return name === undefined ? [] : [name.text()]
  })
  return { kind: 'some', required: textOrNull(choice.get('mode')) === 'required', names }
}

/** Whether calls may run in parallel; Messages sets it in the tool choice. */
export function readParallelCalls(body: View): boolean | null {
  const parallelCalls = body.get('parallel_tool_calls')
  if (parallelCalls !== undefined) return parallelCalls.flag()
  const disabled = body.get('tool_choice')?.get('disable_parallel_tool_use')
  return disabled === undefined ? null : !disabled.flag()
}
