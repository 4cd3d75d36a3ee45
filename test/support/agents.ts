/**
 * Small agents, one for each format: each maintains a history as a program of that format does, offers tools, accepts
 * responses (whole, or streamed through the official library where there is one) and returns the results of its tools.
 * An agent may drop the same fields that real programs drop. It knows nothing of the gateway.
 */
import assert from 'node:assert/strict'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import type { ConversationFormat } from '../../src/wire/format-names.ts'
import { at, eventsIn, type Json } from './format-clients.ts'

/**
 * `faithful`: returns what it got. `typed`: retains only what the types of its library knew before reasoning was
 * encrypted. `cutting`: the same, and truncates call ids to 64 characters.
 */
export type Fidelity = 'faithful' | 'typed' | 'cutting'

export const fidelities: readonly Fidelity[] = ['faithful', 'typed', 'cutting']

interface AgentCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
}

export interface Said {
  readonly text: string
  readonly calls: readonly AgentCall[]
}

export interface AgentResult {
  readonly call: AgentCall
  readonly text: string
  readonly image?: boolean
  readonly failed?: boolean
}

export interface AgentTool {
  readonly name: string
  /** JSON schema; null: no arguments. */
  readonly schema: Json | null
}

interface AgentSettings {
  readonly fidelity: Fidelity
  readonly tools: readonly AgentTool[]
  readonly instructions: string
  /** Additional members of every request. */
  readonly more?: Json
}

