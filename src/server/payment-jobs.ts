/** Composes the background jobs: payments, file deletions and polls of background responses. */

import type { Background } from '../base/background.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config/config.ts'
import type { GatewayDeps } from '../gateway/deps.ts'
import { startPaymentWork } from '../payments/work.ts'
import { startFileDeletions } from '../providers/file-deletions.ts'
import { accountLetters } from './account-emails.ts'
import type { Services } from './services.ts'

interface Around {
  readonly config: Pick<Config, 'limits'>
  readonly clock: Clock
  readonly log: Log
}

/** Returns a function for each job that stops it. */
export function startWork(around: Around, services: Services, deps: GatewayDeps): (() => void)[] {
  const { background, address } = deps
  return [
    startPayments(around, services, { background, address }),
    startFileDeletions({ ...deps, catalog: services.catalog }),
    deps.polls.start(),
  ]
}

/** `address`: the server's public URL. Returns a function that stops the job. */
function startPayments(
  { config, clock, log }: Around,
  parts: Pick<Services, 'openPayments' | 'ledger' | 'usage' | 'identity' | 'mail'>,
  of: { readonly background: Background; readonly address: string },
): () => void {
  return startPaymentWork(parts.openPayments, {
    ...of,
    ...{ clock, log, limits: config.limits },
    letters: accountLetters(parts),
    account: parts.ledger.account,
    daysLeft: parts.usage.daysLeft,
  })
}
