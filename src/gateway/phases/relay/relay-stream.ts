/**
 * Relays one stream from its first content to its end: sends relayable bytes, holds the terminal event back, sends
 * keep-alives to the client and limits slow readers. Does not decide who pays.
 */
import { assert } from '../../../base/assert.ts'
import { type Clock, Deadlines } from '../../../base/clock.ts'
import { TollgateError } from '../../../base/errors.ts'
import type { Failpoints } from '../../../base/failpoint.ts'
import type { Interruption } from '../../../base/interruption.ts'
import type { BudgetRejection } from '../../../base/shared-budget.ts'
import { hidesProvider } from '../../../catalog/customer-view.ts'
import type { ErrorResponseDeps } from '../../../http/early-response.ts'
import { formatUsd } from '../../../ledger/rules/money.ts'
import type { EndReason } from '../../../ledger/types.ts'
import { responseMemoryMessage } from '../../../providers/attempt.ts'
import { noProblem } from '../../../wire/upstream-problem.ts'
import {
  publicUpstreamError,
  recordUpstreamFailure,
  type UpstreamErrorDeps,
} from '../../attempts/upstream-error.ts'
import type {
  Candidate,
  RelayOutcome,
  RequestContext,
  RequestLifecycle,
  RequestPlan,
  SettlementResult,
  StreamedBody,
  UpstreamResponse,
} from '../../request.ts'
import { sendErrorResponse } from '../../responses/error-response.ts'
import { keepAlive, streamHeaders } from '../../responses/response-headers.ts'
import { type Send, type StreamSink, streamSinkFor } from './stream-sink.ts'

export interface RelayDeps extends UpstreamErrorDeps {
  readonly clock: Clock
  readonly failpoints: Failpoints
  readonly limits: RelayLimits
}

type LingerLimits = ErrorResponseDeps['limits']

export interface RelayLimits extends LingerLimits {
  readonly keepAliveMs: number
  readonly silenceMs: number
  readonly slowReaderMs: number
  readonly readOnMs: number
  /** How long an upstream may take to close an exchange after its protocol's end. */
  readonly afterEndMs: number
  readonly eventBytesMax: number
}

/** Request data that relaying needs in addition to the upstream's response. */
export interface RelayContext {
  readonly plan: RequestPlan
  readonly lifecycle: RequestLifecycle
  readonly headers: readonly string[]
  /** Null: the hold is in the database. */
  readonly lostHold: () => Promise<TollgateError | null>
  /** Closes the hold; called exactly once. */
  readonly settle: (outcome: RelayOutcome) => Promise<SettlementResult>
  /** Called after every relayed event, to write checkpoints of what was delivered. */
  readonly delivered: (body: StreamedBody) => void
}

type RelayDeadline = 'silence' | 'content' | 'total' | 'readOn' | 'keepAlive' | 'slowReader'

/** Relays one stream from its first content to its end. */
export class StreamRelay {
  readonly #deps: RelayDeps
  readonly #context: RequestContext
  readonly #relayContext: RelayContext
  readonly #contentGapMs: number
  readonly #body: StreamedBody
  readonly #deadlines: Deadlines<RelayDeadline>
  readonly #upstreamHeaders: ReadonlyMap<string, string>
  readonly #candidate: Candidate
  readonly #sink: StreamSink
  readonly #send: Send = (piece) => this.#relay(piece)
  #events = 0
  #paused = false
  #hasRelayed = false
  #readsAfterDisconnect: boolean
  #hasEnded = false
  #resolve: () => void = () => undefined
  #reject: (error: unknown) => void = () => undefined