interface Prompt {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Agent {
  readonly format: ConversationFormat
  say(text: string, image?: boolean): void
  give(results: readonly AgentResult[]): void
  /** The next request; the same until the history changes. */
  prompt(model: string, stream: boolean): Prompt
  /** Adds the response's bytes to the history. */
  take(answer: string, stream: boolean): Promise<Said>
  /** The current history, to start another agent with. */
  readonly history: unknown[]
}

/** A PNG of one pixel. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+ip1sAAAAASUVORK5CYII='
const pixelUrl = `data:image/png;base64,${pixel}`
const idCharactersMax = 64
const noParameters: Json = { type: 'object', properties: {} }

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : [])
const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const cut = (id: string, fidelity: Fidelity) => (fidelity === 'cutting' ? id.slice(0, idCharactersMax) : id)

export function agentOf(format: ConversationFormat, settings: AgentSettings): Agent {
  return new agents[format](settings)
}

function answering(sse: string): () => Promise<Response> {
  return () =>
    Promise.resolve(new Response(sse, { status: 200, headers: { 'content-type': 'text/event-stream' } }))
}

function openai(sse: string): OpenAI {
  return new OpenAI({ apiKey: 'any', maxRetries: 0, logLevel: 'off', fetch: answering(sse) })
}

class ChatAgent implements Agent {
  readonly format = 'openai-chat'
  readonly history: Json[]
  private readonly settings: AgentSettings

  constructor(settings: AgentSettings) {
    this.settings = settings
    this.history = [{ role: 'system', content: settings.instructions }]
  }

  say(words: string, image = false): void {
    const content = image
      ? [
          { type: 'text', text: words },
          { type: 'image_url', image_url: { url: pixelUrl } },
        ]
      : words
    this.history.push({ role: 'user', content })
  }

  give(results: readonly AgentResult[]): void {
    for (const { call, text: words } of results)
      this.history.push({ role: 'tool', tool_call_id: call.id, content: words })
  }

  prompt(model: string, stream: boolean): Prompt {
    const { tools, more = {} } = this.settings
    const body = {
      model,
      messages: this.history,
      tools: tools.map(({ name, schema }) => ({
        type: 'function',
        function: {
          name,
          description: `The tool ${name}.`,
          ...(schema === null ? {} : { parameters: schema }),
        },
      })),
      ...more,
      ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
    }
    return { path: '/v1/chat/completions', headers: {}, body: JSON.stringify(body) }
  }

  async take(answer: string, stream: boolean): Promise<Said> {
    const message = stream
      ? await this.streamed(answer)
      : (at(JSON.parse(answer), 'choices', 0, 'message') as Json)
    const preserved = this.kept(message)
    this.history.push(preserved)
    return {
      text: text(preserved.content),
      calls: list(preserved.tool_calls).map((call) => ({
        id: text(call.id),
        name: text(at(call, 'function', 'name')),
        input: JSON.parse(text(at(call, 'function', 'arguments'))) as unknown,
      })),
    }
  }

  private async streamed(sse: string): Promise<Json> {
    if (this.settings.fidelity === 'faithful') return gatheredChat(sse)
    const params = { model: 'any', messages: [{ role: 'user' as const, content: 'any' }] }
    const whole = await openai(sse).chat.completions.stream(params).finalChatCompletion()
    return whole.choices[0]?.message as unknown as Json
  }

  private kept(message: Json): Json {
    const { fidelity } = this.settings
    if (fidelity === 'faithful') return message
    const calls = list(message.tool_calls).map((call) => ({
      id: cut(text(call.id), fidelity),
      type: 'function',
      function: { name: at(call, 'function', 'name'), arguments: at(call, 'function', 'arguments') },
    }))
    return {
      role: 'assistant',
      content: message.content ?? null,
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    }
  }
}

/** A message with every field of its deltas, known or not: text concatenated, lists appended. */
function gatheredChat(sse: string): Json {
  const message: Record<string, unknown> = { role: 'assistant', content: null }
  const calls: Record<string, unknown>[] = []
  for (const event of eventsIn(sse)) {
    const delta = (at(event, 'choices', 0, 'delta') ?? {}) as Json
    for (const [name, value] of Object.entries(delta)) {
      if (name === 'tool_calls') for (const piece of list(value)) gatherCall(calls, piece)
      else if (name === 'role') message.role = value
      else if (Array.isArray(value)) message[name] = [...list(message[name]), ...list(value)]
      else if (typeof value === 'string') message[name] = text(message[name]) + value
    }
  }
  if (message.content === '' && calls.length > 0) message.content = null
  return calls.length === 0 ? message : { ...message, tool_calls: calls }
}

function gatherCall(calls: Record<string, unknown>[], { index, function: piece, ...rest }: Json): void {
  const call = calls[Number(index)] ?? { function: { name: '', arguments: '' } }
  calls[Number(index)] = call
  const held = call.function as Record<string, string>
  for (const [name, value] of Object.entries((piece ?? {}) as Json))
    held[name] = (held[name] ?? '') + text(value)
  Object.assign(call, rest)
}

class ResponsesAgent implements Agent {
  readonly format = 'openai-responses'
  readonly history: Json[] = []
  private readonly settings: AgentSettings

  constructor(settings: AgentSettings) {
    this.settings = settings
  }

  say(words: string, image = false): void {
    const shown = image ? [{ type: 'input_image', image_url: pixelUrl, detail: 'auto' }] : []
    this.history.push({ role: 'user', content: [{ type: 'input_text', text: words }, ...shown] })
  }

  give(results: readonly AgentResult[]): void {
    for (const { call, text: words, image = false } of results) {
      const parts = [
        { type: 'input_text', text: words },
        { type: 'input_image', image_url: pixelUrl, detail: 'auto' },
      ]
      this.history.push({ type: 'function_call_output', call_id: call.id, output: image ? parts : words })
    }
  }

  prompt(model: string, stream: boolean): Prompt {
    const { tools, instructions, more = {} } = this.settings
    const body = {
      model,
      instructions,
      tools: tools.map(({ name, schema }) => ({
        type: 'function',
        name,
        description: `The tool ${name}.`,
        parameters: schema,
        strict: false,
      })),
      input: this.history,
      store: false,
      include: ['reasoning.encrypted_content'],
      ...more,
      stream,
    }
    return { path: '/v1/responses', headers: {}, body: JSON.stringify(body) }
  }

