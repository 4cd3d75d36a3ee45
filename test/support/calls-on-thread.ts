/**
 * Counts function calls on this thread with V8's profiler: which work is done here, regardless of other load on the
 * machine. Only one count at a time.
 */
import { Session } from 'node:inspector/promises'

/** Counts the calls of functions in files whose address contains `folder` while `work` runs. */
type CountCalls = (folders: readonly string[], work: () => Promise<void>) => Promise<number>

export async function openCallCounts(): Promise<{ readonly count: CountCalls; close(): void }> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  return {
    async count(folders, work) {
      // Reading the counters resets them.
      await session.post('Profiler.takePreciseCoverage')
      await work()
      const { result } = await session.post('Profiler.takePreciseCoverage')
      return result
        .filter(({ url }) => folders.some((folder) => url.includes(folder)))
        .flatMap(({ functions }) => functions.map(({ ranges: [whole] }) => whole?.count ?? 0))
        .reduce((sum, calls) => sum + calls, 0)
    },
    close: () => session.disconnect(),
  }
}
