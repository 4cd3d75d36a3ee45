/**
 * The documented rules of the Messages format, for bodies and streams that our encoders wrote: what the API
 * rejects in a request, and what its clients rely on in a response. Each violation is one sentence. Must not
 * share code with the encoders.
 */
import type { Capabilities } from '../../../src/wire/translation/capabilities.ts'

type Loose = Readonly<Record<string, unknown>>

const requestFields =
  'model max_tokens messages system tools tool_choice thinking output_config stop_sequences stream metadata cache_control service_tier temperature top_p top_k speed inference_geo container diagnostics context_management'.split(
    ' ',
  )
const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']
const stopReasons =
  'end_turn max_tokens stop_sequence tool_use pause_turn refusal model_context_window_exceeded'.split(' ')
const schemaNames =
  '$defs definitions $ref type properties required additionalProperties items anyOf allOf enum const description title default format minItems'.split(
    ' ',
  )
const idRule = /^[a-zA-Z0-9_-]+$/
const nameRule = /^[a-zA-Z0-9_-]{1,128}$/
const ourMarks = /_tg1_|^tg1\./

const isObject = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const listOf = (value: unknown): readonly Loose[] => (Array.isArray(value) ? value.filter(isObject) : [])
const isBlank = (value: unknown) => typeof value !== 'string' || value.trim() === ''
const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0

/** Blocks of a message; a string is one block of text. */
function blocksOf(content: unknown): readonly Loose[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
}

/** Adjacent messages of one role count as one message, as the API joins them. */
function joined(messages: readonly Loose[]): { role: unknown; blocks: readonly Loose[] }[] {
  const turns: { role: unknown; blocks: readonly Loose[] }[] = []
  for (const { role, content } of messages) {
    const last = turns.at(-1)
    if (last !== undefined && last.role === role)
      turns[turns.length - 1] = { role, blocks: [...last.blocks, ...blocksOf(content)] }
    else turns.push({ role, blocks: blocksOf(content) })
  }
  return turns
}

/** Violations of the request's rules; those that depend on the model only where its capabilities are given. */
export function brokenRequestRules(body: unknown, capabilities?: Capabilities): readonly string[] {
  if (!isObject(body)) return ['the body is not an object']
  const broken: string[] = []
  const say = (is: boolean, what: string) => {
    if (is) broken.push(what)
  }
  for (const name of Object.keys(body)) say(!requestFields.includes(name), `${name}: extra input`)
  say(typeof body.model !== 'string' || body.model === '', 'model: a name')
  say(!isCount(body.max_tokens), 'max_tokens: a whole number')
  say(
    capabilities !== undefined && Number(body.max_tokens) > capabilities.outputTokensMax,
    'max_tokens: more than the model gives',
  )
  const messages = listOf(body.messages)
  say(!Array.isArray(body.messages) || messages.length === 0, 'messages: at least one')
  broken.push(...messages.flatMap((message, index) => messageBreaches(message, `messages[${index}]`)))
  broken.push(...orderBreaches(messages, capabilities))
  broken.push(...pairBreaches(messages))
  if (body.system !== undefined) {
    for (const block of blocksOf(body.system))
      say(block.type !== 'text' || isBlank(block.text), 'system: text that is not blank')
    say(Array.isArray(body.system) && body.system.length === 0, 'system: not empty')
  }
  broken.push(...toolBreaches(body, capabilities))
  broken.push(...thinkingBreaches(body, capabilities))
  broken.push(...settingBreaches(body, capabilities))
  broken.push(...cacheBreaches(body))
  return broken
}

function messageBreaches({ role, content }: Loose, at: string): string[] {
  const roles = ['user', 'assistant', 'system']
  if (!roles.includes(role as string)) return [`${at}: role`]
  if (Array.isArray(content) && content.length === 0) return [`${at}: empty content`]
  if (typeof content !== 'string' && !Array.isArray(content)) return [`${at}: content`]
  return blocksOf(content).flatMap((block, index) =>
    blockBreaches(block, role as string, `${at}.content[${index}]`),
  )
}

