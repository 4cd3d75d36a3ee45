/** `ledger.verify`: every balance and hold computed anew and compared. */
import { verb } from '../verb.ts'
import { keepVerified } from './last-verified.ts'

export const verifyLedger = verb('ledger.verify', async ({ ledger, settings, clock }) => {
  const report = await ledger.verify()
  await keepVerified(settings, { atMs: clock.wallMs(), lines: report.drift.length })
  return { ...report, drift: [...report.drift] }
})
