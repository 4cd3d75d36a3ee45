/** A lock that one process of all on a database has, until it releases it or its connection ends. */
import { connect } from './connection.ts'
import { toStoreError } from './errors.ts'

export interface SharedLockOptions {
  readonly url: string
  readonly connectMsMax: number
  /** How long the lock is waited for; then it is `store_unavailable`. */
  readonly waitMsMax: number
}

/** Resolves with what releases it. */
export async function takeSharedLock(
  name: string,
  { url, connectMsMax, waitMsMax }: SharedLockOptions,
): Promise<() => Promise<void>> {
  try {
    const connection = await connect(url, {
      name: `tollgate ${name}`,
      connectMsMax,
      statementMsMax: waitMsMax,
    })
    const statement = { name: '', text: 'SELECT pg_advisory_lock(hashtext($1))' }
    await connection.run(statement, [`tollgate ${name}`]).catch(async (error: unknown) => {
      await connection.close()
      throw error
    })
    return () => connection.close()
  } catch (error) {
    throw toStoreError(error)
  }
}
