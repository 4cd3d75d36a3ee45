/**
 * Calls better-auth for a request that the gateway has admitted, and cleans its response: no token in a body, no one-time
 * code accepted twice. Must not decide whether the request is admitted.
 */
import {
  type AuthResponse,
  clientAddressHeader,
  filterCookies,
  jsonResponse,
  ownErrorResponse,
} from '../auth-messages.ts'
import { runWithRequestStore } from '../better-auth/request-store.ts'
import { sessionCookie } from '../public-address.ts'
import { handleOf, hashToken, tokenOf } from '../sessions/session-token.ts'
import type { Person } from '../types.ts'
import { type AuthExchange, authBasePath, cookieHeader, textOf } from './auth-exchange.ts'
import type { AuthGatewayDeps } from './auth-gateway-deps.ts'

/** Calls better-auth and returns its response without session tokens in the body. */
export async function callBetterAuth(deps: AuthGatewayDeps, exchange: AuthExchange): Promise<AuthResponse> {
  const library = await deps.betterAuth(exchange.path)
  try {
    const answer = await runWithRequestStore(exchange.token, () =>
      library.handler(webRequest(deps, exchange)),
    )
    const text = await answer.text()
    return (
      ownErrorResponse(answer.status, text) ?? (await responseWithoutTokens(deps, exchange, { answer, text }))
    )
  } finally {
    // Even a failed request may have changed rows.
    if (exchange.request.method !== 'GET' || changesByGet.test(exchange.path)) deps.sessions.notifyChanged()
  }
}

/** Links in e-mails and provider callbacks change sessions and people although they are GET requests. */
const changesByGet = /^\/(?:verify-email|callback\/.*)$/

function webRequest({ address }: AuthGatewayDeps, { request, path, body }: AuthExchange): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || droppedHeaders.test(name)) continue
    headers.set(name, typeof value === 'string' ? value : value.join(', '))
  }
  headers.set(clientAddressHeader, request.clientAddress)
  const query = request.query === '' ? '' : `?${request.query}`
  const { invitation: _invitation, ...rest } = body ?? {}
  return new Request(`${address()}${authBasePath}${path}${query}`, {
    method: request.method,
    headers,
    ...(body === null ? {} : { body: JSON.stringify(rest) }),
  })
}

/** Hop-by-hop headers, headers of the original body, and headers that claim a client address. */
const droppedHeaders =
  /^(?:connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|content-length|host|forwarded|x-forwarded-.*|x-real-ip|x-tollgate-.*|:.*)$/i

const passedHeaders = /^(?:content-type|location|cache-control|retry-after|x-retry-after)$/i

/** Session tokens leave in cookies only; in the body they are replaced by the session's handle. */
async function responseWithoutTokens(
  deps: AuthGatewayDeps,
  exchange: AuthExchange,
  { answer, text }: { readonly answer: Response; readonly text: string },
): Promise<AuthResponse> {
  const { path, token } = exchange
  const name = sessionCookie(deps.address())
  const own = answer.headers.getSetCookie()
  const fresh = own
    .filter((cookie) => cookie.startsWith(`${name}=`))
    .map((cookie) => tokenOf(cookie.slice(name.length + 1).split(';', 1)[0], deps.secret))
    .find((found) => found !== undefined)
  // A verification link proves an address and does not sign in the browser that opens it.
  const isVerificationOnly = path === '/verify-email' && token === undefined
  const person = await personOfResponse(deps, exchange, fresh)
  if (await isReplayedCode(deps, { exchange, answer, person })) {
    if (fresh !== undefined) await deps.sessions.end(fresh)
    return usedCode
  }
  if (fresh !== undefined && isVerificationOnly) await deps.sessions.end(fresh)
  // A new sign-in replaces the browser's earlier session.
  if (fresh !== undefined && token !== undefined && fresh !== token) await deps.sessions.end(token)
  const cookies = isVerificationOnly
    ? own.filter((cookie) => !cookie.startsWith(`${name}=`))
    : [...filterCookies(path, own), ...deviceCookie(deps, exchange, fresh === undefined ? undefined : person)]
  const body = [fresh, token]
    .filter((known) => known !== undefined)
    .reduce((rest, known) => rest.replaceAll(known, handleOf(hashToken(known))), text)
  return {
    status: clientErrorCodes.some((code) => text.includes(code)) ? 400 : answer.status,
    headers: [
      ...[...answer.headers].filter(([header]) => passedHeaders.test(header)),
      ...(answer.headers.has('cache-control') ? [] : [['cache-control', 'no-store'] as const]),
      ...cookies.map((cookie) => ['set-cookie', cookie] as const),
    ],
    body: Buffer.from(body),
  }
}

/** better-auth answers 500 for an invalid passkey registration; errors of our own were thrown before. */
const clientErrorCodes: readonly string[] = ['"FAILED_TO_VERIFY_REGISTRATION"']

/** The person of the session that the response creates, otherwise of the request's session. */
async function personOfResponse(
  { sessions }: AuthGatewayDeps,
  { session }: AuthExchange,
  fresh: string | undefined,
): Promise<Person | undefined> {
  const current = fresh === undefined ? session : await sessions.byHash(hashToken(fresh))
  return current?.person
}

/** Whether a valid code was used before; better-auth does not remember used codes. */
async function isReplayedCode(
  { usedCodes }: AuthGatewayDeps,
  {
    exchange,
    answer,
    person,
  }: { readonly exchange: AuthExchange; readonly answer: Response; readonly person: Person | undefined },
): Promise<boolean> {
  if (exchange.path !== '/two-factor/verify-totp' || !answer.ok || person === undefined) return false
  return !(await usedCodes.spend(person.id, textOf(exchange.body?.code)))
}

const usedCode = jsonResponse(401, {
  code: 'INVALID_CODE',
  message: 'This code has already been used. Wait for the next one.',
})

/** Marks the browser as a known device of the person. */
function deviceCookie(
  { devices }: AuthGatewayDeps,
  exchange: AuthExchange,
  person: Person | undefined,
): readonly string[] {
  if (person === undefined || devices.find(cookieHeader(exchange), person.email) !== undefined) return []
  return [devices.createCookie(person.email)]
}
