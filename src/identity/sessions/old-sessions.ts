/** Deletes expired sessions and a person's oldest sessions beyond the limit. Must not judge a session that is in use. */
import type { IdentityDatabase } from '../store/database.ts'

/** Bounds one call; the next sign-in deletes the rest. */
const removedMax = 1_000

/** Runs after each sign-in of `person`. */
export async function endOldSessions(
  database: IdentityDatabase,
  {
    person,
    now,
    perPersonMax,
  }: { readonly person: string; readonly now: Date; readonly perPersonMax: number },
): Promise<void> {
  await database
    .deleteFrom('auth_session')
    .where('id', 'in', (query) =>
      query
        .selectFrom('auth_session')
        .select('id')
        .where('expiresAt', '<=', now.toISOString())
        .limit(removedMax),
    )
    .execute()
  await database
    .deleteFrom('auth_session')
    .where('id', 'in', (query) =>
      query
        .selectFrom('auth_session')
        .select('id')
        .where('userId', '=', person)
        .orderBy('createdAt', 'desc')
        .limit(removedMax)
        .offset(perPersonMax),
    )
    .execute()
}
