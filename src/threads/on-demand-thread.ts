/**
 * A thread that is started by the first call, ends when nothing was asked of it for a while, and is restarted by the next
 * call, also when it died; while nothing is pending it does not keep the process alive. Every call has a deadline.
 */
import type { Clock, Timer } from '../base/clock.ts'
import type { Arguments, Result } from './port.ts'
import { startThread, type Thread, type ThreadOptions } from './thread.ts'

/** A call that got no reply: too late, or its thread is gone. */
export class CallEnded extends Error {
  override readonly name = 'CallEnded'
}

/** Starting one again takes a part of a second, and it takes tens of megabytes. */
const idleMs = 60_000

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
  let idle: Timer | undefined
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
      idle?.cancel()
      current ??= start()
      const thread = current
      return new Promise((resolve, reject) => {
        const settled = (): void => {
          deadline.cancel()
          if (thread.waiting() > 0) return
          thread.unref()
          idle = clock.after(idleMs, () => {
            if (current === thread) current = undefined
            void thread.terminate(new CallEnded('the thread was idle'))
          })
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
      idle?.cancel()
      await current?.terminate(new CallEnded('the thread was closed'))
    },
  }
}
