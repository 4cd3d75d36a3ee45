/** When a key ends, as requested. */
import { TollgateError } from '../../base/errors.ts'

/** null: never. Throws `invalid_value` for a time that has come already. */
export function expiryOf(asked: string | null | undefined, nowMs: number): number | null {
  if (asked === undefined || asked === null) return null
  const expiresMs = Date.parse(asked)
  if (expiresMs > nowMs) return expiresMs
  throw new TollgateError('invalid_value', { message: 'expires: must be in the future.', param: 'expires' })
}
