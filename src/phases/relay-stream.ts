/**
 * One stream, from its first content to its end: sends what is safe, holds back the last word, keeps a
 * silent client awake and a slow one bounded. Who pays is not decided here.
 */
import { assert } from '../base/assert.ts'
import type { Clock } from '../base/clock.ts'
import { Deadlines } from '../base/deadlines.ts'
import { TollgateError } from '../base/errors.ts'
import type { Failpoints } from '../base/failpoint.ts'
import type { Interruption } from '../base/interruption.ts'
import type { Refusal } from '../base/shared-budget.ts'
import { keepAlive, streamHeaders } from '../headers.ts'
import type { Lingering } from '../http/early.ts'
import { formatUsd } from '../ledger/money.ts'
import type { EndReason } from '../ledger/types.ts'
import { noRoomForAnswers } from '../providers/attempt.ts'
import { refuse } from '../refusal.ts'
import { type Noting, noteFailure, toldFailure } from '../upstream-failure.ts'
import type { Bill, Candidate, Course, Ending, Line, Plan, Reply, StreamedBody } from '../values.ts'
import { noProblem } from '../wire/upstream-problem.ts'
import { type Outlet, outletFor, type Send } from './relay-stream-outlet.ts'

export interface Relaying extends Noting {
  readonly clock: Clock
  readonly failpoints: Failpoints
  readonly limits: RelayLimits
}

type LingerLimits = Lingering['limits']

export interface RelayLimits extends LingerLimits {
  readonly keepAliveMs: number
  readonly silenceMs: number
  readonly slowReaderMs: number
  readonly readOnMs: number
  /** How long an upstream may take to close an exchange after its protocol's end. */
  readonly afterEndMs: number
  readonly eventBytesMax: number
}

/** What relaying needs of the request besides the reply. */
export interface Journey {
  readonly plan: Plan
  readonly course: Course
  /** Closes the hold; called exactly once. */
  readonly settle: (ending: Ending) => Promise<Bill>
  /** Told after every relayed event, so that a crash charges what was delivered. */
  readonly delivered: (body: StreamedBody) => void
}

type Deadline = 'silence' | 'content' | 'total' | 'readOn' | 'keepAlive' | 'slowReader'

/** One stream from its first content to its end. */
export class StreamRelay {
  readonly #relaying: Relaying
  readonly #line: Line
  readonly #journey: Journey
  readonly #body: StreamedBody
  readonly #deadlines: Deadlines<Deadline>
  readonly #upstreamHeaders: ReadonlyMap<string, string>
  readonly #candidate: Candidate
  readonly #outlet: Outlet
  readonly #send: Send = (piece) => this.#relay(piece)
  #events = 0
  #paused = false
  #hasWritten = false
  #readsOn: boolean
  #ending = false
  #resolve: () => void = () => undefined
  #reject: (error: unknown) => void = () => undefined

