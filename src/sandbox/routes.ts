/** The addresses of the sandbox, and in which dialect every other one is refused. A table and its reader. */
import type { IncomingMessage } from 'node:http'
import type { JsonObject, Reading } from './ask.ts'
import { readChat } from './chat-request.ts'
import type { SandboxDialect } from './dialect.ts'
import { chatDialect, geminiDialect, messagesDialect, responsesDialect } from './dialects.ts'
import { readCountTokens, readGemini } from './gemini-request.ts'
import { readCount, readMessages } from './messages-request.ts'
import type { Problem, Trouble } from './problem.ts'
import { readResponses } from './responses-request.ts'

/** An address answers as the model's name says, or only counts the input and tells it in `counted`. */
export interface Address {
  readonly dialect: SandboxDialect
  readonly read: (body: JsonObject) => Reading
  readonly counted: ((tokens: number) => JsonObject) | null
}

const inputTokens = (tokens: number): JsonObject => ({ input_tokens: tokens })

const addresses: ReadonlyMap<string, Address> = new Map<string, Address>([
  ['/v1/chat/completions', { dialect: chatDialect, read: readChat, counted: null }],
  ['/v1/messages', { dialect: messagesDialect, read: readMessages, counted: null }],
  ['/v1/messages/count_tokens', { dialect: messagesDialect, read: readCount, counted: inputTokens }],
  ['/v1/responses', { dialect: responsesDialect, read: readResponses, counted: null }],
  [
    '/v1/responses/input_tokens',
    {
      dialect: responsesDialect,
      read: readResponses,
      counted: (tokens) => ({ object: 'response.input_tokens', ...inputTokens(tokens) }),
    },
  ],
])

export type Route =
  | { readonly kind: 'address'; readonly dialect: SandboxDialect; readonly address: Address }
  | { readonly kind: 'problem'; readonly dialect: SandboxDialect; readonly problem: Problem }

function notHere(dialect: SandboxDialect, trouble: Trouble, subject: string): Route {
  return { kind: 'problem', dialect, problem: { trouble, subject, param: null } }
}

/** Either version; a model's name may hold colons of its own, the last one is before the method. */
const geminiPath = /^\/v1(?:beta)?\/models\/([^/]+):([A-Za-z]+)$/

const geminiMethods: Readonly<Record<string, (model: string) => Omit<Address, 'dialect'>>> = {
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

function geminiAddress(path: string): Address | undefined {
  const [, model = '', method = ''] = geminiPath.exec(path) ?? []
  const known = geminiMethods[method]
  return known === undefined ? undefined : { dialect: geminiDialect, ...known(decoded(model)) }
}

const beginnings: readonly (readonly [path: string, dialect: SandboxDialect])[] = [
  ['/v1/messages', messagesDialect],
  ['/v1/responses', responsesDialect],
  ['/v1beta', geminiDialect],
]

function dialectOf(path: string): SandboxDialect {
  return beginnings.find(([beginning]) => path.startsWith(beginning))?.[1] ?? chatDialect
}

/** The other form of a Gemini stream, one JSON array, is not offered. */
function formProblem(path: string, query: string): Problem | null {
  if (!path.endsWith(':streamGenerateContent')) return null
  if (new URLSearchParams(query).get('alt') === 'sse') return null
  const subject = 'The sandbox streams as server-sent events alone: add alt=sse to the query.'
  return { trouble: 'invalid', subject, param: null }
}

/** Where a request goes, or why it is refused before its body is read. Any query is tolerated. */
export function routeOf({ method = '', url = '', headers }: IncomingMessage): Route {
  const [path = '', query = ''] = url.split('?', 2)
  const line = `${method} ${path}`
  const address = addresses.get(path) ?? geminiAddress(path)
  if (address === undefined) return notHere(dialectOf(path), 'unknown_path', line)
  const { dialect } = address
  if (method !== 'POST') return notHere(dialect, 'wrong_method', line)
  const found = dialect.checkHeaders(headers, query) ?? formProblem(path, query)
  return found === null ? { kind: 'address', dialect, address } : { kind: 'problem', dialect, problem: found }
}
