/**
 * A Messages request in the neutral form. Fields that only this format has are named, so that they are
 * rejected or reported and never lost silently. Must not judge what another format can carry.
 */
import type { ReadLimits } from '../format.ts'
import { readJson } from '../json/json.ts'
import { View } from '../json/view.ts'
import { type Effort, efforts } from '../translation/capabilities.ts'
import type {
  Conversation,
  ConversationPart,
  ConversationTurn,
  OutputFormat,
  Reasoning,
  Sampling,
  TextPart,
} from '../translation/neutral.ts'
import { untranslatable } from '../translation/policy.ts'
import { MessagesFieldList } from './decode-request-fields.ts'
import { BlockDecoder } from './decode-request-parts.ts'
import { choiceOf, MessagesToolDecoder } from './decode-request-tools.ts'

/** The first block of some clients' instructions, which changes with every request and says nothing to a model. */
const billingHeader = 'x-anthropic-billing-header'

/** Throws WireError; see `ClientCodec.decodeRequest`. */
export function decodeRequest(body: Uint8Array, limits: ReadLimits): Conversation {
  return readJson(body, limits, (json) => conversationOf(new View(json, json.root), limits))
}

function conversationOf(body: View, { integerMax }: ReadLimits): Conversation {
  const fields = new MessagesFieldList()
  fields.readBody(body)
  const tools = new MessagesToolDecoder(fields, integerMax)
  tools.readAll(body.get('tools'))
  const messages = new MessageReader(fields, tools)
  messages.readSystem(body.get('system'))
  messages.readAll(messagesOf(body))
  const effort = messages.effort ?? effortOf(body.get('output_config'))
  return {
    model: body.get('model')?.text() ?? '',
    stream: body.get('stream')?.flag() ?? false,
    turns: messages.turns,
    tools: tools.tools,
    providerTools: tools.providerTools,
    ...choiceOf(body.get('tool_choice')),
    outputLimit: limitOf(body, integerMax),
    sampling: samplingOf(body),
    stops:
      body
        .get('stop_sequences')
        ?.items()
        .map((stop) => stop.text()) ?? [],
    reasoning: reasoningOf(body.get('thinking'), effort, integerMax),
    format: formatOf(body),
    verbosity: null,
    user: body.get('metadata')?.get('user_id')?.text() ?? null,
    cacheKey: null,
    logprobs: null,
    fields: fields.list,
    responseOptions: { includeUsage: true, echo: [], tools: [], logprobs: false },
  }
}

function messagesOf(body: View): readonly View[] {
  const messages = body.get('messages')
  if (messages === undefined) throw body.invalid('an object with messages')
  const items = messages.items()
  if (items.length === 0) throw messages.invalid('an array of at least one message')
  return items
}

/** 0 only writes the prompt cache, which no other format supports. */
function limitOf(body: View, integerMax: number): number | null {
  const limit = body.get('max_tokens')?.integer(0, integerMax) ?? null
  if (limit === 0) throw untranslatable('max_tokens', '0 only warms a prompt cache')
  return limit
}

function effortOf(config: View | undefined): Effort | null {
  const value = config?.get('effort')
  if (value === undefined) return null
  const effort = efforts.find((known) => known === value.text())
  if (effort === undefined) throw value.invalid(`one of ${efforts.join(', ')}`)
  return effort
}

/** Gathers turns in order. */
class MessageReader {
  readonly turns: ConversationTurn[] = []
  /** The effort that an instruction between the turns sets for the current answer. */
  effort: Effort | null = null
  private readonly fields: MessagesFieldList
  private readonly tools: MessagesToolDecoder
  private readonly parts: BlockDecoder

  constructor(fields: MessagesFieldList, tools: MessagesToolDecoder) {
    this.fields = fields
    this.tools = tools
    this.parts = new BlockDecoder(fields)
  }

