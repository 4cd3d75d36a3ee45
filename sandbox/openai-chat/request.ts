/** Reads a Chat Completions request body into an `NormalizedRequest`, with OpenAI's errors. Pure. */
import {
  type CallableTool,
  callable,
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
import { chatFault, countOf, strictChatFault } from './checks.ts'

/** The tiers that an answer reports as `default`. */
const defaultTiers = new Set(['', 'auto', 'default'])

/** The text of a message's content, whole or in parts. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  return objectsIn(content)
    .map(({ text }) => textIn(text))
    .join('')
}

function functionOf(object: JsonObject): JsonObject {
  return isObject(object.function) ? object.function : {}
}

function contentSegments(role: string, content: unknown): readonly Segment[] {
  if (typeof content === 'string') return [segment(`${role}:${content}`, [content])]
  return objectsIn(content).map((part) => {
    const text = textIn(part.text) || textIn(part.refusal)
    return text === '' ? mediaSegment(JSON.stringify(part)) : segment(`${role}:${text}`, [text])
  })
}

function messageSegments(message: JsonObject): readonly Segment[] {
  const calls = objectsIn(message.tool_calls).map((call) => {
    const { name, arguments: input } = functionOf(call)
    return segment(`call:${textIn(name)}:${textIn(input)}`, [textIn(name), textIn(input)])
  })
  return [...contentSegments(textIn(message.role), message.content), ...calls]
}

function offeredTools(body: JsonObject): readonly CallableTool[] {
  return objectsIn(body.tools)
    .filter(({ type }) => type === 'function')
    .map(functionOf)
    .map(({ name, parameters }) => ({ name: textIn(name), schema: isObject(parameters) ? parameters : {} }))
}

function callableTools(body: JsonObject): readonly CallableTool[] {
  if (body.tool_choice === 'none') return []
  const demanded = isObject(body.tool_choice) ? textIn(functionOf(body.tool_choice).name) : ''
  return callable(offeredTools(body), demanded)
}

/** The results after the last assistant message. */
function lastToolResults(messages: readonly JsonObject[]): readonly string[] {
  const lastOther = messages.findLastIndex(({ role }) => role !== 'tool')
  return messages.slice(lastOther + 1).map(({ content }) => contentText(content))
}

function lastUserText(messages: readonly JsonObject[]): string {
  const texts = messages.filter(({ role }) => role === 'user').map(({ content }) => contentText(content))
  return texts.findLast((text) => text !== '') ?? ''
}

function askOf(body: JsonObject): NormalizedRequest {
  const messages = objectsIn(body.messages)
  const tools = objectsIn(body.tools).map((tool) => JSON.stringify(tool))
  const options = isObject(body.stream_options) ? body.stream_options : {}
  const tier = textIn(body.service_tier)
  return {
    model: textIn(body.model),
    stream: body.stream === true,
    includeUsage: options.include_usage === true,
    outputLimit: countOf(body, 'max_completion_tokens').value ?? countOf(body, 'max_tokens').value,
    choices: countOf(body, 'n').value ?? 1,
    lastText: lastUserText(messages),
    toolResults: lastToolResults(messages),
    tools: callableTools(body),
    hasSchema: objectAtPath(body, 'response_format').type === 'json_schema',
    thinking: body.reasoning_effort === 'none' ? 'off' : 'hidden',
    hasEncryptedReasoning: false,
    earlierThoughts: 0,
    segments: [...tools.map((text) => segment(text, [text])), ...messages.flatMap(messageSegments)],
    serviceTier: defaultTiers.has(tier) ? 'default' : tier,
    speed: null,
    inferenceGeo: '',
    repeated: {},
    strictFault: strictChatFault(body),
  }
}

/** The request as the sandbox understands it, or the first thing that is wrong with it. */
export function readChat(body: JsonObject): RequestReading {
  return readingOf(chatFault(body), () => askOf(body))
}
