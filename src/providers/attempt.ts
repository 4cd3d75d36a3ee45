/**
 * One try at one upstream, from sending to the first content, the whole answer, or the reason why
 * there is none. It relays nothing: whoever made it decides what happens next.
 */

import type { Clock } from '../base/clock.ts'
import { Deadlines } from '../base/deadlines.ts'
import type { Interruptible, Interruption } from '../base/interruption.ts'
import type { Refusal, Room } from '../base/shared-budget.ts'
import type {
  Answer,
  Dialect,
  StreamWatch,
  UpstreamProblem,
  UsageReport,
  WatchOptions,
} from '../wire/codec.ts'
import { isCallersFault } from './classify.ts'
import type { Connector, Failure } from './connector.ts'
import type { Exchange, Sender, SendFailure, UpstreamRequest } from './send.ts'

export interface AttemptLimits {
  readonly keepAliveMs: number
  readonly silenceMs: number
  readonly readOnMs: number
  readonly answerBytesMax: number
  readonly errorBytesMax: number
  readonly sampleCharactersMax: number
}

export interface AttemptTask {
  readonly request: UpstreamRequest
  readonly connector: Connector
  readonly dialect: Dialect
  readonly streamed: boolean
  readonly watch: WatchOptions
  readonly limits: AttemptLimits
  readonly work: Interruptible
  /** Memory for what came and was not relayed yet. */
  readonly room: Room
  /** How long the upstream may go without content. */
  readonly contentGapMs: number
  /** How long the whole request may still take. */
  readonly leftMs: number
  /** How long the client of a streamed answer may still hear nothing. */
  readonly keepAliveInMs: number
  /** Called when it must hear something, and again after each `keepAliveMs`. */
  readonly keepAlive: () => void
  /** The client left: whether to read on for the bill (true) or to cancel. */
  readonly readsOnWhenGone: () => boolean
  /** The request is on its way. */
  readonly dispatched: () => void
}

interface Answered {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly firstByteMs: number
}

export interface Streaming extends Answered {
  readonly kind: 'stream'
  readonly exchange: Exchange
  readonly watch: StreamWatch
  readonly seen: readonly Uint8Array[]
  /** The client left and the stream is read on for its bill. */
  readonly readsOn: boolean
}

export interface WholeAnswer extends Answered {
  readonly kind: 'answer'
  readonly bytes: Uint8Array
  readonly answer: Answer
}

export interface Failed {
  readonly kind: 'failed'
  readonly status: number | null
  readonly headers: ReadonlyMap<string, string>
  readonly firstByteMs: number | null
  readonly failure: Failure
  /** The upstream's own words where they are the caller's to read, byte for byte. */
  readonly rejection: { readonly status: number; readonly bytes: Uint8Array } | null
  readonly report: UsageReport | null
  /** The upstream may have done the work: trying again could cost twice. */
  readonly uncertain: boolean
  /** A kept-alive connection was dead already: nobody read the request, and the same upstream may get it again. */
  readonly stale: boolean
  readonly timedOut: boolean
}

export interface Interrupted {
  readonly kind: 'interrupted'
  readonly by: Interruption
  /** Whether anything of the request may have reached the upstream. */
  readonly requestSent: boolean
  readonly report: UsageReport | null
}

export type Outcome = Streaming | WholeAnswer | Failed | Interrupted

type Deadline = 'silence' | 'content' | 'total' | 'readOn' | 'keepAlive'

/** Sends the request and resolves with how it went; never rejects for what an upstream or a client did. */
export function attempt(sender: Sender, clock: Clock, task: AttemptTask): Promise<Outcome> {
  return new Promise((resolve) => new Attempt(clock, task, resolve).start(sender))
}

class Attempt {
  readonly #clock: Clock
  readonly #task: AttemptTask
  readonly #resolve: (outcome: Outcome) => void
  readonly #deadlines: Deadlines<Deadline>
  #exchange: Exchange | undefined
  #watch: StreamWatch | undefined
  #status = 0
  #headers: ReadonlyMap<string, string> = new Map()
  #firstByteMs = 0
  readonly #seen: Uint8Array[] = []
  #seenBytes = 0
  #readsOn = false
  #done = false