  constructor(
    deps: RelayDeps,
    context: RequestContext,
    input: { relayContext: RelayContext; body: StreamedBody; upstreamResponse: UpstreamResponse },
  ) {
    this.#deps = deps
    this.#context = context
    this.#relayContext = input.relayContext
    this.#contentGapMs = input.relayContext.lifecycle.contentGapMs(input.relayContext.plan)
    this.#body = input.body
    this.#upstreamHeaders = input.upstreamResponse.upstreamHeaders
    const { candidate } = input.upstreamResponse
    assert(candidate !== null, 'a stream has a candidate')
    this.#candidate = candidate
    this.#readsAfterDisconnect = input.body.readsAfterDisconnect
    this.#sink = streamSinkFor(input.body.usageTap, {
      translation: input.relayContext.plan.translation,
      envelope: context.envelope,
      costFields: input.relayContext.lifecycle.showsCost ? context.format.costFields : null,
      eventBytesMax: deps.limits.eventBytesMax,
      hidesProvider: hidesProvider(context.customerView, candidate.upstream),
    })
    this.#deadlines = new Deadlines(deps.clock, (name) => this.#due(name))
  }

  run(): Promise<void> {
    const { client, work } = this.#context
    const isWaiting = client.headersSent
    if (!isWaiting) {
      client.begin(200, streamHeaders(this.#context, this.#relayContext.headers, this.#upstreamHeaders))
    }
    const { limits } = this.#deps
    this.#awaitUpstream()
    this.#deadlines.set('total', this.#relayContext.lifecycle.leftMs())
    if (this.#readsAfterDisconnect) this.#deadlines.set('readOn', this.#readOnMs() || limits.readOnMs)
    else this.#deadlines.set('keepAlive', limits.keepAliveMs)
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      for (const chunk of this.#body.seen) this.#sink.take(chunk)
      if (this.#isOver()) this.#sink.end()
      this.#advance()
      if (this.#hasEnded) return
      // The first upstream event may translate to nothing for this client, which is still waiting.
      if (!this.#hasRelayed) this.#sendFirstKeepAlive(isWaiting)
      this.#body.exchange.listen({
        head: () => undefined,
        chunk: (bytes) => this.#chunk(bytes),
        end: () => this.#upstreamEnded(false),
        failed: () => this.#upstreamEnded(true),
      })
      work.listen((interruption) => this.#interrupt(interruption))
      this.#body.exchange.resume()
    })
  }

  #chunk(bytes: Uint8Array): void {
    if (this.#hasEnded) return
    this.#deadlines.set('silence', this.#deps.limits.silenceMs)
    this.#body.usageTap.push(bytes)
    this.#sink.take(bytes)
    this.#advance()
  }

  #upstreamEnded(isCut: boolean): void {
    if (this.#hasEnded) return
    this.#body.usageTap.end(isCut)
    this.#sink.end()
    this.#advance()
  }

  /** The upstream ended during the first-byte wait. */
  #isOver(): boolean {
    const { state } = this.#body.usageTap
    return state === 'complete' || state === 'truncated'
  }

  /** Sends relayable bytes, then acts on the state of the usage tap. */
  #advance(): void {
    const { usageTap } = this.#body
    this.#sink.release(this.#send)
    if (usageTap.sample.events !== this.#events) {
      this.#events = usageTap.sample.events
      if (!this.#paused) this.#deadlines.set('content', this.#contentGapMs)
      this.#deps.failpoints.reach('after-content')
      this.#relayContext.delivered(this.#body)
    }
    if (usageTap.state === 'complete') return this.#complete()
    if (usageTap.state === 'failed') return this.#cutShort('upstream_error', this.#upstreamProblem())
    if (usageTap.state === 'truncated') return this.#cutShort('upstream_truncated', truncated())
    if (this.#sink.waitingBytes > this.#deps.limits.eventBytesMax)
      return this.#cutShort('upstream_error', tooLarge())
    const rejection = this.#relayContext.lifecycle.room.set(this.#sink.waitingBytes)
    if (rejection !== undefined) this.#cutShort('interrupted', outOfMemory(rejection))
  }

  /** Sends a piece of the response; continues the event that padding has opened. */
  #relay(piece: Uint8Array | string): void {
    const { padding } = this.#context
    if (piece.length > 0) this.#hasRelayed = true
    if (padding === null || !padding.isOpen) return this.#write(piece)
    const resumed = padding.resume(piece)
    if (resumed.length > 0) this.#write(resumed)
  }

  #write(piece: Uint8Array | string): void {
    const { client } = this.#context
    if (!this.#readsAfterDisconnect && !this.#hasEnded) this.#keepClientAlive()
    if (client.write(piece) || this.#paused || this.#hasEnded) return
    this.#paused = true
    this.#body.exchange.pause()
    this.#deadlines.clear('silence')
    this.#deadlines.clear('content')
    this.#deadlines.set('slowReader', this.#deps.limits.slowReaderMs)
    client.onDrained(() => {
      this.#paused = false
      if (this.#hasEnded) return
      this.#deadlines.clear('slowReader')
      this.#awaitUpstream()
      this.#body.exchange.resume()
    })
  }

  /** Restarts the upstream's deadlines, which are cleared while it waits for the client. */
  #awaitUpstream(): void {
    this.#deadlines.set('silence', this.#deps.limits.silenceMs)
    this.#deadlines.set('content', this.#contentGapMs)
  }

  #complete(): void {
    const { usageTap } = this.#body
    this.#settleThen(
      {
        reason: this.#readsAfterDisconnect ? 'client_abort' : 'complete',
        dispatched: true,
        report: { kind: 'final', usage: usageTap.rawUsage },
        sample: usageTap.sample,
        relayed: usageTap.relayableSample,
        error: null,
        status: 200,
      },
      (result) => {
        this.#deps.failpoints.reach('before-terminal-event')
        if (result.kind === 'late') return sendErrorResponse(this.#deps, this.#context, settlementDelayed())
        // The client sees the provider's report; the receipt shows what was charged, which may have been counted instead.
        const usage = this.#relayContext.plan.format.toUsage(usageTap.rawUsage)
        const isOwnKey = this.#relayContext.plan.ownKeyFee !== null
        this.#sink.sendTerminal({ usage, cost: formatUsd(result.charged), isOwnKey }, this.#send)
        this.#context.client.end(this.#context.padding?.close())
      },
    )
  }

  /** Ends without a terminal success event: sends an error in the client's format. */
  #cutShort(reason: EndReason, error: TollgateError | null): void {
    const { usageTap } = this.#body
    this.#settleThen(
      {
        reason: this.#readsAfterDisconnect ? 'client_abort' : reason,
        dispatched: true,
        report: { kind: 'partial', usage: usageTap.rawUsage },
        sample: usageTap.sample,
        error,
        status: error?.status ?? 499,
      },
      () => {
        if (error !== null) sendErrorResponse(this.#deps, this.#context, error)
      },
    )
  }

  #settleThen(outcome: RelayOutcome, then: (result: SettlementResult) => void): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#deadlines.stop()
    if (this.#body.usageTap.state === 'complete') this.#releaseConnection()
    else this.#body.exchange.abort()
    if (outcome.error === null && !this.#readsAfterDisconnect) this.#keepClientAlive()
    this.#relayContext
      .settle(outcome)
      .then((result) => {
        this.#deadlines.stop()
        this.#context.work.listen(undefined)
        then(result)
        this.#resolve()
      })
      .catch((error: unknown) => {
        this.#deadlines.stop()
        this.#reject(error)
      })
  }

  /** Reads to the end, so that the connection can be reused; aborts where the upstream does not end in time. */
  #releaseConnection(): void {
    const { exchange } = this.#body
    const timer = this.#deps.clock.after(this.#deps.limits.afterEndMs, () => exchange.abort())
    const forget = () => timer.cancel()
    exchange.listen({ head: forget, chunk: () => undefined, end: forget, failed: forget })
    if (this.#paused) exchange.resume()
  }

  /** Flushes the response head, or sends a keep-alive where the head was already sent. */
  #sendFirstKeepAlive(hasHead: boolean): void {
    if (!hasHead) this.#context.client.flush()
    else if (!this.#readsAfterDisconnect) this.#write(keepAlive(this.#context, this.#hasRelayed))
  }

  #keepClientAlive(): void {
    this.#deadlines.set('keepAlive', this.#deps.limits.keepAliveMs)
  }

  #interrupt(interruption: Interruption): void {
    if (this.#hasEnded) return
    if (interruption.kind === 'stopped') return this.#cutShort('interrupted', interruption.error)
    if (this.#readsAfterDisconnect) return
    const isNearlyDone = this.#body.usageTap.state === 'finishing'
    const readOnMs = isNearlyDone ? this.#deps.limits.readOnMs : this.#readOnMs()
    if (readOnMs === 0) return this.#abandon()
    this.#readsAfterDisconnect = true
    this.#deadlines.clear('keepAlive')
    this.#deadlines.clear('slowReader')
    this.#deadlines.set('readOn', readOnMs)
    if (this.#paused) {
      this.#paused = false
      this.#body.exchange.resume()
    }
  }

  #readOnMs(): number {
    return this.#relayContext.lifecycle.readOnMs(this.#relayContext.plan.connector)
  }

  #abandon(): void {
    this.#cutShort('client_abort', null)
  }

  #due(name: RelayDeadline): void {
    switch (name) {
      case 'keepAlive':
        this.#write(keepAlive(this.#context, this.#hasRelayed))
        if (this.#hasEnded) this.#keepClientAlive()
        return
      case 'slowReader':
        return this.#slowReader()
      case 'readOn':
        return this.#abandon()
      case 'silence':
      case 'content':
      case 'total':
        return this.#cutShort('timeout', timedOut(name))
    }
  }

  /** Ends a client that has read nothing for `slowReaderMs`. */
  #slowReader(): void {
    const { client } = this.#context
    const { slowReaderMs } = this.#deps.limits
    const stalledMs = this.#deps.clock.monoMs() - (client.stalledSinceMs ?? this.#deps.clock.monoMs())
    if (stalledMs < slowReaderMs) return this.#deadlines.set('slowReader', slowReaderMs - stalledMs)
    this.#cutShort(
      'client_abort',
      new TollgateError('slow_reader', { message: 'The client stopped reading.' }),
    )
    client.destroy()
  }

  #upstreamProblem(): TollgateError {
    const { format, connector } = this.#relayContext.plan
    const { upstream, offer } = this.#candidate
    const { upstreamModel } = offer
    const problem = this.#body.usageTap.problem ?? noProblem
    const status = format.problemStatus(problem)
    const failure = connector.classify(status, this.#upstreamHeaders, problem)
    recordUpstreamFailure(this.#deps, this.#context, { upstream, upstreamModel, failure, status })
    return publicUpstreamError(failure, upstream, status)
  }
}

function truncated(): TollgateError {
  return new TollgateError('upstream_truncated', {
    message: 'The upstream ended its response early; it is incomplete.',
    source: 'upstream',
  })
}

function outOfMemory(rejection: BudgetRejection): TollgateError {
  return new TollgateError('overloaded', { message: responseMemoryMessage(rejection) })
}

function tooLarge(): TollgateError {
  return new TollgateError('upstream_invalid', {
    message: 'The upstream sent an event that is larger than this server can relay.',
    source: 'upstream',
  })
}

function timedOut(name: 'silence' | 'content' | 'total'): TollgateError {
  const words = {
    silence: 'The upstream stopped sending.',
    content: 'The upstream sent only keep-alive events.',
    total: "The request exceeded this server's time limit.",
  }
  return new TollgateError('upstream_timeout', { message: words[name], source: 'upstream' })
}

/** The error for a client whose response is complete but whose charge could not be recorded. */
export function settlementDelayed(): TollgateError {
  return new TollgateError('settlement_delayed', {
    message:
      'The upstream completed the response, but the charge could not be recorded in time, so the rest was not delivered. Undelivered output is not charged.',
  })
}
