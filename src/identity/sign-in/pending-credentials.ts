/**
 * What was given out to somebody beside their sessions, and opens something later: links for a new password, sign-ins
 * that wait for the second factor, browsers that are trusted to need none. Only ends them.
 */
import type { IdentityDatabase } from '../store/database.ts'

/** For when a new password is set: the reason may be that another person knows the old one, or has one of these. */
export function endPendingCredentials(database: IdentityDatabase, person: string) {
  return database.deleteFrom('auth_verification').where('value', '=', person)
}
