/**
 * The entry point below `/api/auth`: throttles attempts, applies the sign-up policy and the rules of passwords and
 * organizations, then calls better-auth. Responses that could reveal who has an account take uniform time.
 */
import { networkOf } from '../../base/network.ts'
import { type AuthRequest, type AuthResponse, errorResponse, jsonResponse } from '../auth-messages.ts'
import {
  filterInvitations,
  isMembershipChange,
  isOrganizationPath,
  organizationNotFound,
} from '../organizations/organization-guard.ts'
import { isCommonPassword } from '../sign-in/passwords.ts'
import { resetPassword } from '../sign-in/reset-password.ts'
import type { AttemptResult } from './attempts.ts'
import { type AuthExchange, cookieHeader, readExchange, textOf } from './auth-exchange.ts'
import type { AuthGatewayDeps } from './auth-gateway-deps.ts'
import { callBetterAuth } from './call-better-auth.ts'
import type { AuthRule } from './rules-table.ts'
import { type AuthAttempt, attemptLimitsOf, rightLimitsOf } from './throttle.ts'

/** Returns the handler of every request below `/api/auth`. */
export function openAuthGateway(deps: AuthGatewayDeps): (request: AuthRequest) => Promise<AuthResponse> {
  return async (request) => {
    const begunMs = deps.clock.monoMs()
    const exchange = await readExchange(deps, request)
    const response = 'status' in exchange ? exchange : await throttle(deps, exchange)
    if (!('status' in exchange) && isUniform(deps, exchange, response)) await waitForNextStep(deps, begunMs)
    return response
  }
}

async function throttle(deps: AuthGatewayDeps, exchange: AuthExchange): Promise<AuthResponse> {
  const attempt = attemptOf(deps, exchange)
  const taken = takeAttempt(deps, attempt)
  if (taken.kind === 'rejected') {
    const { retryAfterMs } = taken
    const minutes = Math.max(1, Math.ceil(retryAfterMs / 60_000))
    const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`
    return errorResponse('too_many_attempts', `Too many attempts. Try again in ${wait}.`, { retryAfterMs })
  }
  try {
    const network = networkOf(attempt.clientAddress)
    const isKnown = attempt.device !== undefined || isSelf(exchange)
    const response = await deps.runForClient({ network, isKnown }, () => handleRule(deps, exchange))
    if (isNotCounted(exchange.rule, response.status)) taken.refund()
    else taken.refundRight()
    return response
  } catch (error) {
    // An error of ours says nothing about the guess.
    taken.refund()
    taken.refundRight()
    throw error
  }
}

/** Whether the attempt is about the person who is signed in. */
const isSelf = ({ rule, session }: AuthExchange): boolean =>
  rule.subjectField === undefined && session !== null

/** A correct guess and a failed sign-up do not count as attempts. */
function isNotCounted({ counts }: AuthRule, status: number): boolean {
  if (counts === 'guess') return status < 400
  return counts === 'sign-up' && status >= 400
}

function attemptOf({ devices }: AuthGatewayDeps, exchange: AuthExchange): AuthAttempt {
  const { rule, request, body, session } = exchange
  const given = rule.subjectField === undefined ? session?.person.id : body?.[rule.subjectField]
  const subject = typeof given === 'string' ? given.trim().toLowerCase() : null
  const device = subject === null ? undefined : devices.find(cookieHeader(exchange), subject)
  return { rule, clientAddress: request.clientAddress, subject, device }
}

type TakenAttempt =
  | Extract<AttemptResult, { kind: 'rejected' }>
  /** Each attempt is counted as a guess and as a right one, until it is known which it was. */
  | { readonly kind: 'allowed'; refund(): void; refundRight(): void }

function takeAttempt({ attempts, limits, hasMail }: AuthGatewayDeps, attempt: AuthAttempt): TakenAttempt {
  const guess = attempts.take(attemptLimitsOf(attempt, limits, hasMail))
  if (guess.kind === 'rejected') return guess
  const right = attempts.take(rightLimitsOf(attempt, limits))
  if (right.kind === 'allowed') return { ...guess, refundRight: right.refund }
  guess.refund()
  return right
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
  const owner = await deps.findPerson(person)
  if (owner === undefined) return response
  // Opening the link proves access to the mailbox, so the sign-in that follows is not a stranger's.
  const cookie = ['set-cookie', deps.devices.createCookie(owner.email)] as const
  return { ...response, headers: [...response.headers, cookie] }
}

async function handleOrganizations(deps: AuthGatewayDeps, exchange: AuthExchange): Promise<AuthResponse> {
  const { path, body, request, session } = exchange
  const ask = { path, body, query: request.query }
  const memberships = session === null ? [] : await deps.listMemberships(session.person.id)
  const rejected = organizationNotFound(ask, memberships)
  if (rejected !== undefined) return rejected
  const response = isMembershipChange(exchange)
    ? await deps.serialize(() => callBetterAuth(deps, exchange))
    : await callBetterAuth(deps, exchange)
  return filterInvitations(ask, memberships, response)
}

const commonPassword = jsonResponse(400, {
  code: 'PASSWORD_TOO_COMMON',
  message: 'This password is too common. Choose another one.',
})

/** `POST /confirm-login {password}` or `{code}`: confirms the identity of the signed-in person again. */
async function confirmLogin(deps: AuthGatewayDeps, exchange: AuthExchange): Promise<AuthResponse> {
  const { session, body } = exchange
  if (session === null) return errorResponse('not_signed_in', 'Sign in first.')
  const { password, code } = body ?? {}
  if (typeof password === 'string') {
    const isRight = await deps.isPassword(session.person.id, password)
    if (isRight === null) return jsonResponse(400, noPassword)
    if (!isRight) return jsonResponse(401, { code: 'INVALID_PASSWORD', message: 'Incorrect password.' })
  } else if (typeof code === 'string' && session.person.twoFactor) {
    const response = await callBetterAuth(deps, {
      ...exchange,
      path: '/two-factor/verify-totp',
      body: { code },
    })
    if (response.status >= 400) return response
  } else {
    return errorResponse('missing_field', 'Send the password or a two-factor code.', {
      param: 'password',
    })
  }
  await deps.sessions.renew(session.sessionId)
  return jsonResponse(200, { status: true })
}

const noPassword = {
  code: 'CREDENTIAL_ACCOUNT_NOT_FOUND',
  message: 'This account has no password. Sign in again with your provider or passkey.',
}

function isUniform(
  { hasMail }: AuthGatewayDeps,
  { rule, path }: AuthExchange,
  { status }: AuthResponse,
): boolean {
  if (rule.uniform === undefined || status === 429) return false
  // Without mail a sign-up also signs in, which reveals the result anyway.
  if (path === '/sign-up/email' && !hasMail) return false
  return rule.uniform === 'always' || status >= 400
}

/** Rounds the duration up to a whole number of steps, so that timing reveals nothing. */
function waitForNextStep({ clock, limits }: AuthGatewayDeps, begunMs: number): Promise<void> {
  const step = limits.uniformAnswerMs
  const spentMs = clock.monoMs() - begunMs
  const leftMs = Math.ceil(spentMs / step) * step - spentMs
  return new Promise((resolve) => clock.after(leftMs, resolve))
}
