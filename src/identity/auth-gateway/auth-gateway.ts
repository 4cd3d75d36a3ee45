/**
 * Everything that arrives below `/api/auth`, from the request to the answer: throttled, cut down to what each address
 * takes, judged by the rule of sign-up, then handed to better-auth, whose answer leaves without a token in it.
 */
import { visibleText, visibleTextMessage } from '../../../contract/visible-text.ts'
import type { Clock } from '../../base/clock.ts'
import type { Mutex } from '../../base/mutex.ts'
import { networkOf } from '../../base/network.ts'
import type { Limits } from '../../config/config.ts'
import {
  type AuthRequest,
  type AuthResponse,
  clientAddressHeader,
  errorResponse,
  filterCookies,
  jsonResponse,
  ownErrorResponse,
  parseObject,
} from '../auth-messages.ts'
import type { BetterAuth } from '../better-auth/better-auth.ts'
import { runWithRequestStore } from '../better-auth/request-store.ts'
import {
  filterInvitations,
  isMembershipChange,
  isOrganizationPath,
  organizationNotFound,
} from '../organizations/organization-guard.ts'
import { sessionCookie } from '../public-address.ts'
import { handleOf, hashToken, tokenOf } from '../sessions/session-token.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { AdmissionPolicy } from '../sign-in/admission-policy.ts'
import type { KnownDevices } from '../sign-in/known-devices.ts'
import type { NewPasswords } from '../sign-in/new-passwords.ts'
import { isCommonPassword, type Passwords } from '../sign-in/passwords.ts'
import { resetPassword } from '../sign-in/reset-password.ts'
import type { UsedCodes } from '../sign-in/used-codes.ts'
import type { AuthenticatedSession, Identity, Person } from '../types.ts'
import type { AttemptResult, Attempts } from './attempts.ts'
import { type AuthRule, fieldLengthsMax, ruleOf } from './rules-table.ts'
import { attemptLimitsOf } from './throttle.ts'

export interface AuthGatewayDeps {
  readonly betterAuth: (path: string) => Promise<BetterAuth>
  readonly sessions: Sessions
  readonly attempts: Attempts
  readonly admissionPolicy: AdmissionPolicy
  readonly clock: Clock
  readonly limits: Limits
  readonly secret: string
  readonly address: () => string
  readonly hasMail: boolean
  /** Whether the password is the person's; null: they have none. */
  readonly isPassword: (person: string, password: string) => Promise<boolean | null>
  /** Runs something whose passwords are hashed on behalf of this place. */
  readonly runForNetwork: Passwords['runForNetwork']
  readonly hash: Passwords['hash']
  readonly newPasswords: NewPasswords
  readonly usedCodes: UsedCodes
  readonly devices: KnownDevices
  readonly listMemberships: Identity['listMemberships']
  readonly findPerson: Identity['findPerson']
  /** Ends what opens something later, beside sessions. */
  readonly endPendingCredentials: (person: string) => Promise<void>
  /** For whatever changes who is in an organization. */
  readonly serialize: Mutex
}

type JsonBody = Readonly<Record<string, unknown>>

/** One request on its way, with what was learnt of it. */
interface AuthExchange {
  readonly request: AuthRequest
  /** Below `/api/auth`. */
  readonly path: string
  readonly rule: AuthRule
  /** null: it has none. */
  readonly body: JsonBody | null
  readonly token: string | undefined
  readonly session: AuthenticatedSession | null
}

const base = '/api/auth'

/** One spelling for each address: what is parsed again on the way must not become another one, with other rules. */
const plainPath = /^(?:\/[A-Za-z0-9_-]+)+$/

export function openAuthGateway(deps: AuthGatewayDeps): (request: AuthRequest) => Promise<AuthResponse> {
  return async (request) => {
    const begunMs = deps.clock.monoMs()
    const exchange = await readExchange(deps, request)
    const response = 'status' in exchange ? exchange : await throttle(deps, exchange)
    if (!('status' in exchange) && isUniform(deps, exchange, response)) await waitForNextStep(deps, begunMs)
    return response
  }
}

