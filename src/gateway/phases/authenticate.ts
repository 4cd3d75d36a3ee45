/**
 * Credentials → caller. The first valid API key pays. Credential headers are never sent upstream, and an infrastructure
 * failure is never reported as an invalid key.
 */
import type { IncomingMessage } from 'node:http'
import type { SecretSealer } from '../../access/sealing.ts'
import type { Access, Caller, Identified } from '../../access/types.ts'
import { openUpload } from '../../access/upload-addresses.ts'
import type { Clock } from '../../base/clock.ts'
import { consoleUrl, keyUrl } from '../../base/console-url.ts'
import { type ErrorCode, TollgateError } from '../../base/errors.ts'
import { inTime } from '../../base/store-wait.ts'
import type { RateMeter } from '../../limits/rate-meter.ts'
import type { RequestContext } from '../request.ts'

/** Headers that can carry a credential, in the order in which they are tried. */
const credentialHeaders = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'] as const

interface KeyRejection {
  readonly code: ErrorCode
  readonly message: (keysPage: string, keyPage: string) => string
}

export interface AuthenticateDeps {
  readonly access: Pick<Access, 'identify'>
  /** Seals upload URLs. */
  readonly uploads: SecretSealer
  readonly clock: Clock
  /** Rate limit of requests without a valid key, by network. */
  readonly withoutKey: Pick<RateMeter<string>, 'take'>
  readonly limits: { readonly requestsWithoutKeyPerMinute: number; readonly storeWaitMs: number }
  readonly address: string
}

/** Without a valid credential, the first of these reasons that applies is reported: the most specific first. */
const reasons: readonly (readonly [kind: Exclude<Identified['kind'], 'caller'>, rejected: KeyRejection])[] = [
  [
    'revoked',
    {
      code: 'revoked_api_key',
      message: (keysPage) => `This API key was revoked. Create a new one at ${keysPage}.`,
    },
  ],
  [
    'expired',
    {
      code: 'expired_api_key',
      message: (keysPage) => `This API key has expired. Create a new one at ${keysPage}.`,
    },
  ],
  [
    'disabled',
    {
      code: 'key_disabled',
      message: (_keysPage, keyPage) =>
        `This API key is disabled. Enable it at ${keyPage}, or use another key.`,
    },
  ],
  [
    'management',
    {
      code: 'invalid_api_key',
      message: (keysPage) =>
        `This is a management key, which is valid for /api only. Models require an API key, which begins with sk-tg-. Create one at ${keysPage}.`,
    },
  ],
  [
    'foreign',
    {
      code: 'provider_api_key',
      message: (keysPage) =>
        `This is a model provider's API key. Tollgate accepts its own keys only (they start with sk-tg-). Create one at ${keysPage}.`,
    },
  ],
  [
    'invalid',
    {
      code: 'invalid_api_key',
      message: (keysPage) =>
        `Incorrect API key provided. Keys of this server start with sk-tg-. Create one at ${keysPage}.`,
    },
  ],
]

/** Authenticates a request; throws TollgateError. A promise only where something has to be looked up. */
export type CallerOf = (context: RequestContext) => Caller | Promise<Caller>

export function authenticateByKey(deps: AuthenticateDeps): CallerOf {
  return (context) => authenticate(deps, context)
}

/**
 * Throws 401, 400 for a repeated credential header, and 429 for a network with too many unauthenticated requests. A
 * valid key is served regardless of its network.
 */
function authenticate(deps: AuthenticateDeps, context: RequestContext): Caller | Promise<Caller> {
  const credentials = credentialsOf(deps, context)
  const [only] = credentials
  const known = credentials.length === 1 && only !== undefined ? deps.access.identify(only) : undefined
  if (known !== undefined && 'kind' in known && known.kind === 'caller') return known.caller
  return firstCaller(deps, context, credentials, known)
}

