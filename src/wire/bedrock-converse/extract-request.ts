/**
 * A Converse request: the fields that money needs, read from its bytes. Only this program writes such bodies, since no client
 * speaks the format; the model and streaming are in the path.
 */

import type { UrlFields } from '../client-routes.ts'
import { type Media, type ReadLimits, WireError } from '../format.ts'
import type { NumberPatch } from '../json/byte-patch.ts'
import { readJson } from '../json/json.ts'
import { View } from '../json/view.ts'
import type { LimitFields } from '../request-fields.ts'

/**
 * Members of a Converse request that change what Bedrock charges: tiers, optimized latency, guardrails, prompts that are stored
 * there. This program writes none of them; one that is there is an option without a price. API_runtime_Converse, 2026-11.
 */
const pricedMembers: readonly string[] = [
  'serviceTier',
  'performanceConfig',
  'guardrailConfig',
  'promptVariables',
]

/** Throws WireError; see `UpstreamFormat.extractRequest`. */
export function extractRequest(body: Uint8Array, limits: ReadLimits, address: UrlFields): LimitFields {
  const { model, stream } = address
  if (model === null) throw new WireError('missing_field', 'The path must contain the model.', 'model')
  return readJson(body, limits, (json) => factsOf(new View(json, json.root), limits, { model, stream }))
}

function factsOf(
  root: View,
  { integerMax }: ReadLimits,
  { model, stream }: { readonly model: string; readonly stream: boolean },
): LimitFields {
  const config = root.get('inferenceConfig')
  const limit = config?.get('maxTokens')
  const messages = root.get('messages')?.items() ?? []
  const blocks = messages.flatMap((message) => message.get('content')?.items() ?? [])
  const instructions = root.get('system')?.items() ?? []
  const isCached = [...instructions, ...blocks].some((block) => block.get('cachePoint') !== undefined)
  const inResults = blocks.flatMap((block) => block.get('toolResult')?.get('content')?.items() ?? [])
  return {
    model,
    modelSpan: null,
    stream,
    outputLimit: limit === undefined ? null : limit.integer(1, integerMax),
    choices: 1,
    thinkingBudget: null,
    media: [...blocks, ...inResults]
      .flatMap(mediaIn)
      .sort((a, b) => (a.span?.start ?? 0) - (b.span?.start ?? 0)),
    cacheWrites: isCached ? ['5m'] : [],
    serverTools: [],
    options: pricedMembers.flatMap((name) =>
      root.get(name) === undefined ? [] : [{ name: `converse:${name}`, pointer: name }],
    ),
    writtenAs: null,
    canPassThrough: true,
    functionTools: root.get('toolConfig') !== undefined,
    effort: null,
    conversationSpan: (messages[0] ?? root).span,
    limitSpan: limit?.span ?? null,
    limitInsertion: insertion(root, config),
  }
}

function mediaIn(block: View): readonly Media[] {
  return (['image', 'document'] as const).flatMap((kind) => {
    const medium = block.get(kind)
    const bytes = medium?.get('source')?.get('bytes')
    if (medium === undefined || bytes === undefined) return []
    const { start, end } = bytes.span
    const format = medium.get('format')?.text() ?? ''
    const mediaType =
      kind === 'image' ? `image/${format}` : format === 'pdf' ? 'application/pdf' : 'text/plain'
    return [{ kind, span: { start: start + 1, end: end - 1 }, mediaType }]
  })
}

/** How a limit is written where there is none. */
function insertion(root: View, config: View | undefined): NumberPatch {
  const start = (config ?? root).span.start + 1
  if (config === undefined)
    return { start, end: start, before: '"inferenceConfig":{"maxTokens":', after: '},' }
  return { start, end: start, before: '"maxTokens":', after: config.members().length === 0 ? '' : ',' }
}
