/**
 * A host of Chat Completions on loopback, as strict as its documentation: it accepts only its own path and its own
 * credential header, and rejects what it does not support. It does what the last message requests, and reports usage
 * where the host reports it. Its facts are repeated here, independent of the rows under test.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface HostFacts {
  readonly path: string
  readonly rejects?: readonly string[]
  readonly rejectsInMessages?: readonly string[]
  readonly limit?: 'max_tokens' | 'max_completion_tokens'
  /** Whether streams report usage only on request, or always: at the top, or in `x_groq`. */
  readonly streamUsage?: 'asked' | 'unasked' | 'x_groq'
  /** The name of the field with cached tokens. */
  readonly cached?: string
  readonly thought?: 'reasoning_content' | 'reasoning' | 'parts'
  readonly finish?: string
  readonly rejectedStatus?: 400 | 422
  /** Statuses and bodies of its errors. */
  readonly wrongKey?: Rejection
  readonly balance?: Rejection
  readonly overload?: Rejection
  readonly toolIds?: RegExp
  readonly needsThoughts?: true
  readonly demands?: Readonly<Record<string, unknown>>
}

export interface Rejection {
  readonly status: number
  readonly body: unknown
}

interface HostRequest {
  readonly headers: IncomingMessage['headers']
  readonly body: Record<string, unknown>
  /** Why it was rejected; '' where it was not. */
  readonly rejected: string
  /** The client closed the connection before the end. */
  closed: boolean
}

export interface HostImitation {
  readonly origin: string
  readonly requests: readonly HostRequest[]
  close(): Promise<void>
}

export const hostUsage = { prompt: 1_000, cached: 400, completion: 20 } as const

interface Message {
  readonly role: string
  readonly content?: unknown
  readonly tool_calls?: readonly { readonly id: string }[]
  readonly tool_call_id?: string
  readonly [name: string]: unknown
}

const rateLimited: Rejection = {
  status: 429,
  body: { error: { message: 'rate limit reached', type: 'rate', code: 'r' } },
}
const defaults = {
  wrongKey: {
    status: 401,
    body: { error: { message: 'invalid key', type: 'auth', code: 'invalid_api_key' } },
  },
  balance: { status: 402, body: { error: { message: 'insufficient balance of account 7' } } },
  overload: { status: 503, body: { error: { message: 'overloaded' } } },
} as const

