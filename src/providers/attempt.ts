/**
 * An attempt at an upstream, from sending to the first content, the full response, or a failure. Relays nothing: the caller decides
 * what happens next.
 */
import { type Clock, Deadlines } from '../base/clock.ts'
import type { Interruptible, Interruption } from '../base/interruption.ts'
import type { BudgetRejection, MemoryReservation } from '../base/shared-budget.ts'
import type { TapOptions, UpstreamFormat, UpstreamProblem, UsageTap } from '../wire/format.ts'
import type { RawUsage } from '../wire/usage.ts'
import type { AttemptOutcome, AttemptResponse, Failed, Interrupted } from './attempt-outcome.ts'
import { isCallersFault } from './classify.ts'
import type { Connector, UpstreamFailure } from './connector.ts'
import { connectionWords, ownFailure, unreadableResponse, withoutToken } from './own-failures.ts'
import type { Sender } from './send.ts'
import type { Exchange, SendFailure, UpstreamRequest } from './send-types.ts'

/** Maximum bytes read of an upstream's error response. */
export const errorBytesMax = 1024 * 1024

export interface AttemptLimits {
  readonly keepAliveMs: number
  readonly silenceMs: number
  readonly answerBytesMax: number
  readonly sampleCharactersMax: number
}

export interface AttemptTask {
  readonly request: UpstreamRequest
  readonly connector: Connector
  readonly format: UpstreamFormat
  readonly streamed: boolean
  readonly tapOptions: TapOptions
  readonly limits: AttemptLimits
  readonly work: Interruptible
  /** Memory for received bytes that are not relayed yet. */
  readonly room: MemoryReservation
  /** How long the upstream may go without content. */
  readonly contentGapMs: number
  /** Time left for the entire request. */
  readonly leftMs: number
  /** The time until the first keep-alive of a streamed response. */
  readonly keepAliveInMs: number
  /** Sends a keep-alive; called after `keepAliveInMs` and again after each `keepAliveMs`. */
  readonly keepAlive: () => void
  /** The client disconnected: how long to read on for the usage; 0: cancel. */
  readonly readOnMs: () => number
  /** Another model may serve: a stream that begins with a refusal is read to its end, for its usage. */
  readonly readsRefusals: boolean
  /** Where a streamed request goes that gets no content in time; null: it waits. */
  readonly alternative: Alternative | null
  /** Called when the request has been sent. */
  readonly dispatched: () => void
}

export interface Alternative {
  /** How long this attempt is waited for. */
  readonly afterMs: number
  /** Whether another offer can be tried now; if so, it must be. */
  isReady(): Promise<boolean>
}

type AttemptDeadline = 'silence' | 'content' | 'alternative' | 'total' | 'readOn' | 'keepAlive'

/** Sends the request and resolves with its outcome; rejects only for internal errors, after the exchange has ended. */
export function attempt(sender: Sender, clock: Clock, task: AttemptTask): Promise<AttemptOutcome> {
  const outcome = Promise.withResolvers<AttemptOutcome>()
  new UpstreamAttempt(clock, task, outcome).start(sender)
  return outcome.promise
}

class UpstreamAttempt {
  readonly #clock: Clock
  readonly #task: AttemptTask
  readonly #outcome: PromiseWithResolvers<AttemptOutcome>
  readonly #deadlines: Deadlines<AttemptDeadline>
  #exchange: Exchange | undefined
  #tap: UsageTap | undefined
  #status = 0
  #headers: ReadonlyMap<string, string> = new Map()
  #firstByteMs = 0
  readonly #seen: Uint8Array[] = []
  #seenBytes = 0
  #readsAfterDisconnect = false
  #done = false

  constructor(clock: Clock, task: AttemptTask, outcome: PromiseWithResolvers<AttemptOutcome>) {
    this.#clock = clock
    this.#task = task
    this.#outcome = outcome
    this.#deadlines = new Deadlines(clock, (name) => this.#due(name))
  }

  start(sender: Sender): void {
    const task = this.#task
    if (task.work.interruption !== undefined) return this.#finish(this.#interrupted(task.work.interruption))
    const exchange = sender.send(task.request)
    this.#exchange = exchange
    this.#deadlines.set('silence', task.streamed ? task.limits.silenceMs : task.contentGapMs)
    this.#deadlines.set('content', task.contentGapMs)
    this.#deadlines.set('total', task.leftMs)
    if (task.streamed) this.#deadlines.set('keepAlive', task.keepAliveInMs)
    if (task.alternative !== null) this.#deadlines.set('alternative', task.alternative.afterMs)
    exchange.listen({
      head: (status, headers) => this.#guarded(() => this.#head(status, headers)),
      chunk: (bytes) => this.#guarded(() => this.#chunk(bytes)),
      end: () => this.#guarded(() => this.#end()),
      failed: (failure) => this.#sendFailed(failure),
    })
    task.work.listen((interruption) => this.#interrupt(interruption))
    task.dispatched()
  }

  /** The HTTP client swallows errors of its listeners, so they are caught here and end the attempt. */
  #guarded(step: () => void): void {
    try {
      step()
    } catch (error) {
      this.#exchange?.abort()
      this.#over()
      this.#outcome.reject(error)
    }
  }

