/**
 * Signing in and out and all that belongs to a person's login, at `/api/auth/…`. Every outcome is a value; nothing
 * here throws. Knows nothing of React.
 */
import { ApiError, send } from './api.ts'

export type Outcome<Value> =
  | { readonly kind: 'done'; readonly value: Value }
  | { readonly kind: 'refused'; readonly problem: ApiError }

/** One exchange with the identity part of the server. */
export async function identity<Value>(
  method: 'GET' | 'POST',
  path: `/${string}`,
  body?: object,
): Promise<Outcome<Value>> {
  const text = method === 'POST' ? JSON.stringify(body ?? {}) : undefined
  const answer = await send(method, `/api/auth${path}`, text)
  if (answer instanceof ApiError) return { kind: 'refused', problem: answer }
  const value: unknown = await answer.json().catch(() => null)
  if (answer.ok) return { kind: 'done', value: value as Value }
  return { kind: 'refused', problem: problemOf(answer.status, value) }
}

/** The identity part words its errors as `{ code, message }`, the rest of the server as `{ error: { … } }`. */
function problemOf(status: number, value: unknown): ApiError {
  const body = (typeof value === 'object' && value !== null ? value : {}) as {
    readonly code?: string
    readonly message?: string
    readonly error?: { readonly code: string; readonly message: string }
  }
  if (body.error !== undefined && typeof body.error === 'object') return new ApiError(status, body.error)
  if (status === 429)
    return new ApiError(status, {
      code: 'too_many_attempts',
      message: 'Too many attempts. Wait a minute, then try again.',
    })
  return new ApiError(status, {
    code: body.code ?? 'internal',
    message: body.message ?? 'The server did not accept this.',
  })
}

export function signOut(): Promise<Outcome<unknown>> {
  return identity('POST', '/sign-out')
}

export function resendVerification(email: string): Promise<Outcome<unknown>> {
  return identity('POST', '/send-verification-email', { email, callbackURL: '/console/verify' })
}
