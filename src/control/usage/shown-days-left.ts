/** The runway as it is shown: only where there were enough days with spend. Pure. */
import { type Runway, runwayDaysMin } from '../../usage/types.ts'

export function shownDaysLeft(runway: Runway | null): number | null {
  return runway === null || runway.daysWithSpend < runwayDaysMin ? null : runway.days
}
