/**
 * A worker that is the threads of many gateways and stores, each with the port of its own that shared-threads.ts has sent.
 * Their connections to PostgreSQL share another worker, which waits for none of them.
 */
import { parentPort, Worker } from 'node:worker_threads'
import { threadStart } from '../../src/threads/serve-thread.ts'
import { workers } from '../../src/threads/thread.ts'
import type { SharedThreadSetup } from './shared-threads.ts'

const startAlone = workers.start
let statements: Worker | undefined

Object.assign(workers, {
  start: ((entry, options) => {
    if (!/\/statement-thread\.[jt]s$/.test(entry.pathname)) return startAlone(entry, options)
    statements ??= new Worker(new URL('./shared-statements.ts', import.meta.url), { name: 'statements' })
    statements.postMessage(options.workerData, options.transferList)
    return statements
  }) satisfies typeof workers.start,
})

let started = Promise.resolve()
let count = 0

// An entry reads who started it while it is evaluated, so the next one waits.
parentPort?.on('message', (setup: SharedThreadSetup) => {
  started = started.then(() => start(setup))
})

async function start({ entry, setup, port, moved }: SharedThreadSetup): Promise<void> {
  port.once('close', () => {
    for (const other of moved) other.close()
  })
  Object.assign(threadStart, { starter: port, setup })
  count += 1
  // Under another address the entry, and nothing that it imports, is evaluated again.
  await import(`${entry}?start=${count}`)
}
