/**
 * Deletes the files of closed accounts at their upstreams until each upstream has confirmed it. A pass visits all
 * upstreams concurrently, deletes a few files at a time, and stops at an upstream's first failure; the next pass resumes
 * after the failed file, with a longer delay after each pass without a deletion. Does not decide whose files are deleted.
 */
import type { Background } from '../base/background.ts'
import type { Clock, Timer } from '../base/clock.ts'
import { formatId, type NextId } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import { type Allowance, MemoryReservation } from '../base/shared-budget.ts'
import type { Connector } from './connector.ts'
import { fileHosts } from './file-hosts-table.ts'
import { type ObjectOutcome, type ObjectRequest, objectRequest, requestObject } from './object-requests.ts'
import type { Sender } from './send.ts'

/** How long a provider may take to delete a file. */
const fileDeletionMs = 30_000

/** An upstream by the names that are recorded with a file. */
interface ProviderFileRef {
  readonly provider: string
  readonly upstream: string
}

interface DueFile {
  readonly id: bigint
  readonly fileId: string
}

export interface DeletableFiles {
  /** Where files are to be deleted, and how many, uploads that are still under way among them. */
  pendingDeletions(): Promise<readonly (ProviderFileRef & { readonly files: number })[]>
  toDelete(place: ProviderFileRef, afterId: bigint, limit: number): Promise<readonly DueFile[]>
  remove(id: bigint): Promise<void>
  onDeletable(listener: () => void): void
}

type UsableUpstream = ObjectRequest['upstream'] & { readonly name: string; readonly provider: string }

export interface FileDeletionDeps {
  readonly files: DeletableFiles
  readonly catalog: {
    readonly snapshot: { readonly upstreams: readonly UsableUpstream[] }
    /** All configured upstreams, including ones that are not usable at present. */
    readonly upstreams: readonly { readonly name: string; readonly provider: string }[]
  }
  readonly connectorOf: (provider: string) => Connector
  readonly sender: Sender
  readonly clock: Clock
  readonly nextId: NextId
  readonly background: Pick<Background, 'run'>
  readonly metrics: { filesToDelete(count: number): void }
  readonly log: Log
  readonly limits: {
    readonly fileDeletionsAtOnceMax: number
    readonly fileDeletionRetryMs: number
    readonly fileDeletionRetryMsMax: number
    readonly fileObjectBytesMax: number
  }
}

/** Deletes files that are marked now and later. Returns a function that stops it; the next start resumes. */
export function startFileDeletions(deps: FileDeletionDeps): () => void {
  const deletions = new FileDeletionJob(deps)
  deps.files.onDeletable(() => deletions.wake())
  deletions.wake()
  return () => deletions.stop()
}

/** `left`: the upstream was removed, so the file's record is dropped. */
type DeletionOutcome = 'deleted' | 'left' | DeletionProblem

interface DeletionProblem {
  /** Why the file is still to be deleted. */
  readonly problem: string
}

/** Result of one deletion run at an upstream; `problem`: why it ended early. */
interface DeletionResult {
  readonly deleted: number
  readonly problem: string | null
}

/** Answers are short, and their number is bounded. */
const unlimited: Allowance = { reserve: () => undefined, release: () => {} }

class FileDeletionJob {
  readonly #deps: FileDeletionDeps
  /** By upstream: the row after which the next visit begins. */
  readonly #afterIds = new Map<string, bigint>()
  /** Resolves pending requests to an upstream when this stops; new for each run, so that it retains nothing of earlier runs. */
  #stopping = Promise.withResolvers<DeletionProblem>()
  #isStopped = false
  #isRunning = false
  /** More was marked while a pass ran. */
  #isDueAgain = false
  #waitMs: number
  #timer: Timer | undefined

  constructor(deps: FileDeletionDeps) {
    this.#deps = deps
    this.#waitMs = deps.limits.fileDeletionRetryMs
  }

  /** Begins a pass, or another one after the one that runs. */
  wake(): void {
    if (this.#isStopped) return
    this.#isDueAgain = true
    if (this.#isRunning) return
    this.#timer?.cancel()
    this.#isRunning = true
    this.#stopping = Promise.withResolvers()
    this.#deps.background.run('delete files of closed accounts', async () => {
      try {
        await this.#run()
      } catch (error) {
        this.#rest({ isDone: false })
        throw error
      }
    })
  }

  stop(): void {
    this.#isStopped = true
    this.#timer?.cancel()
    this.#stopping.resolve({ problem: 'the server stops' })
  }

  async #run(): Promise<void> {
    const { fileDeletionRetryMs } = this.#deps.limits
    for (;;) {
      this.#isDueAgain = false
      const deleted = await this.#pass()
      const pending = await this.#pending()
      if (deleted > 0 || pending.length === 0) this.#waitMs = fileDeletionRetryMs
      // Nothing may be awaited between this look and the rest: what is marked then must wake it.
      if (!this.#isDueAgain || this.#isStopped) return this.#rest({ isDone: pending.length === 0 })
    }
  }

