/**
 * A control-plane transaction on the writer: statements one by one, then commit or rollback. Others wait in the meantime, so only
 * database calls belong inside, and a deadline ends it in any case.
 */
import type { Clock } from '../base/clock.ts'
import type { Thread } from '../threads/thread.ts'
import { storeUnavailable } from './errors.ts'
import type { StatementResult, WriterRequests } from './sqlite/messages.ts'

/** The right to use the writer; released by commit, rollback or the deadline, whichever comes first. */
export interface ControlTransaction {
  execute(sql: string, values: readonly unknown[]): Promise<StatementResult>
  commit(): Promise<void>
  rollback(): Promise<void>
}

export interface ControlTransactionOptions {
  readonly deadlineMs: number
  /** Called once, when the writer is free again. */
  readonly onEnd: () => void
  /** Called with each error of the database. */
  readonly onFailure: (error: Error) => void
}

/** Begins the transaction. The caller has made sure that nothing else uses the writer. */
export async function beginControlTransaction(
  thread: Thread<WriterRequests>,
  clock: Clock,
  options: ControlTransactionOptions,
): Promise<ControlTransaction> {
  const { deadlineMs, onEnd, onFailure } = options
  let isOpen = true

  async function noting<Value>(reply: Promise<Value>): Promise<Value> {
    try {
      return await reply
    } catch (error) {
      onFailure(error as Error)
      throw error
    }
  }
  function assertOpen(): void {
    if (!isOpen)
      throw storeUnavailable(`the transaction took longer than ${deadlineMs} ms and was rolled back`)
  }
  async function end(how: 'commit' | 'rollback'): Promise<void> {
    isOpen = false
    timer.cancel()
    await noting(thread.call(how)).finally(onEnd)
  }

  await noting(thread.call('begin')).catch((error: unknown) => {
    onEnd()
    throw error
  })
  const timer = clock.after(deadlineMs, () => {
    // A rollback that fails means that the thread is gone, which is reported elsewhere.
    end('rollback').catch(() => {})
  })
  return {
    async execute(sql, values) {
      assertOpen()
      return noting(thread.call('statement', sql, values))
    },
    async commit() {
      assertOpen()
      await end('commit')
    },
    async rollback() {
      if (isOpen) await end('rollback')
    },
  }
}
