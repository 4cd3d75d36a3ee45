/**
 * A thread that is started by the first call, ended only by `close`, and restarted by the next call when it
 * died; while nothing is pending it does not keep the process alive. Every call has a deadline.
 */
import type { Clock } from '../base/clock.ts'
import type { Arguments, Result } from './port.ts'
import { startThread, type Thread, type ThreadOptions } from './thread.ts'

/** A call that got no reply: too late, or its thread is gone. */
export class CallEnded extends Error {
  override readonly name = 'CallEnded'
}

export interface OnDemandThread<Requests> {
  /** Rejects with CallEnded after `callMsMax`, when the thread died, and when it was closed. */
  call<Name extends keyof Requests & string>(
    name: Name,
    ...values: Arguments<Requests[Name]>
  ): Promise<Result<Requests[Name]>>
  close(): Promise<void>
}

export interface OnDemandOptions
  extends Pick<ThreadOptions, 'entry' | 'name' | 'setup' | 'transfer' | 'waitingMax'> {
  readonly clock: Clock
  readonly callMsMax: number
}

export function openOnDemandThread<Requests>(options: OnDemandOptions): OnDemandThread<Requests> {
  const { clock, callMsMax, ...rest } = options
  let current: Thread<Requests> | undefined
  let isClosed = false
  function start(): Thread<Requests> {
    const started = startThread<Requests>({
      ...rest,
      lostError: (reason) => new CallEnded(reason),
      onLost() {
        if (current === started) current = undefined
      },
    })
    return started
  }
  return {
    call(name, ...values) {
      if (isClosed) return Promise.reject(new CallEnded('the thread was closed'))
      current ??= start()
      const thread = current
      return new Promise((resolve, reject) => {
        const settled = (): void => {
          deadline.cancel()
          if (thread.waiting() === 0) thread.unref()
        }
        const deadline = clock.after(callMsMax, () =>
          thread.cancel(call, new CallEnded('the call took too long')),
        )
        thread.ref()
        const call = thread.send(name, values, {
          onReply(value) {
            settled()
            resolve(value)
          },
          onFailure(error) {
            settled()
            reject(error)
          },
        })
      })
    },
    async close() {
      isClosed = true
      await current?.terminate(new CallEnded('the thread was closed'))
    },
  }
}
