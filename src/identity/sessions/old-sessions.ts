/** Ends sessions that nobody can use any more, and those beyond what one person may have. Judges none that is presented. */
import type { IdentityDatabase } from '../store/database.ts'

/** At most so many that are over go at once; the next sign-in takes the next ones. */
const removedMax = 1_000

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
