/**
 * What belongs to one exchange with better-auth and has no way through it: the token that the request came with, and
 * the trouble of our own that better-auth would call a failure of the caller's.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { DBAdapter } from 'better-auth'
import { TollgateError } from '../../base/errors.ts'

interface RequestStore {
  readonly token: string | undefined
  serverError: TollgateError | undefined
}

const requestStore = new AsyncLocalStorage<RequestStore>()

/** Runs one exchange; throws the trouble of our own that it met, whatever better-auth made of it. */
export async function runWithRequestStore<Result>(
  token: string | undefined,
  run: () => Promise<Result>,
): Promise<Result> {
  const exchange: RequestStore = { token, serverError: undefined }
  const result = await requestStore.run(exchange, run)
  // Swallowed on the way, and told as the caller's mistake.
  if (exchange.serverError !== undefined) throw exchange.serverError
  return result
}

export const presentedToken = (): string | undefined => requestStore.getStore()?.token

/** The same adapter; that the database cannot be reached is not forgotten on the way. */
export function recordingFailures(adapter: DBAdapter): DBAdapter {
  const noted = Object.entries(adapter).map(([name, member]) =>
    typeof member === 'function' && name !== 'transaction' ? [name, recordFailure(member)] : [name, member],
  )
  return { ...adapter, ...Object.fromEntries(noted) }
}

function recordFailure(run: (...values: never[]) => unknown): (...values: never[]) => Promise<unknown> {
  return async (...values) => {
    try {
      return await run(...values)
    } catch (error) {
      const exchange = requestStore.getStore()
      if (exchange !== undefined && error instanceof TollgateError) exchange.serverError ??= error
      throw error
    }
  }
}
