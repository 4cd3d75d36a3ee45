/** The identity thread, at the shifted date of the process. Contains no logic. */
import { joinShiftedDate } from './shifted-date.ts'

joinShiftedDate()
await import('../../src/server/identity-thread.ts')
