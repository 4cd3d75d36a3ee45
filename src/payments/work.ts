/**
 * The background jobs of payments: automatic top-ups, polling the provider about pending
 * top-ups, alerts, deleting old events. Each kind runs once at a time, each run is bounded, and what fails is
 * logged and retried at the next run.
 */
import type { Background } from '../base/background.ts'
import type { Clock, Timer } from '../base/clock.ts'
import { consoleUrl } from '../base/console-url.ts'
import { asTollgateError } from '../base/errors.ts'
import { formatId } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import type { AccountRow } from '../ledger/types.ts'
import { type AutomaticLimits, topUpAutomatically } from './automatic.ts'
import { type MissedLimits, searchMissedEvents } from './missed.ts'
import type { OpenPayments, PaymentDeps } from './payments.ts'
import { noHint } from './reconcile.ts'
import type { AlertSetting, BillingRows } from './settings.ts'
import type { EmailSender } from './types.ts'

/** Old webhook events removed per round. */
const webhookEventsRemovedMax = 10_000

/** Accounts per search for low balances. */
const alertsCheckedMax = 1_000

export interface WorkLimits extends AutomaticLimits, MissedLimits {
  readonly missedEventsCheckMs: number
  readonly automaticTopUpsMs: number
  readonly topUpsCheckedMax: number
  readonly alertCheckMs: number
  readonly webhookEventsKeptMs: number
}

export interface WorkOptions {
  readonly background: Pick<Background, 'run'>
  readonly clock: Clock
  readonly log: Log
  readonly letters: EmailSender
  readonly account: (id: bigint) => Promise<AccountRow | undefined>
  readonly daysLeft: (account: bigint) => Promise<number | null>
  /** Where people reach the server. */
  readonly address: string
  readonly limits: WorkLimits
}

/** Disputes take weeks, so a slow poll is enough. */
const disputeCheckMs = 6 * 3_600_000

/** Returns how to stop; what runs at that time ends in the background. */
export function startPaymentWork(open: OpenPayments, options: WorkOptions): () => void {
  const { billing, events, paying } = open
  const stops = [
    ...alertWork(billing, options),
    ...(paying === null ? [] : payingWork(paying, events, options)),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

type StopJob = () => void

function alertWork(billing: OpenPayments['billing'], options: WorkOptions): readonly StopJob[] {
  const { letters, daysLeft, address, clock, limits } = options
  const deps = { billing, letters, daysLeft, address, nowMs: clock.wallMs }
  let after = 0n
  return [
    repeat(options, 'warnings of low balances', limits.alertCheckMs, async () => {
      after = await sendAlerts(deps, after, alertsCheckedMax)
    }),
  ]
}

function payingWork(
  paying: PaymentDeps,
  events: OpenPayments['events'],
  options: WorkOptions,
): readonly StopJob[] {
  const { letters, account, address, clock, limits } = options
  const automatic = { ...paying, letters, account, address, limits }
  const missed = searchMissedEvents({ ...paying, events }, limits)
  return [
    repeat(options, 'automatic top-ups', limits.automaticTopUpsMs, async () => {
      // After a restore a card may have paid already for what the data does not know of.
      if (missed.isCaughtUp()) await topUpAutomatically(automatic)
    }),
    repeat(options, 'top-ups under way', limits.topUpCheckMs, async () => {
      await checkTopUps(paying, options)
      await events.forget(clock.wallMs() - limits.webhookEventsKeptMs, webhookEventsRemovedMax)
    }),
    // The first search begins immediately and continues until its end.
    repeat(
      options,
      'missed events',
      (looks) => {
        if (looks === 0) return 0
        return missed.isCaughtUp() ? limits.missedEventsCheckMs : limits.automaticTopUpsMs
      },
      missed.look,
    ),
  ]
}

/** Runs `look` every `everyMs`, given the number of looks before; the next one is due so long after the last has ended. */
function repeat(
  { background, clock }: Pick<WorkOptions, 'background' | 'clock'>,
  name: string,
  everyMs: number | ((looks: number) => number),
  look: () => Promise<void>,
): StopJob {
  const state: { timer: Timer | null; isStopped: boolean } = { timer: null, isStopped: false }
  let looks = 0
  const wait = (): void => {
    if (state.isStopped) return
    const waitMs = typeof everyMs === 'number' ? everyMs : everyMs(looks)
    looks += 1
    state.timer = clock.after(waitMs, () => background.run(name, once))
  }
  const once = (): Promise<void> => look().finally(wait)
  wait()
  return () => {
    state.isStopped = true
    state.timer?.cancel()
  }
}

/** A message of the provider that was lost loses nothing. */
async function checkTopUps(
  { topUps, reconcile: follow }: PaymentDeps,
  { clock, log, limits }: Pick<WorkOptions, 'clock' | 'log' | 'limits'>,
): Promise<void> {
  const nowMs = clock.wallMs()
  const askedBefore = { openMs: nowMs - limits.topUpCheckMs, disputedMs: nowMs - disputeCheckMs }
  for (const id of await topUps.unsettled(askedBefore, limits.topUpsCheckedMax)) {
    try {
      await follow(id, noHint)
    } catch (thrown) {
      const { code, details } = asTollgateError(thrown)
      log.warn(
        { topUp: formatId('top', id), code, detail: details.detail },
        'a top-up could not be reconciled',
      )
      // The others would meet the same trouble; they have their turn when it is over.
      if (code === 'payment_provider_unavailable' || code === 'store_unavailable') return
      await topUps.note(id, {}, clock.wallMs())
    }
  }
}

interface AlertDeps {
  readonly billing: Pick<BillingRows, 'alerts' | 'alerted'>
  readonly letters: EmailSender
  /** How many days the balance lasts; null: nothing is spent. */
  readonly daysLeft: (account: bigint) => Promise<number | null>
  readonly address: string
  readonly nowMs: () => number
}

/**
 * Emails an account once when its balance will not last as long as configured; a sufficient balance rearms the alert. Checks at
 * most `limit` accounts after `after`; returns the one to continue after, 0n at the end.
 */
async function sendAlerts(deps: AlertDeps, after: bigint, limit: number): Promise<bigint> {
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
