/**
 * Tracks whether the session cookie may have been replaced: a request sent with the earlier cookie is rejected
 * although the person is signed in, and may be sent again. Knows nothing of HTTP.
 */

/** Requests that can replace or end the session; the browser knows of it when one has ended. */
const inFlight = new Set<Promise<unknown>>()
let ended = 0

/** Records a request that can replace the session of this browser. */
export async function replacing<Value>(exchange: () => Promise<Value>): Promise<Value> {
  const running = exchange()
  inFlight.add(running)
  try {
    return await running
  } finally {
    inFlight.delete(running)
    ended += 1
  }
}

/** Sends a request; retries once when it was rejected and the session may have been replaced in the meantime. */
export async function withSession<Value>(
  request: () => Promise<Value>,
  isRejected: (value: Value) => boolean,
): Promise<Value> {
  const endedBefore = ended
  const value = await request()
  if (!isRejected(value)) return value
  await Promise.allSettled(inFlight)
  return ended === endedBefore ? value : request()
}
