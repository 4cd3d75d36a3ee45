/**
 * Tools as a Responses request declares them: flat, free text as custom tools, namespaces as they were. Schemas
 * stay unchanged text. Must not declare what only another provider runs.
 */
import { type JsonOut, RawJson } from '../json/text.ts'
import type { Adjustment, Conversation, Tool } from '../translation/neutral.ts'
import type { NamedTools } from '../translation/tool-names.ts'

const noParameters = new RawJson('{"type":"object","properties":{}}')

/** In the caller's order; the provider's own come last. */
export function encodeTools(
  { tools, providerTools }: Conversation,
  names: NamedTools,
  adjusted: Adjustment[],
): readonly JsonOut[] {
  const written: JsonOut[] = []
  for (let at = 0; at < tools.length; ) {
    const tool = tools[at]
    if (tool === undefined) break
    const group = groupAt(tools, at)
    written.push(
      tool.namespace === null
        ? encodeTool(tool, names)
        : {
            type: 'namespace',
            name: tool.namespace,
            description: tool.namespace,
            tools: group.map((inner) => encodeTool(inner, names)),
          },
    )
    at += group.length
  }
  for (const { name, pointer } of providerTools) {
    if (name === 'web_search') written.push({ type: 'web_search' })
    else adjusted.push({ kind: 'dropped', field: pointer, why: 'only its own provider runs it' })
  }
  return written
}

/** The tool, and those of the same namespace that follow it. */
function groupAt(tools: readonly Tool[], at: number): readonly Tool[] {
  const namespace = tools[at]?.namespace ?? null
  let end = at + 1
  while (namespace !== null && tools[end]?.namespace === namespace) end += 1
  return tools.slice(at, end)
}

function encodeTool(tool: Tool, names: NamedTools): JsonOut {
  const name = nameOf(tool, names)
  const description = tool.description ?? undefined
  if (tool.form === 'text') return { type: 'custom', name, description, format: tool.format ?? undefined }
  return {
    type: 'function',
    name,
    description,
    parameters: tool.schema ?? noParameters,
    // Without it the schema would be taken as strict where it can be.
    strict: tool.strict ?? false,
  }
}

/** Namespaces exist here, so that only what has none is renamed. */
export function nameOf({ name, namespace }: Pick<Tool, 'name' | 'namespace'>, names: NamedTools): string {
  return namespace === null ? names.name(name, null) : name
}