  #head(status: number, headers: ReadonlyMap<string, string>): void {
    this.#status = status
    this.#headers = headers
    this.#firstByteMs = this.#clock.wallMs()
    const { tapStream, acceptedStream } = this.#task.format
    const isStream = status === 200 && mediaTypeOf(headers) === (acceptedStream ?? 'text/event-stream')
    if (this.#task.streamed && tapStream !== null && isStream) {
      this.#tap = tapStream(this.#task.tapOptions)
    }
  }

  #chunk(bytes: Uint8Array): void {
    if (this.#done) return
    if (this.#task.streamed) this.#deadlines.set('silence', this.#task.limits.silenceMs)
    this.#seen.push(bytes)
    this.#seenBytes += bytes.length
    const rejection = this.#task.room.set(this.#seenBytes)
    if (rejection !== undefined) return this.#outOfMemory(rejection)
    if (this.#tap !== undefined) {
      this.#tap.push(bytes)
      this.#look(this.#tap)
    }
    if (!this.#done) this.#checkSize()
  }

  #end(): void {
    if (this.#done) return
    if (this.#tap !== undefined) {
      this.#tap.end()
      this.#look(this.#tap)
      return
    }
    const body = joined(this.#seen, this.#seenBytes)
    if (this.#status === 200) this.#wholeResponse(body)
    else this.#rejected(body)
  }

  /** Ends the first-byte wait at the first content event, at an error, or at the end of the stream. */
  #look(watch: UsageTap): void {
    if (watch.state === 'waiting') return
    if (watch.state === 'failed') return this.#errorInBody(watch.problem, watch.rawUsage)
    if (watch.state === 'truncated') {
      return this.#fail(ownFailure('upstream_truncated', 'The upstream ended its stream without content.'), {
        rawUsage: watch.rawUsage,
      })
    }
    if (this.#task.readsRefusals && watch.refused && watch.state !== 'complete') return
    const exchange = this.#exchange
    if (exchange === undefined) return
    exchange.pause()
    this.#finish({
      kind: 'stream',
      ...this.#answered(),
      exchange,
      usageTap: watch,
      seen: this.#seen,
      readsAfterDisconnect: this.#readsAfterDisconnect,
    })
  }

  #wholeResponse(body: Uint8Array): void {
    const type = this.#headers.get('content-type') ?? ''
    if (!/json/i.test(type)) {
      return this.#fail(ownFailure('upstream_invalid', 'The upstream sent a response that is not JSON.'), {})
    }
    const answer = this.#task.format.extractResponse(body, this.#task.limits.sampleCharactersMax)
    if (answer.problem !== null) return this.#errorInBody(answer.problem, answer.rawUsage)
    if (this.#task.streamed) {
      return this.#fail(ownFailure('upstream_invalid', 'The upstream did not stream its response.'), {
        rawUsage: answer.rawUsage,
      })
    }
    this.#finish({ kind: 'answer', ...this.#answered(), bytes: body, answer })
  }

  /** An error that came under status 200. */
  #errorInBody(problem: UpstreamProblem | null, report: RawUsage): void {
    const found = problem ?? { message: '', type: '', code: '' }
    const status = this.#task.format.problemStatus(found)
    this.#fail(this.#task.connector.classify(status, this.#headers, found), { rawUsage: report })
    this.#exchange?.abort()
  }

  #rejected(body: Uint8Array): void {
    const problem = this.#task.format.readError(body)
    const failure = this.#task.connector.classify(this.#status, this.#headers, problem)
    const isPassedOn = isCallersFault(failure) && isJson(this.#headers)
    this.#fail(failure, {
      rejection: isPassedOn ? { status: failure.status ?? this.#status, bytes: body } : null,
    })
  }

  #sendFailed(failure: SendFailure): void {
    if (this.#done) return
    if (failure.kind === 'credential') return this.#fail(withoutToken(failure), {})
    if (failure.kind === 'protocol')
      return this.#fail(unreadableResponse(failure), { uncertain: failure.requestSent })
    const late = failure.kind === 'connect_timeout'
    this.#fail(
      ownFailure(
        late
          ? 'upstream_timeout'
          : failure.kind === 'reset' && this.#status !== 0
            ? 'upstream_truncated'
            : 'upstream_error',
        connectionWords(late, this.#status !== 0),
      ),
      {
        uncertain: failure.requestSent && !failure.stale,
        stale: failure.stale,
        timedOut: late,
        rawUsage: this.#tap?.rawUsage ?? null,
      },
    )
  }

  #due(name: AttemptDeadline): void {
    if (name === 'keepAlive') {
      this.#task.keepAlive()
      this.#deadlines.set('keepAlive', this.#task.limits.keepAliveMs)
      return
    }
    if (name === 'alternative') return this.#takeAlternative()
    this.#exchange?.abort()
    if (name === 'readOn') return this.#finish(this.#interrupted({ kind: 'gone' }))
    this.#timedOut({ abandoned: false })
  }

  /** Content that comes until it is ready is still taken. */
  #takeAlternative(): void {
    this.#task.alternative?.isReady().then(
      (isReady) => {
        if (!isReady || this.#done) return
        this.#exchange?.abort()
        this.#timedOut({ abandoned: true })
      },
      (error: unknown) => {
        if (this.#done) return
        this.#exchange?.abort()
        this.#over()
        this.#outcome.reject(error)
      },
    )
  }

  #timedOut(more: Pick<Failed, 'abandoned'>): void {
    this.#fail(ownFailure('upstream_timeout', 'The upstream did not respond in time.'), {
      uncertain: true,
      timedOut: true,
      rawUsage: this.#tap?.rawUsage ?? null,
      ...more,
    })
  }

  #interrupt(interruption: Interruption): void {
    if (this.#done) return
    // A request that has not been sent, such as one that waits for a token, is not sent for a client that has left.
    const wasSent = this.#exchange?.requestSent ?? false
    const readOnMs = interruption.kind === 'gone' && wasSent ? this.#task.readOnMs() : 0
    if (readOnMs > 0) {
      this.#readsAfterDisconnect = true
      this.#deadlines.clear('keepAlive')
      this.#deadlines.clear('alternative')
      this.#deadlines.set('readOn', readOnMs)
      return
    }
    this.#exchange?.abort()
    this.#finish(this.#interrupted(interruption))
  }

  #outOfMemory(rejection: BudgetRejection): void {
    this.#exchange?.abort()
    const message = responseMemoryMessage(rejection)
    this.#fail(
      { ...ownFailure('overloaded', message), retry: 'never', retryAfterMs: 1_000, cooldownMs: 0 },
      {},
    )
  }

  #checkSize(): void {
    if (this.#seenBytes <= this.#bytesMax()) return
    this.#exchange?.abort()
    this.#fail(ownFailure('upstream_invalid', 'The upstream response exceeds the size limit.'), {})
  }

  /** The limit of buffered bytes: of a stream, those before the first content. */
  #bytesMax(): number {
    const { limits, tapOptions: watch } = this.#task
    if (this.#tap !== undefined) return watch.eventBytesMax
    return this.#status === 200 ? limits.answerBytesMax : errorBytesMax
  }

  #fail(
    failure: UpstreamFailure,
    more: Partial<Pick<Failed, 'rejection' | 'rawUsage' | 'uncertain' | 'stale' | 'timedOut' | 'abandoned'>>,
  ): void {
    this.#finish({
      kind: 'failed',
      status: this.#status === 0 ? null : this.#status,
      headers: this.#headers,
      firstByteMs: this.#status === 0 ? null : this.#firstByteMs,
      failure,
      rejection: null,
      rawUsage: null,
      uncertain: false,
      stale: false,
      timedOut: false,
      abandoned: false,
      ...more,
    })
  }

  #interrupted(by: Interruption): Interrupted {
    return {
      kind: 'interrupted',
      by,
      requestSent: this.#exchange?.requestSent ?? false,
      rawUsage: this.#tap?.rawUsage ?? null,
    }
  }

  #answered(): AttemptResponse {
    return {
      status: this.#status,
      headers: this.#headers,
      firstByteMs: this.#firstByteMs,
      requestWritten: this.#exchange?.requestWritten ?? false,
    }
  }

  #over(): void {
    this.#done = true
    this.#deadlines.stop()
    this.#task.work.listen(undefined)
  }

  #finish(outcome: AttemptOutcome): void {
    if (this.#done) return
    this.#over()
    this.#outcome.resolve(outcome)
  }
}

/** In lower case, without parameters. */
function mediaTypeOf(headers: ReadonlyMap<string, string>): string {
  return (headers.get('content-type') ?? '').split(/[;,]/, 1)[0]?.trim().toLowerCase() ?? ''
}

function isJson(headers: ReadonlyMap<string, string>): boolean {
  return /json/i.test(headers.get('content-type') ?? '')
}

function joined(chunks: readonly Uint8Array[], bytes: number): Uint8Array {
  const only = chunks[0]
  if (chunks.length === 1 && only !== undefined) return only
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

/** Why buffering a response stopped, as a message for the caller. */
export function responseMemoryMessage({ scope }: BudgetRejection): string {
  return scope === null
    ? 'This server is out of memory for responses. Try again.'
    : `This ${scope} has reached its memory limit for responses. Try again when other requests have ended.`
}
