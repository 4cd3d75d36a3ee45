/**
 * A request below `/api/auth`: validated, and reduced to the fields that its path accepts. Decides nothing about a person.
 */
import { visibleText, visibleTextMessage } from '../../../contract/visible-text.ts'
import { type AuthRequest, type AuthResponse, errorResponse, parseObject } from '../auth-messages.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { AuthenticatedSession } from '../types.ts'
import { type AuthRule, fieldLengthsMax, ruleOf } from './rules-table.ts'

export type JsonBody = Readonly<Record<string, unknown>>

/** A request with what has been derived from it. */
export interface AuthExchange {
  readonly request: AuthRequest
  /** Below `/api/auth`. */
  readonly path: string
  readonly rule: AuthRule
  /** null: the request has no body. */
  readonly body: JsonBody | null
  readonly token: string | undefined
  readonly session: AuthenticatedSession | null
}

export const authBasePath = '/api/auth'

/** Form of a path: better-auth parses it again and must not arrive at another path, with other rules. */
const plainPath = /^(?:\/[A-Za-z0-9_-]+)+$/

/** Validates the request and picks the fields that its path accepts; an error response when it is invalid. */
export async function readExchange(
  { sessions }: { readonly sessions: Sessions },
  request: AuthRequest,
): Promise<AuthExchange | AuthResponse> {
  const path = request.path.startsWith(`${authBasePath}/`) ? request.path.slice(authBasePath.length) : ''
  const rule = plainPath.test(path) ? ruleOf(request.method, path) : undefined
  if (rule === undefined) return errorResponse('unknown_path', 'No such path.')
  const isPost = request.method === 'POST'
  const text = Buffer.from(request.body).toString('utf8')
  const isJson = /^application\/json\b/i.test(String(request.headers['content-type'] ?? ''))
  if (isPost && text !== '' && !isJson) {
    return errorResponse('unsupported_media_type', 'Send the body as application/json.')
  }
  const body = isPost ? pickFields(parseObject(text === '' ? '{}' : text), rule) : null
  const wrong = body === null ? undefined : textFieldError(body)
  if (wrong !== undefined) return wrong
  const { cookie } = request.headers
  const headers = typeof cookie === 'string' ? { cookie } : {}
  return {
    request,
    path,
    rule,
    body,
    token: sessions.tokenOf(headers),
    session: await sessions.authenticate(headers),
  }
}

function pickFields(body: JsonBody, { fields, sets }: AuthRule): JsonBody {
  // The invitation is read by our code; better-auth does not know the field.
  const names = fields === undefined ? Object.keys(body) : [...fields, 'invitation']
  const entries = names.filter((name) => Object.hasOwn(body, name)).map((name) => [name, body[name]])
  return { ...Object.fromEntries(entries), ...sets }
}

function textFieldError(body: JsonBody): AuthResponse | undefined {
  for (const [param, max] of Object.entries(fieldLengthsMax)) {
    const value = body[param]
    if (value === undefined) continue
    if (typeof value !== 'string')
      return errorResponse('invalid_value', `${param} must be a string.`, { param })
    if (value.length <= max) continue
    return errorResponse('invalid_value', `${param} must be at most ${max} characters.`, { param })
  }
  const { name } = body
  if (typeof name !== 'string' || visibleText.test(name)) return undefined
  return errorResponse('invalid_value', `name ${visibleTextMessage}.`, { param: 'name' })
}

/** The `cookie` header of the request. */
export function cookieHeader({ request }: AuthExchange): string | undefined {
  const { cookie } = request.headers
  return typeof cookie === 'string' ? cookie : undefined
}

/** The value when it is a string; better-auth rejects every other type. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