async function readExchange(
  deps: AuthGatewayDeps,
  request: AuthRequest,
): Promise<AuthExchange | AuthResponse> {
  const path = request.path.startsWith(`${base}/`) ? request.path.slice(base.length) : ''
  const rule = plainPath.test(path) ? ruleOf(request.method, path) : undefined
  if (rule === undefined) return errorResponse('unknown_path', 'There is nothing at this address.')
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
    token: deps.sessions.tokenOf(headers),
    session: await deps.sessions.authenticate(headers),
  }
}

function pickFields(body: JsonBody, { fields, sets }: AuthRule): JsonBody {
  // An invitation is ours: it is read before better-auth sees the body.
  const kept = fields === undefined ? Object.keys(body) : [...fields, 'invitation']
  const entries = kept.filter((name) => Object.hasOwn(body, name)).map((name) => [name, body[name]])
  return { ...Object.fromEntries(entries), ...sets }
}

function textFieldError(body: JsonBody): AuthResponse | undefined {
  for (const [param, max] of Object.entries(fieldLengthsMax)) {
    const value = body[param]
    if (value === undefined) continue
    if (typeof value !== 'string')
      return errorResponse('invalid_value', `${param} must be a text.`, { param })
    if (value.length <= max) continue
    return errorResponse('invalid_value', `${param} must be at most ${max} characters.`, { param })
  }
  const { name } = body
  if (typeof name !== 'string' || visibleText.test(name)) return undefined
  return errorResponse('invalid_value', `name ${visibleTextMessage}.`, { param: 'name' })
}