export async function imitateHost(facts: HostFacts, credential: string): Promise<HostImitation> {
  const requests: HostRequest[] = []
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const text = Buffer.concat(pieces).toString()
      const body = JSON.parse(text === '' ? '{}' : text) as Record<string, unknown>
      const rejected = whyRejected(facts, request, body, credential)
      const seen: HostRequest = { headers: request.headers, body, rejected, closed: false }
      requests.push(seen)
      response.on('close', () => {
        seen.closed = !response.writableFinished
      })
      play(facts, { body, rejected, response })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

function whyRejected(
  facts: HostFacts,
  { url, headers }: IncomingMessage,
  body: Record<string, unknown>,
  credential: string,
): string {
  if (url !== facts.path) return `path ${url}`
  if (headers.authorization !== `Bearer ${credential}`) return 'credential'
  if (headers['user-agent'] !== 'tollgate') return `user-agent ${headers['user-agent']}`
  const messages = (body.messages ?? []) as readonly Message[]
  const found = [
    ...(facts.rejects ?? []).filter((name) => name in body),
    ...(facts.rejectsInMessages ?? []).filter((name) => messages.some((message) => name in message)),
    ...(facts.limit === 'max_tokens' && 'max_completion_tokens' in body ? ['max_completion_tokens'] : []),
    ...(facts.limit === 'max_completion_tokens' && 'max_tokens' in body ? ['max_tokens'] : []),
    ...(facts.streamUsage !== 'asked' && facts.streamUsage !== undefined && 'stream_options' in body
      ? ['stream_options']
      : []),
    ...Object.entries(facts.demands ?? {}).flatMap(([name, value]) =>
      JSON.stringify(body[name]) === JSON.stringify(value)
        ? []
        : [`${name} must be ${JSON.stringify(value)}`],
    ),
    ...messages.flatMap(({ tool_calls: calls = [], tool_call_id: id }) =>
      [...calls.map((call) => call.id), ...(id === undefined ? [] : [id])].filter(
        (one) => facts.toolIds?.test(one) === false,
      ),
    ),
    ...(facts.needsThoughts === true &&
    messages.some((message) => message.tool_calls !== undefined && !('reasoning_content' in message))
      ? ['reasoning_content is missing']
      : []),
  ]
  return found.join(', ')
}

interface Played {
  readonly body: Record<string, unknown>
  readonly rejected: string
  readonly response: ServerResponse
}

function play(facts: HostFacts, { body, rejected, response }: Played): void {
  const say = ({ status, body: answer }: Rejection) => {
    const wait = status === 429 ? { 'retry-after': '1' } : {}
    response.writeHead(status, { 'content-type': 'application/json', ...wait }).end(JSON.stringify(answer))
  }
  if (rejected !== '')
    return say({ status: facts.rejectedStatus ?? 400, body: { error: { message: rejected } } })
  const asked = askedFor((body.messages ?? []) as readonly Message[])
  if (asked === 'rate') return say(rateLimited)
  if (asked === 'wrong key') return say(facts.wrongKey ?? defaults.wrongKey)
  if (asked === 'balance') return say(facts.balance ?? defaults.balance)
  if (asked === 'overload') return say(facts.overload ?? defaults.overload)
  if (asked === 'fault')
    return say({ status: 200, body: { error: { message: 'the model failed', code: 502 } } })
  const message = asked === 'tool' ? toolMessage : textMessage(facts)
  const finish = asked === 'tool' ? 'tool_calls' : (facts.finish ?? 'stop')
  if (body.stream !== true) {
    const choice = { index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }
    return say({
      status: 200,
      body: { id: 'h-1', object: 'chat.completion', choices: [choice], usage: usageOf(facts) },
    })
  }
  const end = streamEnds[asked] ?? 'marked'
  stream(facts, { response, message, finish, end, isAsked: isUsageAsked(body) })
}

function askedFor(messages: readonly Message[]): string {
  const content = messages.at(-1)?.content
  return typeof content === 'string' ? content : ''
}

function isUsageAsked({ stream_options: options }: Record<string, unknown>): boolean {
  return (options as { include_usage?: boolean } | undefined)?.include_usage === true
}

function usageOf({ cached = 'prompt_tokens_details.cached_tokens' }: HostFacts): Record<string, unknown> {
  const { prompt, completion } = hostUsage
  const [outer = '', inner] = cached.split('.')
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    [outer]: inner === undefined ? hostUsage.cached : { [inner]: hostUsage.cached },
  }
}

const call = { index: 0, id: 'abcDEF123', type: 'function', function: { name: 'look', arguments: '{"a":1}' } }
const toolMessage = { content: null, tool_calls: [call] }

function textMessage({ thought }: HostFacts): Record<string, unknown> {
  if (thought === undefined) return { content: 'hello' }
  if (thought !== 'parts') return { [thought]: 'hm', content: 'hello' }
  return {
    content: [
      { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
      { type: 'text', text: 'hello' },
    ],
  }
}

/** How a stream ends, by what the last message says: as documented where it says something else. */
const streamEnds: Readonly<Record<string, StreamEnd>> = {
  // The stream starts, and ends when the connection does.
  hold: 'held',
  'no mark': 'unmarked',
  'no finish': 'unfinished',
  cut: 'cut',
}
type StreamEnd = 'marked' | 'held' | 'unmarked' | 'unfinished' | 'cut'

interface Streamed {
  readonly response: ServerResponse
  readonly message: Record<string, unknown>
  readonly finish: string
  readonly end: StreamEnd
  readonly isAsked: boolean
}

function stream(facts: HostFacts, { response, message, finish, end, isAsked }: Streamed): void {
  const chunk = (choices: readonly unknown[], more: object = {}) =>
    `data: ${JSON.stringify({ id: 'h-1', object: 'chat.completion.chunk', choices, ...more })}\n\n`
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(': keep-alive\n\n')
  response.write(chunk([{ index: 0, delta: { role: 'assistant', ...message }, finish_reason: null }]))
  if (end === 'held') return
  if (end === 'unfinished') return void response.end()
  const usage = usageOf(facts)
  const last = [{ index: 0, delta: {}, finish_reason: finish }]
  if (facts.streamUsage === 'x_groq') response.write(chunk(last, { x_groq: { id: 'r', usage } }))
  else if (facts.streamUsage === 'unasked') response.write(chunk(last, { usage }))
  else response.write(chunk(last) + (isAsked ? chunk([], { usage }) : ''))
  if (end === 'cut') return void setImmediate(() => response.destroy())
  response.end(end === 'marked' ? 'data: [DONE]\n\n' : '')
}
