/**
 * Request-local state that better-auth has no parameter for: the request's session token, and server errors that better-auth
 * would report as client errors.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { DBAdapter } from 'better-auth'
import { TollgateError } from '../../base/errors.ts'

interface RequestStore {
  readonly token: string | undefined
  serverError: TollgateError | undefined
}

const requestStore = new AsyncLocalStorage<RequestStore>()

/** Runs one request; rethrows a server error even when better-auth has swallowed it. */
export async function runWithRequestStore<Result>(
  token: string | undefined,
  run: () => Promise<Result>,
): Promise<Result> {
  const exchange: RequestStore = { token, serverError: undefined }
  const result = await requestStore.run(exchange, run)
  // better-auth has turned it into a client error.
  if (exchange.serverError !== undefined) throw exchange.serverError
  return result
}

/** The session token of the current request. */
export const presentedToken = (): string | undefined => requestStore.getStore()?.token

/** Wraps the adapter so that store errors are recorded for the request. */
export function recordingFailures(adapter: DBAdapter): DBAdapter {
  const wrapped = Object.entries(adapter).map(([name, member]) =>
    typeof member === 'function' && name !== 'transaction' ? [name, recordFailure(member)] : [name, member],
  )
  return { ...adapter, ...Object.fromEntries(wrapped) }
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