const blockRoles: Readonly<Record<string, readonly string[]>> = {
  text: ['user', 'assistant', 'system'],
  image: ['user'],
  document: ['user'],
  search_result: ['user'],
  tool_result: ['user'],
  tool_use: ['assistant'],
  thinking: ['assistant'],
  redacted_thinking: ['assistant'],
}

function blockBreaches(block: Loose, role: string, at: string): string[] {
  const roles = blockRoles[String(block.type)]
  if (roles === undefined) return [`${at}: block of type ${String(block.type)}`]
  if (!roles.includes(role)) return [`${at}: ${String(block.type)} of ${role}`]
  switch (block.type) {
    case 'text':
      return isBlank(block.text) ? [`${at}: blank text`] : []
    case 'image':
    case 'document':
      return mediaBreaches(block, at)
    case 'thinking':
      if (typeof block.thinking !== 'string') return [`${at}: thinking without its text`]
      return isSignature(block.signature) ? [] : [`${at}: signature`]
    case 'redacted_thinking':
      return isSignature(block.data) ? [] : [`${at}: data`]
    case 'tool_use':
      return callBreaches(block, at)
    case 'tool_result':
      return resultBreaches(block, at)
    default:
      return []
  }
}

function isSignature(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && !ourMarks.test(value)
}

function callBreaches({ id, name, input }: Loose, at: string): string[] {
  const broken: string[] = []
  if (typeof id !== 'string' || !idRule.test(id) || ourMarks.test(id)) broken.push(`${at}: id`)
  if (typeof name !== 'string' || !nameRule.test(name)) broken.push(`${at}: name`)
  if (!isObject(input)) broken.push(`${at}: input is not an object`)
  return broken
}

function resultBreaches({ tool_use_id: id, content, is_error: isError }: Loose, at: string): string[] {
  const broken: string[] = []
  if (typeof id !== 'string' || !idRule.test(id) || ourMarks.test(id)) broken.push(`${at}: tool_use_id`)
  if (isError !== undefined && typeof isError !== 'boolean') broken.push(`${at}: is_error`)
  const allowed = ['text', 'image', 'document', 'search_result', 'tool_reference']
  for (const [index, part] of (Array.isArray(content) ? listOf(content) : []).entries()) {
    const inside = `${at}.content[${index}]`
    if (!allowed.includes(String(part.type))) broken.push(`${inside}: block of type ${String(part.type)}`)
    else if (part.type !== 'tool_reference') broken.push(...blockBreaches(part, 'user', inside))
  }
  return broken
}

function mediaBreaches({ type, source }: Loose, at: string): string[] {
  if (!isObject(source)) return [`${at}: source`]
  const { type: kind, media_type: mediaType, data, url } = source
  switch (kind) {
    case 'base64': {
      const types = type === 'image' ? imageTypes : ['application/pdf']
      if (!types.includes(String(mediaType))) return [`${at}: media type ${String(mediaType)}`]
      return typeof data === 'string' && /^[A-Za-z0-9+/]+={0,2}$/.test(data) ? [] : [`${at}: base64`]
    }
    case 'url':
      return typeof url === 'string' && /^https?:\/\//.test(url) ? [] : [`${at}: url`]
    case 'text':
      return type === 'document' && mediaType === 'text/plain' && !isBlank(data) ? [] : [`${at}: text source`]
    case 'content':
      return type === 'document' ? [] : [`${at}: content source`]
    default:
      return [`${at}: source of type ${String(kind)}`]
  }
}