  async take(answer: string, stream: boolean): Promise<Said> {
    const whole = stream ? await this.streamed(answer) : (JSON.parse(answer) as Json)
    const items = list(whole.output)
    const preserved = this.settings.fidelity === 'faithful' ? items : items.flatMap((item) => this.kept(item))
    this.history.push(...preserved)
    const parts = preserved.filter(({ type }) => type === 'message').flatMap(({ content }) => list(content))
    return {
      text: parts.map((part) => text(part.text)).join(''),
      calls: preserved
        .filter(({ type }) => type === 'function_call')
        .map((item) => ({
          id: text(item.call_id),
          name: text(item.name),
          input: JSON.parse(text(item.arguments)) as unknown,
        })),
    }
  }

  /** The finished response, which must consist of the finished items. */
  private async streamed(sse: string): Promise<Json> {
    const events = await openai(sse).responses.create({ model: 'any', input: 'any', stream: true })
    const done: unknown[] = []
    for await (const event of events) {
      if (event.type === 'response.output_item.done') done.push(event.item)
      if (event.type !== 'response.completed') continue
      assert.deepEqual(event.response.output, done)
      return event.response as unknown as Json
    }
    throw new Error('the stream has no end')
  }

  private kept(item: Json): readonly Json[] {
    if (item.type === 'message') {
      const content = list(item.content).map((part) => ({ type: part.type, text: part.text }))
      return [{ type: 'message', role: 'assistant', content }]
    }
    if (item.type !== 'function_call') return []
    const { type, call_id: id, name, arguments: given } = item
    return [{ type, call_id: cut(text(id), this.settings.fidelity), name, arguments: given }]
  }
}

class MessagesAgent implements Agent {
  readonly format = 'anthropic'
  readonly history: Json[] = []
  private readonly settings: AgentSettings

  constructor(settings: AgentSettings) {
    this.settings = settings
  }

  say(words: string, image = false): void {
    const shown = image
      ? [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } }]
      : []
    this.history.push({ role: 'user', content: [{ type: 'text', text: words }, ...shown] })
  }

  give(results: readonly AgentResult[]): void {
    const content = results.map(({ call, text: words, image = false, failed = false }) => ({
      type: 'tool_result',
      tool_use_id: call.id,
      content: image
        ? [
            { type: 'text', text: words },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
          ]
        : words,
      ...(failed ? { is_error: true } : {}),
    }))
    this.history.push({ role: 'user', content })
  }

  prompt(model: string, stream: boolean): Prompt {
    const { tools, instructions, more = {} } = this.settings
    const body = {
      model,
      max_tokens: 16_000,
      system: [{ type: 'text', text: instructions }],
      tools: tools.map(({ name, schema }) => ({
        name,
        description: `The tool ${name}.`,
        input_schema: schema ?? noParameters,
      })),
      messages: this.history,
      ...more,
      stream,
    }
    const headers = { 'anthropic-version': '2023-06-01' }
    return { path: '/v1/messages', headers, body: JSON.stringify(body) }
  }

  async take(answer: string, stream: boolean): Promise<Said> {
    const whole = stream ? await this.streamed(answer) : (JSON.parse(answer) as Json)
    const blocks = list(whole.content)
    const preserved =
      this.settings.fidelity === 'faithful' ? blocks : blocks.flatMap((block) => this.kept(block))
    this.history.push({ role: 'assistant', content: preserved })
    return {
      text: preserved.map((block) => text(block.text)).join(''),
      calls: preserved
        .filter(({ type }) => type === 'tool_use')
        .map(({ id, name, input }) => ({ id: text(id), name: text(name), input })),
    }
  }

  private async streamed(sse: string): Promise<Json> {
    const client = new Anthropic({ apiKey: 'any', maxRetries: 0, logLevel: 'off', fetch: answering(sse) })
    const params = { model: 'any', max_tokens: 1, messages: [{ role: 'user' as const, content: 'any' }] }
    return (await client.messages.stream(params).finalMessage()) as unknown as Json
  }

  private kept({ type, id, name, input, text: words }: Json): readonly Json[] {
    if (type === 'text') return [{ type, text: words }]
    return type === 'tool_use' ? [{ type, id: cut(text(id), this.settings.fidelity), name, input }] : []
  }
}