  readSystem(system: View | undefined): void {
    if (system === undefined) return
    const parts: TextPart[] = []
    const blocks = system.isText ? [system] : system.items()
    for (const [index, block] of blocks.entries()) {
      const part = this.parts.text(block, 'system[].cache_control')
      if (index === 0 && part.text.startsWith(billingHeader)) this.fields.note('system[]', block.pointer)
      else parts.push(part)
    }
    this.add('system', parts)
  }

  readAll(messages: readonly View[]): void {
    for (const message of messages) {
      const role = message.get('role')
      switch (role?.text()) {
        case 'user':
        case 'assistant':
          this.readMessage(message, role.text() === 'user' ? 'user' : 'assistant')
          break
        case 'system':
          this.readInstruction(message)
          break
        default:
          throw (role ?? message).invalid('a message of user, assistant or system')
      }
    }
  }

  private readMessage(message: View, role: 'user' | 'assistant'): void {
    const parts = this.parts.content(message.get('content'))
    // The effort of one turn does not apply to the next; results belong to the turn that made the calls.
    if (role === 'user' && parts.some(({ kind }) => kind !== 'result')) this.effort = null
    this.add(role, parts)
  }

  /** Instructions between the turns; they may also change the effort, or offer a tool from there on. */
  private readInstruction(message: View): void {
    const config = message.get('output_config')
    if (config !== undefined) {
      this.fields.note('messages[].output_config', config.pointer)
      this.effort = effortOf(config) ?? this.effort
    }
    const clearing = message.get('clear_at')
    if (clearing?.isText === true && clearing.text() !== 'never')
      this.fields.note('messages[].clear_at', clearing.pointer)
    const content = message.get('content')
    const added = content?.isList === true ? content.items().map((block) => block.get('tool')) : []
    for (const tool of added) {
      const definition = tool?.get('definition')
      if (definition !== undefined) this.tools.read(definition)
    }
    this.add('system', this.parts.content(content))
  }

  private add(role: ConversationTurn['role'], parts: readonly ConversationPart[]): void {
    // An empty user message is still a message.
    if (parts.length > 0 || role === 'user') this.turns.push({ role, parts })
  }
}

/** The response settings of a Messages request: sampling, thinking, output format. Must not judge whether a model supports them. */
function samplingOf(body: View): Sampling {
  return {
    temperature: body.get('temperature')?.numeral() ?? null,
    topP: body.get('top_p')?.numeral() ?? null,
    topK: body.get('top_k')?.numeral() ?? null,
    presencePenalty: null,
    frequencyPenalty: null,
    seed: null,
  }
}

const off: Reasoning = { effort: 'none', budget: 0, summaries: null }
/** The least that some models can think: between the calls of tools. */
const leastEffort: Effort = 'low'
const modelDecides = -1

/** Effort and budget may both be set: the model's capabilities decide which applies. */
function reasoningOf(thinking: View | undefined, effort: Effort | null, integerMax: number): Reasoning {
  if (thinking === undefined) return { effort, budget: null, summaries: null }
  const display = thinking.get('display')?.text() ?? null
  const summaries = display === null ? null : display !== 'omitted'
  const type = thinking.get('type')?.text()
  switch (type) {
    case 'disabled':
      return off
    case 'between_tools':
      return { effort: effort ?? leastEffort, budget: null, summaries }
    case 'adaptive':
      return { effort, budget: effort === null ? modelDecides : null, summaries }
    case 'enabled':
      return { effort, budget: thinking.get('budget_tokens')?.integer(0, integerMax) ?? null, summaries }
    default:
      throw thinking.invalid('of type adaptive, enabled, between_tools or disabled')
  }
}

/** `output_format` is what betas called it. */
function formatOf(body: View): OutputFormat | null {
  const format = body.get('output_config')?.get('format') ?? body.get('output_format')
  if (format === undefined) return null
  const schema = format.get('schema')
  if (schema === undefined) throw format.invalid('a json_schema with its schema')
  return { kind: 'schema', name: null, description: null, schema: schema.raw, strict: null }
}
