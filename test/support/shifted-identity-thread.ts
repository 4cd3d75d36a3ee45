/** The thread in which identity works, at the date that the process has. Decides nothing of its own. */
import { joinShiftedDate } from './shifted-date.ts'

joinShiftedDate()
await import('../../src/server/identity-thread.ts')