function orderBreaches(messages: readonly Loose[], capabilities?: Capabilities): string[] {
  const broken: string[] = []
  if (messages[0]?.role !== 'user') broken.push('messages[0]: must be of the user')
  for (const [index, { role }] of messages.entries()) {
    if (role !== 'system') continue
    if (capabilities?.midSystem === false)
      broken.push(`messages[${index}]: the model takes no system message`)
    if (messages[index - 1]?.role !== 'user')
      broken.push(`messages[${index}]: system must follow the user's turn`)
    const after = messages[index + 1]?.role
    if (after !== undefined && after !== 'assistant')
      broken.push(`messages[${index}]: system must be last or before the assistant's turn`)
  }
  const last = messages.at(-1)
  if (last?.role === 'assistant') {
    if (capabilities?.prefill === false)
      broken.push('messages: the model cannot go on from an assistant turn')
    const text = blocksOf(last.content).at(-1)?.text
    if (typeof text === 'string' && text !== text.trimEnd())
      broken.push('messages: the last assistant turn ends with white space')
  }
  return broken
}

/** Every call is answered at the beginning of the very next turn of the user, each once. */
function pairBreaches(messages: readonly Loose[]): string[] {
  const broken: string[] = []
  let asked: string[] = []
  for (const { role, blocks } of joined(messages.filter((message) => message.role !== 'system'))) {
    const results = blocks
      .filter(({ type }) => type === 'tool_result')
      .map((block) => String(block.tool_use_id))
    if (role === 'user') {
      const isFirst = blocks.slice(0, results.length).every(({ type }) => type === 'tool_result')
      if (!isFirst) broken.push('tool results must come first in their turn')
      if (results.some((id) => !asked.includes(id))) broken.push(`a result without its call: ${results}`)
      if (new Set(results).size < results.length) broken.push(`two results for one call: ${results}`)
      if (asked.some((id) => !results.includes(id))) broken.push(`a call without its result: ${asked}`)
      asked = []
    } else {
      if (asked.length > 0) broken.push(`a call without its result: ${asked}`)
      asked = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => String(id))
      if (new Set(asked).size < asked.length) broken.push(`two calls with one id: ${asked}`)
    }
  }
  if (asked.length > 0) broken.push(`a call without its result: ${asked}`)
  return broken
}

function toolBreaches(body: Loose, capabilities?: Capabilities): string[] {
  const broken: string[] = []
  const tools = listOf(body.tools)
  const names = tools.map(({ name }) => String(name))
  if (new Set(names).size < names.length) broken.push('tools: two of one name')
  for (const [index, tool] of tools.entries()) {
    const at = `tools[${index}]`
    if (typeof tool.name !== 'string' || !nameRule.test(tool.name)) broken.push(`${at}: name`)
    if (tool.type !== undefined && tool.type !== 'custom') {
      if (!/^[a-z_]+_\d{8}$/.test(String(tool.type))) broken.push(`${at}: type`)
      continue
    }
    const schema = tool.input_schema
    if (!isObject(schema) || schema.type !== 'object') broken.push(`${at}: the schema is not an object's`)
    else if ('anyOf' in schema || 'oneOf' in schema || 'allOf' in schema)
      broken.push(`${at}: alternatives at the top of the schema`)
    else if (tool.strict === true) broken.push(...schemaBreaches(schema, `${at}.input_schema`))
    if (tool.description !== undefined && typeof tool.description !== 'string')
      broken.push(`${at}: description`)
  }
  if (tools.filter(({ strict }) => strict === true).length > 20) broken.push('tools: too many strict ones')
  const choice = body.tool_choice
  if (choice === undefined) return broken
  if (tools.length === 0) broken.push('tool_choice: without tools')
  if (!isObject(choice) || !['auto', 'any', 'tool', 'none'].includes(String(choice.type)))
    return [...broken, 'tool_choice: type']
  if (choice.type === 'tool' && !names.includes(String(choice.name)))
    broken.push('tool_choice: a tool that is not there')
  if (choice.type === 'none' && 'disable_parallel_tool_use' in choice)
    broken.push('tool_choice: none knows no parallel calls')
  const isForced = choice.type === 'any' || choice.type === 'tool'
  if (isForced && capabilities?.forcedTools === false) broken.push('tool_choice: the model cannot be forced')
  if (isForced && isObject(body.thinking) && body.thinking.type === 'enabled')
    broken.push('tool_choice: forced beside budgeted thinking')
  return broken
}

