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
  type AuthAnswer,
  type AuthRequest,
  clientAddressHeader,
  jsonAnswer,
  ownRefusal,
  parsed,
  passedCookies,
  refusal,
} from '../auth-messages.ts'
import type { BetterAuth } from '../better-auth/better-auth.ts'
import { runWithRequestStore } from '../better-auth/request-store.ts'
import {
  invitationsShown,
  isAboutOrganizations,
  isChangeOfMembers,
  organizationNotThere,
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
import type { Identity, Person, SignedIn } from '../types.ts'
import type { Attempts, Taken } from './attempts.ts'
import { longest, type Rule, ruleOf } from './rules-table.ts'
import { countedOf } from './throttle.ts'

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
  readonly hashingFor: Passwords['hashingFor']
  readonly hash: Passwords['hash']
  readonly newPasswords: NewPasswords
  readonly usedCodes: UsedCodes
  readonly devices: KnownDevices
  readonly memberships: Identity['memberships']
  readonly person: Identity['person']
  /** Ends what opens something later, beside sessions. */
  readonly endPendingCredentials: (person: string) => Promise<void>
  /** For whatever changes who is in an organization. */
  readonly inTurn: Mutex
}

type Body = Readonly<Record<string, unknown>>

/** One request on its way, with what was learnt of it. */
interface Asked {
  readonly request: AuthRequest
  /** Below `/api/auth`. */
  readonly path: string
  readonly rule: Rule
  /** null: it has none. */
  readonly body: Body | null
  readonly token: string | undefined
  readonly signedIn: SignedIn | null
}

const base = '/api/auth'

/** One spelling for each address: what is parsed again on the way must not become another one, with other rules. */
const plainPath = /^(?:\/[A-Za-z0-9_-]+)+$/

export function openAuthGateway(parts: AuthGatewayDeps): (request: AuthRequest) => Promise<AuthAnswer> {
  return async (request) => {
    const begunMs = parts.clock.monoMs()
    const asked = await read(parts, request)
    const answer = 'status' in asked ? asked : await throttled(parts, asked)
    if (!('status' in asked) && isUniform(parts, asked, answer)) await nextStep(parts, begunMs)
    return answer
  }
}

async function read(parts: AuthGatewayDeps, request: AuthRequest): Promise<Asked | AuthAnswer> {
  const path = request.path.startsWith(`${base}/`) ? request.path.slice(base.length) : ''
  const rule = plainPath.test(path) ? ruleOf(request.method, path) : undefined
  if (rule === undefined) return refusal('unknown_path', 'There is nothing at this address.')
  const isPost = request.method === 'POST'
  const text = Buffer.from(request.body).toString('utf8')
  const isJson = /^application\/json\b/i.test(String(request.headers['content-type'] ?? ''))
  if (isPost && text !== '' && !isJson) {
    return refusal('unsupported_media_type', 'Send the body as application/json.')
  }
  const body = isPost ? cutDown(parsed(text === '' ? '{}' : text), rule) : null
  const wrong = body === null ? undefined : wrongText(body)
  if (wrong !== undefined) return wrong
  const { cookie } = request.headers
  const headers = typeof cookie === 'string' ? { cookie } : {}
  return {
    request,
    path,
    rule,
    body,
    token: parts.sessions.tokenOf(headers),
    signedIn: await parts.sessions.signedIn(headers),
  }
}

function cutDown(body: Body, { fields, sets }: Rule): Body {
  // An invitation is ours: it is read before better-auth sees the body.
  const kept = fields === undefined ? Object.keys(body) : [...fields, 'invitation']
  const entries = kept.filter((name) => Object.hasOwn(body, name)).map((name) => [name, body[name]])
  return { ...Object.fromEntries(entries), ...sets }
}

