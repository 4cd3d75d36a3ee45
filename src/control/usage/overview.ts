/** `overview.show`: an account's balance, spend and running requests, at a glance. */
import { formatUsd } from '../../../contract/usd.ts'
import { dayMs, dayOf, firstDayOf, monthOf } from '../../limits/calendar.ts'
import { addSums, noSums } from '../../usage/sums.ts'
import type { Sums, SumsRow } from '../../usage/types.ts'
import { accountOperationHandler } from '../handle-operation.ts'
import { isoTimeOrNull } from '../iso-time.ts'
import { rowOutput } from './rows.ts'
import { shownDaysLeft } from './shown-days-left.ts'
import { sumsOutput } from './sums-output.ts'

const hourMs = 3_600_000
const hoursShown = 24
const daysShown = 30

export const showOverview = accountOperationHandler('overview.show', async (deps, _input, { account }) => {
  const { usage } = deps
  const nowMs = deps.clock.wallMs()
  const today = dayOf(nowMs)
  const monthMs = firstDayOf(monthOf(today)) * dayMs
  const daysMs = (today - daysShown + 1) * dayMs
  const hoursMs = (Math.floor(nowMs / hourMs) - hoursShown + 1) * hourMs
  // Up to the end of this hour, which has begun.
  const toMs = (Math.floor(nowMs / hourMs) + 1) * hourMs
  const whole = { account: account.id, toMs, group: 'none', model: null, key: null } as const
  const [hours, days, runway, firstMs] = await Promise.all([
    usage.sums({ ...whole, fromMs: hoursMs, step: 'hour' }),
    // A month may have a day more than is shown.
    usage.sums({ ...whole, fromMs: Math.min(daysMs, monthMs), step: 'day' }),
    usage.runway(account.id),
    usage.firstRequestMs(account.id),
  ])
  return {
    posted: formatUsd(account.posted),
    held: formatUsd(account.held),
    available: formatUsd(account.posted - account.held),
    running: account.openHolds,
    today: sumsOutput(sumSince(days, today * dayMs)),
    month: sumsOutput(sumSince(days, monthMs)),
    daysLeft: shownDaysLeft(runway),
    hours: hours.map(totalRow),
    days: days.filter(({ atMs }) => atMs >= daysMs).map(totalRow),
    firstRequest: isoTimeOrNull(firstMs),
  }
})

function sumSince(rows: readonly SumsRow[], fromMs: number): Sums {
  const total = noSums()
  for (const { atMs, sums } of rows) if (atMs >= fromMs) addSums(total, sums)
  return total
}

const totalRow = ({ atMs, sums }: SumsRow) => rowOutput({ atMs, sums, group: null, label: null })
