/**
 * What becomes of a stream's bytes on their way to the client: they go as they came, or translated, or
 * wrapped. Holds back what may not be sent before settlement. Sends nothing itself.
 */
import type { Framing, Translation } from '../values.ts'
import type { DialectName, StreamWatch } from '../wire/codec.ts'
import type { Tally } from '../wire/neutral.ts'
import { StreamTranslator } from '../wire/translate.ts'
import { withCostInEvents } from '../wire/usage-cost.ts'

export type Send = (piece: Uint8Array | string) => void

/** The watch has seen every byte before the outlet does. */
export interface Outlet {
  take(chunk: Uint8Array): void
  /** The upstream sent its last byte. */
  end(): void
  /** Hands out what may be sent before settlement. */
  release(send: Send): void
  /** Hands out the rest, up to the protocol's own end, once the answer is paid. */
  lastWord(tally: Tally, send: Send): void
  /** Memory that waits here. */
  readonly waitingBytes: number
}

export function outletFor(
  watch: StreamWatch,
  of: {
    translation: Translation | null
    framing: Framing | null
    eventBytesMax: number
    /** The format whose usage gets the cost; null: what is passed through stays as it came. */
    costIn: DialectName | null
  },
): Outlet {
  const { translation, framing, eventBytesMax, costIn } = of
  const outlet =
    translation === null ? passedThrough(watch, costIn) : new Translated(translation, eventBytesMax)
  return framing === null ? outlet : new Framed(outlet, framing)
}

function passedThrough(watch: StreamWatch, costIn: DialectName | null): Outlet {
  const outlet = new AsItCame(watch)
  return costIn === null ? outlet : new WithCost(outlet, costIn)
}

/** Bytes received and not sent, in order. */
class AsItCame implements Outlet {
  readonly #watch: StreamWatch
  readonly #pending: Uint8Array[] = []
  /** The place in the stream of the first pending byte. */
  #sent = 0
  waitingBytes = 0

  constructor(watch: StreamWatch) {
    this.#watch = watch
  }

  take(chunk: Uint8Array): void {
    this.#pending.push(chunk)
    this.waitingBytes += chunk.length
  }

  end(): void {}

  release(send: Send): void {
    this.#flush(this.#watch.safe, send)
  }

  /** All that was held back, without the event that only we asked for. */
  lastWord(_tally: Tally, send: Send): void {
    const { drop, total } = this.#watch
    if (drop !== null && drop.start >= this.#sent) {
      this.#flush(drop.start, send)
      this.#flush(drop.end, () => undefined)
    }
    this.#flush(total, send)
  }

  #flush(until: number, send: Send): void {
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

/** As it came, with the cost in the last usage of what was held back. */
class WithCost implements Outlet {
  readonly #inner: Outlet
  readonly #format: DialectName

  constructor(inner: Outlet, format: DialectName) {
    this.#inner = inner
    this.#format = format
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
    this.#inner.release(send)
  }

  lastWord(tally: Tally, send: Send): void {
    const held: Uint8Array[] = []
    this.#inner.lastWord(tally, (piece) => held.push(Buffer.from(piece)))
    for (const piece of withCostInEvents(Buffer.concat(held), this.#format, tally.cost)) send(piece)
  }
}

class Translated implements Outlet {
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

  lastWord(tally: Tally, send: Send): void {
    this.release(send)
    send(this.#translator.lastWord(tally))
  }
}

class Framed implements Outlet {
  readonly #inner: Outlet
  readonly #framing: Framing

  constructor(inner: Outlet, framing: Framing) {
    this.#inner = inner
    this.#framing = framing
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
    this.#inner.release(this.#framed(send))
  }

  lastWord(tally: Tally, send: Send): void {
    this.#inner.lastWord(tally, this.#framed(send))
    send(this.#framing.close())
  }

  #framed(send: Send): Send {
    return (piece) => {
      const text = this.#framing.push(piece)
      if (text !== '') send(text)
    }
  }
}
