/** `ledger.verify`: every balance and hold recomputed and compared. */
import { asTollgateError } from '../../base/errors.ts'
import { operationHandler } from '../handle-operation.ts'
import { saveVerification } from './last-verified.ts'

export const verifyLedger = operationHandler('ledger.verify', async ({ ledger, settings, clock, log }) => {
  const report = await ledger.verify()
  await saveVerification(settings, { atMs: clock.wallMs(), lines: report.drift.length }).catch(
    (thrown: unknown) => {
      // A store that cannot write can still be verified.
      const error = asTollgateError(thrown)
      if (error.code !== 'store_unavailable') throw thrown
      log.warn({ err: error }, 'failed to store the result of the verification')
    },
  )
  return { ...report, drift: [...report.drift] }
})
