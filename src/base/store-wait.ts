/** The error when the store does not respond, and how long a request without a reservation waits for it. */
import type { Clock } from './clock.ts'
import { TollgateError } from './errors.ts'

/** The store cannot do it now; the caller may try again. `detail` is for the operator alone. */
export function storeUnavailable(detail: string): TollgateError {
  return new TollgateError('store_unavailable', {
    message: 'The gateway cannot access its database right now. Try again shortly.',
    retryAfterMs: 1_000,
    detail,
  })
}

export interface StoreWaitDeps {
  readonly clock: Clock
  readonly limits: { readonly storeWaitMs: number }
}

/** Rejects with store_unavailable after `storeWaitMs`; what was asked for continues. */
export function inTime<Answer>({ clock, limits }: StoreWaitDeps, asked: Promise<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(storeUnavailable(`it did not answer within ${limits.storeWaitMs} ms`))
    const timer = clock.after(limits.storeWaitMs, late)
    asked.then(
      (answer) => {
        timer.cancel()
        resolve(answer)
      },
      (error: unknown) => {
        timer.cancel()
        reject(error)
      },
    )
  })
}
