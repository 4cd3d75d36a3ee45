/** Makes each authenticator code usable once. Must not verify codes. */
import type { Clock } from '../../base/clock.ts'
import { hashToken } from '../sessions/session-token.ts'
import type { IdentityDatabase } from '../store/database.ts'

export interface UsedCodes {
  /** Marks the code as used; false when it was used before. */
  spend(person: string, code: string): Promise<boolean>
}

/** Longer than a code is valid: its own 30 seconds and the windows before and after. */
const codeLifetimeMs = 120_000

export function openUsedCodes(database: IdentityDatabase, clock: Clock): UsedCodes {
  return {
    async spend(person, code) {
      const nowMs = clock.wallMs()
      await database.deleteFrom('used_code').where('until_ms', '<=', nowMs).execute()
      const { numInsertedOrUpdatedRows } = await database
        .insertInto('used_code')
        .values({ code_hash: hashToken(`${person} ${code}`), until_ms: nowMs + codeLifetimeMs })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow()
      return numInsertedOrUpdatedRows === 1n
    },
  }
}
