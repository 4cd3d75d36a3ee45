/**
 * Measures programs in interleaved slices: in each round every program gets each load once, in an order that
 * rotates, so that what else happens on the machine meets all of them. Prints nothing.
 */
import type { Gateway } from './gateway.ts'
import type { LoadReport } from './load.ts'
import type { LoadGenerator } from './load-generator.ts'
import { cpuMicros, foreignShare, machineTime } from './machine.ts'
import { type Program, untilAnswering } from './programs.ts'
import type { Scenario } from './scenario.ts'

/** Result of one program's turn with one load. */
export interface Slice {
  readonly round: number
  readonly cpuMicros: number
  readonly answered: number
  readonly ms: number
  readonly rejected: LoadReport['rejected']
  /** The generator's own use of a core, 0 to 1. */
  readonly generatorShare: number
  /** The share of the machine that other programs used, 0 to 1. */
  readonly foreign: number
}

export interface Contender {
  readonly program: Program
  /** Undefined for a floor, which checks no key. */
  readonly gateway?: Gateway
  /** Requests of a slice as a multiple of the scenario's; left out: floors get more, since they are cheap. */
  readonly share?: number
  readonly headers?: Readonly<Record<string, string>>
}

export interface Bench {
  readonly contenders: readonly Contender[]
  readonly generator: LoadGenerator
  /** Processes that belong to this run, except the contenders'. */
  readonly ownProcesses: readonly number[]
}

const sliceMsMax = 60_000
/** Floors are cheap, and the kernel accounts in steps of 10 ms. */
const floorRequests = 3

/** Measures one slice once the program is ready. */
export async function measureSlice(
  bench: Bench,
  { program, gateway, headers, share = gateway === undefined ? floorRequests : 1 }: Contender,
  scenario: Scenario,
  round: number,
): Promise<Slice> {
  if (gateway !== undefined) await untilAnswering(program.port, '/readyz')
  const { connections, path, body } = scenario
  const requests = Math.ceil(scenario.requests * (scenario.isExact ? Math.min(1, share) : share))
  const all = [...bench.ownProcesses, ...bench.contenders.flatMap((contender) => contender.program.processes)]
  const before = { own: cpuMicros(program.processes), all: cpuMicros(all), machine: machineTime() }
  const keys =
    gateway === undefined ? ['none'] : gateway.keys.slice(0, scenario.keys === 'all' ? undefined : 1)
  const report = await bench.generator.run({
    port: program.port,
    connections,
    requests,
    path,
    body,
    keys,
    ...(headers === undefined ? {} : { headers }),
    msMax: sliceMsMax,
  })
  return {
    round,
    cpuMicros: cpuMicros(program.processes) - before.own,
    answered: report.answered,
    ms: report.ms,
    rejected: report.rejected,
    generatorShare: report.cpuMicros / (report.ms * 1_000),
    foreign: foreignShare(before.machine, machineTime(), cpuMicros(all) - before.all),
  }
}

/** Slices by scenario and program. */
export class Results {
  readonly #slices = new Map<string, Slice[]>()

  add(scenario: string, program: string, slice: Slice): void {
    const name = `${scenario}|${program}`
    this.#slices.set(name, [...(this.#slices.get(name) ?? []), slice])
  }

  /** Slices without rejections if there are any, because a rejection costs less than an answer. */
  of(scenario: string, program: string): readonly Slice[] {
    const all = (this.#slices.get(`${scenario}|${program}`) ?? []).filter(({ answered }) => answered > 0)
    const clean = all.filter(({ rejected }) => Object.keys(rejected).length === 0)
    return clean.length > 0 ? clean : all
  }

  all(): readonly Slice[] {
    return [...this.#slices.values()].flat()
  }

  /** Rejections by status. */
  rejectedOf(scenario: string, program: string): Readonly<Record<string, number>> {
    const sums: Record<string, number> = {}
    for (const { rejected } of this.#slices.get(`${scenario}|${program}`) ?? [])
      for (const [status, count] of Object.entries(rejected)) sums[status] = (sums[status] ?? 0) + count
    return sums
  }
}

/** A slice of every contender for every scenario, with a different first contender in each round. */
export async function measureRound(
  bench: Bench,
  scenarios: readonly Scenario[],
  results: Results,
  round: number,
): Promise<void> {
  const shift = round % bench.contenders.length
  const order = [...bench.contenders.slice(shift), ...bench.contenders.slice(0, shift)]
  for (const scenario of scenarios)
    for (const contender of order)
      results.add(
        scenario.name,
        contender.program.name,
        await measureSlice(bench, contender, scenario, round),
      )
}

export const microsPerRequest = ({ cpuMicros, answered }: Slice): number => cpuMicros / answered
export const requestsPerSecond = ({ answered, ms }: Slice): number => (answered * 1_000) / ms

/**
 * The number that a quarter of all does not exceed, between two of them where it falls there; NaN without any. What
 * else runs on the machine only adds to a measurement, so this varies less than the middle.
 */
export function lowerQuartile(numbers: readonly number[]): number {
  return atShare(numbers, 0.25)
}

/** The middle of the numbers; NaN without any. */
export function median(numbers: readonly number[]): number {
  return atShare(numbers, 0.5)
}

function atShare(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((one, other) => one - other)
  const place = (sorted.length - 1) * share
  const below = sorted[Math.floor(place)] ?? Number.NaN
  const above = sorted[Math.ceil(place)] ?? Number.NaN
  return below + (above - below) * (place - Math.floor(place))
}
