/** What work costs in processor time of this thread, in which other programs do not count. */

const runs = 3
/** Long beside the steps in which an operating system counts processor time. */
const runMs = 40

/** Milliseconds, the least of some runs. */
export function threadCost(work: () => void): number {
  let leastMs = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs; run += 1) leastMs = Math.min(leastMs, costOfRun(work))
  return leastMs
}

function costOfRun(work: () => void): number {
  const before = process.threadCpuUsage()
  for (let times = 1; ; times += 1) {
    work()
    const { user, system } = process.threadCpuUsage(before)
    const spentMs = (user + system) / 1_000
    if (spentMs >= runMs) return spentMs / times
  }
}
