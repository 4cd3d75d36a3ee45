/** The entry of a further thread of the data plane: serves models on the port of the main thread, which serves the rest. */
import { systemClock } from '../base/clock.ts'
import { systemRandom } from '../base/ids.ts'
import { createLog } from '../base/log.ts'
import { greet, serveThread, threadStart } from '../threads/serve-thread.ts'
import { serveDataPlane } from './serve-on-thread.ts'
import type { DataPlaneNotices, DataPlaneRequests, DataPlaneSetup } from './serving-messages.ts'

const setup = threadStart.setup as DataPlaneSetup
// Filled before the ready message reaches the main thread.
const handlers: Partial<DataPlaneRequests> = {}
const main = serveThread<DataPlaneNotices>({
  handlers: handlers as DataPlaneRequests & Record<string, never>,
})

const log = createLog({
  level: setup.logLevel,
  destination: { write: (line) => main.notify('writeLog', line) },
})
try {
  Object.assign(
    handlers,
    await serveDataPlane(setup, { clock: systemClock, random: systemRandom, log, notify: main.notify }),
  )
  greet(null)
} catch (error) {
  log.fatal({ err: error }, 'a thread of the data plane cannot start')
  greet({ reason: 'failed', message: String(error) })
}
