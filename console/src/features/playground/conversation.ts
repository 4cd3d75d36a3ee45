/** A playground conversation as values, and the Chat Completions request that continues it. Pure. */

export interface MessageImage {
  readonly name: string
  /** `data:image/…;base64,…` */
  readonly url: string
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  /** JSON as the model wrote it. */
  readonly arguments: string
}

export interface UserTurn {
  readonly kind: 'user'
  readonly id: number
  readonly text: string
  readonly images: readonly MessageImage[]
}

/** The response so far. */
export interface Said {
  readonly text: string
  /** The visible reasoning. */
  readonly thoughts: string
  /** The encrypted reasoning as received: sent back, never shown. */
  readonly sealed: readonly unknown[]
  readonly calls: readonly ToolCall[]
  readonly images: readonly string[]
  /** The finish reason: `stop`, `length`, `tool_calls`… */
  readonly finish: string | null
}

export interface AnswerTurn {
  readonly kind: 'answer'
  readonly id: number
  readonly model: string
  readonly said: Said
  readonly state: 'streaming' | 'complete' | 'stopped' | 'failed'
  /** The request's id, once the server has sent it. */
  readonly request: string | null
  readonly problem: Failure | null
  /** The results that the person entered, by call id. */
  readonly results: Readonly<Record<string, string>>
}

/** The server's error. */
export interface Failure {
  readonly status: number
  readonly code: string
  readonly message: string
}

export type Turn = UserTurn | AnswerTurn

export interface ToolDraft {
  readonly id: number
  readonly name: string
  readonly description: string
  /** A JSON schema, as text. */
  readonly parameters: string
}

export interface Settings {
  readonly system: string
  /** The text as typed; empty: the model's default. */
  readonly temperature: string
  readonly outputLimit: string
  readonly effort: '' | 'minimal' | 'low' | 'medium' | 'high'
  readonly tools: readonly ToolDraft[]
}

export const nothingSaid: Said = {
  text: '',
  thoughts: '',
  sealed: [],
  calls: [],
  images: [],
  finish: null,
}
export const usualSettings: Settings = {
  system: '',
  temperature: '',
  outputLimit: '',
  effort: '',
  tools: [],
}

/** Which settings a model takes, and the name of its output limit. */
export interface Takes {
  readonly tools: boolean
  readonly effort: boolean
  readonly limitField: 'max_tokens' | 'max_completion_tokens'
}

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/** The body of the next request, without `stream`. */
export function requestBody(
  model: string,
  turns: readonly Turn[],
  settings: Settings,
  takes: Takes,
): { readonly [name: string]: Json } {
  const tools = takes.tools ? settings.tools.flatMap(toolOf) : []
  const temperature = numberOf(settings.temperature)
  const limit = numberOf(settings.outputLimit)
  return {
    model,
    messages: [
      ...(settings.system.trim() === '' ? [] : [{ role: 'system', content: settings.system }]),
      ...turns.flatMap(messagesOf),
    ],
    ...(tools.length === 0 ? {} : { tools }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(limit === undefined ? {} : { [takes.limitField]: limit }),
    ...(takes.effort && settings.effort !== '' ? { reasoning_effort: settings.effort } : {}),
  }
}

function numberOf(text: string): number | undefined {
  const value = Number(text)
  return text.trim() === '' || !Number.isFinite(value) ? undefined : value
}

/** Incomplete drafts are left out. */
function toolOf({ name, description, parameters }: ToolDraft): readonly Json[] {
  if (toolMistake({ name, parameters }) !== undefined) return []
  const schema = JSON.parse(parameters) as Json
  const described = description.trim() === '' ? {} : { description: description.trim() }
  return [{ type: 'function', function: { name, ...described, parameters: schema } }]
}

/** Error in a typed tool; undefined: none. */
export function toolMistake({
  name,
  parameters,
}: Pick<ToolDraft, 'name' | 'parameters'>):
  | { readonly field: 'name' | 'parameters'; readonly text: string }
  | undefined {
  if (!/^[\w-]{1,64}$/.test(name)) {
    return { field: 'name', text: 'Use letters, digits, underscores and dashes, at most 64.' }
  }
  try {
    const schema: unknown = JSON.parse(parameters)
    if (typeof schema === 'object' && schema !== null && !Array.isArray(schema)) return undefined
    return { field: 'parameters', text: 'A JSON schema must be an object: { "type": "object", … }.' }
  } catch (error) {
    return { field: 'parameters', text: `Invalid JSON: ${error instanceof Error ? error.message : ''}` }
  }
}

function messagesOf(turn: Turn): readonly { readonly [name: string]: Json }[] {
  if (turn.kind === 'user') return [{ role: 'user', content: contentOf(turn) }]
  const { said, results } = turn
  // A truncated call is none.
  const calls = turn.state === 'complete' ? said.calls : []
  if (said.text === '' && calls.length === 0) return []
  const message = {
    role: 'assistant',
    content: said.text === '' ? null : said.text,
    ...(said.sealed.length === 0 ? {} : { reasoning_details: said.sealed as readonly Json[] }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map((call) => ({
            id: call.id,
            type: 'function',
            function: { name: call.name, arguments: call.arguments },
          })),
        }),
  }
  const answered = calls.map(({ id }) => ({
    role: 'tool',
    tool_call_id: id,
    content: results[id] ?? '',
  }))
  return [message, ...answered]
}

function contentOf({ text, images }: UserTurn): Json {
  if (images.length === 0) return text
  return [
    ...images.map(({ url }) => ({ type: 'image_url', image_url: { url } })),
    ...(text === '' ? [] : [{ type: 'text', text }]),
  ]
}

/** The request that the page is about while nothing more is typed: the last one answered. */
export function askedLast(turns: readonly Turn[]): readonly Turn[] {
  const isAnswered = turns.at(-1)?.kind === 'answer' && openCalls(turns).length === 0
  return isAnswered ? turns.slice(0, -1) : turns
}

/** The calls of the last response that wait for results. */
export function openCalls(turns: readonly Turn[]): readonly ToolCall[] {
  const last = turns.at(-1)
  return last?.kind === 'answer' && last.state === 'complete' ? last.said.calls : []
}