async function throttle(deps: AuthGatewayDeps, exchange: AuthExchange): Promise<AuthResponse> {
  const taken = takeAttempt(deps, exchange)
  if (taken?.kind === 'refused') {
    const { retryAfterMs } = taken
    const minutes = Math.max(1, Math.ceil(retryAfterMs / 60_000))
    const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`
    return errorResponse('too_many_attempts', `Too many attempts. Try again in ${wait}.`, { retryAfterMs })
  }
  try {
    const response = await deps.runForNetwork(networkOf(exchange.request.clientAddress), () =>
      handleRule(deps, exchange),
    )
    if (isNotCounted(exchange.rule, response.status)) taken?.refund()
    return response
  } catch (error) {
    // Trouble of our own tells nobody whether a guess was right.
    taken?.refund()
    throw error
  }
}

/** What was taken for an attempt and turned out to be none: a right guess, and a sign-up that came to nothing. */
function isNotCounted({ counts }: AuthRule, status: number): boolean {
  if (counts === 'guess') return status < 400
  return counts === 'sign-up' && status >= 400
}

function takeAttempt(deps: AuthGatewayDeps, exchange: AuthExchange): AttemptResult | undefined {
  const { attempts, limits, devices, hasMail } = deps
  const { rule, request, body, session } = exchange
  const given = rule.subjectField === undefined ? session?.person.id : body?.[rule.subjectField]
  const subject = typeof given === 'string' ? given.trim().toLowerCase() : null
  const device = subject === null ? undefined : devices.find(cookieHeader(exchange), subject)
  const attempt = { rule, clientAddress: request.clientAddress, subject, device }
  const counted = attemptLimitsOf(attempt, limits, hasMail)
  return counted.length === 0 ? undefined : attempts.take(counted)
}

function cookieHeader({ request }: AuthExchange): string | undefined {
  const { cookie } = request.headers
  return typeof cookie === 'string' ? cookie : undefined
}

async function handleRule(deps: AuthGatewayDeps, exchange: AuthExchange): Promise<AuthResponse> {
  const { path, body, rule, session } = exchange
  if (rule.newPassword !== undefined && body !== null) {
    const email = typeof body.email === 'string' ? body.email : (session?.person.email ?? '')
    if (isCommonPassword(textOf(body[rule.newPassword]), email)) return commonPassword
  }
  if (path === '/confirm-login') return confirmLogin(deps, exchange)
  if (path === '/change-password') return changePassword(deps, exchange)
  if (path === '/reset-password') return resetForgottenPassword(deps, exchange)
  if (isOrganizationPath(exchange)) return handleOrganizations(deps, exchange)
  if (path !== '/sign-up/email') return callBetterAuth(deps, exchange)
  const { email, invitation } = body ?? {}
  const admission = await deps.admissionPolicy.judge(
    textOf(email).toLowerCase(),
    typeof invitation === 'string' ? invitation : null,
  )
  if (admission.kind === 'closed') return errorResponse('sign_up_closed', admission.message)
  return deps.admissionPolicy.runAdmitted(admission.email, () => callBetterAuth(deps, exchange))
}

/** What is no text is better-auth's to refuse; an object could be anything as a text. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

async function changePassword(deps: AuthGatewayDeps, exchange: AuthExchange): Promise<AuthResponse> {
  const response = await callBetterAuth(deps, exchange)
  if (response.status < 400 && exchange.session !== null)
    await deps.endPendingCredentials(exchange.session.person.id)
  return response
}

async function resetForgottenPassword(deps: AuthGatewayDeps, { body }: AuthExchange): Promise<AuthResponse> {
  const { response, person } = await resetPassword(deps, body ?? {})
  if (person === undefined) return response
  deps.sessions.notifyChanged()
  const whose = await deps.findPerson(person)
  if (whose === undefined) return response
  // Whoever can read their e-mails is no stranger to the sign-in that follows.
  const cookie = ['set-cookie', deps.devices.createCookie(whose.email)] as const
  return { ...response, headers: [...response.headers, cookie] }
}

async function handleOrganizations(deps: AuthGatewayDeps, exchange: AuthExchange): Promise<AuthResponse> {
  const { path, body, request, session } = exchange
  const ask = { path, body, query: request.query }
  const memberships = session === null ? [] : await deps.listMemberships(session.person.id)
  const refused = organizationNotFound(ask, memberships)
  if (refused !== undefined) return refused
  const response = isMembershipChange(exchange)
    ? await deps.serialize(() => callBetterAuth(deps, exchange))
    : await callBetterAuth(deps, exchange)
  return filterInvitations(ask, memberships, response)
}

const commonPassword = jsonResponse(400, {
  code: 'PASSWORD_TOO_COMMON',
  message: 'This password is among those that are tried first. Choose another one.',
})

/** `POST /confirm-login {password}` or `{code}`: the session's person proves again who they are. */
async function confirmLogin(deps: AuthGatewayDeps, exchange: AuthExchange): Promise<AuthResponse> {
  const { session, body } = exchange
  if (session === null) return errorResponse('not_signed_in', 'Sign in first.')
  const { password, code } = body ?? {}
  if (typeof password === 'string') {
    const isRight = await deps.isPassword(session.person.id, password)
    if (isRight === null) return jsonResponse(400, noPassword)
    if (!isRight)
      return jsonResponse(401, { code: 'INVALID_PASSWORD', message: 'The password is not right.' })
  } else if (typeof code === 'string' && session.person.twoFactor) {
    const response = await callBetterAuth(deps, {
      ...exchange,
      path: '/two-factor/verify-totp',
      body: { code },
    })
    if (response.status >= 400) return response
  } else {
    return errorResponse('missing_field', 'Send the password, or the code of the second factor.', {
      param: 'password',
    })
  }
  await deps.sessions.renew(session.sessionId)
  return jsonResponse(200, { status: true })
}

const noPassword = {
  code: 'CREDENTIAL_ACCOUNT_NOT_FOUND',
  message: 'There is no password here. Sign in again with your provider or passkey instead.',
}

async function callBetterAuth(deps: AuthGatewayDeps, exchange: AuthExchange): Promise<AuthResponse> {
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
    // Also when it failed: steps that it took stay.
    if (exchange.request.method !== 'GET' || changesByGet.test(exchange.path)) deps.sessions.notifyChanged()
  }
}

/** Links that people come back with: they change who somebody is. */
const changesByGet = /^\/(?:verify-email|callback\/.*)$/

function webRequest({ address }: AuthGatewayDeps, { request, path, body }: AuthExchange): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || droppedHeaders.test(name)) continue
    headers.set(name, typeof value === 'string' ? value : value.join(', '))
  }
  headers.set(clientAddressHeader, request.clientAddress)
  const query = request.query === '' ? '' : `?${request.query}`
  const { invitation: _ours, ...rest } = body ?? {}
  return new Request(`${address()}${base}${path}${query}`, {
    method: request.method,
    headers,
    ...(body === null ? {} : { body: JSON.stringify(rest) }),
  })
}

/** What belongs to the connection, to another body, or claims to know the client. */
const droppedHeaders =
  /^(?:connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|content-length|host|forwarded|x-forwarded-.*|x-real-ip|x-tollgate-.*|:.*)$/i

const passedHeaders = /^(?:content-type|location|cache-control|retry-after|x-retry-after)$/i

/** A token leaves in a cookie only; where it stood in the text stands the session's handle. */
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
  // A link in an e-mail proves an address; it signs nobody in.
  const isUnasked = path === '/verify-email' && token === undefined
  const person = await personOfResponse(deps, exchange, fresh)
  if (await isReplayedCode(deps, { exchange, answer, person })) {
    if (fresh !== undefined) await deps.sessions.end(fresh)
    return usedCode
  }
  if (fresh !== undefined && isUnasked) await deps.sessions.end(fresh)
  // Whoever proves anew who they are goes on with a session of its own.
  if (fresh !== undefined && token !== undefined && fresh !== token) await deps.sessions.end(token)
  const cookies = isUnasked
    ? own.filter((cookie) => !cookie.startsWith(`${name}=`))
    : [...filterCookies(path, own), ...deviceCookie(deps, exchange, fresh === undefined ? undefined : person)]
  const shown = [fresh, token]
    .filter((known) => known !== undefined)
    .reduce((said, known) => said.replaceAll(known, handleOf(hashToken(known))), text)
  return {
    status: clientErrorCodes.some((code) => text.includes(code)) ? 400 : answer.status,
    headers: [
      ...[...answer.headers].filter(([header]) => passedHeaders.test(header)),
      ...(answer.headers.has('cache-control') ? [] : [['cache-control', 'no-store'] as const]),
      ...cookies.map((cookie) => ['set-cookie', cookie] as const),
    ],
    body: Buffer.from(shown),
  }
}

/** What better-auth calls its own failure is a browser's answer that does not fit; trouble of ours was thrown before. */
const clientErrorCodes: readonly string[] = ['"FAILED_TO_VERIFY_REGISTRATION"']

/** Whose the answer's session is, or the one of the request. */
async function personOfResponse(
  { sessions }: AuthGatewayDeps,
  { session }: AuthExchange,
  fresh: string | undefined,
): Promise<Person | undefined> {
  const came = fresh === undefined ? session : await sessions.byHash(hashToken(fresh))
  return came?.person
}

/** Whether a code was right that was right before: better-auth does not remember that. */
async function isReplayedCode(
  { usedCodes }: AuthGatewayDeps,
  of: { readonly exchange: AuthExchange; readonly answer: Response; readonly person: Person | undefined },
): Promise<boolean> {
  const { exchange: asked, answer, person } = of
  if (asked.path !== '/two-factor/verify-totp' || !answer.ok || person === undefined) return false
  return !(await usedCodes.spend(person.id, textOf(asked.body?.code)))
}

const usedCode = jsonResponse(401, {
  code: 'INVALID_CODE',
  message: 'This code was used already. Wait for the next one.',
})

/** Whoever came in is known in this browser from now on. */
function deviceCookie(
  { devices }: AuthGatewayDeps,
  exchange: AuthExchange,
  person: Person | undefined,
): readonly string[] {
  if (person === undefined || devices.find(cookieHeader(exchange), person.email) !== undefined) return []
  return [devices.createCookie(person.email)]
}

function isUniform(
  { hasMail }: AuthGatewayDeps,
  { rule, path }: AuthExchange,
  { status }: AuthResponse,
): boolean {
  if (rule.uniform === undefined || status === 429) return false
  // Without mail whoever signs up is signed in, and that says it anyway.
  if (path === '/sign-up/email' && !hasMail) return false
  return rule.uniform === 'always' || status >= 400
}

/** How long something took says nothing when it always takes a whole number of steps. */
function waitForNextStep({ clock, limits }: AuthGatewayDeps, begunMs: number): Promise<void> {
  const step = limits.uniformAnswerMs
  const spentMs = clock.monoMs() - begunMs
  const leftMs = Math.ceil(spentMs / step) * step - spentMs
  return new Promise((resolve) => clock.after(leftMs, resolve))
}