function wrongText(body: Body): AuthAnswer | undefined {
  for (const [param, max] of Object.entries(longest)) {
    const value = body[param]
    if (value === undefined) continue
    if (typeof value !== 'string') return refusal('invalid_value', `${param} must be a text.`, { param })
    if (value.length <= max) continue
    return refusal('invalid_value', `${param} must be at most ${max} characters.`, { param })
  }
  const { name } = body
  if (typeof name !== 'string' || visibleText.test(name)) return undefined
  return refusal('invalid_value', `name ${visibleTextMessage}.`, { param: 'name' })
}

async function throttled(parts: AuthGatewayDeps, asked: Asked): Promise<AuthAnswer> {
  const taken = takeAttempt(parts, asked)
  if (taken?.kind === 'refused') {
    const { retryAfterMs } = taken
    const minutes = Math.max(1, Math.ceil(retryAfterMs / 60_000))
    const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`
    return refusal('too_many_attempts', `Too many attempts. Try again in ${wait}.`, { retryAfterMs })
  }
  try {
    const answer = await parts.hashingFor(networkOf(asked.request.clientAddress), () => judged(parts, asked))
    if (wasNone(asked.rule, answer.status)) taken?.giveBack()
    return answer
  } catch (error) {
    // Trouble of our own tells nobody whether a guess was right.
    taken?.giveBack()
    throw error
  }
}

/** What was taken for an attempt and turned out to be none: a right guess, and a sign-up that came to nothing. */
function wasNone({ counts }: Rule, status: number): boolean {
  if (counts === 'guess') return status < 400
  return counts === 'sign-up' && status >= 400
}

function takeAttempt(parts: AuthGatewayDeps, asked: Asked): Taken | undefined {
  const { attempts, limits, devices, hasMail } = parts
  const { rule, request, body, signedIn } = asked
  const given = rule.about === undefined ? signedIn?.person.id : body?.[rule.about]
  const whom = typeof given === 'string' ? given.trim().toLowerCase() : null
  const device = whom === null ? undefined : devices.nameOf(cookiesIn(asked), whom)
  const attempt = { rule, clientAddress: request.clientAddress, whom, device }
  const counted = countedOf(attempt, limits, hasMail)
  return counted.length === 0 ? undefined : attempts.take(counted)
}

function cookiesIn({ request }: Asked): string | undefined {
  const { cookie } = request.headers
  return typeof cookie === 'string' ? cookie : undefined
}

async function judged(parts: AuthGatewayDeps, asked: Asked): Promise<AuthAnswer> {
  const { path, body, rule, signedIn } = asked
  if (rule.newPassword !== undefined && body !== null) {
    const email = typeof body.email === 'string' ? body.email : (signedIn?.person.email ?? '')
    if (isCommonPassword(textOf(body[rule.newPassword]), email)) return commonPassword
  }
  if (path === '/confirm-login') return confirmLogin(parts, asked)
  if (path === '/change-password') return changePassword(parts, asked)
  if (path === '/reset-password') return setAnew(parts, asked)
  if (isAboutOrganizations(asked)) return aboutOrganizations(parts, asked)
  if (path !== '/sign-up/email') return passedOn(parts, asked)
  const { email, invitation } = body ?? {}
  const admission = await parts.admissionPolicy.judge(
    textOf(email).toLowerCase(),
    typeof invitation === 'string' ? invitation : null,
  )
  if (admission.kind === 'closed') return refusal('sign_up_closed', admission.message)
  return parts.admissionPolicy.runAdmitted(admission.email, () => passedOn(parts, asked))
}

/** What is no text is better-auth's to refuse; an object could be anything as a text. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

async function changePassword(parts: AuthGatewayDeps, asked: Asked): Promise<AuthAnswer> {
  const answer = await passedOn(parts, asked)
  if (answer.status < 400 && asked.signedIn !== null)
    await parts.endPendingCredentials(asked.signedIn.person.id)
  return answer
}

async function setAnew(parts: AuthGatewayDeps, { body }: Asked): Promise<AuthAnswer> {
  const { answer, person } = await resetPassword(parts, body ?? {})
  if (person === undefined) return answer
  parts.sessions.changed()
  const whose = await parts.person(person)
  if (whose === undefined) return answer
  // Whoever can read their e-mails is no stranger to the sign-in that follows.
  const cookie = ['set-cookie', parts.devices.cookieFor(whose.email)] as const
  return { ...answer, headers: [...answer.headers, cookie] }
}

async function aboutOrganizations(parts: AuthGatewayDeps, asked: Asked): Promise<AuthAnswer> {
  const { path, body, request, signedIn } = asked
  const ask = { path, body, query: request.query }
  const memberships = signedIn === null ? [] : await parts.memberships(signedIn.person.id)
  const refused = organizationNotThere(ask, memberships)
  if (refused !== undefined) return refused
  const answer = isChangeOfMembers(asked)
    ? await parts.inTurn(() => passedOn(parts, asked))
    : await passedOn(parts, asked)
  return invitationsShown(ask, memberships, answer)
}

const commonPassword = jsonAnswer(400, {
  code: 'PASSWORD_TOO_COMMON',
  message: 'This password is among those that are tried first. Choose another one.',
})

/** `POST /confirm-login {password}` or `{code}`: the session's person proves again who they are. */
async function confirmLogin(parts: AuthGatewayDeps, asked: Asked): Promise<AuthAnswer> {
  const { signedIn, body } = asked
  if (signedIn === null) return refusal('not_signed_in', 'Sign in first.')
  const { password, code } = body ?? {}
  if (typeof password === 'string') {
    const isRight = await parts.isPassword(signedIn.person.id, password)
    if (isRight === null) return jsonAnswer(400, noPassword)
    if (!isRight) return jsonAnswer(401, { code: 'INVALID_PASSWORD', message: 'The password is not right.' })
  } else if (typeof code === 'string' && signedIn.person.twoFactor) {
    const answer = await passedOn(parts, { ...asked, path: '/two-factor/verify-totp', body: { code } })
    if (answer.status >= 400) return answer
  } else {
    return refusal('missing_field', 'Send the password, or the code of the second factor.', {
      param: 'password',
    })
  }
  await parts.sessions.renew(signedIn.session)
  return jsonAnswer(200, { status: true })
}

const noPassword = {
  code: 'CREDENTIAL_ACCOUNT_NOT_FOUND',
  message: 'There is no password here. Sign in again with your provider or passkey instead.',
}

async function passedOn(parts: AuthGatewayDeps, asked: Asked): Promise<AuthAnswer> {
  const library = await parts.betterAuth(asked.path)
  try {
    const answer = await runWithRequestStore(asked.token, () => library.handler(webRequest(parts, asked)))
    const text = await answer.text()
    return ownRefusal(answer.status, text) ?? (await withoutTokens(parts, asked, { answer, text }))
  } finally {
    // Also when it failed: steps that it took stay.
    if (asked.request.method !== 'GET' || changesByGet.test(asked.path)) parts.sessions.changed()
  }
}

/** Links that people come back with: they change who somebody is. */
const changesByGet = /^\/(?:verify-email|callback\/.*)$/

function webRequest({ address }: AuthGatewayDeps, { request, path, body }: Asked): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || dropped.test(name)) continue
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
const dropped =
  /^(?:connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|content-length|host|forwarded|x-forwarded-.*|x-real-ip|x-tollgate-.*|:.*)$/i

const passedHeaders = /^(?:content-type|location|cache-control|retry-after|x-retry-after)$/i

/** A token leaves in a cookie only; where it stood in the text stands the session's handle. */
async function withoutTokens(
  parts: AuthGatewayDeps,
  asked: Asked,
  { answer, text }: { readonly answer: Response; readonly text: string },
): Promise<AuthAnswer> {
  const { path, token } = asked
  const name = sessionCookie(parts.address())
  const own = answer.headers.getSetCookie()
  const fresh = own
    .filter((cookie) => cookie.startsWith(`${name}=`))
    .map((cookie) => tokenOf(cookie.slice(name.length + 1).split(';', 1)[0], parts.secret))
    .find((found) => found !== undefined)
  // A link in an e-mail proves an address; it signs nobody in.
  const isUnasked = path === '/verify-email' && token === undefined
  const person = await whoCame(parts, asked, fresh)
  if (await wasUsed(parts, { asked, answer, person })) {
    if (fresh !== undefined) await parts.sessions.end(fresh)
    return usedCode
  }
  if (fresh !== undefined && isUnasked) await parts.sessions.end(fresh)
  // Whoever proves anew who they are goes on with a session of its own.
  if (fresh !== undefined && token !== undefined && fresh !== token) await parts.sessions.end(token)
  const cookies = isUnasked
    ? own.filter((cookie) => !cookie.startsWith(`${name}=`))
    : [...passedCookies(path, own), ...deviceCookie(parts, asked, fresh === undefined ? undefined : person)]
  const shown = [fresh, token]
    .filter((known) => known !== undefined)
    .reduce((said, known) => said.replaceAll(known, handleOf(hashToken(known))), text)
  return {
    status: calledOurs.some((code) => text.includes(code)) ? 400 : answer.status,
    headers: [
      ...[...answer.headers].filter(([header]) => passedHeaders.test(header)),
      ...(answer.headers.has('cache-control') ? [] : [['cache-control', 'no-store'] as const]),
      ...cookies.map((cookie) => ['set-cookie', cookie] as const),
    ],
    body: Buffer.from(shown),
  }
}

/** What better-auth calls its own failure is a browser's answer that does not fit; trouble of ours was thrown before. */
const calledOurs: readonly string[] = ['"FAILED_TO_VERIFY_REGISTRATION"']

/** Whose the answer's session is, or the one of the request. */
async function whoCame(
  { sessions }: AuthGatewayDeps,
  { signedIn }: Asked,
  fresh: string | undefined,
): Promise<Person | undefined> {
  const came = fresh === undefined ? signedIn : await sessions.byHash(hashToken(fresh))
  return came?.person
}

/** Whether a code was right that was right before: better-auth does not remember that. */
async function wasUsed(
  { usedCodes }: AuthGatewayDeps,
  of: { readonly asked: Asked; readonly answer: Response; readonly person: Person | undefined },
): Promise<boolean> {
  const { asked, answer, person } = of
  if (asked.path !== '/two-factor/verify-totp' || !answer.ok || person === undefined) return false
  return !(await usedCodes.spend(person.id, textOf(asked.body?.code)))
}

const usedCode = jsonAnswer(401, {
  code: 'INVALID_CODE',
  message: 'This code was used already. Wait for the next one.',
})

/** Whoever came in is known in this browser from now on. */
function deviceCookie(
  { devices }: AuthGatewayDeps,
  asked: Asked,
  person: Person | undefined,
): readonly string[] {
  if (person === undefined || devices.nameOf(cookiesIn(asked), person.email) !== undefined) return []
  return [devices.cookieFor(person.email)]
}

function isUniform({ hasMail }: AuthGatewayDeps, { rule, path }: Asked, { status }: AuthAnswer): boolean {
  if (rule.uniform === undefined || status === 429) return false
  // Without mail whoever signs up is signed in, and that says it anyway.
  if (path === '/sign-up/email' && !hasMail) return false
  return rule.uniform === 'always' || status >= 400
}

/** How long something took says nothing when it always takes a whole number of steps. */
function nextStep({ clock, limits }: AuthGatewayDeps, begunMs: number): Promise<void> {
  const step = limits.uniformAnswerMs
  const spentMs = clock.monoMs() - begunMs
  const leftMs = Math.ceil(spentMs / step) * step - spentMs
  return new Promise((resolve) => clock.after(leftMs, resolve))
}
