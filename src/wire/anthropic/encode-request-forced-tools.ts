/**
 * A forced tool call for a model that does not support it: if only one tool qualifies, its
 * input is requested as structured output and returned as its call; else the model decides, and that is reported.
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs
 */

import { readJson } from '../json/json.ts'
import { RawJson } from '../json/text.ts'
import { View } from '../json/view.ts'
import type { Capabilities } from '../translation/capabilities.ts'
import type { Conversation, ForcedTools, Tool } from '../translation/neutral.ts'
import { untranslatable } from '../translation/policy.ts'
import type { Block } from './encode-request-parts.ts'
import { freeTextSchema, inputSchema, isRecursive, outputSchema } from './encode-request-schema.ts'
import { isForced } from './encode-request-tools.ts'

/** `as_asked`: nothing is forced, or the model can be. */
export type ForcedToolPlan =
  | { readonly kind: 'as_asked' | 'auto' }
  | { readonly kind: 'schema'; readonly tool: Tool; readonly format: Block }

export interface ForcedToolOptions {
  readonly capabilities: Capabilities
  readonly forcedTools: ForcedTools
  /** The answer may be bound by a schema: it has not begun yet, and nothing else binds it. */
  readonly isFree: boolean
}

/** Throws WireError where the setting is to reject, and where there is no such tool. */
export function planForcedTool(
  conversation: Conversation,
  offered: readonly Tool[],
  { capabilities, forcedTools, isFree }: ForcedToolOptions,
): ForcedToolPlan {
  const { toolChoice, providerTools } = conversation
  if (!isForced(toolChoice) || capabilities.forcedTools) return { kind: 'as_asked' }
  if (offered.length + providerTools.length === 0) return { kind: 'as_asked' }
  if (forcedTools === 'reject')
    throw untranslatable('tool_choice', 'the model does not support forced tool calls')
  const tool = soleTool(conversation, offered)
  const canBind = isFree && capabilities.schemaOutput && capabilities.schemaWithTools
  const schema = tool === null || !canBind ? null : boundInput(tool)
  if (tool === null || schema === null) return { kind: 'auto' }
  return { kind: 'schema', tool, format: { type: 'json_schema', schema } }
}

/** The only tool that the choice leaves; null: there are several. */
function soleTool({ toolChoice, providerTools }: Conversation, offered: readonly Tool[]): Tool | null {
  if (toolChoice?.kind === 'one') {
    const { name, namespace } = toolChoice
    const named = offered.find((tool) => tool.name === name && tool.namespace === namespace)
    if (named === undefined) throw untranslatable('tool_choice', 'unknown tool')
    return named
  }
  return offered.length === 1 && providerTools.length === 0 ? (offered[0] ?? null) : null
}

/** The schema of its input as an output; null where that would say less, or the API would reject it. */
function boundInput(tool: Tool): RawJson | null {
  const input = tool.form === 'text' ? freeTextSchema : inputSchema(tool.schema).schema
  if (isRecursive(input) || isOpen(input)) return null
  const output = outputSchema(input).schema
  return isWithinLimits(output) ? described(output, tool) : null
}

const encoder = new TextEncoder()
/** A body's depth and size are bounded before; a schema is a part of one. */
const depthMax = 512

function withView<Result>({ text }: RawJson, read: (view: View) => Result): Result {
  const bytes = encoder.encode(text)
  const limits = { depthMax, valuesMax: bytes.length + 1 }
  return readJson(bytes, limits, (json) => read(new View(json, json.root)))
}

/** Whether it lets an object have members that it does not name, which no output can have. */
function isOpen(schema: RawJson): boolean {
  return withView(schema, (root) => {
    // No input at all is an object without members.
    const isEmpty = root.get('properties') === undefined && root.get('additionalProperties') === undefined
    return !isEmpty && hasOpenObject(root)
  })
}

/** More of either is rejected. https://platform.claude.com/docs/en/build-with-claude/structured-outputs (limits) */
const optionalPropertiesMax = 24
const unionsMax = 16

function isWithinLimits(schema: RawJson): boolean {
  return withView(schema, (root) => {
    const schemas = schemasIn(root)
    const optional = schemas.reduce((sum, one) => sum + optionalProperties(one), 0)
    const unions = schemas.filter((one) => one.get('anyOf') !== undefined || one.get('type')?.isList === true)
    return optional <= optionalPropertiesMax && unions.length <= unionsMax && !schemas.some(mergesReference)
  })
}

function schemasIn(schema: View): readonly View[] {
  return [schema, ...innerSchemas(schema).flatMap(schemasIn)]
}

function optionalProperties(schema: View): number {
  const properties = schema.get('properties')
  if (properties?.kind !== 'object') return 0
  const required = schema.get('required')
  const names = required?.isList === true ? required.items() : []
  const demanded = new Set(names.flatMap((name) => (name.isText ? [name.text()] : [])))
  return properties.members().filter(([name]) => !demanded.has(name)).length
}

/** `allOf` takes no references. */
function mergesReference(schema: View): boolean {
  const list = schema.get('allOf')
  return list?.isList === true && list.items().some((one) => one.get('$ref') !== undefined)
}

const maps = ['properties', '$defs', 'definitions']
const lists = ['anyOf', 'oneOf', 'allOf']

function hasOpenObject(schema: View): boolean {
  if (schema.kind !== 'object') return false
  const more = schema.get('additionalProperties')
  if (more !== undefined && more.kind !== 'false') return true
  const type = schema.get('type')
  const types = type === undefined ? [] : type.isList ? type.items() : [type]
  const isObject = types.some((one) => one.isText && one.text() === 'object')
  if (isObject && schema.get('properties') === undefined) return true
  return innerSchemas(schema).some(hasOpenObject)
}

function innerSchemas(schema: View): readonly View[] {
  const items = schema.get('items')
  const named = maps.flatMap((name) => {
    const map = schema.get(name)
    return map?.kind === 'object' ? map.members().map(([, value]) => value) : []
  })
  const listed = lists.flatMap((name) => {
    const list = schema.get(name)
    return list?.isList === true ? list.items() : []
  })
  return [...(items === undefined ? [] : [items]), ...named, ...listed]
}

/** The model must know what the output is for. */
function described(schema: RawJson, { name, description }: Tool): RawJson {
  const isDescribed = withView(schema, (root) => root.get('description') !== undefined)
  if (isDescribed || !schema.text.startsWith('{')) return schema
  const about = `The input of the tool ${name}.${description === null ? '' : ` ${description}`}`
  const rest = schema.text.slice(1)
  const comma = /^\s*\}/.test(rest) ? '' : ','
  return new RawJson(`{"description":${JSON.stringify(about)}${comma}${rest}`)
}
