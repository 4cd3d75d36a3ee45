/**
 * The period of a usage page, as the URL has it. Periods begin and end at midnight UTC, as the roll-ups and budgets
 * do. Pure: the current time is a parameter.
 */
export const ranges = ['today', '7d', '30d', 'month', 'custom'] as const
export type Range = (typeof ranges)[number]
export const rangeLabels: Readonly<Record<Range, string>> = {
  today: 'Today',
  '7d': '7 days',
  '30d': '30 days',
  month: 'This month',
  custom: 'Custom',
}

export const steps = ['hour', 'day', 'month'] as const
export type Step = (typeof steps)[number]
export const stepLabels: Readonly<Record<Step, string>> = { hour: 'Hour', day: 'Day', month: 'Month' }

/** `from` and `to` are days such as `2026-11-20`, both inclusive; only `custom` has them. */
export interface RangeChoice {
  readonly range: Range
  readonly from: string | undefined
  readonly to: string | undefined
  readonly step: Step | undefined
}

/** `to` is left out where the period ends now, so that the query stays the same over time. */
export interface Stretch {
  readonly from: string
  readonly to: string | undefined
  readonly step: Step
  /** The intervals that are neither too many to read nor longer than the period. */
  readonly stepsPossible: readonly Step[]
}

const dayMs = 86_400_000
/** The shortest. */
const monthMs = 28 * dayMs
/** More columns than this are unreadable. */
const columnsMax = 400
const dayPattern = /^\d{4}-\d{2}-\d{2}$/

function isDay(text: unknown): text is string {
  return typeof text === 'string' && dayPattern.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`))
}

export const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
const midnight = (ms: number) => Math.floor(ms / dayMs) * dayMs
const startOfDay = (day: string) => Date.parse(`${day}T00:00:00Z`)

function startOfMonth(ms: number): number {
  const at = new Date(ms)
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1)
}

/** The start and end of a choice; an invalid custom one is the last 30 days. */
export function stretchOf(choice: RangeChoice, nowMs: number): Stretch {
  const [fromMs, toMs] = boundsOf(choice, nowMs)
  const lengthMs = (toMs ?? nowMs) - fromMs
  const stepsPossible = steps.filter((step) => isReadable(step, lengthMs))
  const usual: Step = lengthMs <= 2 * dayMs ? 'hour' : lengthMs <= columnsMax * dayMs ? 'day' : 'month'
  const step = choice.step !== undefined && stepsPossible.includes(choice.step) ? choice.step : usual
  return {
    from: new Date(fromMs).toISOString(),
    to: toMs === undefined ? undefined : new Date(toMs).toISOString(),
    step,
    stepsPossible,
  }
}

function boundsOf(choice: RangeChoice, nowMs: number): readonly [from: number, to: number | undefined] {
  const today = midnight(nowMs)
  switch (choice.range) {
    case 'today':
      return [today, undefined]
    case '7d':
      return [today - 6 * dayMs, undefined]
    case 'month':
      return [startOfMonth(nowMs), undefined]
    case 'custom': {
      const days = daysOf(choice, nowMs)
      if (days !== undefined) return [days[0], days[1] > nowMs ? undefined : days[1]]
    }
  }
  return [today - 29 * dayMs, undefined]
}

/** The days of a custom range; undefined where they are invalid, reversed, in the future or too many. */
export function daysOf(
  { from, to }: Pick<RangeChoice, 'from' | 'to'>,
  nowMs: number,
): readonly [fromMs: number, toMs: number] | undefined {
  if (!isDay(from) || !isDay(to)) return undefined
  const [fromMs, toMs] = [startOfDay(from), startOfDay(to) + dayMs]
  const isShort = Math.min(toMs, nowMs) - fromMs <= columnsMax * monthMs
  const isRange = fromMs < toMs && fromMs < nowMs && isShort
  return isRange ? [fromMs, toMs] : undefined
}

function isReadable(step: Step, lengthMs: number): boolean {
  const stepMs = { hour: dayMs / 24, day: dayMs, month: monthMs }[step]
  if (lengthMs / stepMs > columnsMax) return false
  return step === 'hour' || lengthMs > stepMs || (step === 'day' && lengthMs > 0)
}

/** The starts of all intervals of a period, in milliseconds; at most as many as are readable. */
export function stepsOf(stretch: Stretch, nowMs: number): readonly number[] {
  const end = stretch.to === undefined ? nowMs : Date.parse(stretch.to)
  const starts: number[] = []
  for (
    let at = stepStart(Date.parse(stretch.from), stretch.step);
    at < end && starts.length <= columnsMax;
    at = nextStep(at, stretch.step)
  ) {
    starts.push(at)
  }
  return starts
}

function stepStart(ms: number, step: Step): number {
  if (step === 'month') return startOfMonth(ms)
  const stepMs = step === 'day' ? dayMs : dayMs / 24
  return Math.floor(ms / stepMs) * stepMs
}

function nextStep(ms: number, step: Step): number {
  if (step === 'hour') return ms + dayMs / 24
  if (step === 'day') return ms + dayMs
  const at = new Date(ms)
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1)
}
