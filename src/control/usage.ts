/** `usage.*` and `overview.show`: what an account used, by hour, day or month, split by model, key or member. */
import { eachSum, tokenSumNames, tokenSums } from '../../contract/meters.ts'
import type { OperationInput, OperationOutput } from '../../contract/operations.ts'
import { formatUsd } from '../../contract/usd.ts'
import { quantile } from '../base/histogram.ts'
import { formatId } from '../base/ids.ts'
import { dayMs, dayOf, firstDayOf, monthOf } from '../limits/calendar.ts'
import { addSums, type GrowingSums, noSums } from '../usage/sums.ts'
import { type Runway, runwayDaysMin, type Sums, type SumsInput, type SumsRow } from '../usage/types.ts'
import { balanceOutput } from './accounts.ts'
import type { ControlDeps, OperationHandlers } from './control-deps.ts'
import { type CsvCell, csvText } from './csv.ts'
import { isoTime, isoTimeOrNull, parseGivenId, parseRange } from './values.ts'

export const usageHandlers = {
  'usage.show': (deps, input, { account }) => readUsage(deps, account.id, input),

  'usage.csv': async (deps, input, { account }) => {
    const rows = await readUsage(deps, account.id, input)
    const text = csvText(
      columns.map(([name]) => name),
      rows.map((row) => columns.map(([, cell]) => cell(row))),
    )
    return { name: `usage-${formatId('acct', account.id)}.csv`, text }
  },

  'overview.show': async (deps, _input, { account }) => {
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
      ...balanceOutput(account),
      running: account.openHolds,
      today: sumsOutput(sumSince(days, today * dayMs)),
      month: sumsOutput(sumSince(days, monthMs)),
      daysLeft: shownDaysLeft(runway),
      hours: hours.map(totalRow),
      days: days.filter(({ atMs }) => atMs >= daysMs).map(totalRow),
      firstRequest: isoTimeOrNull(firstMs),
    }
  },
} satisfies Partial<OperationHandlers>

const columns: readonly (readonly [name: string, cell: (row: UsageRowOut) => CsvCell])[] = [
  ['from', ({ at }) => at],
  ['group', ({ group }) => group],
  ['label', ({ label }) => label],
  ['requests', ({ requests }) => requests],
  ['errors', ({ errors }) => errors],
  ['rejected', ({ rejected }) => rejected],
  ...tokenSumNames.map(
    (name) => [`${tokenSums[name].column}_tokens`, ({ tokens }: UsageRowOut) => tokens[name]] as const,
  ),
  ['reasoning_tokens', ({ tokens }) => tokens.reasoning],
  ['charged_usd', ({ charged }) => ({ amount: charged })],
  ['own_key_cost_usd', ({ ownKeyCost }) => ({ amount: ownKeyCost })],
  ['latency_p50_ms', ({ latencyMs }) => latencyMs?.p50 ?? null],
  ['latency_p95_ms', ({ latencyMs }) => latencyMs?.p95 ?? null],
  ['first_byte_p50_ms', ({ firstByteMs }) => firstByteMs?.p50 ?? null],
  ['first_byte_p95_ms', ({ firstByteMs }) => firstByteMs?.p95 ?? null],
]

const hourMs = 3_600_000
const hoursShown = 24
const daysShown = 30

function sumSince(rows: readonly SumsRow[], fromMs: number): Sums {
  const total = noSums()
  for (const { atMs, sums } of rows) if (atMs >= fromMs) addSums(total, sums)
  return total
}

const totalRow = ({ atMs, sums }: SumsRow) => rowOutput({ atMs, sums, group: null, label: null })

type UsageInput = OperationInput<'usage.show'>
type UsageRowOut = OperationOutput<'usage.show'>[number]

/** A row whose group has its text and its words. */
interface LabeledUsage extends Pick<SumsRow, 'atMs' | 'sums'> {
  readonly group: string | null
  readonly label: string | null
}

