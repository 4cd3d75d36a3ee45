/**
 * Converts a stream's bytes on their way to the client: passed through, translated, or wrapped. Holds back what must not
 * be sent before settlement. Sends nothing itself.
 */

import type { CostFields, StreamEnvelope, UsageTap } from '../../../wire/format.ts'
import { withoutMembersInEvents } from '../../../wire/left-out-members.ts'
import type { ResponseCost } from '../../../wire/translation/neutral.ts'
import { StreamTranslator } from '../../../wire/translation/translate.ts'
import { withCostInEvents } from '../../../wire/usage-cost.ts'
import type { Translation } from '../../request.ts'

export type Send = (piece: Uint8Array | string) => void

/** The usage tap sees every byte before the sink. */
export interface StreamSink {
  take(chunk: Uint8Array): void
  /** The upstream sent its last byte. */
  end(): void
  /** Emits what may be sent before settlement. */
  release(send: Send): void
  /** Emits the rest up to the terminal event, after settlement. */
  sendTerminal(cost: ResponseCost, send: Send): void
  readonly waitingBytes: number
}

export function streamSinkFor(
  watch: UsageTap,
  of: {
    translation: Translation | null
    envelope: StreamEnvelope | null
    eventBytesMax: number
    /** Where a passed-through response gets its cost; null: it stays as it came. */
    costFields: CostFields | null
    /** Nothing of a passed-through response names its provider, or says what it charges. */
    hidesProvider: boolean
  },
): StreamSink {
  const { translation, envelope, eventBytesMax, costFields, hidesProvider } = of
  const sink =
    translation === null
      ? passthroughSink(watch, { costFields, hidesProvider })
      : new TranslatingSink(translation, eventBytesMax)
  return envelope === null ? sink : enveloped(sink, envelope)
}

function passthroughSink(
  watch: UsageTap,
  { costFields, hidesProvider }: { costFields: CostFields | null; hidesProvider: boolean },
): StreamSink {
  const sink = new PassthroughSink(watch, hidesProvider)
  return costFields === null ? sink : withCost(sink, costFields)
}

/** Bytes received and not sent, in order. */
class PassthroughSink implements StreamSink {
  readonly #watch: UsageTap
  readonly #hidesProvider: boolean
  readonly #pending: Uint8Array[] = []
  /** The stream offset of the first pending byte. */
  #sent = 0
  waitingBytes = 0

  constructor(watch: UsageTap, hidesProvider: boolean) {
    this.#watch = watch
    this.#hidesProvider = hidesProvider
  }

  take(chunk: Uint8Array): void {
    this.#pending.push(chunk)
    this.waitingBytes += chunk.length
  }

  end(): void {}

  release(send: Send): void {
    this.#flush(this.#watch.relayableBytes, send)
  }

  /** Emits everything held back, without the usage event that only the gateway requested, and the end mark if it is missing. */
  sendTerminal(_cost: ResponseCost, send: Send): void {
    const { suppressedSpan, totalBytes, missingMark } = this.#watch
    if (suppressedSpan !== null && suppressedSpan.start >= this.#sent) {
      this.#flush(suppressedSpan.start, send)
      this.#flush(suppressedSpan.end, () => undefined)
    }
    this.#flush(totalBytes, send)
    if (missingMark !== '') send(missingMark)
  }

  /** Each call takes whole events. */
  #flush(until: number, send: Send): void {
    const hasEmptyRole = this.#watch.hasEmptyRole === true
    if (!this.#hidesProvider && !hasEmptyRole) return this.#take(until, send)
    const pieces: Uint8Array[] = []
    this.#take(until, (piece) => pieces.push(Buffer.from(piece)))
    if (pieces.length === 0) return
    const leftOut = { hidesProvider: this.#hidesProvider, hasEmptyRole }
    for (const piece of withoutMembersInEvents(Buffer.concat(pieces), leftOut)) send(piece)
  }

  #take(until: number, send: Send): void {
    while (this.#sent < until) {
      const chunk = this.#pending[0]
      if (chunk === undefined) return
      const wanted = until - this.#sent
      const piece = chunk.length <= wanted ? chunk : chunk.subarray(0, wanted)
      if (piece.length === chunk.length) this.#pending.shift()
      else this.#pending[0] = chunk.subarray(wanted)
      this.#sent += piece.length
      this.waitingBytes -= piece.length
      send(piece)
    }
  }
}

/** Passed through, with the cost in the last usage object of the held-back events. */
function withCost(inner: StreamSink, fields: CostFields): StreamSink {
  return new WrappedSink(inner, {
    release: (send) => inner.release(send),
    sendTerminal(cost, send) {
      const held: Uint8Array[] = []
      inner.sendTerminal(cost, (piece) => held.push(Buffer.from(piece)))
      for (const piece of withCostInEvents(Buffer.concat(held), fields, cost)) send(piece)
    },
  })
}

function enveloped(inner: StreamSink, envelope: StreamEnvelope): StreamSink {
  const through =
    (send: Send): Send =>
    (piece) => {
      const text = envelope.push(piece)
      if (text !== '') send(text)
    }
  return new WrappedSink(inner, {
    release: (send) => inner.release(through(send)),
    sendTerminal(cost, send) {
      inner.sendTerminal(cost, through(send))
      send(envelope.close())
    },
  })
}

type Emission = Pick<StreamSink, 'release' | 'sendTerminal'>

/** A sink that buffers like `inner` and emits differently. */
class WrappedSink implements StreamSink {
  readonly #inner: StreamSink
  readonly #emission: Emission

  constructor(inner: StreamSink, emission: Emission) {
    this.#inner = inner
    this.#emission = emission
  }

  get waitingBytes(): number {
    return this.#inner.waitingBytes
  }

  take(chunk: Uint8Array): void {
    this.#inner.take(chunk)
  }

  end(): void {
    this.#inner.end()
  }

  release(send: Send): void {
    this.#emission.release(send)
  }

  sendTerminal(cost: ResponseCost, send: Send): void {
    this.#emission.sendTerminal(cost, send)
  }
}

class TranslatingSink implements StreamSink {
  readonly #translator: StreamTranslator
  #text = ''

  constructor({ from, to, frame, names, emulation }: Translation, eventBytesMax: number) {
    this.#translator = new StreamTranslator(from, to, { frame, names, emulation, eventBytesMax })
  }

  get waitingBytes(): number {
    return this.#translator.waitingBytes + this.#text.length
  }

  take(chunk: Uint8Array): void {
    this.#text += this.#translator.push(chunk)
  }

  end(): void {
    this.#text += this.#translator.end()
  }

  release(send: Send): void {
    if (this.#text === '') return
    send(this.#text)
    this.#text = ''
  }

  sendTerminal(cost: ResponseCost, send: Send): void {
    this.release(send)
    send(this.#translator.close(cost))
  }
}
