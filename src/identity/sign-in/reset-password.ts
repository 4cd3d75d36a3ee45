/**
 * `POST /reset-password {token, newPassword}`: validates and hashes first, then consumes the link, so that an earlier
 * failure leaves the link valid.
 */
import { type AuthResponse, jsonResponse } from '../auth-messages.ts'
import type { NewPasswords } from './new-passwords.ts'

export const passwordCharactersMax = 200

export interface ResetPasswordDeps {
  readonly newPasswords: NewPasswords
  readonly hash: (password: string) => Promise<string>
  readonly limits: { readonly passwordCharactersMin: number }
}

export interface PasswordReset {
  readonly response: AuthResponse
  /** The person whose password was changed; undefined: none. */
  readonly person: string | undefined
}

const rejections = {
  INVALID_TOKEN: 'Invalid token',
  PASSWORD_TOO_SHORT: 'Password too short',
  PASSWORD_TOO_LONG: 'Password too long',
} as const

/** Handles the request; the response has better-auth's error codes. */
export async function resetPassword(
  { newPasswords, hash, limits }: ResetPasswordDeps,
  body: Readonly<Record<string, unknown>>,
): Promise<PasswordReset> {
  const { token, newPassword } = body
  if (typeof token !== 'string' || typeof newPassword !== 'string') return rejectReset('INVALID_TOKEN')
  if (newPassword.length < limits.passwordCharactersMin) return rejectReset('PASSWORD_TOO_SHORT')
  if (newPassword.length > passwordCharactersMax) return rejectReset('PASSWORD_TOO_LONG')
  const person = await newPasswords.personOf(token)
  if (person === undefined) return rejectReset('INVALID_TOKEN')
  const isSet = await newPasswords.set(token, await hash(newPassword))
  return isSet ? { response: jsonResponse(200, { status: true }), person } : rejectReset('INVALID_TOKEN')
}

function rejectReset(code: keyof typeof rejections): PasswordReset {
  return { response: jsonResponse(400, { code, message: rejections[code] }), person: undefined }
}
