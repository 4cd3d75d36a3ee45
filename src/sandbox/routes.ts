/** The addresses of the sandbox, and in which dialect every other one is refused. A table and its reader. */
import type { IncomingMessage } from 'node:http'
import type { JsonObject, Reading } from './ask.ts'
import type { SandboxDialect } from './dialect.ts'
import { chatDialect, messagesDialect } from './dialects.ts'
import { readCount } from './messages-request.ts'
import type { Problem, Trouble } from './problem.ts'

/** `generate` answers as the model's name says, `count` only counts the input. */
export type Operation = 'generate' | 'count'

export interface Address {
  readonly dialect: SandboxDialect
  readonly operation: Operation
  readonly read: (body: JsonObject) => Reading
}

const chat: Address = { dialect: chatDialect, operation: 'generate', read: chatDialect.read }
const messages: Address = { dialect: messagesDialect, operation: 'generate', read: messagesDialect.read }

const addresses: ReadonlyMap<string, Address> = new Map([
  ['/v1/chat/completions', chat],
  ['/v1/messages', messages],
  ['/v1/messages/count_tokens', { dialect: messagesDialect, operation: 'count', read: readCount }],
])

export type Route =
  | { readonly kind: 'address'; readonly dialect: SandboxDialect; readonly address: Address }
  | { readonly kind: 'problem'; readonly dialect: SandboxDialect; readonly problem: Problem }

function notHere(dialect: SandboxDialect, trouble: Trouble, subject: string): Route {
  return { kind: 'problem', dialect, problem: { trouble, subject, param: null } }
}

/** Where a request goes, or why it is refused before its body is read. Any query is tolerated. */
export function routeOf({ method = '', url = '', headers }: IncomingMessage): Route {
  const [path = ''] = url.split('?', 1)
  const line = `${method} ${path}`
  const address = addresses.get(path)
  if (address === undefined) {
    return notHere(path.startsWith('/v1/messages') ? messagesDialect : chatDialect, 'unknown_path', line)
  }
  const { dialect } = address
  if (method !== 'POST') return notHere(dialect, 'wrong_method', line)
  const found = dialect.checkHeaders(headers)
  return found === null ? { kind: 'address', dialect, address } : { kind: 'problem', dialect, problem: found }
}