function thinkingBreaches(body: Loose, capabilities?: Capabilities): string[] {
  const broken: string[] = []
  const { thinking, output_config: config } = body
  if (isObject(config)) {
    const { effort, format } = config
    if (effort !== undefined && !['low', 'medium', 'high', 'xhigh', 'max'].includes(String(effort)))
      broken.push('output_config.effort: no such effort')
    else if (effort !== undefined && capabilities?.efforts.every((known) => known !== effort) === true)
      broken.push(`output_config.effort: the model does not know ${String(effort)}`)
    if (format !== undefined) {
      if (!isObject(format) || format.type !== 'json_schema' || !isObject(format.schema))
        broken.push('output_config.format: a schema')
      else broken.push(...schemaBreaches(format.schema, 'schema'))
    }
  }
  if (thinking === undefined) return broken
  if (!isObject(thinking)) return [...broken, 'thinking: an object']
  if (capabilities?.thinking === 'none' && thinking.type !== 'disabled')
    broken.push('thinking: the model does not think')
  switch (thinking.type) {
    case 'enabled': {
      const budget = Number(thinking.budget_tokens)
      if (!(budget >= 1024)) broken.push('thinking: budget below 1024')
      if (!(budget < Number(body.max_tokens))) broken.push('thinking: budget not below max_tokens')
      if (capabilities !== undefined && capabilities.thinking !== 'budget')
        broken.push('thinking: the model takes no budget')
      if (lacksThinking(listOf(body.messages))) broken.push('thinking: the tool loop lacks its thoughts')
      break
    }
    case 'adaptive':
      if (capabilities?.thinking === 'budget') broken.push('thinking: the model is not adaptive')
      break
    case 'disabled':
    case 'between_tools':
      if (capabilities !== undefined && capabilities.thinkingOff !== thinking.type)
        broken.push(`thinking: the model knows no ${thinking.type}`)
      if ('block_binding' in thinking) broken.push('thinking: no binding where there is none')
      break
    default:
      broken.push('thinking: type')
  }
  return broken
}

/** With a budget the tool loop at the end must begin with a thinking block. */
function lacksThinking(messages: readonly Loose[]): boolean {
  const turns = joined(messages.filter((message) => message.role !== 'system'))
  if (turns.at(-1)?.role !== 'user') return false
  let first: readonly Loose[] | null = null
  for (let index = turns.length - 1; index > 0; index -= 2) {
    const blocks = turns[index]?.blocks ?? []
    if (!blocks.some(({ type }) => type === 'tool_result')) break
    first = turns[index - 1]?.blocks ?? []
    if (blocks.some(({ type }) => type !== 'tool_result')) break
  }
  const type = first?.[0]?.type
  return first !== null && type !== 'thinking' && type !== 'redacted_thinking'
}

/** Finds parts of a JSON Schema that structured output and strict tools do not accept. */
function schemaBreaches(schema: unknown, at: string): string[] {
  if (!isObject(schema)) return [`${at}: a schema is an object`]
  const broken = Object.keys(schema)
    .filter((name) => !schemaNames.includes(name))
    .map((name) => `${at}: ${name} is not supported`)
  if ('minItems' in schema && Number(schema.minItems) > 1) broken.push(`${at}: minItems above 1`)
  const isObjects = schema.type === 'object' || (Array.isArray(schema.type) && schema.type.includes('object'))
  if (isObjects && schema.additionalProperties !== false)
    broken.push(`${at}: additionalProperties must be false`)
  for (const name of ['properties', '$defs', 'definitions']) {
    const members = schema[name]
    if (!isObject(members)) continue
    for (const key of Object.keys(members)) broken.push(...schemaBreaches(members[key], `${at}.${key}`))
  }
  if (schema.items !== undefined) broken.push(...schemaBreaches(schema.items, `${at}[]`))
  for (const name of ['anyOf', 'allOf']) {
    for (const one of (schema[name] as unknown[] | undefined) ?? [])
      broken.push(...schemaBreaches(one, `${at}|`))
  }
  return broken
}