  constructor(clock: Clock, task: AttemptTask, resolve: (outcome: Outcome) => void) {
    this.#clock = clock
    this.#task = task
    this.#resolve = resolve
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
    exchange.listen({
      head: (status, headers) => this.#head(status, headers),
      chunk: (bytes) => this.#chunk(bytes),
      end: () => this.#end(),
      failed: (failure) => this.#sendFailed(failure),
    })
    task.work.listen((interruption) => this.#interrupt(interruption))
    task.dispatched()
  }

  #head(status: number, headers: ReadonlyMap<string, string>): void {
    this.#status = status
    this.#headers = headers
    this.#firstByteMs = this.#clock.wallMs()
    if (status === 200 && this.#task.streamed && isEventStream(headers)) {
      this.#watch = this.#task.dialect.watchStream(this.#task.watch)
    }
  }

  #chunk(bytes: Uint8Array): void {
    if (this.#done) return
    if (this.#task.streamed) this.#deadlines.set('silence', this.#task.limits.silenceMs)
    this.#seen.push(bytes)
    this.#seenBytes += bytes.length
    const refusal = this.#task.room.set(this.#seenBytes)
    if (refusal !== undefined) return this.#noRoom(refusal)
    if (this.#watch !== undefined) {
      this.#watch.push(bytes)
      this.#look(this.#watch)
    }
    if (!this.#done) this.#boundSize()
  }

  #end(): void {
    if (this.#done) return
    if (this.#watch !== undefined) {
      this.#watch.end()
      this.#look(this.#watch)
      return
    }
    const body = joined(this.#seen, this.#seenBytes)
    if (this.#status === 200) this.#wholeAnswer(body)
    else this.#refused(body)
  }

  /** Peeks: the first event worth sending, an error instead of it, or the end without either. */
  #look(watch: StreamWatch): void {
    if (watch.state === 'waiting') return
    if (watch.state === 'failed') return this.#problemInside(watch.problem, watch.report)
    if (watch.state === 'truncated') {
      return this.#fail(
        this.#ownFailure('upstream_truncated', 'The upstream ended its stream before any content.'),
        {
          report: watch.report,
        },
      )
    }
    const exchange = this.#exchange
    if (exchange === undefined) return
    exchange.pause()
    this.#finish({
      kind: 'stream',
      ...this.#answered(),
      exchange,
      watch,
      seen: this.#seen,
      readsOn: this.#readsOn,
    })
  }