  constructor(relaying: Relaying, line: Line, of: { journey: Journey; body: StreamedBody; reply: Reply }) {
    this.#relaying = relaying
    this.#line = line
    this.#journey = of.journey
    this.#body = of.body
    this.#upstreamHeaders = of.reply.upstreamHeaders
    const { candidate } = of.reply
    assert(candidate !== null, 'a stream comes from somebody')
    this.#candidate = candidate
    this.#readsOn = of.body.readsOn
    this.#outlet = outletFor(of.body.watch, {
      translation: of.journey.plan.translation,
      framing: line.framing,
      costIn: of.journey.course.showsCost ? of.journey.plan.dialect.name : null,
      eventBytesMax: relaying.limits.eventBytesMax,
    })
    this.#deadlines = new Deadlines(relaying.clock, (name) => this.#due(name))
  }

  run(): Promise<void> {
    const { client, work } = this.#line
    const isWaiting = client.begun
    if (!isWaiting) {
      client.begin(200, streamHeaders(this.#line, this.#journey.course.headers, this.#upstreamHeaders))
    }
    const { limits } = this.#relaying
    this.#awaitUpstream()
    this.#deadlines.set('total', this.#journey.course.leftMs())
    if (this.#readsOn) this.#deadlines.set('readOn', limits.readOnMs)
    else this.#deadlines.set('keepAlive', limits.keepAliveMs)
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      for (const chunk of this.#body.seen) this.#outlet.take(chunk)
      if (this.#isOver()) this.#outlet.end()
      this.#advance()
      if (this.#ending) return
      // What began the stream may be nothing that this client is sent, and it has waited long enough.
      if (!this.#hasWritten) this.#comfort(isWaiting)
      this.#body.exchange.listen({
        head: () => undefined,
        chunk: (bytes) => this.#chunk(bytes),
        end: () => this.#upstreamEnded(),
        failed: () => this.#upstreamEnded(),
      })
      work.listen((interruption) => this.#interrupt(interruption))
      this.#body.exchange.resume()
    })
  }

  #chunk(bytes: Uint8Array): void {
    if (this.#ending) return
    this.#deadlines.set('silence', this.#relaying.limits.silenceMs)
    this.#body.watch.push(bytes)
    this.#outlet.take(bytes)
    this.#advance()
  }

  #upstreamEnded(): void {
    if (this.#ending) return
    this.#body.watch.end()
    this.#outlet.end()
    this.#advance()
  }

  /** The upstream ended while it was peeked at. */
  #isOver(): boolean {
    const { state } = this.#body.watch
    return state === 'complete' || state === 'truncated'
  }

  /** Sends what is safe, then acts on what the watch has seen. */
  #advance(): void {
    const { watch } = this.#body
    this.#outlet.release(this.#send)
    if (watch.sample.events !== this.#events) {
      this.#events = watch.sample.events
      if (!this.#paused) this.#deadlines.set('content', this.#journey.course.contentGapMs)
      this.#relaying.failpoints.reach('after-content')
      this.#journey.delivered(this.#body)
    }
    if (watch.state === 'complete') return this.#complete()
    if (watch.state === 'failed') return this.#cutShort('upstream_error', this.#upstreamProblem())
    if (watch.state === 'truncated') return this.#cutShort('upstream_truncated', truncated())
    if (this.#outlet.waitingBytes > this.#relaying.limits.eventBytesMax)
      return this.#cutShort('upstream_error', tooLarge())
    const refusal = this.#journey.course.room.set(this.#outlet.waitingBytes)
    if (refusal !== undefined) this.#cutShort('interrupted', noRoom(refusal))
  }

  /** A piece of the answer; where silence opened its event, in that line. */
  #relay(piece: Uint8Array | string): void {
    const { padding } = this.#line
    if (padding === null || !padding.isOpen) return this.#write(piece)
    const resumed = padding.resume(piece)
    if (resumed.length > 0) this.#write(resumed)
  }

  #write(piece: Uint8Array | string): void {
    const { client } = this.#line
    this.#hasWritten = true
    if (!this.#readsOn && !this.#ending) this.#keepClientAlive()
    if (client.write(piece) || this.#paused || this.#ending) return
    this.#paused = true
    this.#body.exchange.pause()
    this.#deadlines.clear('silence')
    this.#deadlines.clear('content')
    this.#deadlines.set('slowReader', this.#relaying.limits.slowReaderMs)
    client.onDrained(() => {
      this.#paused = false
      if (this.#ending) return
      this.#deadlines.clear('slowReader')
      this.#awaitUpstream()
      this.#body.exchange.resume()
    })
  }

  /** An upstream that has to wait for the client is not silent. */
  #awaitUpstream(): void {
    this.#deadlines.set('silence', this.#relaying.limits.silenceMs)
    this.#deadlines.set('content', this.#journey.course.contentGapMs)
  }

  #complete(): void {
    const { watch } = this.#body
    this.#settleThen(
      {
        reason: this.#readsOn ? 'client_abort' : 'complete',
        dispatched: true,
        report: { kind: 'final', usage: watch.report },
        sample: watch.sample,
        relayed: watch.safeSample,
        error: null,
        status: 200,
      },
      (bill) => {
        this.#relaying.failpoints.reach('before-last-word')
        if (bill.kind === 'late') return refuse(this.#relaying, this.#line, settlementDelayed())
        const usage = this.#journey.plan.dialect.toUsage(watch.report)
        this.#outlet.lastWord({ usage, cost: formatUsd(bill.charged) }, this.#send)
        this.#line.client.end(this.#line.padding?.close())
      },
    )
  }

  /** Ends without a success mark: the client is told in its dialect, where it is still there. */
  #cutShort(reason: EndReason, error: TollgateError | null): void {
    const { watch } = this.#body
    this.#settleThen(
      {
        reason: this.#readsOn ? 'client_abort' : reason,
        dispatched: true,
        report: { kind: 'partial', usage: watch.report },
        sample: watch.sample,
        error,
        status: error?.status ?? 499,
      },
      () => {
        if (error !== null) refuse(this.#relaying, this.#line, error)
      },
    )
  }

  #settleThen(ending: Ending, then: (bill: Bill) => void): void {
    if (this.#ending) return
    this.#ending = true
    this.#deadlines.stop()
    if (this.#body.watch.state === 'complete') this.#letGoOfUpstream()
    else this.#body.exchange.abort()
    if (ending.error === null && !this.#readsOn) this.#keepClientAlive()
    this.#journey
      .settle(ending)
      .then((bill) => {
        this.#deadlines.stop()
        this.#line.work.listen(undefined)
        then(bill)
        this.#resolve()
      })
      .catch((error: unknown) => {
        this.#deadlines.stop()
        this.#reject(error)
      })
  }

  /** The connection may serve the next request, unless the upstream does not come to its end. */
  #letGoOfUpstream(): void {
    const { exchange } = this.#body
    const timer = this.#relaying.clock.after(this.#relaying.limits.afterEndMs, () => exchange.abort())
    const forget = () => timer.cancel()
    exchange.listen({ head: forget, chunk: () => undefined, end: forget, failed: forget })
    if (this.#paused) exchange.resume()
  }

  /** The head shows a client that the answer has begun; one that has the head already needs more. */
  #comfort(hasHead: boolean): void {
    if (!hasHead) this.#line.client.flush()
    else if (!this.#readsOn) this.#write(keepAlive(this.#line))
  }

  #keepClientAlive(): void {
    this.#deadlines.set('keepAlive', this.#relaying.limits.keepAliveMs)
  }

  #interrupt(interruption: Interruption): void {
    if (this.#ending) return
    if (interruption.kind === 'stopped') return this.#cutShort('interrupted', interruption.error)
    if (this.#readsOn) return
    const isNearlyDone = this.#body.watch.state === 'finishing'
    if (!isNearlyDone && !this.#readsOnForBill()) return this.#leave()
    this.#readsOn = true
    this.#deadlines.clear('keepAlive')
    this.#deadlines.clear('slowReader')
    this.#deadlines.set('readOn', this.#relaying.limits.readOnMs)
    if (this.#paused) {
      this.#paused = false
      this.#body.exchange.resume()
    }
  }

  #readsOnForBill(): boolean {
    return this.#journey.course.readsOnWhenGone(this.#candidate.connector)
  }

  #leave(): void {
    this.#cutShort('client_abort', null)
  }

  #due(name: Deadline): void {
    switch (name) {
      case 'keepAlive':
        this.#write(keepAlive(this.#line))
        if (this.#ending) this.#keepClientAlive()
        return
      case 'slowReader':
        return this.#slowReader()
      case 'readOn':
        return this.#leave()
      case 'silence':
      case 'content':
      case 'total':
        return this.#cutShort('timeout', timedOut(name))
    }
  }

  /** Progress of a few bytes keeps a slow reader; none at all for a minute ends it. */
  #slowReader(): void {
    const { client } = this.#line
    const { slowReaderMs } = this.#relaying.limits
    const stalledMs = this.#relaying.clock.monoMs() - (client.stalledSinceMs ?? this.#relaying.clock.monoMs())
    if (stalledMs < slowReaderMs) return this.#deadlines.set('slowReader', slowReaderMs - stalledMs)
    this.#cutShort(
      'client_abort',
      new TollgateError('slow_reader', { message: 'The client stopped reading.' }),
    )
    client.destroy()
  }

  #upstreamProblem(): TollgateError {
    const { dialect } = this.#journey.plan
    const { upstream, connector } = this.#candidate
    const problem = this.#body.watch.problem ?? noProblem
    const status = dialect.problemStatus(problem)
    const failure = connector.classify(status, this.#upstreamHeaders, problem)
    noteFailure(this.#relaying, this.#line, { upstream, failure, status })
    return toldFailure(failure, upstream)
  }
}

function truncated(): TollgateError {
  return new TollgateError('upstream_truncated', {
    message: 'The upstream ended its answer too early; it is not complete.',
    source: 'upstream',
  })
}

function noRoom(refusal: Refusal): TollgateError {
  return new TollgateError('overloaded', { message: noRoomForAnswers(refusal) })
}

function tooLarge(): TollgateError {
  return new TollgateError('upstream_invalid', {
    message: 'The upstream sent an event that is larger than this server relays.',
    source: 'upstream',
  })
}

function timedOut(name: 'silence' | 'content' | 'total'): TollgateError {
  const words = {
    silence: 'The upstream fell silent.',
    content: 'The upstream sent nothing but signs of life.',
    total: 'The request took longer than this server allows.',
  }
  return new TollgateError('upstream_timeout', { message: words[name], source: 'upstream' })
}

/** What a client is told whose answer is there and whose bill is not. */
export function settlementDelayed(): TollgateError {
  return new TollgateError('settlement_delayed', {
    message:
      'The answer is complete upstream, but its charge could not be written in time, so its end is not delivered. What was not delivered is not charged.',
  })
}
