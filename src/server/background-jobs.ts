/** Composes the background jobs: payments, file deletions and polls of background responses. */

import type { Background } from '../base/background.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config/config.ts'
import type { GatewayDeps } from '../gateway/deps.ts'
import { startRetention } from '../ledger/retention.ts'
import { startPaymentWork } from '../payments/work.ts'
import { startFileDeletions } from '../providers/file-deletions.ts'
import { accountEmailSender } from './account-emails.ts'
import type { Services } from './services.ts'

interface JobDeps {
  readonly config: Pick<Config, 'limits' | 'operator' | 'receiptMonths'>
  readonly clock: Clock
  readonly log: Log
}

/** Returns a function for each job that stops it. */
export function startJobs(around: JobDeps, services: Services, deps: GatewayDeps): (() => void)[] {
  const { background, address } = deps
  return [
    startPaymentJobs(around, services, { background, address }),
    ...retentionJobs(around, services, background),
    startFileDeletions({ ...deps, catalog: services.catalog }),
    deps.polls.start(),
  ]
}

/** Each round that removes receipts is a row of the audit log. */
function retentionJobs(
  { config, clock, log }: JobDeps,
  { ledger, audit, nextId }: Pick<Services, 'ledger' | 'audit' | 'nextId'>,
  background: Background,
): (() => void)[] {
  const { receiptMonths: months, limits } = config
  if (months === null) return []
  const stop = startRetention({
    ...{ ledger, background, clock, months, limits },
    async onRemoved({ beforeMs, receipts }) {
      const before = new Date(beforeMs).toISOString()
      log.info({ before, receipts }, 'removed old receipts')
      const facts = { operation: 'receipts.remove', account: null, input: { before, receipts } }
      const id = nextId()
      await audit.begin({ id, atMs: clock.wallMs(), actor: 'local', address: null, ...facts })
      await audit.end(id, 'done')
    },
  })
  return [stop]
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
    daysLeft: async (account) => (await parts.usage.runway(account))?.days ?? null,
  })
}
