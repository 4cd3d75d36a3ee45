/** The paths of the sandbox, and in which format every other one is rejected. A table and its reader. */
import type { IncomingMessage } from 'node:http'
import { readCount, readMessages } from './anthropic/request.ts'
import type { ProviderError, SandboxErrorKind } from './errors.ts'
import type { SandboxFormat } from './format.ts'
import { chatFormat, geminiFormat, messagesFormat, responsesFormat } from './formats.ts'
import { readCountTokens, readGemini } from './gemini/request.ts'
import { readChat } from './openai-chat/request.ts'
import { readResponses } from './openai-responses/request.ts'
import type { JsonObject, RequestReading } from './request/normalized-request.ts'

/** An address answers as the model's name says, or only counts the input and returns the number in `counted`. */
export interface Endpoint {
  readonly format: SandboxFormat
  readonly read: (body: JsonObject) => RequestReading
  readonly counted: ((tokens: number) => JsonObject) | null
}

const inputTokens = (tokens: number): JsonObject => ({ input_tokens: tokens })

const addresses: ReadonlyMap<string, Endpoint> = new Map<string, Endpoint>([
  ['/v1/chat/completions', { format: chatFormat, read: readChat, counted: null }],
  ['/v1/messages', { format: messagesFormat, read: readMessages, counted: null }],
  ['/v1/messages/count_tokens', { format: messagesFormat, read: readCount, counted: inputTokens }],
  ['/v1/responses', { format: responsesFormat, read: readResponses, counted: null }],
  [
    '/v1/responses/input_tokens',
    {
      format: responsesFormat,
      read: readResponses,
      counted: (tokens) => ({ object: 'response.input_tokens', ...inputTokens(tokens) }),
    },
  ],
])

/** A request about a stored response. */
export interface StoredResponseRoute {
  readonly kind: 'stored'
  readonly format: SandboxFormat
  readonly verb: 'show' | 'delete' | 'cancel' | 'input_items'
  readonly id: string
}

type SandboxRoute =
  | StoredResponseRoute
  | { readonly kind: 'address'; readonly format: SandboxFormat; readonly address: Endpoint }
  | { readonly kind: 'error'; readonly format: SandboxFormat; readonly error: ProviderError }

function notHere(format: SandboxFormat, kind: SandboxErrorKind, subject: string): SandboxRoute {
  return { kind: 'error', format, error: { kind, subject, param: null } }
}

/** Either version; a model's name may contain colons, the last one is before the method. */
const geminiPath = /^\/v1(?:beta)?\/models\/([^/]+):([A-Za-z]+)$/

const geminiMethods: Readonly<Record<string, (model: string) => Omit<Endpoint, 'format'>>> = {
  generateContent: (model) => ({ read: (body) => readGemini(body, { model, stream: false }), counted: null }),
  streamGenerateContent: (model) => ({
    read: (body) => readGemini(body, { model, stream: true }),
    counted: null,
  }),
  countTokens: (model) => ({
    read: (body) => readCountTokens(body, { model, stream: false }),
    counted: (tokens) => ({
      totalTokens: tokens,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: tokens }],
    }),
  }),
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

function geminiAddress(path: string): Endpoint | undefined {
  const [, model = '', method = ''] = geminiPath.exec(path) ?? []
  const known = geminiMethods[method]
  return known === undefined ? undefined : { format: geminiFormat, ...known(decoded(model)) }
}

const beginnings: readonly (readonly [path: string, format: SandboxFormat])[] = [
  ['/v1/messages', messagesFormat],
  ['/v1/responses', responsesFormat],
  ['/v1beta', geminiFormat],
]

function formatOf(path: string): SandboxFormat {
  return beginnings.find(([beginning]) => path.startsWith(beginning))?.[1] ?? chatFormat
}

/** The other form of a Gemini stream, one JSON array, is not offered. */
function formError(path: string, query: string): ProviderError | null {
  if (!path.endsWith(':streamGenerateContent')) return null
  if (new URLSearchParams(query).get('alt') === 'sse') return null
  const subject = 'The sandbox streams server-sent events only: add alt=sse to the query.'
  return { kind: 'invalid', subject, param: null }
}

const storedResponsePath = /^\/v1\/responses\/([\w.:=+%-]+)(\/cancel|\/input_items)?$/

const storedResponseVerbs: Readonly<Record<string, StoredResponseRoute['verb']>> = {
  GET: 'show',
  DELETE: 'delete',
  'POST /cancel': 'cancel',
  'GET /input_items': 'input_items',
}

function storedResponseRoute(method: string, path: string): StoredResponseRoute | undefined {
  const [found, id = '', part] = storedResponsePath.exec(path) ?? []
  const line = part === undefined ? method : `${method} ${part}`
  const verb =
    found === undefined || !Object.hasOwn(storedResponseVerbs, line) ? undefined : storedResponseVerbs[line]
  return verb === undefined ? undefined : { kind: 'stored', format: responsesFormat, verb, id: decoded(id) }
}

/** Where a request goes, or why it is rejected before its body is read. Any query is tolerated. */
export function routeOf({ method = '', url = '', headers }: IncomingMessage): SandboxRoute {
  const [path = '', query = ''] = url.split('?', 2)
  const line = `${method} ${path}`
  const address = addresses.get(path) ?? geminiAddress(path)
  const stored = address === undefined ? storedResponseRoute(method, path) : undefined
  if (stored !== undefined) {
    const rejection = stored.format.checkHeaders(headers, query)
    return rejection === null ? stored : { kind: 'error', format: stored.format, error: rejection }
  }
  if (address === undefined) return notHere(formatOf(path), 'unknown_path', line)
  const { format } = address
  if (method !== 'POST') return notHere(format, 'wrong_method', line)
  const found = format.checkHeaders(headers, query) ?? formError(path, query)
  return found === null ? { kind: 'address', format, address } : { kind: 'error', format, error: found }
}