  #rest({ isDone }: { readonly isDone: boolean }): void {
    this.#isRunning = false
    if (isDone || this.#isStopped) return
    this.#timer = this.#deps.clock.after(this.#waitMs, () => this.wake())
    this.#waitMs = Math.min(this.#waitMs * 2, this.#deps.limits.fileDeletionRetryMsMax)
  }

  async #pending(): ReturnType<DeletableFiles['pendingDeletions']> {
    const pending = await this.#deps.files.pendingDeletions()
    this.#deps.metrics.filesToDelete(pending.reduce((sum, { files }) => sum + files, 0))
    return pending
  }

  /** How many files were deleted. */
  async #pass(): Promise<number> {
    const pending = await this.#pending()
    const visits = await Promise.all(pending.map((place) => this.#visit(place)))
    return visits.reduce((sum, { deleted }) => sum + deleted, 0)
  }

  async #visit({
    provider,
    upstream,
    files,
  }: ProviderFileRef & { readonly files: number }): Promise<DeletionResult> {
    const { log } = this.#deps
    const visit = await this.#deleteAt({ provider, upstream })
    const { deleted, problem } = visit
    if (deleted > 0) log.info({ provider, upstream, deleted }, 'files of closed accounts were deleted')
    if (problem !== null && !this.#isStopped) {
      const facts = { provider, upstream, files: files - deleted, problem }
      log.warn(facts, 'files of closed accounts could not be deleted yet; retrying')
    }
    return visit
  }

  async #deleteAt(place: ProviderFileRef): Promise<DeletionResult> {
    const { files, limits } = this.#deps
    const key = JSON.stringify([place.provider, place.upstream])
    let deleted = 0
    let isFromStart = !this.#afterIds.has(key)
    for (;;) {
      const batch = await files.toDelete(place, this.#afterIds.get(key) ?? 0n, limits.fileDeletionsAtOnceMax)
      const last = batch.at(-1)
      if (last === undefined) {
        this.#afterIds.delete(key)
        if (isFromStart) return { deleted, problem: null }
        isFromStart = true
        continue
      }
      this.#afterIds.set(key, last.id)
      const outcomes = await Promise.all(batch.map((file) => this.#delete(place, file)))
      deleted += outcomes.filter((outcome) => outcome === 'deleted').length
      const failure = outcomes.find((outcome) => typeof outcome === 'object')
      if (failure !== undefined) return { deleted, problem: failure.problem }
    }
  }

  async #delete(place: ProviderFileRef, file: DueFile): Promise<DeletionOutcome> {
    const upstream = this.#deps.catalog.snapshot.upstreams.find((one) => isAt(place, one))
    const outcome = upstream === undefined ? this.#unreachable(place, file) : await this.#ask(upstream, file)
    if (typeof outcome === 'string') await this.#deps.files.remove(file.id)
    return outcome
  }

  /** Files at a removed upstream can only be deleted there by the operator. */
  #unreachable(place: ProviderFileRef, { fileId }: DueFile): DeletionOutcome {
    const { catalog, log } = this.#deps
    if (catalog.upstreams.some((one) => isAt(place, one))) return { problem: 'the upstream is not in use' }
    log.warn(
      { ...place, file: fileId },
      'removed the record of a file of a closed account; the file remains on an upstream that is no longer configured',
    )
    return 'left'
  }

  async #ask(upstream: UsableUpstream, { fileId }: DueFile): Promise<DeletionOutcome> {
    const { connectorOf, sender, clock, nextId, limits } = this.#deps
    const host = Object.values(fileHosts).find((one) => one?.provider === upstream.provider)
    if (host == null) return { problem: 'the provider has no files endpoint' }
    const request = objectRequest(connectorOf(upstream.provider), host, {
      ...{ method: 'DELETE', below: `/${fileId}`, upstream, headers: {}, body: null },
      requestId: formatId('req', nextId()),
    })
    const asking = { sender, clock, limits: { fileAnswerMs: fileDeletionMs } }
    const bounds = { bytesMax: limits.fileObjectBytesMax, room: new MemoryReservation(unlimited) }
    const answered = requestObject(asking, request, bounds).then(outcomeOf)
    return Promise.race([answered, this.#stopping.promise])
  }
}

const isAt = (
  { provider, upstream }: ProviderFileRef,
  one: { readonly name: string; readonly provider: string },
) => one.name === upstream && one.provider === provider

function outcomeOf(answer: ObjectOutcome): DeletionOutcome {
  if (answer.kind === 'failed') return { problem: answer.failure.detail }
  if (answer.kind !== 'answered') return { problem: answer.kind }
  const { status } = answer
  const isGone = status === 404 || (status >= 200 && status < 300)
  return isGone ? 'deleted' : { problem: `status ${status}` }
}
