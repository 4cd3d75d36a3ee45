/** The verbs of this folder by the names of their operations. */
import { verifyLedger } from '../ledger/verify.ts'

export const installationVerbs = {
  'ledger.verify': verifyLedger,
} as const
