/** What payments do beside the requests, composed: whom they write to, and where they look accounts and their use up. */
import { accountLetters } from './account-letters.ts'
import type { Background } from './base/background.ts'
import type { Clock } from './base/clock.ts'
import type { Log } from './base/log.ts'
import type { Config } from './config.ts'
import type { Parts } from './parts.ts'
import { startPaymentWork } from './payments/work.ts'

interface Around {
  readonly config: Pick<Config, 'limits'>
  readonly clock: Clock
  readonly log: Log
}

/** `address`: where people reach the server. Returns how to stop. */
export function startPayments(
  { config, clock, log }: Around,
  parts: Pick<Parts, 'openPayments' | 'ledger' | 'usage' | 'identity' | 'mail'>,
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
