/**
 * Ends a person's pending credentials: password reset links, sign-ins that wait for a two-factor code, and devices trusted
 * to skip it.
 */
import type { IdentityDatabase } from '../store/database.ts'

/** Called when a password changes, because someone else may hold one of these. */
export function endPendingCredentials(database: IdentityDatabase, person: string) {
  return database.deleteFrom('auth_verification').where('value', '=', person)
}
