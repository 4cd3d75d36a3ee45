/**
 * Whether the last commit worked. After one that failed for lack of resources (disk full, I/O error) a small commit
 * is tried at intervals until it works, so that a server without traffic recovers as well.
 */
import type { Clock, Timer } from '../base/clock.ts'
import { TollgateError } from '../base/errors.ts'

export interface CommitHealth {
  /** False from a commit that failed until one is known to have written something. */
  canCommit(): boolean
  /** Notes why a commit failed; a row rejected by a constraint does not count against the database. */
  failed(error: unknown): void
  stop(): void
}

export interface CommitHealthOptions {
  readonly clock: Clock
  readonly commitProbeMs: number
  /** Commits something that is certainly written: an operation that changes nothing commits on a full disk, too. */
  readonly probe: () => Promise<unknown>
}

export function watchCommits({ clock, commitProbeMs, probe }: CommitHealthOptions): CommitHealth {
  let failures = 0
  let canCommit = true
  let isStopped = false
  let timer: Timer | undefined

  function schedule(): void {
    if (!isStopped) timer = clock.after(commitProbeMs, () => void tryCommit())
  }

  async function tryCommit(): Promise<void> {
    const failuresBefore = failures
    // Why it failed reached `failed` already, or the queue is full and the next try finds out.
    const isCommitted = await probe().then(
      () => true,
      () => false,
    )
    canCommit = isCommitted && failures === failuresBefore
    if (!canCommit) schedule()
  }

  return {
    canCommit: () => canCommit,
    failed(error) {
      if (!(error instanceof TollgateError) || error.code !== 'store_unavailable') return
      failures += 1
      if (!canCommit) return
      canCommit = false
      schedule()
    },
    stop() {
      isStopped = true
      timer?.cancel()
    },
  }
}
