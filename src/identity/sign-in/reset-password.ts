/**
 * `POST /reset-password {token, newPassword}`: judged and hashed first, and only then is the link used up, together with
 * what the old password opened. Whatever fails before leaves the link good.
 */
import { type AuthResponse, jsonResponse } from '../auth-messages.ts'
import type { NewPasswords } from './new-passwords.ts'

export interface ResetPasswordDeps {
  readonly newPasswords: NewPasswords
  readonly hash: (password: string) => Promise<string>
  readonly limits: { readonly passwordCharactersMin: number; readonly passwordCharactersMax: number }
}

export interface PasswordReset {
  readonly response: AuthResponse
  /** Whose password is another one now; undefined: nobody's. */
  readonly person: string | undefined
}

const refusals = {
  INVALID_TOKEN: 'Invalid token',
  PASSWORD_TOO_SHORT: 'Password too short',
  PASSWORD_TOO_LONG: 'Password too long',
} as const

export async function resetPassword(
  { newPasswords, hash, limits }: ResetPasswordDeps,
  body: Readonly<Record<string, unknown>>,
): Promise<PasswordReset> {
  const { token, newPassword } = body
  if (typeof token !== 'string' || typeof newPassword !== 'string') return rejectReset('INVALID_TOKEN')
  if (newPassword.length < limits.passwordCharactersMin) return rejectReset('PASSWORD_TOO_SHORT')
  if (newPassword.length > limits.passwordCharactersMax) return rejectReset('PASSWORD_TOO_LONG')
  const person = await newPasswords.personOf(token)
  if (person === undefined) return rejectReset('INVALID_TOKEN')
  const isSet = await newPasswords.set(token, await hash(newPassword))
  return isSet ? { response: jsonResponse(200, { status: true }), person } : rejectReset('INVALID_TOKEN')
}

function rejectReset(code: keyof typeof refusals): PasswordReset {
  return { response: jsonResponse(400, { code, message: refusals[code] }), person: undefined }
}
