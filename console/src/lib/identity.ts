/**
 * Signing in and out and the person's login, at `/api/auth/…`. Every outcome is a value; nothing here throws. Knows
 * nothing of React.
 */
import { ApiError, confirmItsYou, send } from './api.ts'

export type Outcome<Value> =
  | { readonly kind: 'done'; readonly value: Value }
  | { readonly kind: 'rejected'; readonly problem: ApiError }

/** Calls the identity API; if it needs a recent login, asks the person to confirm their identity. */
export async function identity<Value>(
  method: 'GET' | 'POST',
  path: `/${string}`,
  body?: object,
): Promise<Outcome<Value>> {
  const outcome = await attempt<Value>(method, path, body)
  if (!wantsRecentLogin(outcome) || !(await confirmItsYou())) return outcome
  return attempt(method, path, body)
}

/** The same for queries: it never opens a dialog. Throws errors, as queries expect. */
export async function look<Value>(path: `/${string}`): Promise<Value> {
  const outcome = await attempt<Value>('GET', path, undefined)
  if (outcome.kind === 'rejected') throw outcome.problem
  return outcome.value
}

/** Whether it was rejected because the login is too old. */
export function isTooOld(problem: Error): boolean {
  return problem instanceof ApiError && ['SESSION_NOT_FRESH', 'login_too_old'].includes(problem.code)
}

function wantsRecentLogin(outcome: Outcome<unknown>): boolean {
  return outcome.kind === 'rejected' && isTooOld(outcome.problem)
}

async function attempt<Value>(
  method: 'GET' | 'POST',
  path: `/${string}`,
  body: object | undefined,
): Promise<Outcome<Value>> {
  const text = method === 'POST' ? JSON.stringify(body ?? {}) : undefined
  const answer = await send(method, `/api/auth${path}`, text)
  if (answer instanceof ApiError) return { kind: 'rejected', problem: answer }
  const value: unknown = await answer.json().catch(() => null)
  if (answer.ok) return { kind: 'done', value: value as Value }
  return { kind: 'rejected', problem: problemOf(answer.status, value) }
}

/** The identity API words its errors as `{ code, message }`, the rest of the server as `{ error: { … } }`. */
function problemOf(status: number, value: unknown): ApiError {
  const body = (typeof value === 'object' && value !== null ? value : {}) as {
    readonly code?: string
    readonly message?: string
    readonly error?: { readonly code: string; readonly message: string }
  }
  if (typeof body.error === 'object') return new ApiError(status, body.error)
  const tooMany = 'Too many attempts. Wait a minute, then try again.'
  return new ApiError(status, {
    code: body.code ?? (status === 429 ? 'too_many_attempts' : 'internal'),
    message: status === 429 ? tooMany : sentence(body.message ?? 'The request was rejected'),
  })
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

/** The result of a correct password: signed in, or asked for a second factor. */
export type SignedIn = { readonly twoFactorRedirect?: boolean }

export function signIn(email: string, password: string): Promise<Outcome<SignedIn>> {
  return identity('POST', '/sign-in/email', { email, password })
}

export function signOut(): Promise<Outcome<unknown>> {
  return identity('POST', '/sign-out')
}

export type SecondFactor = 'totp' | 'backup'

export function proveSecondFactor(factor: SecondFactor, code: string): Promise<Outcome<unknown>> {
  const path = factor === 'totp' ? '/two-factor/verify-totp' : '/two-factor/verify-backup-code'
  return identity('POST', path, { code: code.replace(factor === 'totp' ? /\s+/g : /^\s+|\s+$/g, '') })
}

/** Confirms the identity of the signed-in person, by password or authenticator code. */
export function confirmLogin(
  proof: { readonly password: string } | { readonly code: string },
): Promise<Outcome<unknown>> {
  return identity('POST', '/confirm-login', proof)
}

export function resendVerification(email: string): Promise<Outcome<unknown>> {
  return identity('POST', '/send-verification-email', { email, callbackURL: '/console/verify' })
}

/** The URL for signing in with an identity provider; returns to `next`. */
export function signInWith(provider: string, next: string): Promise<Outcome<{ readonly url: string }>> {
  const back = { callbackURL: next, errorCallbackURL: '/console/sign-in' }
  return identity('POST', '/sign-in/social', { provider, ...back })
}
