/**
 * The load generator's process, as the bench uses it.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { LoadOrder, LoadReport } from './load.ts'

export interface LoadGenerator {
  readonly pid: number
  run(order: LoadOrder): Promise<LoadReport>
  stop(): Promise<void>
}

/** Starts the process; loads run one at a time. */
export function startLoadGenerator(): LoadGenerator {
  const child = fork(fileURLToPath(new URL('./load.ts', import.meta.url)), { stdio: 'inherit' })
  return {
    pid: child.pid ?? 0,
    async run(order) {
      const ended = new AbortController()
      const exit = once(child, 'exit', { signal: ended.signal }).then(() => {
        throw new Error('the load generator ended')
      })
      exit.catch(() => undefined)
      const reported = once(child, 'message', { signal: ended.signal })
      reported.catch(() => undefined)
      child.send(order)
      try {
        const [report] = await Promise.race([reported, exit])
        return report as LoadReport
      } finally {
        ended.abort()
      }
    },
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}