function settingBreaches(body: Loose, capabilities?: Capabilities): string[] {
  const broken: string[] = []
  const { temperature, top_p: topP, top_k: topK, stop_sequences: stops, thinking } = body
  if (temperature !== undefined && !(Number(temperature) >= 0 && Number(temperature) <= 1))
    broken.push('temperature: from 0 to 1')
  const isThinking = isObject(thinking) && (thinking.type === 'enabled' || thinking.type === 'adaptive')
  if (isThinking && temperature !== undefined && temperature !== 1)
    broken.push('temperature: beside thinking')
  if (isThinking && topK !== undefined) broken.push('top_k: beside thinking')
  if (isThinking && topP !== undefined && Number(topP) < 0.95) broken.push('top_p: beside thinking')
  if (capabilities?.sampling === 'none' && [temperature, topP, topK].some((value) => value !== undefined))
    broken.push('sampling: the model takes none')
  if (capabilities?.sampling === 'one_of' && temperature !== undefined && topP !== undefined)
    broken.push('sampling: temperature or top_p')
  if (capabilities?.topK === false && topK !== undefined) broken.push('top_k: the model takes none')
  if (stops !== undefined) {
    if (!Array.isArray(stops) || stops.some(isBlank)) broken.push('stop_sequences: texts that are not blank')
    else if (capabilities !== undefined && stops.length > capabilities.stopsMax)
      broken.push('stop_sequences: too many')
  }
  const { metadata, stream } = body
  if (metadata !== undefined && (!isObject(metadata) || String(metadata.user_id).length > 256))
    broken.push('metadata: user_id')
  if (stream !== undefined && typeof stream !== 'boolean') broken.push('stream: true or false')
  return broken
}

/** At most four cache breakpoints, and none of an hour after one of five minutes, in the order of the prompt. */
function cacheBreaches(body: Loose): string[] {
  const marks = [
    ...listOf(body.tools),
    ...(Array.isArray(body.system) ? listOf(body.system) : []),
    ...listOf(body.messages).flatMap(({ content }) => (Array.isArray(content) ? listOf(content) : [])),
    body,
  ].flatMap((block) => (isObject(block.cache_control) ? [block.cache_control] : []))
  const broken: string[] = []
  if (marks.length > 4) broken.push(`cache_control: ${marks.length} marks`)
  if (marks.some(({ type, ttl }) => type !== 'ephemeral' || !['5m', '1h', undefined].includes(ttl as string)))
    broken.push('cache_control: type or lifetime')
  const lifetimes = marks.map(({ ttl }) => ttl ?? '5m')
  if (lifetimes.lastIndexOf('1h') > lifetimes.indexOf('5m') && lifetimes.includes('5m'))
    broken.push('cache_control: an hour after five minutes')
  return broken
}

/** Violations of what clients rely on in a whole response. */
export function brokenAnswerRules(body: unknown): readonly string[] {
  if (!isObject(body)) return ['the answer is not an object']
  const broken = headBreaches(body)
  if (!Array.isArray(body.content)) broken.push('content: an array')
  const blocks = listOf(body.content)
  broken.push(...blocks.flatMap((block, index) => answerBlockBreaches(block, `content[${index}]`)))
  broken.push(...stopBreaches(body, blocks))
  broken.push(...usageBreaches(body.usage))
  return broken
}

