/** How long the event loop of this thread is busy without a pause, in processor time: other programs do not count. */

/** Watches every turn while `work` runs. */
export async function longestTurn(work: () => Promise<void>): Promise<number> {
  let isOver = false
  let longestMs = 0
  const watching = (async () => {
    let last = process.threadCpuUsage()
    while (!isOver) {
      await new Promise(setImmediate)
      const now = process.threadCpuUsage()
      longestMs = Math.max(longestMs, (now.user + now.system - last.user - last.system) / 1_000)
      last = now
    }
  })()
  try {
    await work()
  } finally {
    isOver = true
    await watching
  }
  return longestMs
}
