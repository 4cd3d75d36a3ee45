/** The entry of the identity thread: opens the core, then serves the main thread until it ends it. */
import { systemClock } from '../base/clock.ts'
import { systemRandom } from '../base/ids.ts'
import { createLog } from '../base/log.ts'
import { type IdentityCore, openIdentityCore } from '../identity/core.ts'
import type { WorkerNotifications, WorkerRequests, WorkerSetup } from '../identity/worker.ts'
import { greet, serveThread, threadStart } from '../threads/serve-thread.ts'
import type { ClosableRequests } from '../threads/thread.ts'

const { config, postgres, secret, hasMail, logLevel } = threadStart.setup as WorkerSetup

const addressRef = { address: '' }
// Filled before the ready message reaches the main thread.
const handlers: Partial<ThreadRequests> = {}
const main = serveThread<WorkerNotifications>({ handlers, waitingMax: config.limits.operationsQueuedMax })

const result = await openIdentityCore({
  ...{ config, postgres, secret, clock: systemClock, random: systemRandom },
  log: createLog({ level: logLevel, destination: { write: (line) => main.notify('writeLog', line) } }),
  address: () => addressRef.address,
  sendEmail: hasMail ? (email) => main.call('sendEmail', email) : null,
  listeners: {
    onSignUp: (person) => main.call('onSignUp', person),
    onVerified: (person) => main.call('onVerified', person),
  },
  onChanged: () => main.notify('onChanged'),
  onLost: (error) => main.notify('onLost', error.message),
})
if (result.kind === 'open') Object.assign(handlers, requestHandlersOf(result.core))
greet(result.kind === 'open' ? null : { reason: 'failed', message: result.message })

type ThreadRequests = WorkerRequests & ClosableRequests

function requestHandlersOf(core: IdentityCore): ThreadRequests {
  const { operations, handle, readSession, close } = core
  return {
    ...operations,
    ...{ readSession, close },
    async handle(request) {
      const { body, ...rest } = await handle(request)
      // Copied: transferring a view of a pooled buffer would transfer the whole pool.
      return { ...rest, body: Uint8Array.from(body) }
    },
    setAddress(address) {
      addressRef.address = address
    },
  }
}