  #wholeAnswer(body: Uint8Array): void {
    const type = this.#headers.get('content-type') ?? ''
    if (!/json/i.test(type)) {
      return this.#fail(
        this.#ownFailure('upstream_invalid', 'The upstream answered with something that is not JSON.'),
        {},
      )
    }
    const answer = this.#task.dialect.readAnswer(body, this.#task.limits.sampleCharactersMax)
    if (answer.problem !== null) return this.#problemInside(answer.problem, answer.report)
    if (this.#task.streamed) {
      return this.#fail(this.#ownFailure('upstream_invalid', 'The upstream did not stream its answer.'), {
        report: answer.report,
      })
    }
    this.#finish({ kind: 'answer', ...this.#answered(), bytes: body, answer })
  }

  /** An error that came under status 200. */
  #problemInside(problem: UpstreamProblem | null, report: UsageReport): void {
    const found = problem ?? { message: '', type: '', code: '' }
    const status = this.#task.dialect.problemStatus(found)
    this.#fail(this.#task.connector.classify(status, this.#headers, found), { report })
    this.#exchange?.abort()
  }

  #refused(body: Uint8Array): void {
    const problem = this.#task.dialect.readError(body)
    const failure = this.#task.connector.classify(this.#status, this.#headers, problem)
    const isPassedOn = isCallersFault(failure) && isJson(this.#headers)
    this.#fail(failure, {
      rejection: isPassedOn ? { status: this.#status, bytes: body } : null,
    })
  }

  #sendFailed(failure: SendFailure): void {
    if (this.#done) return
    const late = failure.kind === 'connect_timeout'
    this.#fail(
      this.#ownFailure(
        late
          ? 'upstream_timeout'
          : failure.kind === 'reset' && this.#status !== 0
            ? 'upstream_truncated'
            : 'upstream_error',
        late ? 'The upstream could not be reached in time.' : 'The connection to the upstream failed.',
      ),
      {
        uncertain: failure.requestSent && !failure.stale,
        stale: failure.stale,
        timedOut: late,
        report: this.#watch?.report ?? null,
      },
    )
  }

  #due(name: Deadline): void {
    if (name === 'keepAlive') {
      this.#task.keepAlive()
      this.#deadlines.set('keepAlive', this.#task.limits.keepAliveMs)
      return
    }
    this.#exchange?.abort()
    if (name === 'readOn') return this.#finish(this.#interrupted({ kind: 'gone' }))
    this.#fail(this.#ownFailure('upstream_timeout', 'The upstream did not answer in time.'), {
      uncertain: true,
      timedOut: true,
      report: this.#watch?.report ?? null,
    })
  }

  #interrupt(interruption: Interruption): void {
    if (this.#done) return
    if (interruption.kind === 'gone' && this.#task.readsOnWhenGone()) {
      this.#readsOn = true
      this.#deadlines.clear('keepAlive')
      this.#deadlines.set('readOn', this.#task.limits.readOnMs)
      return
    }
    this.#exchange?.abort()
    this.#finish(this.#interrupted(interruption))
  }

  #noRoom(refusal: Refusal): void {
    this.#exchange?.abort()
    const message = noRoomForAnswers(refusal)
    this.#fail(
      { ...this.#ownFailure('overloaded', message), retry: 'never', retryAfterMs: 1_000, cooldownMs: 0 },
      {},
    )
  }

  #boundSize(): void {
    if (this.#seenBytes <= this.#bytesMax()) return
    this.#exchange?.abort()
    this.#fail(this.#ownFailure('upstream_invalid', 'The upstream sent more than an answer can hold.'), {})
  }

  /** What is kept until it is known what becomes of it: of a stream, all that comes before any content. */
  #bytesMax(): number {
    const { limits, watch } = this.#task
    if (this.#watch !== undefined) return watch.eventBytesMax
    return this.#status === 200 ? limits.answerBytesMax : limits.errorBytesMax
  }

  #fail(
    failure: Failure,
    more: Partial<Pick<Failed, 'rejection' | 'report' | 'uncertain' | 'stale' | 'timedOut'>>,
  ): void {
    this.#finish({
      kind: 'failed',
      status: this.#status === 0 ? null : this.#status,
      headers: this.#headers,
      firstByteMs: this.#status === 0 ? null : this.#firstByteMs,
      failure,
      rejection: null,
      report: null,
      uncertain: false,
      stale: false,
      timedOut: false,
      ...more,
    })
  }

  #ownFailure(code: Failure['code'], message: string): Failure {
    return {
      code,
      retry: 'elsewhere',
      status: null,
      message,
      retryAfterMs: null,
      cooldownMs: 1_000,
      operator: false,
    }
  }

  #interrupted(by: Interruption): Interrupted {
    return {
      kind: 'interrupted',
      by,
      requestSent: this.#exchange?.requestSent ?? false,
      report: this.#watch?.report ?? null,
    }
  }

  #answered(): Answered {
    return { status: this.#status, headers: this.#headers, firstByteMs: this.#firstByteMs }
  }

  #finish(outcome: Outcome): void {
    if (this.#done) return
    this.#done = true
    this.#deadlines.stop()
    this.#task.work.listen(undefined)
    this.#resolve(outcome)
  }
}

function isEventStream(headers: ReadonlyMap<string, string>): boolean {
  return /^text\/event-stream\b/i.test(headers.get('content-type') ?? '')
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

/** Why an answer was not kept any longer, in a sentence for the caller. */
export function noRoomForAnswers({ scope }: Refusal): string {
  return scope === null
    ? 'This server holds as much of answers as it can; try again.'
    : `The answers of this ${scope} that wait here are as large together as they may be; try again when others have ended.`
}