function headBreaches({ id, type, role, model }: Loose): string[] {
  const broken: string[] = []
  if (typeof id !== 'string' || !idRule.test(id)) broken.push('id')
  if (type !== 'message') broken.push('type')
  if (role !== 'assistant') broken.push('role')
  if (typeof model !== 'string' || model === '') broken.push('model')
  return broken
}

function answerBlockBreaches(block: Loose, at: string): string[] {
  switch (block.type) {
    case 'text':
      return typeof block.text === 'string' && block.text !== '' ? [] : [`${at}: empty text`]
    case 'thinking':
      return typeof block.thinking === 'string' &&
        typeof block.signature === 'string' &&
        block.signature !== ''
        ? []
        : [`${at}: thinking with its signature`]
    case 'redacted_thinking':
      return typeof block.data === 'string' && block.data !== '' ? [] : [`${at}: data`]
    case 'tool_use':
      return [
        ...(typeof block.id === 'string' && idRule.test(block.id) ? [] : [`${at}: id`]),
        ...(typeof block.name === 'string' && block.name !== '' ? [] : [`${at}: name`]),
        ...(isObject(block.input) ? [] : [`${at}: input is not an object`]),
      ]
    default:
      // Server-side tools are reported in separate blocks.
      return /^server_tool_use$|_tool_result$/.test(String(block.type))
        ? []
        : [`${at}: ${String(block.type)}`]
  }
}

function stopBreaches(
  { stop_reason: reason, stop_sequence: stop }: Loose,
  blocks: readonly Loose[],
): string[] {
  const broken: string[] = []
  const calls = blocks.filter(({ type }) => type === 'tool_use')
  if (!stopReasons.includes(String(reason))) broken.push(`stop_reason: ${String(reason)}`)
  if (typeof stop === 'string' && reason !== 'stop_sequence') broken.push('stop_sequence without its reason')
  if (reason === 'tool_use' && calls.length === 0) broken.push('stop_reason: tool_use without a call')
  if (reason === 'end_turn' && calls.length > 0) broken.push('stop_reason: end_turn with a call')
  if (new Set(calls.map(({ id }) => id)).size < calls.length) broken.push('two calls with one id')
  return broken
}

function usageBreaches(usage: unknown): string[] {
  if (!isObject(usage)) return ['usage: an object']
  return ['input_tokens', 'output_tokens']
    .filter((name) => !isCount(usage[name]))
    .map((name) => `usage.${name}`)
}

interface StreamEvent {
  readonly name: string
  readonly value: Loose
}

function eventsOf(sse: string): readonly StreamEvent[] {
  return sse
    .split(/\r?\n\r?\n/)
    .filter((block) => /^data:/m.test(block))
    .map((block) => ({
      name: /^event: ?(.*)$/m.exec(block)?.[1]?.trim() ?? '',
      value: JSON.parse(/^data: ?(.*)$/m.exec(block)?.[1] ?? 'null') as Loose,
    }))
}

const deltasOf: Readonly<Record<string, readonly string[]>> = {
  text: ['text_delta', 'citations_delta'],
  thinking: ['thinking_delta', 'signature_delta'],
  tool_use: ['input_json_delta'],
  server_tool_use: ['input_json_delta'],
}

/** Reads a stream in order and collects violations. */
class StreamRules {
  readonly broken: string[] = []
  private readonly blocks: Record<string, unknown>[] = []
  private open: Record<string, unknown> | null = null
  private json = ''
  private stage: 'before' | 'running' | 'delta' | 'over' = 'before'
  private stop: Loose = {}