class GeminiAgent implements Agent {
  readonly format = 'gemini'
  readonly history: Json[] = []
  private readonly settings: AgentSettings

  constructor(settings: AgentSettings) {
    this.settings = settings
  }

  say(words: string, image = false): void {
    const shown = image ? [{ inlineData: { mimeType: 'image/png', data: pixel } }] : []
    this.history.push({ role: 'user', parts: [{ text: words }, ...shown] })
  }

  give(results: readonly AgentResult[]): void {
    const parts = results.map(({ call, text: words, image = false, failed = false }) => ({
      functionResponse: {
        ...(call.id === '' ? {} : { id: call.id }),
        name: call.name,
        response: failed ? { error: words } : { output: words },
        ...(image ? { parts: [{ inlineData: { mimeType: 'image/png', data: pixel } }] } : {}),
      },
    }))
    this.history.push({ role: 'user', parts })
  }

  prompt(model: string, stream: boolean): Prompt {
    const { tools, instructions, more = {} } = this.settings
    const body = {
      systemInstruction: { parts: [{ text: instructions }] },
      tools: [
        {
          functionDeclarations: tools.map(({ name, schema }) => ({
            name,
            description: `The tool ${name}.`,
            ...(schema === null ? {} : { parametersJsonSchema: schema }),
          })),
        },
      ],
      contents: this.history,
      ...more,
    }
    const method = stream ? 'streamGenerateContent?alt=sse' : 'generateContent'
    return { path: `/v1beta/models/${model}:${method}`, headers: {}, body: JSON.stringify(body) }
  }

  /** Google's library stores the content of each chunk as a content of the history. */
  async take(answer: string, stream: boolean): Promise<Said> {
    const chunks = stream ? eventsIn(answer) : [JSON.parse(answer) as Json]
    const contents = chunks
      .map((chunk) => at(chunk, 'candidates', 0, 'content') as Json)
      .filter((content) => list(content?.parts).length > 0)
    const parts = contents.flatMap((content) => list(content.parts))
    const isFaithful = this.settings.fidelity === 'faithful'
    const preserved = isFaithful ? parts : parts.flatMap((part) => this.kept(part))
    if (isFaithful) this.history.push(...contents)
    else this.history.push({ role: 'model', parts: preserved })
    return {
      text: preserved
        .filter(({ thought }) => thought !== true)
        .map((part) => text(part.text))
        .join(''),
      calls: preserved
        .filter(({ functionCall }) => functionCall !== undefined)
        .map(({ functionCall: call }) => ({
          id: text(at(call, 'id')),
          name: text(at(call, 'name')),
          input: at(call, 'args') ?? {},
        })),
    }
  }

  /** Without the signatures of its calls it could not continue with Google either. */
  private kept({ text: words, thought, functionCall: call, thoughtSignature }: Json): readonly Json[] {
    if (call !== undefined) {
      const { fidelity } = this.settings
      const id = text(at(call, 'id'))
      const named = fidelity === 'cutting' && id !== '' ? { id: cut(id, fidelity) } : {}
      const signed = thoughtSignature === undefined ? {} : { thoughtSignature }
      return [{ functionCall: { name: at(call, 'name'), args: at(call, 'args') ?? {}, ...named }, ...signed }]
    }
    return thought === true || text(words) === '' ? [] : [{ text: words }]
  }
}

const agents = {
  'openai-chat': ChatAgent,
  'openai-responses': ResponsesAgent,
  anthropic: MessagesAgent,
  gemini: GeminiAgent,
} as const satisfies Readonly<Record<ConversationFormat, new (settings: AgentSettings) => Agent>>
