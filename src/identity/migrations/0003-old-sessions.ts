/** When a session ends, so that those that are over are found without looking at all. */
import type { Migration } from '../../store/migrations/index.ts'

export const oldSessions: Migration = {
  number: 3,
  name: 'old-sessions',
  sqlite: ['CREATE INDEX auth_session_end ON "auth_session" ("expiresAt")'],
}