  read({ name, value }: StreamEvent): void {
    if (name !== value.type) this.broken.push(`event ${name} says ${String(value.type)}`)
    if (value.type === 'ping') return
    if (this.stage === 'over') this.broken.push(`${String(value.type)} after message_stop`)
    switch (value.type) {
      case 'message_start':
        return this.begin(isObject(value.message) ? value.message : {})
      case 'content_block_start':
        return this.start(value)
      case 'content_block_delta':
        return this.delta(value)
      case 'content_block_stop':
        return this.end(value)
      case 'message_delta':
        return this.finish(value)
      case 'message_stop':
        if (this.stage !== 'delta') this.broken.push('message_stop without message_delta')
        this.stage = 'over'
        return
      default:
        this.broken.push(`event of type ${String(value.type)}`)
    }
  }

  close(): readonly string[] {
    if (this.stage !== 'over') this.broken.push('no message_stop')
    else this.broken.push(...stopBreaches(this.stop, this.blocks))
    return this.broken
  }

  private begin(message: Loose): void {
    if (this.stage !== 'before') this.broken.push('message_start twice')
    this.stage = 'running'
    this.broken.push(...headBreaches(message), ...usageBreaches(message.usage))
    if (!Array.isArray(message.content) || message.content.length > 0)
      this.broken.push('message_start: content is not empty')
    if (message.stop_reason !== null) this.broken.push('message_start: stop_reason')
  }

  private start({ index, content_block: block }: Loose): void {
    if (this.stage !== 'running') this.broken.push('a block outside the message')
    if (this.open !== null) this.broken.push('blocks overlap')
    if (index !== this.blocks.length) this.broken.push(`block ${String(index)} out of turn`)
    this.open = { ...(isObject(block) ? block : {}) }
    this.blocks.push(this.open)
    this.json = ''
    if (this.open.type === 'tool_use' && JSON.stringify(this.open.input) !== '{}')
      this.broken.push('a call begins with an empty input')
  }

  private delta({ index, delta }: Loose): void {
    const { open } = this
    if (open === null || index !== this.blocks.length - 1 || !isObject(delta)) {
      this.broken.push('a delta without its block')
      return
    }
    if (deltasOf[String(open.type)]?.includes(String(delta.type)) !== true)
      this.broken.push(`${String(delta.type)} in ${String(open.type)}`)
    if (open.type === 'thinking' && open.signature) this.broken.push('a delta after the signature')
    if (delta.type === 'text_delta') open.text = `${String(open.text)}${String(delta.text)}`
    if (delta.type === 'thinking_delta') open.thinking = `${String(open.thinking)}${String(delta.thinking)}`
    if (delta.type === 'signature_delta') open.signature = delta.signature
    if (delta.type === 'input_json_delta') this.json += String(delta.partial_json)
  }

  private end({ index }: Loose): void {
    const { open } = this
    if (open === null || index !== this.blocks.length - 1) this.broken.push('a block ends that is not open')
    this.open = null
    if (open === null) return
    if (open.type === 'tool_use') open.input = this.json === '' ? {} : jsonOf(this.json)
    // Only a limit truncates the input of a call; that is checked when the stop reason is known.
    if (open.type === 'tool_use' && !isObject(open.input)) this.stop = { cut: true }
    this.broken.push(
      ...answerBlockBreaches(open, `block ${this.blocks.length - 1}`).filter(
        (line) => !line.includes('input'),
      ),
    )
  }

  private finish({ delta, usage }: Loose): void {
    if (this.open !== null) this.broken.push('message_delta while a block is open')
    if (this.stage !== 'running') this.broken.push('message_delta out of turn')
    this.stage = 'delta'
    const isCut = this.stop.cut === true
    this.stop = isObject(delta) ? delta : {}
    if (isCut && this.stop.stop_reason !== 'max_tokens') this.broken.push('input that is not an object')
    if (!isObject(usage) || !isCount(usage.output_tokens)) this.broken.push('message_delta: usage')
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}

/** Violations of the order and the form of a whole stream that completed. */
export function brokenStreamRules(sse: string): readonly string[] {
  const rules = new StreamRules()
  for (const event of eventsOf(sse)) rules.read(event)
  return rules.close()
}
