/**
 * The actor of an HTTP request: the person of a session cookie, a management key, or anyone. A key for models
 * is rejected with a message that says so. A request has one actor.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { TollgateError } from '../base/errors.ts'
import type { Actor } from '../control/actor.ts'
import type { ApiDeps } from './api-deps.ts'

/** Where clients of the data plane put their key; here read only to explain the mistake. */
const modelKeyHeaders = ['x-api-key', 'api-key', 'x-goog-api-key'] as const
const modelKeyStart = 'sk-tg-'

/** Throws 400 for two credentials in one request and 401 for an invalid key. */
export async function authenticateActor(
  { control, clientAddress }: Pick<ApiDeps, 'control' | 'clientAddress'>,
  request: IncomingMessage,
): Promise<Actor> {
  const address = clientAddress(request)
  const credential = bearerOf(request)
  const session = await control.identity.authenticate(request.headers)
  if (session !== null) {
    if (credential !== undefined) throw ambiguousCredentials()
    const { person, loginMs } = session
    return { kind: 'person', person, loginMs, address }
  }
  if (credential === undefined) {
    if (hasModelKey(request.headers)) throw isModelKey()
    return { kind: 'anyone', address }
  }
  const key = await control.managementKeys.identify(credential)
  if (key !== undefined) {
    const { id, label, account, scopes } = key
    return { kind: 'management_key', id, label, account, scopes, address }
  }
  throw credential.startsWith(modelKeyStart)
    ? isModelKey()
    : new TollgateError('invalid_api_key', { message: 'This management key is invalid, expired or revoked.' })
}

/** Whose doings are counted together. */
export function actorId(actor: Actor): string {
  switch (actor.kind) {
    case 'person':
      return `person:${actor.person.id}`
    case 'management_key':
      return `key:${actor.id}`
    case 'local':
    case 'anyone':
      return actor.kind
  }
}

/** The credential of `Authorization: Bearer`; another scheme is meant for a proxy. */
function bearerOf({ headers, rawHeaders }: IncomingMessage): string | undefined {
  // Node silently keeps the first of repeated headers.
  if (rawHeaders.filter((name, index) => index % 2 === 0 && isAuthorization(name)).length > 1) {
    throw new TollgateError('repeated_credential', {
      message: 'The Authorization header was sent more than once.',
    })
  }
  return /^bearer\s+(.+)$/i.exec(headers.authorization ?? '')?.[1]?.trim()
}

const isAuthorization = (name: string) => name.toLowerCase() === 'authorization'

function hasModelKey(headers: IncomingHttpHeaders): boolean {
  return modelKeyHeaders.some((name) => String(headers[name] ?? '').startsWith(modelKeyStart))
}

function ambiguousCredentials(): TollgateError {
  return new TollgateError('repeated_credential', {
    message: 'Both a session and a management key were sent. Send only one of them.',
  })
}

function isModelKey(): TollgateError {
  return new TollgateError('invalid_api_key', {
    message: 'This API key is valid for model requests (/v1/…) only. Use a session or a management key.',
  })
}