async function readUsage(deps: ControlDeps, account: bigint, input: UsageInput): Promise<UsageRowOut[]> {
  const rows = await deps.usage.sums({ account, ...toSumsQuery(deps, input) })
  const named = await labelers[input.group](deps, account, rows)
  return named.map(rowOutput)
}

function rowOutput({ atMs, group, label, sums }: LabeledUsage): UsageRowOut {
  return { at: isoTime(atMs), group, label, ...sumsOutput(sums) }
}

function toSumsQuery(
  deps: ControlDeps,
  { from, to, by, group, model, key }: UsageInput,
): Omit<SumsInput, 'account'> {
  return {
    ...parseRange(deps.clock.wallMs(), { from, to }),
    step: by,
    group: group === 'member' ? 'key' : group,
    model: model ?? null,
    key: parseGivenId('key', key),
  }
}

type UsageLabeler = (
  deps: ControlDeps,
  account: bigint,
  rows: readonly SumsRow[],
) => Promise<readonly LabeledUsage[]> | readonly LabeledUsage[]

const labelers: Readonly<Record<UsageInput['group'], UsageLabeler>> = {
  none: (_deps, _account, rows) => rows.map(({ atMs, sums }) => ({ atMs, sums, group: null, label: null })),
  model: (_deps, _account, rows) =>
    rows.map(({ atMs, sums, group }) => ({
      atMs,
      sums,
      group: String(group),
      label: group === '' ? 'Unknown model' : String(group),
    })),
  async key({ access }, account, rows) {
    const names = new Map((await access.list(account)).map(({ id, name }) => [id, name]))
    return rows.map(({ atMs, sums, group }) => ({
      atMs,
      sums,
      group: formatId('key', group as bigint),
      label: names.get(group as bigint) ?? null,
    }))
  },
  member: byMember,
}

/** The keys that one person made, together; those without a known creator form their own group: ''. */
async function byMember(
  { access, identity }: ControlDeps,
  account: bigint,
  rows: readonly SumsRow[],
): Promise<readonly LabeledUsage[]> {
  const makers = new Map((await access.list(account)).map(({ id, createdBy }) => [id, createdBy ?? '']))
  const sums = new Map<string, { atMs: number; group: string; sums: GrowingSums }>()
  for (const row of rows) {
    const group = makers.get(row.group as bigint) ?? ''
    const name = `${row.atMs} ${group}`
    const sum = sums.get(name) ?? { atMs: row.atMs, group, sums: noSums() }
    sums.set(name, sum)
    addSums(sum.sums, row.sums)
  }
  const people = new Set([...sums.values()].map(({ group }) => group))
  const labels = new Map(
    await Promise.all(
      [...people].map(async (person) => {
        const known = person === '' ? undefined : await identity.findPerson(person)
        return [person, known?.name ?? (person === '' ? 'No person' : null)] as const
      }),
    ),
  )
  return [...sums.values()].map((row) => ({ ...row, label: labels.get(row.group) ?? null }))
}

type SumsOut = OperationOutput<'overview.show'>['today']

function sumsOutput(sums: Sums): SumsOut {
  const { requests, errors, rejected, reasoning } = sums
  return {
    requests,
    errors,
    rejected,
    tokens: { ...eachSum((name) => sums[name]), reasoning },
    charged: formatUsd(sums.charged),
    ownKeyCost: formatUsd(sums.ownKeyCost),
    latencyMs: quantiles(sums.latency),
    firstByteMs: quantiles(sums.firstByte),
  }
}

function quantiles(durations: readonly number[]): SumsOut['latencyMs'] {
  const [p50, p95] = [quantile(durations, 0.5), quantile(durations, 0.95)]
  return p50 === null || p95 === null ? null : { p50, p95 }
}

/** The runway as it is shown: only where there were enough days with spend. */
export function shownDaysLeft(runway: Runway | null): number | null {
  return runway === null || runway.daysWithSpend < runwayDaysMin ? null : runway.days
}
