/** Reads a Messages request body into an `Ask`, with the refusals that Anthropic gives. Pure. */
import {
  type Ask,
  type CacheLifetime,
  integerFrom,
  invalid,
  isObject,
  type JsonObject,
  mediaSegment,
  objectsIn,
  type Reading,
  type Segment,
  segment,
  type Tool,
  textIn,
} from './ask.ts'
import { signThinking } from './signature.ts'

const roles = new Set(['user', 'assistant', 'system'])
const cacheMarksMax = 4

function fault(message: string): Reading {
  return invalid(message, null)
}

/** String content is one text block. */
function blocksOf(content: unknown): readonly JsonObject[] {
  if (typeof content !== 'string') return objectsIn(content)
  return content === '' ? [] : [{ type: 'text', text: content }]
}

function textOf(content: unknown): string {
  return blocksOf(content)
    .map(({ text }) => textIn(text))
    .join('')
}

function lifetimeOf(marked: JsonObject): CacheLifetime | null {
  if (!isObject(marked.cache_control)) return null
  return marked.cache_control.ttl === '1h' ? '1h' : '5m'
}

/** What each kind of block puts into the prompt; a kind that is not here counts as media. */
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

function chosenTool(body: JsonObject): Tool | null {
  const tools = objectsIn(body.tools)
    .filter(({ input_schema }) => isObject(input_schema))
    .map(({ name, input_schema }) => ({ name: textIn(name), schema: input_schema as JsonObject }))
  const choice = isObject(body.tool_choice) ? body.tool_choice : {}
  if (choice.type === 'none') return null
  return tools.find(({ name }) => name === choice.name) ?? tools[0] ?? null
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

function idsIn(message: JsonObject | undefined, type: string, field: string): ReadonlySet<string> {
  const blocks = blocksOf(message?.content).filter((block) => block.type === type)
  return new Set(blocks.map((block) => textIn(block[field])))
}

/** Every call is answered in the next message, and no answer stands without its call. */
function pairingFault(messages: readonly JsonObject[]): Reading | null {
  for (const [index, message] of messages.entries()) {
    const called = idsIn(messages[index - 1], 'tool_use', 'id')
    const answered = idsIn(message, 'tool_result', 'tool_use_id')
    const stray = [...answered].find((id) => !called.has(id))
    if (stray !== undefined) {
      return fault(
        `messages.${index}.content: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      )
    }
    const missing = [...called].find((id) => !answered.has(id))
    if (missing !== undefined) {
      return fault(
        `messages.${index - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing}.`,
      )
    }
  }
  return null
}

function blockFault(place: string, block: JsonObject): Reading | null {
  if (block.type === 'text' && textIn(block.text) === '')
    return fault(`${place}: text content blocks must be non-empty`)
  if (block.type === 'thinking' && block.signature !== signThinking(textIn(block.thinking))) {
    return fault(`${place}: Invalid \`signature\` in \`thinking\` block`)
  }
  return null
}

function messageFault(message: JsonObject, index: number): Reading | null {
  if (!roles.has(textIn(message.role)))
    return fault(`messages.${index}.role: Input should be 'user' or 'assistant'`)
  if (typeof message.content !== 'string' && !Array.isArray(message.content)) {
    return fault(`messages.${index}.content: Input should be a valid string or list`)
  }
  for (const [place, block] of blocksOf(message.content).entries()) {
    const found = blockFault(`messages.${index}.content.${place}`, block)
    if (found !== null) return found
  }
  return null
}

function messagesFault(given: unknown): Reading | null {
  if (given === undefined) return fault('messages: Field required')
  if (!Array.isArray(given) || !given.every(isObject)) return fault('messages: Input should be a valid list')
  if (given.length === 0) return fault('messages: at least one message is required')
  for (const [index, message] of given.entries()) {
    const found = messageFault(message, index)
    if (found !== null) return found
  }
  return pairingFault(given)
}

function limitFault(body: JsonObject): Reading | null {
  if (body.max_tokens === undefined) return fault('max_tokens: Field required')
  if (integerFrom(body.max_tokens, 0) !== undefined) return null
  return fault('max_tokens: Input should be a valid integer, greater than or equal to 0')
}

function modelFault(body: JsonObject): Reading | null {
  if (body.model === undefined) return fault('model: Field required')
  return textIn(body.model) === '' ? fault('model: String should have at least 1 character') : null
}

function streamFault(body: JsonObject): Reading | null {
  return typeof (body.stream ?? false) === 'boolean' ? null : fault('stream: Input should be a valid boolean')
}

function thinkingOf(body: JsonObject): Ask['thinking'] {
  const thinking = isObject(body.thinking) ? body.thinking : {}
  if (thinking.type === 'disabled') return 'off'
  return thinking.display === 'omitted' ? 'hidden' : 'shown'
}

function askOf(body: JsonObject): Ask {
  const messages = objectsIn(body.messages)
  return {
    model: textIn(body.model),
    stream: body.stream === true,
    includeUsage: true,
    outputLimit: integerFrom(body.max_tokens, 0) ?? null,
    choices: 1,
    lastText: lastUserText(messages),
    toolResults: lastToolResults(messages),
    tool: chosenTool(body),
    thinking: thinkingOf(body),
    segments: segmentsOf(body),
    serviceTier: 'standard',
    speed: textIn(body.speed) === '' ? null : textIn(body.speed),
    inferenceGeo: textIn(body.inference_geo) || 'not_available',
  }
}

function checkedAsk(body: JsonObject): Reading {
  const ask = askOf(body)
  const marks = ask.segments.filter(({ cacheLifetime }) => cacheLifetime !== null).length
  if (marks <= cacheMarksMax) return { kind: 'ask', ask }
  return fault(`A maximum of ${cacheMarksMax} blocks with cache_control may be provided. Found ${marks}.`)
}

/** For counting alone, which needs no limit: the request as understood, or what is wrong first. */
export function readCount(body: JsonObject): Reading {
  return modelFault(body) ?? messagesFault(body.messages) ?? streamFault(body) ?? checkedAsk(body)
}

/** The request as the sandbox understands it, or the first thing that is wrong with it. */
export function readMessages(body: JsonObject): Reading {
  return modelFault(body) ?? limitFault(body) ?? readCount(body)
}
