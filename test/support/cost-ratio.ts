/**
 * How many times the processor time of some work other work takes. Other programs only ever add to either, so the least
 * of several runs counts; a comparison ends as soon as it is clear that the ratio is below its bound.
 */

/** Each counts for the least of its runs; `floorUs`: the least that `small` counts for. */
export interface Compared<Result> {
  readonly small: () => Result
  readonly large: () => Result
  readonly floorUs?: number
}

const runsMin = 2
const runsMax = 10

export function costRatio(bound: number, { small, large, floorUs = 1 }: Compared<unknown>): number {
  let [smallUs, largeUs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  const ratio = (): number => largeUs / Math.max(smallUs, floorUs)
  for (let runs = 0; runs < runsMin || (runs < runsMax && ratio() >= bound); runs += 1) {
    smallUs = Math.min(smallUs, costOf(small))
    largeUs = Math.min(largeUs, costOf(large))
  }
  return ratio()
}

/** For work that other threads of this process do. */
export async function costRatioOfAll(
  bound: number,
  { small, large, floorUs = 1 }: Compared<Promise<unknown>>,
): Promise<number> {
  let [smallUs, largeUs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  const ratio = (): number => largeUs / Math.max(smallUs, floorUs)
  for (let runs = 0; runs < runsMin || (runs < runsMax && ratio() >= bound); runs += 1) {
    smallUs = Math.min(smallUs, await costOfAll(small))
    largeUs = Math.min(largeUs, await costOfAll(large))
  }
  return ratio()
}

/** Processor time is counted in steps, so work is repeated until it is long beside them. */
const runUs = 20_000

function costOf(work: () => unknown): number {
  const before = process.threadCpuUsage()
  for (let times = 1; ; times += 1) {
    work()
    const { user, system } = process.threadCpuUsage(before)
    if (user + system >= runUs) return (user + system) / times
  }
}

async function costOfAll(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  for (let times = 1; ; times += 1) {
    await work()
    const { user, system } = process.cpuUsage(before)
    if (user + system >= runUs) return (user + system) / times
  }
}
