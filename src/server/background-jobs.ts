/** Composes the background jobs: payments, file deletions and polls of background responses. */

import type { Background } from '../base/background.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config/config.ts'
import type { GatewayDeps } from '../gateway/deps.ts'
import { startPaymentWork } from '../payments/work.ts'
import { startFileDeletions } from '../providers/file-deletions.ts'
import { accountEmailSender } from './account-emails.ts'
import type { Services } from './services.ts'

interface JobDeps {
  readonly config: Pick<Config, 'limits' | 'operator'>
  readonly clock: Clock
  readonly log: Log
}

/** Returns a function for each job that stops it. */
export function startJobs(around: JobDeps, services: Services, deps: GatewayDeps): (() => void)[] {
  const { background, address } = deps
  return [
    startPaymentJobs(around, services, { background, address }),
    startFileDeletions({ ...deps, catalog: services.catalog }),
    deps.polls.start(),
  ]
}

/** `address`: the server's public URL. Returns a function that stops the job. */
function startPaymentJobs(
  { config, clock, log }: JobDeps,
  parts: Pick<Services, 'openPayments' | 'ledger' | 'usage' | 'identity' | 'mail'>,
  options: { readonly background: Background; readonly address: string },
): () => void {
  return startPaymentWork(parts.openPayments, {
    ...options,
    ...{ clock, log, limits: config.limits },
    letters: accountEmailSender({ ...parts, operator: config.operator, address: options.address }),
    account: parts.ledger.account,
    daysLeft: parts.usage.daysLeft,
  })
}
