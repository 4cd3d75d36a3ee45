/** The cost of work in CPU time of this thread, which excludes other programs. */

const runs = 2

/** Milliseconds, the minimum of several runs; each takes `runMs`, many ticks of CPU accounting. */
export function threadCost(work: () => void, runMs: number): number {
  let leastMs = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs; run += 1) leastMs = Math.min(leastMs, costOfRun(work, runMs))
  return leastMs
}

function costOfRun(work: () => void, runMs: number): number {
  const before = process.threadCpuUsage()
  for (let times = 1; ; times += 1) {
    work()
    const { user, system } = process.threadCpuUsage(before)
    const spentMs = (user + system) / 1_000
    if (spentMs >= runMs) return spentMs / times
  }
}
