/** How many keys an account may have: a creation waits until it is known whether the quota allows it. */
import { TollgateError } from '../../base/errors.ts'
import { createMutex } from '../../base/mutex.ts'

export interface KeyQuota {
  /** All keys of the account, as they are when it is their turn. */
  readonly keys: () => Promise<
    readonly { readonly revokedMs: number | null; readonly expiresMs: number | null }[]
  >
  readonly max: number
  readonly nowMs: number
  /** How they are called: `management keys`. */
  readonly noun: string
}

/** Two that are made in the same moment would both find the last place. */
const serialize = createMutex()

/** Throws `conflict` when the account has all the keys it can have; revoked and expired ones do not count. */
export function withinKeyQuota<Made>(
  { keys, max, nowMs, noun }: KeyQuota,
  make: () => Promise<Made>,
): Promise<Made> {
  return serialize(async () => {
    const live = (await keys()).filter(
      ({ revokedMs, expiresMs }) => revokedMs === null && (expiresMs === null || expiresMs > nowMs),
    )
    if (live.length < max) return make()
    throw new TollgateError('conflict', {
      message: `An account has at most ${max} ${noun}. Revoke one that is no longer in use.`,
    })
  })
}
