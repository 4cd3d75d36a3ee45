/**
 * Reads on a replica, with the primary behind it: a replica that cannot be reached, does not answer in time or lags is not asked
 * again for a while. Knows no read.
 */
import type { Clock } from '../../base/clock.ts'
import { type OpenThread, openThread, type ThreadOptions } from '../../threads/thread.ts'
import { storeUnavailable } from '../errors.ts'
import type { Call, ReaderRequests } from '../sqlite/messages.ts'

type Read = (call: Call) => Promise<unknown>

export interface ReplicaOptions {
  readonly primary: Read
  /** The thread that reads the replica; its first values of each call. */
  readonly thread: Omit<ThreadOptions, 'onLost'>
  readonly values: readonly unknown[]
  readonly clock: Clock
  readonly waitMs: number
  readonly retryMs: number
  /** Called with why it is not used, and with null once it is used again. */
  readonly onTrouble: (error: unknown) => void
}

export interface Replica {
  /** From the replica or, where it has failed, from the primary. */
  readonly read: Read
  close(): Promise<void>
}

export function openReplica(options: ReplicaOptions): Replica {
  const { primary, values, clock, waitMs, retryMs, onTrouble } = options
  let thread: Promise<OpenThread<ReaderRequests>> | undefined
  let retryAtMs = 0
  let isInTrouble = false
  let isClosed = false

  function opened(): Promise<OpenThread<ReaderRequests>> {
    if (thread !== undefined) return thread
    const opening = start(options.thread, forget)
    function forget(): void {
      if (thread === opening) thread = undefined
    }
    thread = opening
    opening.catch(forget)
    return opening
  }
  async function readReplica([name, ...rest]: Call): Promise<unknown> {
    const late = Promise.withResolvers<never>()
    const timer = clock.after(waitMs, () =>
      late.reject(storeUnavailable('the replica did not answer in time')),
    )
    const reading = opened().then(({ call }) => call('read', [name, ...values, ...rest]))
    return Promise.race([reading, late.promise]).finally(() => timer.cancel())
  }
  return {
    async read(call) {
      if (isClosed || clock.monoMs() < retryAtMs) return primary(call)
      try {
        const found = await readReplica(call)
        if (isInTrouble) onTrouble(null)
        isInTrouble = false
        return found
      } catch (error) {
        if (isClosed) return primary(call)
        retryAtMs = clock.monoMs() + retryMs
        if (!isInTrouble) onTrouble(error)
        isInTrouble = true
        return primary(call)
      }
    },
    async close() {
      // A read that is still asked for must not start another thread.
      isClosed = true
      // One that waits for a statement would be waited for as long as that may take.
      const closed = storeUnavailable('the store was closed')
      await thread?.then(
        ({ terminate }) => terminate(closed),
        () => {},
      )
    },
  }
}

async function start(
  options: ReplicaOptions['thread'],
  onLost: () => void,
): Promise<OpenThread<ReaderRequests>> {
  const result = await openThread<ReaderRequests>({ ...options, onLost })
  if (result.kind === 'refused') throw storeUnavailable(result.message)
  return result.thread
}
