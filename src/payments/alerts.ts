/** Emails an account once when its balance will not last as long as configured; a sufficient balance rearms the alert. */
import { consoleUrl } from '../base/console-url.ts'
import type { AlertSetting, BillingRows } from './settings.ts'
import type { EmailSender } from './types.ts'

export interface AlertDeps {
  readonly billing: Pick<BillingRows, 'alerts' | 'alerted'>
  readonly letters: EmailSender
  /** How many days the balance lasts; null: nothing is spent. */
  readonly daysLeft: (account: bigint) => Promise<number | null>
  readonly address: string
  readonly nowMs: () => number
}

/** Checks at most `limit` accounts after `after`; returns the one to continue after, 0n at the end. */
export async function sendAlerts(deps: AlertDeps, after: bigint, limit: number): Promise<bigint> {
  const settings = await deps.billing.alerts(after, limit)
  for (const setting of settings) await alert(deps, setting)
  return settings.length < limit ? 0n : (settings.at(-1)?.account ?? 0n)
}

async function alert(deps: AlertDeps, { account, days, isSent }: AlertSetting): Promise<void> {
  const { billing, letters, daysLeft, address, nowMs } = deps
  const left = await daysLeft(account)
  const isShort = left !== null && left < days
  if (isSent === isShort) return
  if (!isShort) return billing.alerted(account, null)
  const lasts = left < 1 ? 'less than a day' : `about ${Math.floor(left)} ${left < 2 ? 'day' : 'days'}`
  const wasSent = await letters.send(account, {
    subject: 'Low balance',
    text: `At your current rate of use, your balance will last ${lasts}. When it runs out, requests are rejected.

Add credit here:
${consoleUrl(address, '/billing', account)}
`,
  })
  if (wasSent) await billing.alerted(account, nowMs())
}
