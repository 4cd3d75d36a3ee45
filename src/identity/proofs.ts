/**
 * What was given out to somebody beside their sessions, and opens something later: links for a new password, sign-ins
 * that wait for the second factor, browsers that are trusted to need none. Only ends them.
 */
import type { IdentityDatabase } from './database.ts'

/** Whoever sets a new password may do so because somebody else has the old one, or one of these. */
export async function endProofs(database: IdentityDatabase, person: string): Promise<void> {
  await database.deleteFrom('auth_verification').where('value', '=', person).execute()
}
