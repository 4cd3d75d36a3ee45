/** What is observed of upstreams and their offers: health and speeds for routing, statistics for administrators. */
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config/config.ts'
import { type Health, openHealth } from '../providers/health.ts'
import { openSpeeds, type Speeds } from '../providers/speeds.ts'
import type { Store } from '../store/store.ts'
import { type OfferStatistics, openOfferStatistics } from '../usage/offer-statistics.ts'

interface Observations {
  readonly health: Health
  readonly speeds: Speeds
  readonly offerStatistics: OfferStatistics
}

export function openObservations(
  store: Store,
  { clock, limits, log }: { readonly clock: Clock; readonly limits: Config['limits']; readonly log: Log },
): Observations {
  const onTrouble = (error: unknown) => log.warn({ err: error }, 'failed to store the statistics of offers')
  return {
    health: openHealth({ clock, limits }),
    speeds: openSpeeds({ clock, limits }),
    offerStatistics: openOfferStatistics({ store, clock, limits, onTrouble }),
  }
}
