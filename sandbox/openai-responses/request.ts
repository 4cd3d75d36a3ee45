/** Reads a Responses request body into an `NormalizedRequest`, with OpenAI's errors. Pure. */
import {
  type CallableTool,
  callable,
  integerFrom,
  isObject,
  type JsonObject,
  mediaSegment,
  type NormalizedRequest,
  objectAtPath,
  objectsIn,
  type RequestReading,
  readingOf,
  type Segment,
  segment,
  textIn,
} from '../request/normalized-request.ts'
import { demandedTool, responsesFault } from './checks.ts'
import { kindOf } from './items.ts'

/** The tiers that an answer reports as `default`. */
const defaultTiers = new Set(['', 'auto', 'default'])

/** An input of text alone is one message of the user. */
function itemsOf(input: unknown): readonly JsonObject[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : objectsIn(input)
}

/** The text of a message's content or of an output, whole or in parts. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  return objectsIn(content)
    .map(({ text }) => textIn(text))
    .join('')
}

function contentSegments(place: string, content: unknown): readonly Segment[] {
  if (typeof content === 'string') return [segment(`${place}:${content}`, [content])]
  return objectsIn(content).map((part) => {
    const text = textIn(part.text) || textIn(part.refusal)
    return text === '' ? mediaSegment(JSON.stringify(part)) : segment(`${place}:${text}`, [text])
  })
}

/** Prompt segments of each kind of item; other kinds count as their JSON. */
const itemSegments: Readonly<Record<string, (item: JsonObject) => readonly Segment[]>> = {
  message: ({ role, content }) => contentSegments(textIn(role), content),
  reasoning: ({ summary }) => contentSegments('reasoning', summary),
  function_call: ({ name, arguments: input }) => [
    segment(`call:${textIn(name)}:${textIn(input)}`, [textIn(name), textIn(input)]),
  ],
  function_call_output: ({ output }) => contentSegments('output', output),
}

function segmentsOf(body: JsonObject): readonly Segment[] {
  const tools = objectsIn(body.tools).map((tool) => JSON.stringify(tool))
  const instructions = textIn(body.instructions)
  return [
    ...tools.map((text) => segment(text, [text])),
    ...(instructions === '' ? [] : [segment(`instructions:${instructions}`, [instructions])]),
    ...itemsOf(body.input).flatMap((item) => {
      const count = itemSegments[kindOf(item)]
      const text = JSON.stringify(item)
      return count === undefined ? [segment(text, [text])] : count(item)
    }),
  ]
}

function offeredTools(body: JsonObject): readonly CallableTool[] {
  return objectsIn(body.tools)
    .filter(({ type }) => type === 'function')
    .map(({ name, parameters }) => ({ name: textIn(name), schema: isObject(parameters) ? parameters : {} }))
}

const outputKinds = ['function_call_output', 'custom_tool_call_output']

/** The outputs at the end of the input. */
function lastToolResults(items: readonly JsonObject[]): readonly string[] {
  const lastOther = items.findLastIndex((item) => !outputKinds.includes(kindOf(item)))
  return items.slice(lastOther + 1).map(({ output }) => contentText(output))
}

function lastUserText(items: readonly JsonObject[]): string {
  const texts = items.filter(({ role }) => role === 'user').map(({ content }) => contentText(content))
  return texts.findLast((text) => text !== '') ?? ''
}

function thinkingOf(body: JsonObject): NormalizedRequest['thinking'] {
  const { effort, summary } = isObject(body.reasoning) ? body.reasoning : {}
  if (effort === 'none') return 'off'
  return textIn(summary) === '' ? 'hidden' : 'shown'
}

/** Settings that the response repeats, with defaults for omitted ones. */
function repeatedOf(body: JsonObject): JsonObject {
  const { effort, summary } = isObject(body.reasoning) ? body.reasoning : {}
  const { format, verbosity } = isObject(body.text) ? body.text : {}
  return {
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    prompt_cache_key: body.prompt_cache_key ?? null,
    reasoning: { effort: effort ?? 'medium', summary: summary ?? null },
    safety_identifier: body.safety_identifier ?? null,
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: { format: format ?? { type: 'text' }, verbosity: verbosity ?? 'medium' },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    top_logprobs: body.top_logprobs ?? 0,
    top_p: body.top_p ?? 1,
    truncation: body.truncation ?? 'disabled',
    user: body.user ?? null,
    metadata: body.metadata ?? {},
  }
}

function askOf(body: JsonObject): NormalizedRequest {
  const items = itemsOf(body.input)
  const include = Array.isArray(body.include) ? body.include : []
  const tier = textIn(body.service_tier)
  return {
    model: textIn(body.model),
    stream: body.stream === true,
    includeUsage: true,
    outputLimit: integerFrom(body.max_output_tokens, 1) ?? null,
    choices: 1,
    lastText: lastUserText(items),
    toolResults: lastToolResults(items),
    tools: body.tool_choice === 'none' ? [] : callable(offeredTools(body), demandedTool(body)),
    hasSchema: objectAtPath(body, 'text', 'format').type === 'json_schema',
    thinking: thinkingOf(body),
    hasEncryptedReasoning: body.store === false || include.includes('reasoning.encrypted_content'),
    earlierThoughts: 0,
    segments: segmentsOf(body),
    serviceTier: defaultTiers.has(tier) ? 'default' : tier,
    speed: null,
    inferenceGeo: '',
    repeated: repeatedOf(body),
    strictFault: null,
  }
}

/** The request as the sandbox understands it, or the first thing that is wrong with it. */
export function readResponses(body: JsonObject): RequestReading {
  return readingOf(responsesFault(body), () => askOf(body))
}
