/** `ledger.verify`: every balance and hold computed anew and compared. */
import { verb } from '../verb.ts'

export const verifyLedger = verb('ledger.verify', async (parts) => {
  const report = await parts.ledger.verify()
  return { ...report, drift: [...report.drift] }
})
