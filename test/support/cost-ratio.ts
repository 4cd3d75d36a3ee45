/**
 * Compares the CPU time of two pieces of work as a ratio. Other programs only ever add to either, so the minimum of
 * several runs counts; a comparison ends as soon as the ratio is clearly below its bound.
 */

/** Each counts as the minimum of its runs; `floorUs`: the lower bound that `small` counts as. */
interface Compared<Result> {
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

/** For work on other threads of this process. */
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

/** CPU time is counted in ticks, so work is repeated until it takes many of them. */
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