async function firstCaller(
  deps: AuthenticateDeps,
  context: RequestContext,
  credentials: readonly string[],
  known: ReturnType<Access['identify']> | undefined,
): Promise<Caller> {
  const found = new Map<Identified['kind'], Identified>()
  for (const credential of credentials) {
    const asked = known ?? deps.access.identify(credential)
    const identified = asked instanceof Promise ? await inTime(deps, asked) : asked
    if (identified.kind === 'caller') return identified.caller
    found.set(identified.kind, identified)
  }
  limitRate(deps, context)
  throw unauthenticated(found, deps.address)
}

function limitRate({ clock, withoutKey, limits }: AuthenticateDeps, context: RequestContext): void {
  const metered = withoutKey.take(context.network, clock.wallMs())
  if (metered.kind === 'taken') return
  const limit = limits.requestsWithoutKeyPerMinute
  throw new TollgateError('rate_limited', {
    message: `Too many requests without a valid API key from this network. The limit is ${limit} per minute.`,
    facts: { scope: 'network', limit },
    retryAfterMs: metered.retryAfterMs,
  })
}

function unauthenticated(found: ReadonlyMap<Identified['kind'], Identified>, address: string): TollgateError {
  const anyKeys = `${address}/console/keys`
  for (const [kind, { code, message }] of reasons) {
    const identified = found.get(kind)
    if (identified === undefined) continue
    if (!('key' in identified)) return new TollgateError(code, { message: message(anyKeys, anyKeys) })
    const keysPage = consoleUrl(address, '/keys', identified.account)
    return new TollgateError(code, {
      message: message(keysPage, keyUrl(address, identified)),
      owner: identified,
    })
  }
  return new TollgateError('missing_api_key', {
    message: `No API key was sent. Send it as \`Authorization: Bearer sk-tg-…\` (or \`x-api-key\`). Create one at ${anyKeys}.`,
  })
}

/** Google's libraries continue a resumable upload without a key, at the URL that its start returned. */
function credentialsOf({ uploads }: AuthenticateDeps, context: RequestContext): readonly string[] {
  if (context.operation !== 'continue_upload') return readCredentials(context)
  const upload = openUpload(uploads, new URLSearchParams(context.query).get('upload_id') ?? '')
  return upload?.credentials ?? readCredentials(context)
}

/** All credentials of a request, in order. Throws 400 for a repeated credential header. */
export function readCredentials({ request, format }: RequestContext): readonly string[] {
  rejectRepeated(request.rawHeaders)
  const credentials: string[] = []
  for (const name of credentialHeaders) {
    const value = request.headers[name]
    if (typeof value !== 'string') continue
    const credential = name === 'authorization' ? bearer(value) : value.trim()
    if (credential !== '') credentials.push(credential)
  }
  if (format.hasKeyInUrl) credentials.push(...keysInQuery(request))
  return credentials
}

/** Google's libraries may put the key into the URL; it is read there in no other format. */
function keysInQuery({ url = '' }: IncomingMessage): readonly string[] {
  const start = url.indexOf('?')
  if (start < 0) return []
  const keys = new URLSearchParams(url.slice(start)).getAll('key')
  if (keys.length > 1) {
    throw new TollgateError('repeated_credential', {
      message: 'The query parameter key was sent more than once.',
    })
  }
  return keys.filter((key) => key !== '')
}

/** Some clients omit the scheme; a credential of another scheme is ignored. */
function bearer(value: string): string {
  const [, scheme, credential = ''] = /^(\S+)(?:\s+(.*))?$/s.exec(value.trim()) ?? []
  if (scheme === undefined) return ''
  if (scheme.toLowerCase() === 'bearer') return credential.trim()
  return credential === '' ? scheme : ''
}

/** Node joins or drops repeated headers, depending on their name, so this reads the raw list. */
function rejectRepeated(rawHeaders: readonly string[]): void {
  const seen = new Set<string>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? ''
    if (!(credentialHeaders as readonly string[]).includes(name)) continue
    if (seen.has(name)) {
      throw new TollgateError('repeated_credential', {
        message: `The header ${name} was sent more than once.`,
      })
    }
    seen.add(name)
  }
}
