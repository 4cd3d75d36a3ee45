/**
 * `POST /reset-password {token, newPassword}`: judged and hashed first, and only then is the link used up, together with
 * what the old password opened. Whatever fails before leaves the link good.
 */
import { type AuthAnswer, jsonAnswer } from '../auth-messages.ts'
import type { NewPasswords } from './new-passwords.ts'

export interface ResetPasswordDeps {
  readonly newPasswords: NewPasswords
  readonly hash: (password: string) => Promise<string>
  readonly limits: { readonly passwordCharactersMin: number; readonly passwordCharactersMax: number }
}

export interface Reset {
  readonly answer: AuthAnswer
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
): Promise<Reset> {
  const { token, newPassword } = body
  if (typeof token !== 'string' || typeof newPassword !== 'string') return refused('INVALID_TOKEN')
  if (newPassword.length < limits.passwordCharactersMin) return refused('PASSWORD_TOO_SHORT')
  if (newPassword.length > limits.passwordCharactersMax) return refused('PASSWORD_TOO_LONG')
  const person = await newPasswords.personOf(token)
  if (person === undefined) return refused('INVALID_TOKEN')
  const isSet = await newPasswords.set(token, await hash(newPassword))
  return isSet ? { answer: jsonAnswer(200, { status: true }), person } : refused('INVALID_TOKEN')
}

function refused(code: keyof typeof refusals): Reset {
  return { answer: jsonAnswer(400, { code, message: refusals[code] }), person: undefined }
}
