/** Reads a Messages request body into an `NormalizedRequest`, with Anthropic's errors. Pure. */

import type { ProviderError } from '../errors.ts'
import {
  type CallableTool,
  callable,
  integerFrom,
  invalid,
  isObject,
  type JsonObject,
  mediaSegment,
  type NormalizedRequest,
  objectAtPath,
  objectsIn,
  type PromptCacheLifetime,
  type RequestReading,
  readingOf,
  type Segment,
  segment,
  textIn,
} from '../request/normalized-request.ts'
import { blocksOf, countFault, messagesBodyFault, strictMessagesFault, thinkingIn } from './checks.ts'

const cacheMarksMax = 4

function textOf(content: unknown): string {
  return blocksOf(content)
    .map(({ text }) => textIn(text))
    .join('')
}

function lifetimeOf(marked: JsonObject): PromptCacheLifetime | null {
  if (!isObject(marked.cache_control)) return null
  return marked.cache_control.ttl === '1h' ? '1h' : '5m'
}

/** Prompt text of each kind of block; other kinds count as media. */
const blockTexts: Readonly<Record<string, (block: JsonObject) => readonly string[]>> = {
  text: ({ text }) => [textIn(text)],
  thinking: ({ thinking }) => [textIn(thinking)],
  redacted_thinking: () => [],
  tool_use: ({ name, input }) => [textIn(name), JSON.stringify(input ?? {})],
  tool_result: ({ content }) => [textOf(content)],
}

function blockSegment(place: string, block: JsonObject): Segment {
  const { cache_control: _, ...rest } = block
  const identity = `${place}:${JSON.stringify(rest)}`
  const texts = blockTexts[textIn(block.type)]
  const counted = texts === undefined ? mediaSegment(identity) : segment(identity, texts(block))
  return { ...counted, cacheLifetime: lifetimeOf(block) }
}

function toolSegment(tool: JsonObject): Segment {
  const { cache_control: _, ...rest } = tool
  const text = JSON.stringify(rest)
  return { ...segment(`tool:${text}`, [text]), cacheLifetime: lifetimeOf(tool) }
}

/** The prompt in the provider's order; a mark at the top of the body marks the last block. */
function segmentsOf(body: JsonObject): readonly Segment[] {
  const segments = [
    ...objectsIn(body.tools).map(toolSegment),
    ...blocksOf(body.system).map((block) => blockSegment('system', block)),
    ...objectsIn(body.messages).flatMap(({ role, content }) =>
      blocksOf(content).map((block) => blockSegment(textIn(role), block)),
    ),
  ]
  const automatic = lifetimeOf(body)
  const last = segments.at(-1)
  if (automatic === null || last === undefined) return segments
  return [...segments.slice(0, -1), { ...last, cacheLifetime: last.cacheLifetime ?? automatic }]
}

function callableTools(body: JsonObject): readonly CallableTool[] {
  const tools = objectsIn(body.tools)
    .filter(({ input_schema }) => isObject(input_schema))
    .map(({ name, input_schema }) => ({ name: textIn(name), schema: input_schema as JsonObject }))
  const choice = isObject(body.tool_choice) ? body.tool_choice : {}
  return choice.type === 'none' ? [] : callable(tools, textIn(choice.name))
}

function lastToolResults(messages: readonly JsonObject[]): readonly string[] {
  return blocksOf(messages.at(-1)?.content)
    .filter(({ type }) => type === 'tool_result')
    .map(({ content }) => textOf(content))
}

function lastUserText(messages: readonly JsonObject[]): string {
  const texts = messages.filter(({ role }) => role === 'user').map(({ content }) => textOf(content))
  return texts.findLast((text) => text !== '') ?? ''
}

function thinkingOf(body: JsonObject): NormalizedRequest['thinking'] {
  const thinking = isObject(body.thinking) ? body.thinking : {}
  if (thinking.type === 'disabled') return 'off'
  return thinking.display === 'omitted' ? 'hidden' : 'shown'
}

function askOf(body: JsonObject): NormalizedRequest {
  const messages = objectsIn(body.messages)
  return {
    model: textIn(body.model),
    stream: body.stream === true,
    includeUsage: true,
    outputLimit: integerFrom(body.max_tokens, 0) ?? null,
    choices: 1,
    lastText: lastUserText(messages),
    toolResults: lastToolResults(messages),
    tools: callableTools(body),
    hasSchema: objectAtPath(body, 'output_config', 'format').type === 'json_schema',
    thinking: thinkingOf(body),
    hasEncryptedReasoning: true,
    earlierThoughts: thinkingIn(messages).length,
    segments: segmentsOf(body),
    serviceTier: 'standard',
    speed: textIn(body.speed) === '' ? null : textIn(body.speed),
    inferenceGeo: textIn(body.inference_geo) || 'not_available',
    repeated: {},
    strictFault: strictMessagesFault(body),
  }
}

function breakpointsFault({ segments }: NormalizedRequest): ProviderError | null {
  const count = segments.filter(({ cacheLifetime }) => cacheLifetime !== null).length
  if (count <= cacheMarksMax) return null
  return invalid(
    `A maximum of ${cacheMarksMax} blocks with cache_control may be provided. Found ${count}.`,
    null,
  )
}

function checkedAsk(body: JsonObject, found: ProviderError | null): RequestReading {
  if (found !== null) return readingOf(found, () => askOf(body))
  const request = askOf(body)
  return readingOf(breakpointsFault(request), () => request)
}

/** For token counting, which needs no limit: the parsed request, or the first error. */
export function readCount(body: JsonObject): RequestReading {
  return checkedAsk(body, countFault(body))
}

/** The request as the sandbox understands it, or the first thing that is wrong with it. */
export function readMessages(body: JsonObject): RequestReading {
  return checkedAsk(body, messagesBodyFault(body))
}
