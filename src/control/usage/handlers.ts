/** The handlers of this folder by the names of their operations. */
import { showOverview } from './overview.ts'
import { keyRefusals, listRefusals } from './refusals.ts'
import { showUsage, usageCsv } from './show.ts'

export const usageHandlers = {
  'overview.show': showOverview,
  'usage.show': showUsage,
  'usage.csv': usageCsv,
  'refusals.list': listRefusals,
  'key.refusals': keyRefusals,
} as const
