/**
 * The results as Markdown tables: CPU time and rates of each program, and the ratios of one program's CPU time to the
 * others'. Pure.
 */
import {
  lowerQuartile,
  median,
  microsPerRequest,
  type Results,
  requestsPerSecond,
  type Slice,
} from './measure.ts'
import type { Scenario } from './scenario.ts'

/** `subject` is compared with each of `others`. */
export interface Columns {
  readonly subject: string
  readonly others: readonly string[]
}

type MicrosOf = (slice: Slice) => number

function head(columns: readonly string[]): string {
  return `| | ${columns.join(' | ')} |\n|---|${columns.map(() => '---:').join('|')}|`
}

/** The ratio of the lower quartiles, with the lowest and the highest ratio of one round. */
function ratioText(subject: readonly Slice[], other: readonly Slice[], micros: MicrosOf): string {
  const ratios = subject.flatMap((slice) => {
    const same = other.find(({ round }) => round === slice.round)
    const below = same === undefined ? 0 : micros(same)
    return below > 0 ? [micros(slice) / below] : []
  })
  if (ratios.length === 0) return '–'
  const ratio = (lowerQuartile(subject.map(micros)) / lowerQuartile(other.map(micros))).toFixed(2)
  return ratios.length === 1
    ? ratio
    : `${ratio} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`
}

/** CPU per request and requests per second, one row a scenario. */
export function requestTable(
  results: Results,
  scenarios: readonly Pick<Scenario, 'name'>[],
  { subject, others }: Columns,
): string {
  const programs = [...others, subject]
  const rows = scenarios.map(({ name }) => {
    const cells = programs.map((program) => {
      const slices = results.of(name, program)
      return `${lowerQuartile(slices.map(microsPerRequest)).toFixed(1)} | ${median(slices.map(requestsPerSecond)).toFixed(0)}`
    })
    const ratios = others.map((other) =>
      ratioText(results.of(name, subject), results.of(name, other), microsPerRequest),
    )
    return `| ${[name, ...cells, ...ratios].join(' | ')} |`
  })
  return [
    head([
      ...programs.flatMap((program) => [`${program}: CPU µs`, 'requests/s']),
      ...others.map((other) => `× ${other}`),
    ]),
    ...rows,
  ].join('\n')
}

/** CPU per streamed event: what a stream with many events costs more than one with few. */
export function eventTable(
  results: Results,
  scenarios: readonly Scenario[],
  { subject, others }: Columns,
): string {
  const families = [...new Set(scenarios.flatMap(({ stream }) => stream?.family ?? []))]
  const programs = [...others, subject]
  const rows = families.flatMap((family) => {
    const [few, many] = scenarios
      .filter(({ stream }) => stream?.family === family)
      .sort((one, other) => (one.stream?.events ?? 0) - (other.stream?.events ?? 0))
    if (few?.stream === undefined || many?.stream === undefined) return []
    const events = many.stream.events - few.stream.events
    const cost = (program: string): number =>
      (lowerQuartile(results.of(many.name, program).map(microsPerRequest)) -
        lowerQuartile(results.of(few.name, program).map(microsPerRequest))) /
      events
    const ratios = others.map((other) => (cost(subject) / cost(other)).toFixed(2))
    return [`| ${[family, ...programs.map((program) => cost(program).toFixed(1)), ...ratios].join(' | ')} |`]
  })
  if (rows.length === 0) return ''
  return [
    head([
      ...programs.map((program) => `${program}: CPU µs per event`),
      ...others.map((other) => `× ${other}`),
    ]),
    ...rows,
  ].join('\n')
}

const busyShare = 0.05
const generatorShareMax = 0.9

/** Caveats for readers of the numbers; empty if there are none. */
export function warnings(
  results: Results,
  scenarios: readonly Pick<Scenario, 'name'>[],
  { subject, others }: Columns,
): string[] {
  const percent = (share: number): string => `${Math.round(share * 100)} %`
  const found: string[] = []
  const slices = results.all()
  const totalMs = slices.reduce((sum, { ms }) => sum + ms, 0)
  const foreign = slices.reduce((sum, slice) => sum + slice.foreign * slice.ms, 0) / totalMs
  if (foreign > busyShare)
    found.push(
      `The machine was busy: other programs used ${percent(foreign)} of its CPU time. Compare ratios only.`,
    )
  for (const { name } of scenarios) {
    for (const program of [...others, subject]) {
      const rejected = Object.entries(results.rejectedOf(name, program))
      if (rejected.length > 0)
        found.push(
          `${program}, ${name}: rejected ${rejected.map(([status, count]) => `${count} × ${status}`).join(', ')}; not counted as answers.`,
        )
      const share = median(results.of(name, program).map(({ generatorShare }) => generatorShare))
      if (share > generatorShareMax)
        found.push(`${program}, ${name}: the load generator limited the rate (${percent(share)} of a core).`)
    }
  }
  return found
}
